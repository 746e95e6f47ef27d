"""Small files that many processes share: written whole, or locked by one of them."""

import errno
import os
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import filelock

from lab.settings import SettingsError


def write(path: Path, text: str) -> None:
    """Write a small file so that a reader, or a power cut, finds the old one or the new one, never half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{uuid.uuid4().hex[:6]}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def held(lock: Path) -> bool:
    """Whether a process that is alive holds a lock file. Nobody holds one that is not there, or is being removed."""
    if not lock.exists():
        return False
    try:
        with filelock.FileLock(lock, timeout=0.02).acquire(poll_interval=0.002):  # others may be asking at this instant
            return False
    except FileNotFoundError:  # its folder went after we had looked
        return False
    except filelock.Timeout:
        return True


def oldest_first(paths: Iterable[Path]) -> list[tuple[Path, int]]:
    """The files with their sizes, those first that changed longest ago. One that goes meanwhile is not among them."""
    known = []
    for path in paths:
        with suppress(OSError):
            state = path.stat()
            known.append((state.st_mtime, path, state.st_size))
    return [(path, size) for _, path, size in sorted(known)]


def used(path: Path) -> None:
    """Note that a file of the cache, or the folder of a run, has been used now."""
    with suppress(OSError):  # which others may own
        os.utime(path)


def is_full(error: OSError) -> bool:
    """Whether a write failed because there is no room: on the disk, in the quota, or for so large a file."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def no_room() -> SettingsError:
    """What is said of a run that could not be saved, or read on, for want of room."""
    return SettingsError("the disk is full: free some space and resume the run", "磁盘已满：请清出空间后继续训练")


def must_be_makeable(folder: Path) -> None:
    """Raises SettingsError where what is to be a folder is a file or would lie in one, or where nothing may be
    written: before hours are spent on what is to lie there."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    if not there.is_dir():
        raise SettingsError(f"{there} is a file: name a folder", f"{there} 是文件：请指定文件夹")
    if not os.access(there, os.W_OK):
        raise SettingsError(f"nothing may be written in {there}: name another", f"{there} 不可写入：请换一个")


def must_be_empty(folder: Path) -> None:
    """Raises SettingsError where what is to be a new folder holds something, or is a file."""
    must_be_makeable(folder)
    if folder.exists() and any(folder.iterdir()):
        raise SettingsError(f"{folder} is not empty", f"{folder} 不是空文件夹")
