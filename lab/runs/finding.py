"""Runs on disk: all of them, and one by its name."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from lab.runs.folder import SHIPPED, RunFolder, home, hub
from lab.settings import SettingsError


def runs(root: Path | None = None) -> Iterator[RunFolder]:
    """All runs below ``root``, the newest first."""
    root = root or home()
    begun = {}
    for path in root.glob("*/run.json"):
        with contextlib.suppress(FileNotFoundError):  # deleted this very moment
            begun[path.parent] = path.stat().st_mtime
    yield from (RunFolder(path) for path in sorted(begun, key=lambda path: -begun[path]))


class NoSuchRunError(SettingsError):
    """No run has this name."""


def find_run(name: str, root: Path | None = None) -> RunFolder:
    """A run by the path of its folder, or by its name: among ``runs``, those that come with the lab, or the published
    models that were fetched. Raises NoSuchRunError."""
    if (Path(name) / "run.json").is_file():
        return RunFolder.open(Path(name))
    if name and Path(name).name == name and name not in (".", ".."):
        for folder in ((root or home()) / name, SHIPPED / name, hub() / name):
            if (folder / "run.json").is_file():
                return RunFolder.open(folder)
    raise NoSuchRunError(f"there is no run {name!r}", f"没有名为 {name!r} 的训练")
