"""Security middleware before Gradio: who may speak to the server, how much, and what browsers may do with it.

Pure ASGI. Refuses foreign hosts and origins, large bodies and Gradio's fetch-a-URL route; serves the lab's own script
and style; puts them, a fresh nonce and the security headers into the page.
"""

import gzip
import hashlib
import ipaddress
import os
import re
import secrets
from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from lab.glossary import GLOSSARY
from lab.ui.words import ASSETS

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
FRAMES = "https://huggingface.co https://*.hf.space"  # who may show the lab inside a page of theirs

MONO = "/lab/fonts/plex-mono.woff2"  # not every page needs it at once
# What assets/page holds, in the order in which it is joined: a script may use at load only those before it, and of two
# rules of style that weigh the same the later one counts.
SCRIPTS = (
    "memory language theme visitor words elements notation canvas note mount toast requests "
    "packing values address travel settle opening walk linked copy folds slider player radios paste terms sampling"
)
STYLES = "colours frame shared player radios note toast terms print"

Scope = dict[str, Any]


def named_hosts(environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """The host names that CLOZE_LAB_HOSTS (separated by commas) and SPACE_HOST add."""
    listed = environ.get("CLOZE_LAB_HOSTS", "") + "," + environ.get("SPACE_HOST", "")
    return frozenset(name.strip().lower() for name in listed.split(",") if name.strip())


class Shield:
    """ASGI middleware around Gradio's app. ``limit`` is the size of the largest request in bytes."""

    def __init__(self, app: Any, profile: str, limit: int, hosts: frozenset[str] | None = None) -> None:
        self.app = app
        self.profile = profile
        self.limit = limit
        self.hosts = named_hosts() if hosts is None else hosts
        self.files = bundle()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            return  # Gradio needs none
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        nonce = secrets.token_urlsafe(16)
        answer = Answer(send, scope, nonce, self.files.links)
        refusal = self.refuses(scope, headers)
        if refusal:
            await plain(answer, *refusal)
        elif scope["path"] in self.files:
            await self.files.send(answer, scope["path"], headers)
        else:
            await self.app(ours_kept(scope), Counted(receive, self.limit), answer)

    def refuses(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Status and reason where a request must not reach Gradio."""
        host = headers.get("host", "")
        if not self.knows(host_name(host)):
            return 400, "This host name is not served here; CLOZE_LAB_HOSTS lists the names that are."
        if scope["method"] not in ("GET", "HEAD", "OPTIONS") and self.is_foreign(headers):
            return 403, "Requests from other sites are refused."
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.limit:
            return 413, f"A request may hold {self.limit // 2**20} MB at most."
        path = scope["path"].lower()
        if re.search(r"/(file|proxy|stream)=\s*(https?|ftp|file):", path) or "/monitoring" in path:
            return 403, "Not served here."
        return None

    def knows(self, name: str) -> bool:
        """Whether the server answers to this host name. A bare address cannot be rebound by a hostile name server."""
        if name in LOOPBACK or name in self.hosts:
            return True
        return self.profile != "laptop" and is_address(name)

    def is_foreign(self, headers: Mapping[str, str]) -> bool:
        """Whether the browser says that the request was made by a page of another site."""
        if headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            return True
        origin = headers.get("origin")
        if origin is None:
            return False  # not a browser
        place = urlsplit(origin).netloc.lower()
        return place != headers.get("host", "").lower() and host_name(place) not in self.hosts


class Counted:
    """``receive`` that ends a body without a declared length where it passes the limit."""

    def __init__(self, receive: Any, limit: int) -> None:
        self.receive, self.left = receive, limit

    async def __call__(self) -> Any:
        message = await self.receive()
        self.left -= len(message.get("body", b""))
        return message if self.left >= 0 else {"type": "http.disconnect"}


class Answer:
    """``send`` that adds the security headers and puts the lab's script and style into the page."""

    def __init__(self, send: Any, scope: Scope, nonce: str, links: str) -> None:
        self.send, self.scope, self.nonce, self.links = send, scope, nonce, links
        self.start: dict[str, Any] | None = None
        self.page: list[bytes] = []

    async def __call__(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *self.headers()]}
            if self.is_page(message):
                self.start = message
                return
        elif message["type"] == "http.response.body" and self.start is not None:
            self.page.append(message.get("body", b""))
            if not message.get("more_body"):
                await self.send_page()
            return
        await self.send(message)

    def is_page(self, message: dict[str, Any]) -> bool:
        kind = dict(message["headers"]).get(b"content-type", b"")
        return self.scope["method"] == "GET" and message["status"] == 200 and kind.startswith(b"text/html")

    async def send_page(self) -> None:
        body = framed(b"".join(self.page).decode("utf-8"), self.nonce, self.links).encode("utf-8")
        assert self.start is not None
        kept = [pair for pair in self.start["headers"] if pair[0].lower() not in (b"content-length", b"cache-control")]
        if b"gzip" in dict(self.scope["headers"]).get(b"accept-encoding", b""):
            body = gzip.compress(body, 5)  # Gradio packs its scripts, but not its page
            kept += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
        headers = [*kept, (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store")]
        await self.send({**self.start, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    def headers(self) -> list[tuple[bytes, bytes]]:
        policy = "; ".join(
            (
                "default-src 'self'",
                # Gradio makes functions of the app's own templates and js= texts: hence 'unsafe-eval'.
                f"script-src 'self' 'unsafe-eval' 'nonce-{self.nonce}'",
                "style-src 'self' 'unsafe-inline'",
                "img-src 'self' data: blob:",
                "font-src 'self' data:",
                "connect-src 'self'",
                "media-src 'self' blob:",
                "worker-src 'self' blob:",
                "frame-src 'none'",
                "object-src 'none'",
                "base-uri 'self'",
                "form-action 'self'",
                f"frame-ancestors 'self' {FRAMES}",
            )
        )
        return [
            (b"content-security-policy", policy.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"same-origin"),
            (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
            (b"cross-origin-resource-policy", b"same-origin"),
        ]


def framed(page: str, nonce: str, links: str) -> str:
    """Gradio's page with our script first, a nonce on each script of its own, and without its advertisements."""
    # Gradio writes "<" inside its configuration as \\u003c, so each "<script" is a tag of the template.
    page = page.replace("<script", f'<script nonce="{nonce}"')
    page = re.sub(r'<meta\s+(?:property|name)="(?:og|twitter):[^>]*>', "", page)
    page = re.sub(r'<link rel="manifest"[^>]*>', "", page)
    return page.replace("<head>", "<head>" + links, 1)


class Bundle:
    """The lab's own script, style and fonts, the first two under names that change with their content."""

    def __init__(self, files: Mapping[str, tuple[str, bytes]]) -> None:
        self._files = files
        self._packed = {path: gzip.compress(body, 5) for path, (kind, body) in files.items() if kind != "font/woff2"}

    def __contains__(self, path: str) -> bool:
        return path in self._files

    @cached_property
    def links(self) -> str:
        """The tags that load them."""
        tags = {
            "text/css": '<link rel="stylesheet" href="{0}">',
            "text/javascript": '<script src="{0}"></script>',
            "font/woff2": '<link rel="preload" href="{0}" as="font" type="font/woff2" crossorigin>',
        }
        loaded = "".join(tags[kind].format(path.lstrip("/")) for path, (kind, _) in self._files.items() if path != MONO)
        # In the page itself: browsers ask for an icon anew whenever the address changes.
        return f'<link rel="icon" href="data:image/svg+xml,{quote((ASSETS / "icon.svg").read_text("utf-8"))}">{loaded}'

    async def send(self, send: Any, path: str, headers: Mapping[str, str]) -> None:
        kind, body = self._files[path]
        head = [(b"content-type", kind.encode() + (b"" if kind == "font/woff2" else b"; charset=utf-8"))]
        if path in self._packed and "gzip" in headers.get("accept-encoding", ""):
            body = self._packed[path]
            head += [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
        head += [(b"content-length", str(len(body)).encode())]
        head += [(b"cache-control", b"public, max-age=31536000, immutable")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": body})


def bundle() -> Bundle:
    """All scripts as one file and all styles as one file: two requests, however many components there are."""
    parts = {
        "lab.js": ("text/javascript", _joined(SCRIPTS, "js")),
        "lab.css": ("text/css", _joined(STYLES, "css")),
    }
    files = {}
    for name, (kind, sources) in parts.items():
        body = b"\n".join(source.read_bytes() for source in sources)
        if name == "lab.js":
            body += b"\nwindow.lab.glossary = " + GLOSSARY.read_bytes()  # JSON is an expression
        files[f"/lab/{hashlib.sha256(body).hexdigest()[:10]}/{name}"] = (kind, body)
    for font in sorted((ASSETS / "fonts").glob("*.woff2")):
        files[f"/lab/fonts/{font.name}"] = ("font/woff2", font.read_bytes())  # the style names them by this path
    return Bundle(files)


def _joined(page: str, kind: str) -> list[Path]:
    """The files of the page in their order, then those of the samplers and the components in that of the alphabet."""
    named = [ASSETS / "page" / f"{name}.{kind}" for name in page.split()]
    listed = [sorted((ASSETS / part).glob(f"*.{kind}")) for part in ("samplers", "components")]
    return [*named, *chain.from_iterable(listed)]


def ours_kept(scope: Scope) -> Scope:
    """The request without ``page`` in its query: that name is ours in the address, and Gradio has a use of its own."""
    parts = scope.get("query_string", b"").split(b"&")
    kept = b"&".join(part for part in parts if not part.startswith((b"page=", b"deep_link=")))
    return {**scope, "query_string": kept}


async def plain(send: Any, status: int, reason: str) -> None:
    """An answer of one sentence."""
    body = reason.encode()
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


def host_name(host: str) -> str:
    """The name in ``name:port`` or ``[address]:port``."""
    try:
        return (urlsplit("//" + host).hostname or "").lower()
    except ValueError:
        return ""


def is_address(name: str) -> bool:
    """Whether the name is a bare IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
