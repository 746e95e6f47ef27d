"""Gradio's own scripts and styles, some eighty a visit: sent from memory, packed once and kept by browsers."""

import re
from pathlib import Path

import gradio

from lab.ui.shell.mended import mended
from lab.ui.shell.packed import Packed

FOLDER = Path(gradio.__file__).parent / "templates" / "frontend" / "assets"
HASHED = re.compile(r"[\w.-]+-[\w-]{8}\d?\.(js|css)")  # names that change with the content
DAY = "max-age=86400"  # what is mended here keeps the name that Gradio gave it
KINDS = {"js": "text/javascript", "css": "text/css"}


class GradioFiles:
    """The files by their paths; each is read when it is first asked for."""

    def __init__(self) -> None:
        hashed = (HASHED.fullmatch(file.name) for file in FOLDER.iterdir())
        self._kinds = {f"/assets/{name[0]}": KINDS[name[1]] for name in hashed if name}
        self._read: dict[str, Packed] = {}

    def __contains__(self, path: str) -> bool:
        return path in self._kinds

    def __getitem__(self, path: str) -> Packed:
        if path not in self._read:
            self._read[path] = Packed(self._kinds[path], mended((FOLDER / Path(path).name).read_bytes()), DAY)
        return self._read[path]
