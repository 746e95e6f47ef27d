"""The server fetches nothing for a visitor: whatever stands in the place of a file, no address is asked."""

import asyncio
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from gradio import processing_utils
from gradio.utils import get_upload_folder

from lab.settings import SettingsError
from lab.ui.app import create_app
from lab.ui.shell.uploads_only import refuse_foreign_files

AWAY = "http://203.0.113.7/large.bin"
META = {"meta": {"_type": "gradio.FileData"}}
FILES: dict[str, Any] = {
    "an address as path": {"path": AWAY, **META},
    "an address beside it": {"url": AWAY, **META},
    "without a mark": {"path": AWAY},
    "in a list": [{"path": AWAY, **META}],
    "inside something else": {"value": [[{"deep": {"url": AWAY, "path": None, **META}}]]},
    "in capitals": {"path": AWAY.replace("http", "HTTPS"), **META},
    "a file of the server": {"path": "/etc/hostname", **META},
    "a way out": {"path": f"{get_upload_folder()}/../../etc/hostname", **META},
    "a zero byte": {"path": "a\0b", **META},
}


@pytest.fixture(scope="module")
def app() -> gr.Blocks:
    return create_app()


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_no_handler_of_any_page_makes_the_server_ask_an_address(
    app: gr.Blocks, file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    async def fetched(*given: Any) -> Any:
        asked.append(given)
        raise ConnectionError

    for name in ("async_ssrf_protected_get", "async_ssrf_protected_download"):
        monkeypatch.setattr(processing_utils, name, fetched)
    for name in ("unsafe_download", "ssrf_protected_download", "save_url_to_cache"):
        monkeypatch.setattr(processing_utils, name, lambda *given: asked.append(given))

    async def every() -> None:
        for each in app.fns.values():
            for place in range(len(each.inputs)):
                sent = [file if other == place else None for other in range(len(each.inputs))]
                with pytest.raises(gr.Error, match="upload the file itself"):
                    await app.preprocess_data(each, sent, None)

    with ThreadPoolExecutor(1) as pool:  # a browser of other tests may keep a loop running in this thread
        pool.submit(asyncio.run, every()).result()
    assert asked == []


def test_a_file_that_was_uploaded_is_taken() -> None:
    place = Path(get_upload_folder())
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place, suffix=".txt") as kept:
        mine = {"path": kept.name, "url": f"http://127.0.0.1:7860/gradio_api/file={kept.name}", "size": 3, **META}
        refuse_foreign_files([mine, [mine], None, "http://is.only/a-text", 3.0, {"text": AWAY}])


def test_what_is_nested_without_end_is_refused_in_a_sentence() -> None:
    deep: Any = []
    for _ in range(500):
        deep = [deep]
    with pytest.raises(SettingsError, match="too deep"):
        refuse_foreign_files(deep)
