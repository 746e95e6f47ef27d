"""Handlers are given no file but those that the visitor has uploaded to this server.

Gradio takes a file's address for a file, too, and fetches it on the server: whoever calls a handler could then make the
server read from anywhere, in its own network, and fill its disk.
"""

from pathlib import Path
from typing import Any

from gradio.utils import get_upload_folder

from lab.settings import SettingsError

DEEPEST = 100  # lists and objects inside each other; a file stands in the third at most


def refuse_foreign_files(value: Any, depth: int = 0) -> None:
    """Raise SettingsError where a value that a browser sent holds, anywhere, a file that did not come by upload."""
    if depth > DEEPEST:
        raise SettingsError("this input is nested too deep", "该输入嵌套过深")
    if isinstance(value, list):
        for part in value:
            refuse_foreign_files(part, depth + 1)
    elif isinstance(value, dict):
        if {"path", "url"} & value.keys() and not _uploaded(value.get("path")):
            raise SettingsError(
                "upload the file itself: an address is not fetched here", "请直接上传文件：这里不会下载网址"
            )
        for part in value.values():
            refuse_foreign_files(part, depth + 1)


def _uploaded(path: Any) -> bool:
    try:
        return isinstance(path, str) and Path(path).resolve().is_relative_to(Path(get_upload_folder()).resolve())
    except (OSError, ValueError):
        return False
