"""Files as they are sent: packed once, and kept by browsers, since their names change with their content."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

LEVEL = 6  # of zlib: more takes long for little
FONT = "font/woff2"  # packed by itself
FOR_GOOD = "max-age=31536000, immutable"


@dataclass(frozen=True)
class Packed:
    """A file with its media type, and how long browsers keep it."""

    kind: str
    body: bytes
    kept: str = FOR_GOOD

    @cached_property
    def short(self) -> bytes:
        """The body packed by gzip."""
        return gzip.compress(self.body, LEVEL)

    async def send(self, send: Any, headers: Mapping[str, str]) -> None:
        """Answer a request, whose ``headers`` say whether the browser can unpack it."""
        kind = self.kind.encode() + (b"" if self.kind == FONT else b"; charset=utf-8")
        body, more = packed_for(headers, self) if self.kind != FONT else (self.body, [])
        head = [(b"content-type", kind), *more, (b"content-length", str(len(body)).encode())]
        head += [(b"cache-control", f"public, {self.kept}".encode())]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": body})


def packed_for(headers: Mapping[str, str], file: Any) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """The body of what has one and a ``short`` one, as this browser takes it, and the headers that say so."""
    if "gzip" not in headers.get("accept-encoding", ""):
        return file.body, []
    return file.short, [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
