"""Security middleware before Gradio: who may speak to the server, how much, and what browsers may do with it.

Pure ASGI. Refuses foreign hosts and origins, large bodies, files without room and routes that the lab does not use;
serves scripts, styles and the document from memory; adds the security headers.
"""

import hashlib
import ipaddress
import os
import re
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from gradio.utils import get_upload_folder

from lab.glossary import GLOSSARY
from lab.ui.shell.document import Document, bare, place_of
from lab.ui.shell.gradio_files import GradioFiles
from lab.ui.shell.lru import Kept
from lab.ui.shell.packed import FONT, Packed
from lab.ui.words import ASSETS

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
NOT_SERVED = re.compile(r"/monitoring|/openapi\.json|/heartbeat/|/dev/reload")  # routes of Gradio without a use here
BROUGHT = 40  # of the largest files that may be brought, for all visitors together
PLACES = 4  # under so many addresses the document is kept
FRAMES = "https://huggingface.co https://*.hf.space"  # who may show the lab inside a page of theirs

MONO = "/lab/fonts/plex-mono.woff2"  # not every page needs it at once
# What assets/page holds, in the order in which it is joined: a script may use at load only those before it, and of two
# rules of style that weigh the same the later one counts.
SCRIPTS = (
    "memory language theme visitor words elements notation canvas note mount toast requests "
    "packing values address travel settle opening starting walk linked copy folds slider player radios paste terms "
    "sampling"
)
STYLES = "colours frame shared player radios note requests toast terms print"

Scope = dict[str, Any]


def named_hosts(environ: Mapping[str, str] = os.environ) -> frozenset[str]:
    """The host names that CLOZE_LAB_HOSTS (separated by commas) and SPACE_HOST add."""
    listed = environ.get("CLOZE_LAB_HOSTS", "") + "," + environ.get("SPACE_HOST", "")
    return frozenset(name.strip().lower() for name in listed.split(",") if name.strip())


