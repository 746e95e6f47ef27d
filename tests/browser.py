"""A Chromium to test with: the one that is there, else one that is installed now."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import Page, Request, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Each profile and each window would load the pages of the address bar's pop-ups, which nobody sees here: a quarter
    # of what opening a page of the lab costs. Chromium hears the last list alone, so playwright's own goes before.
    "--disable-features="
    "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,"
    "LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,"
    "OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,"
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
]
_OPEN: WeakKeyDictionary[Page, set[Request]] = WeakKeyDictionary()  # requests of each page that are not answered yet
SHELL = "chromium-headless-shell"  # Chromium without windows and bars: a page costs an eighth less
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find() -> str | None:
    """The path of a Chromium that runs, among those on the PATH and playwright's own."""
    places = [path for path in map(shutil.which, NAMES) if path]
    with sync_playwright() as playwright:
        places.append(playwright.chromium.executable_path)
    return next((place for place in places if runs(place)), None)


def runs(place: str) -> bool:
    """Whether the program starts; some systems have a placeholder in its stead."""
    if not Path(place).exists():
        return False
    return subprocess.run([place, "--version", "--no-sandbox"], capture_output=True, timeout=60).returncode == 0


def install() -> None:
    """Install one: from the distribution where we may, else from playwright."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update"], capture_output=True, timeout=600)
        for package in (SHELL, "chromium"):
            if find() is None:
                command = ["apt-get", "install", "-y", "--no-install-recommends", package]
                subprocess.run(command, capture_output=True, timeout=600)
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], capture_output=True, timeout=600)


def chromium() -> str:
    """The path of a Chromium, installed if need be."""
    place = find()
    if place is None:
        install()
        place = find()
    if place is None:
        raise RuntimeError("There is no Chromium here and none could be installed: put one on the PATH.")
    return place


@contextmanager
def watched(page: Page, host: str = "127.0.0.1") -> Iterator[Page]:
    """Fails at the end if the page wrote an error, threw one, or asked another machine for anything."""
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))

    def outside(request: Any) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.hostname != host:
            faults.append("asked another machine: " + request.url)

    page.on("request", outside)
    yield page
    assert not faults, faults


def visit(page: Page, server: str, name: str, **address: Any) -> None:
    """Open one page of the lab by its address and wait until all of it stands."""
    _followed(page)
    page.goto(f"{server}/?{urlencode({'page': name, **address})}")
    page.wait_for_selector("#pages h1:visible")
    page.wait_for_selector("html:not(.settling)")


def calm(page: Page, still: float = 0.5) -> None:
    """Wait until the page has been answered all that it asked and asks no more: what it asks for as it opens has come,
    however busy the machine is."""
    began = since = time.monotonic()
    while time.monotonic() < since + still:
        assert time.monotonic() < began + 60, [request.url for request in _OPEN[page]]
        if _OPEN[page]:
            since = time.monotonic()
        page.wait_for_timeout(50)


def _followed(page: Page) -> None:
    """Keep which requests of the page are open."""
    if page not in _OPEN:
        waiting = _OPEN[page] = set()
        page.on("request", lambda request: waiting.add(request))
        page.on("requestfinished", lambda request: waiting.discard(request))
        page.on("requestfailed", lambda request: waiting.discard(request))
