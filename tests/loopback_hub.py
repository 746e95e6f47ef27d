"""A Hub of a few models and data sets on loopback: what the client asks for, and what can go wrong on the way."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

COMMIT, CONVERTED = "c0ffee" + "0" * 34, "decade" + "0" * 34
REQUEST = "refs%2Fpr%2F7"  # of the service that converts weights, as it stands in an address


@dataclass
class Fake:
    """What the server holds, and which mischief it does."""

    models: dict[str, Path] = field(default_factory=dict)
    datasets: dict[str, Path] = field(default_factory=dict)
    converted: dict[str, Path] = field(default_factory=dict)  # what a pull request makes of a model
    gated: set[str] = field(default_factory=set)
    cut: int = 0  # so many answers of weights end in the middle
    swapped: bool = False  # weights arrive with one byte changed
    broken: bool = False  # every question is answered with an error
    asked: list[str] = field(default_factory=list)
    sent: int = 0  # bytes of data sets
    url: str = ""

    def requests(self, name: str) -> dict[str, Any]:
        """The pull requests to a model: a stranger's, and, where there is one, that of the Hub's own service."""
        authors = ["somebody"] + ["SFconvertbot"] * (name in self.converted)
        listed = [
            {
                "title": "Adding `safetensors` variant of this model",
                "num": 6 + number,
                "author": {"name": author},
                "createdAt": "2023-03-01T00:00:00.000Z",
                "status": "open",
                "repo": {"name": name, "type": "model"},
                "isPullRequest": True,
            }
            for number, author in enumerate(authors)
        ]
        return {"count": len(listed), "start": 0, "discussions": listed}

    def described(self, name: str, folder: Path, commit: str = COMMIT) -> dict[str, Any]:
        files = []
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            raw = path.read_bytes()
            blob = hashlib.sha1(f"blob {len(raw)}\0".encode() + raw).hexdigest()
            large = {"sha256": hashlib.sha256(raw).hexdigest(), "size": len(raw), "pointerSize": 130}
            lfs = {"lfs": large} if path.suffix == ".safetensors" else {}
            inside = path.relative_to(folder).as_posix()
            files.append({"rfilename": inside, "size": len(raw), "blobId": blob, **lfs})
        return {"id": name, "modelId": name, "sha": commit, "private": False, "tags": [], "siblings": files}


def ask_only(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lead the real client, and every child process, to this server."""
    for name, value in {"HF_ENDPOINT": fake.url, "NO_PROXY": "127.0.0.1", "HF_HUB_OFFLINE": "0"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)


@contextmanager
def hub() -> Iterator[Fake]:
    """A server that is up inside the ``with``."""
    fake = Fake()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *words: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            fake.asked.append(f"{self.command} {self.path}")
            path = self.path.partition("?")[0].strip("/").split("/")
            if fake.broken:
                self.refuse(500, "")
            elif path[:2] == ["api", "datasets"] and path[4:5] == ["tree"]:
                self.list(fake.datasets["/".join(path[2:4])], "/".join(path[6:]))
            elif path[0] == "api" and path[-1] == "discussions":
                self.answer(json.dumps(fake.requests("/".join(path[2:4]))).encode(), {"Content-Type": "text/json"})
            elif path[0] == "api":
                held = fake.models if path[1] == "models" else fake.datasets
                self.describe(held, "/".join(path[2:4]), path[5] if len(path) > 5 else "main")
            elif path[0] == "datasets":
                self.part(fake.datasets["/".join(path[1:3])].joinpath(*path[5:]).read_bytes())
            else:
                self.send("/".join(path[:2]), path[-1], path[3])

        def list(self, folder: Path, inside: str) -> None:
            files = [path for path in sorted((folder / inside).iterdir()) if path.is_file()]
            listed = [
                {"type": "file", "path": path.relative_to(folder).as_posix(), "size": path.stat().st_size, "oid": "0"}
                for path in files
            ]
            self.answer(json.dumps(listed).encode(), {"Content-Type": "application/json"})

        def part(self, raw: bytes) -> None:
            """The range that is asked for, and the count of its bytes."""
            first, last = self.headers["Range"].removeprefix("bytes=").split("-")
            fake.sent += len(raw[int(first) : int(last) + 1])
            self.answer(raw[int(first) : int(last) + 1], {}, start=int(first), of=len(raw))

        def describe(self, held: dict[str, Path], name: str, revision: str) -> None:
            if name not in held:
                self.refuse(404, "RepoNotFound")
            elif revision in (REQUEST, CONVERTED) and name in fake.converted:
                about = fake.described(name, fake.converted[name], CONVERTED)
                self.answer(json.dumps(about).encode(), {"Content-Type": "application/json"})
            elif revision not in ("main", COMMIT):
                self.refuse(404, "RevisionNotFound")
            else:
                self.answer(json.dumps(fake.described(name, held[name])).encode(), {"Content-Type": "application/json"})

        def send(self, name: str, file: str, commit: str) -> None:
            if name in fake.gated:
                return self.refuse(403, "GatedRepo")
            raw = ((fake.converted if commit == CONVERTED else fake.models)[name] / file).read_bytes()
            about = {"X-Repo-Commit": commit, "ETag": f'"{hashlib.sha256(raw).hexdigest()}"', "Accept-Ranges": "bytes"}
            start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
            if file.endswith(".safetensors") and self.command == "GET":
                if fake.swapped:
                    raw = raw[:-1] + bytes([raw[-1] ^ 1])
                if fake.cut:
                    fake.cut -= 1
                    return self.answer(raw[start:], about, cut=True, start=start, of=len(raw))
            self.answer(raw[start:], about, start=start, of=len(raw))

        def answer(self, raw: bytes, about: dict[str, str], *, cut: bool = False, start: int = 0, of: int = 0) -> None:
            self.send_response(206 if start else 200)
            for key, value in about.items():
                self.send_header(key, value)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{of - 1}/{of}")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(raw[: len(raw) // 2] if cut else raw)
            if cut:
                self.close_connection = True

        def refuse(self, code: int, why: str) -> None:
            self.send_response(code)
            self.send_header("X-Error-Code", why)
            self.send_header("X-Error-Message", why)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
