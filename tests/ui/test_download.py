"""A run is taken away as the folder that transformers loads."""

import base64
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from browser import visit
from playwright.sync_api import Page
from trained import run_of

from lab.exchange.importing import bring
from lab.inference.model import load
from lab.runs.folder import RunFolder, home
from lab.serve.ownership import owner_of
from lab.settings import SettingsError
from lab.ui.runs import download
from lab.ui.runs.download import can_be_taken, zipped

VISITOR, STRANGER = "a" * 32, "b" * 32


def opened(value: dict[str, object], to: Path) -> Path:
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(str(value["data"])))) as archive:
        archive.extractall(to)
    return to / str(value["name"]).removesuffix(".zip")


def test_what_is_taken_away_is_the_model(tmp_path: Path) -> None:
    name = run_of("gpt")
    back = bring(opened(zipped("", name), tmp_path), tmp_path / "back").folder
    own = load(RunFolder.open(home() / name))
    for mine, theirs in zip(own.model.parameters(), load(back).model.parameters(), strict=True):
        assert (mine == theirs).all()


def test_nobody_takes_what_is_somebody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    name = run_of("gpt")
    monkeypatch.setattr(RunFolder, "run_owner", property(lambda self: owner_of(VISITOR)))
    assert zipped(VISITOR, name)["data"]
    for who in (STRANGER, ""):
        with pytest.raises(SettingsError, match="belongs to somebody else"):
            zipped(who, name)


def test_what_is_too_large_for_a_browser_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "MOST", 1000)
    with pytest.raises(SettingsError, match="python -m lab export --run gpt"):
        zipped("", run_of("gpt"))


def test_a_family_without_a_class_is_not_offered() -> None:
    folder = RunFolder.open(home() / run_of("gpt"))
    assert can_be_taken(folder.run, folder)
    assert not can_be_taken(replace(folder.run, model="lstm", shape={}), folder)


def test_a_click_saves_the_zip(page: Page, asking: str) -> None:
    visit(page, asking, "pretrain", run="bert-town")
    with page.expect_download() as caught:
        page.get_by_role("button", name="Download it for transformers (zip)").click()
    assert caught.value.suggested_filename == "bert-town.zip"
    names = zipfile.ZipFile(caught.value.path()).namelist()
    assert {"bert-town/config.json", "bert-town/model.safetensors", "bert-town/tokenizer.json"} <= {*names}
