"""The document in which Gradio starts: with the lab's script and style first, and a policy that runs no other script.

It is the same for everybody, so Gradio, which writes out its whole configuration each time, is asked for it once.
"""

import base64
import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.ui.shell.packed import LEVEL, packed_for

TELLING = (b"host", b"x-forwarded-host", b"x-forwarded-proto")  # the headers by which Gradio writes its own address
INLINE = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)


@dataclass(frozen=True)
class Document:
    """The page as it is and packed, and the sources of the scripts that stand in it, for the security policy."""

    body: bytes
    short: bytes
    scripts: str

    @classmethod
    def of(cls, page: str, links: str) -> "Document":
        """Gradio's page, framed."""
        text = framed(page, links)
        hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()) for script in INLINE.findall(text)]
        body = text.encode()
        return cls(body, gzip.compress(body, LEVEL), " ".join(f"'sha256-{mark.decode()}'" for mark in hashes))

    async def send(self, send: Any, headers: Mapping[str, str], shown: list[tuple[bytes, bytes]]) -> None:
        """Answer a request; ``shown`` are the headers of every answer."""
        body, packing = packed_for(headers, self)
        head = [(b"content-type", b"text/html; charset=utf-8"), *shown, *packing]
        head += [(b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": body})


def framed(page: str, links: str) -> str:
    """Gradio's page with our script first and without its advertisements."""
    page = re.sub(r'<meta\s+(?:property|name)="(?:og|twitter):[^>]*>', "", page)
    page = re.sub(r'<link rel="manifest"[^>]*>', "", page)
    return page.replace("<head>", "<head>" + links, 1)


def bare(scope: dict[str, Any]) -> dict[str, Any]:
    """A request for the document, of which Gradio is told nothing but where it is served."""
    return {**scope, "query_string": b"", "headers": [pair for pair in scope["headers"] if pair[0] in TELLING]}


def place_of(scope: dict[str, Any]) -> tuple[Any, ...]:
    """Where the document is served: documents of the same place are the same."""
    told = bare(scope)
    return told["path"], told.get("scheme"), told.get("root_path"), tuple(told["headers"])
