"""Atomic writing of small files: nobody ever finds half of one."""

import errno
import os
import uuid
from pathlib import Path


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


def is_full(error: OSError) -> bool:
    """Whether a write failed because there is no room: on the disk, in the quota, or for so large a file."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
