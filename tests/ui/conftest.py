"""A running lab and a browser page that forgives nothing."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from browser import FLAGS, chromium, watched
from playwright.sync_api import Browser, Page, expect, sync_playwright
from trained import run_of

from lab.runs.folder import home

ROOT = Path(__file__).resolve().parents[2]
expect.set_options(timeout=20_000)  # milliseconds: others may use the machine


@contextmanager
def serving(command: list[str], home: Path) -> Iterator[str]:
    """The address of a lab that runs in a child process, with a home of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"CLOZE_LAB_HOME": str(home), "GRADIO_SERVER_PORT": str(port), "GRADIO_SERVER_NAME": "127.0.0.1"}
    own |= {"GRADIO_TEMP_DIR": str(home / "gradio"), "PYTHONPATH": str(ROOT)}
    with (home / "server.log").open("w") as log:
        child = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=os.environ | own, stdout=log, stderr=log)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address, child, home / "server.log")
        yield address
    finally:
        child.terminate()
        child.wait(20)


def wait_for(address: str, child: subprocess.Popen[bytes], log: Path) -> None:
    """Return when the server answers."""
    for _ in range(720):
        assert child.poll() is None, log.read_text()
        try:
            urlopen(address, timeout=5).close()
            return
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.25)
    raise TimeoutError(log.read_text())


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the lab keeps its runs."""
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="session")
def server(place: Path) -> Iterator[str]:
    """The address of the lab itself."""
    with serving(["app.py"], place) as address:
        yield address


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a lab whose pages show each component with awkward data."""
    with serving(["tests/ui/gallery.py"], tmp_path_factory.mktemp("gallery")) as address:
        yield address


@pytest.fixture(scope="session")
def asking(server: str, place: Path) -> str:
    """The address of the lab, in whose home a tiny run of each family lies now."""
    for model in ("bert", "albert", "gpt", "t5"):
        shutil.copytree(home() / run_of(model), place / model)
    return server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    place = chromium()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=place, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page in a fresh profile, English, 1280 by 800. No error of any kind may occur on it."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US", reduced_motion="reduce")
    with watched(context.new_page()) as fresh:
        yield fresh
    context.close()
