"""The cache of a server: ids, tokenizers and curves that were worked out once, for all who ask again.

Every text and every size that a visitor tries leaves something there. Beyond a limit what nobody has used for a day
goes, the oldest first; whoever asks for it again waits for it again, and no more.
"""

import time
from contextlib import suppress

from lab.runs.files import oldest_first
from lab.runs.folder import home
from lab.serve.limits import limits

UNUSED = 24 * 3600.0  # seconds


def make_room() -> None:
    """Drop what is too much."""
    files = oldest_first(path for path in (home() / "cache").glob("*") if path.is_file())
    size = sum(size for _, size in files)
    for path, its_size in files:
        with suppress(OSError):
            if size > limits().cached and path.stat().st_mtime < time.time() - UNUSED:
                path.unlink()
                size -= its_size
