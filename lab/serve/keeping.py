"""What a server keeps, and for how long: its cache, and the runs of its visitors.

Every text, every size and every run that a visitor tries leaves something on the disk. Beyond a limit what nobody has
used for a day goes, the oldest first. Whoever asks for something of the cache again waits for it again, and no more; a
run is gone, so its page says beforehand how long it is kept. On a laptop runs are their owner's and stay.
"""

import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lab.experiments.study import STUDY
from lab.runs.files import oldest_first
from lab.runs.folder import GOING, RunFolder, home
from lab.serve.limits import limits
from lab.settings import SettingsError

UNUSED = 24 * 3600.0  # seconds
DISK_SHARE = 0.6  # of the whole disk, at most, for all runs


def make_room() -> bool:
    """Drop what is too much. Whether there is room for more runs afterwards."""
    _clear_cache()
    return _clear_runs()


def _clear_cache() -> None:
    files = oldest_first(path for path in (home() / "cache").glob("*") if path.is_file())
    size = sum(size for _, size in files)
    for path, its_size in files:
        with suppress(OSError):
            if size > limits().cached and _unused(path):
                path.unlink()
                size -= its_size


def _clear_runs() -> bool:
    """Delete runs and studies of visitors as long as all together take more than their share."""
    room = limits().all_runs
    if room is None:
        return True
    with suppress(OSError):
        room = min(room, int(DISK_SHARE * shutil.disk_usage(home()).total))
    size_of = {folder: sum(size for _, size in oldest_first(folder.rglob("*"))) for folder in _of_visitors()}
    size = sum(size_of.values())
    for path, _ in oldest_first(size_of):
        if size <= room:
            break
        folder = RunFolder(path)
        with suppress(OSError, SettingsError):
            if _unused(path) and folder.status() not in GOING:
                folder.delete()
                size -= size_of[path]
    return size <= room


def _of_visitors() -> Iterator[Path]:
    """The folders of runs and of studies that bear the mark of whoever started them."""
    for name in ("run.json", STUDY):
        for path in home().glob(f"*/{name}"):
            if RunFolder(path.parent).document(name).get("owner"):
                yield path.parent


def _unused(path: Path) -> bool:
    return path.stat().st_mtime < time.time() - UNUSED