class Shield:
    """ASGI middleware around Gradio's app. ``limit`` is the size of the largest request in bytes; ``pages`` are those
    that are also found under /NAME, as one would say it."""

    def __init__(
        self, app: Any, profile: str, limit: int, hosts: frozenset[str] | None = None, pages: Collection[str] = ()
    ) -> None:
        self.app = app
        self.profile = profile
        self.limit = limit
        self.pages = pages
        self.hosts = named_hosts() if hosts is None else hosts
        self.files, self.gradio = bundle(), GradioFiles()
        self.documents = Kept(PLACES)

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            return  # Gradio needs none
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        answer = Answer(send, scope, headers, self.files.links)
        refusal, path = self.refuses(scope, headers), scope["path"]
        if refusal:
            await plain(answer, *refusal)
        elif path in self.files:
            await self.files.send(answer, path, headers)
        elif path in self.gradio:
            await self.gradio[path].send(answer, headers)
        elif path == "/" and scope["method"] == "HEAD":
            await plain(answer, 200, "")  # so Gradio asks at its start, and a busy machine draws no page in time
        elif path == "/" and scope["method"] == "GET":
            await self.send_document(answer, scope, receive)
        elif path[1:] in self.pages and scope["method"] == "GET":
            await redirect(answer, f"./?page={path[1:]}&{scope['query_string'].decode('latin-1')}".removesuffix("&"))
        else:
            await self.app(ours_kept(scope), Counted(receive, self.limit), answer)

    async def send_document(self, answer: "Answer", scope: Scope, receive: Any) -> None:
        place = place_of(scope)
        if (known := self.documents.get(place, lambda: None)) is not None:
            await answer.send_document(known)
            return
        await self.app(bare(scope), Counted(receive, self.limit), answer)
        if answer.document is not None:
            self.documents.put(place, answer.document)

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
        if re.search(r"/(file|proxy|stream)=\s*(https?|ftp|file):", path) or NOT_SERVED.search(path):
            return 403, "Not served here."
        if scope["method"] == "POST" and path.endswith("/upload") and no_room(self.limit):
            return 507, "There is no room for files at the moment: try again later."
        return None

    def knows(self, name: str) -> bool:
        """Whether the server answers to this host name. A bare address cannot be rebound by a hostile name server."""
        return name in LOOPBACK or name in self.hosts or (self.profile != "laptop" and is_address(name))

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
    """``send`` that adds the security headers, and puts the lab's script and style into a ``document``."""

    def __init__(self, send: Any, scope: Scope, asked: Mapping[str, str], links: str) -> None:
        self.send, self.scope, self.asked, self.links = send, scope, asked, links
        self.document: Document | None = None
        self.whole: list[bytes] | None = None  # what has come of a document

    async def __call__(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            if self.is_document(message):
                self.whole = []
                return
            message = {**message, "headers": [*message["headers"], *self.headers()]}
        elif message["type"] == "http.response.body" and self.whole is not None:
            self.whole.append(message.get("body", b""))
            if not message.get("more_body"):
                await self.send_document(Document.of(b"".join(self.whole).decode("utf-8"), self.links))
            return
        await self.send(message)

    def is_document(self, message: dict[str, Any]) -> bool:
        kind = dict(message["headers"]).get(b"content-type", b"")
        return self.scope["method"] == "GET" and message["status"] == 200 and kind.startswith(b"text/html")

    async def send_document(self, document: Document) -> None:
        self.document = document
        await document.send(self.send, self.asked, self.headers(document.scripts))

    def headers(self, scripts: str = "") -> list[tuple[bytes, bytes]]:
        policy = "; ".join(
            (
                "default-src 'self'",
                # Gradio makes functions of the app's own templates and js= texts: hence 'unsafe-eval'.
                f"script-src 'self' 'unsafe-eval' {scripts}".rstrip(),
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


class Bundle:
    """The lab's own script, style and fonts, the first two under names that change with their content."""

    def __init__(self, files: Mapping[str, Packed]) -> None:
        self._files = files

    def __contains__(self, path: str) -> bool:
        return path in self._files

    @cached_property
    def links(self) -> str:
        """The tags that load them."""
        tags = {
            "text/css": '<link rel="stylesheet" href="{0}">',
            "text/javascript": '<script src="{0}"></script>',
            FONT: '<link rel="preload" href="{0}" as="font" type="font/woff2" crossorigin>',
        }
        loaded = "".join(tags[file.kind].format(path.lstrip("/")) for path, file in self._files.items() if path != MONO)
        # In the page itself: browsers ask for an icon anew whenever the address changes.
        return f'<link rel="icon" href="data:image/svg+xml,{quote((ASSETS / "icon.svg").read_text("utf-8"))}">{loaded}'

    async def send(self, send: Any, path: str, headers: Mapping[str, str]) -> None:
        await self._files[path].send(send, headers)


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
        files[f"/lab/{hashlib.sha256(body).hexdigest()[:10]}/{name}"] = Packed(kind, body)
    for font in sorted((ASSETS / "fonts").glob("*.woff2")):
        files[f"/lab/fonts/{font.name}"] = Packed(FONT, font.read_bytes())  # the style names them by this path
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


def no_room(limit: int) -> bool:
    """Whether as much has been brought, and not yet been cleared away, as so many of the largest files would take; or
    whether the disk has no room for two of them."""
    folder, brought = Path(get_upload_folder()), 0
    if not folder.is_dir():
        return False
    for path in folder.rglob("*"):
        with suppress(OSError):  # it has been cleared away meanwhile
            brought += path.stat().st_size if path.is_file() else 0
    return brought > BROUGHT * limit or shutil.disk_usage(folder).free < 2 * limit


async def plain(send: Any, status: int, reason: str) -> None:
    """An answer of one sentence."""
    body = reason.encode()
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def redirect(send: Any, location: str) -> None:
    """To another address, which may be relative."""
    head = [(b"location", location.encode("latin-1")), (b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 307, "headers": head})
    await send({"type": "http.response.body", "body": b""})


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
