"""A running lab and a browser page that forgives nothing."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from browser import FLAGS, chromium, watched
from playwright.sync_api import Browser, Page, expect, sync_playwright
from staying import Stay, Visit, profile
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
    address, log = f"http://127.0.0.1:{port}", home / "server.log"
    child = started(command, os.environ | own, log)
    try:
        for more in (True, True, False):
            if answers(address, child):
                break
            assert more and IMPATIENT in log.read_text(), log.read_text()
            child = started(command, os.environ | own, log)
        yield address
    finally:
        child.terminate()
        child.wait(20)


# Gradio asks its own address as it starts and gives up where it takes seconds, as on a machine that others use.
IMPATIENT = "When localhost is not accessible"


def started(command: list[str], own: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    """A lab that runs in a child process and writes what it says into ``log``."""
    with log.open("w") as opened:
        return subprocess.Popen([sys.executable, *command], cwd=ROOT, env=own, stdout=opened, stderr=opened)


def answers(address: str, child: subprocess.Popen[bytes]) -> bool:
    """Whether the server answers, once it does or has ended."""
    for _ in range(720):
        if child.poll() is not None:
            return False
        try:
            urlopen(address, timeout=5).close()
            return True
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.25)
    raise TimeoutError(address)


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
    with watched(profile(browser)) as fresh:
        yield fresh
    fresh.context.close()


# ---- one visit for several tests


@pytest.fixture(scope="module")
def visit_of_all(browser: Browser) -> Iterator[Visit]:
    """What the tests of one file share."""
    shared = Visit(browser)
    yield shared
    shared.leave()


@pytest.fixture
def stay(visit_of_all: Visit, request: pytest.FixtureRequest) -> Iterator[Stay]:
    """Gives the page at an address as the test before has left it, if that one stood there, too; else opens it. To load
    a page costs more than most of what tests do on it. Whoever needs it untouched asks for ``page``. No error of any
    kind may occur on it; a test that fails takes it with it."""
    with ExitStack() as strict:
        strict.callback(lambda: visit_of_all.leave() if request.node.stash.get(FAILED, False) else None)
        yield lambda server, name, **address: strict.enter_context(visit_of_all.to(server, name, address))


FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note with each test whether it has failed."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report
