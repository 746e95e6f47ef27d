"""One visit for several tests: a page stays open from one to the next, as it does for a visitor."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from browser import calm, visit, watched
from playwright.sync_api import Browser, Page, ViewportSize

SIZE: ViewportSize = {"width": 1280, "height": 800}
Stay = Callable[..., Page]  # what the fixture of this name gives: server, page of the lab, its address -> the page


def profile(browser: Browser) -> Page:
    """A page in a fresh profile, English, 1280 by 800."""
    context = browser.new_context(viewport=SIZE, locale="en-US", reduced_motion="reduce")
    return context.new_page()


def go(page: Page, name: str, **values: Any) -> None:
    """To another page of the lab, or to other values of what it shares, as its own doors lead there."""
    page.evaluate("([name, ...given]) => window.lab.goto(name, ...given)", [name, [*values], [*values.values()]])
    page.wait_for_selector(f"html:not(.settling) a[data-page={name}][aria-current=page]", state="attached")
    if values:
        calm(page)  # an answer to what stood there before may come late


class Visit:
    """The page on which the tests of one file go on."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.page: Page | None = None
        self.at: tuple[str, dict[str, Any]] | None = None

    def leave(self) -> None:
        """The next test begins afresh."""
        if self.page is not None:
            self.page.context.close()
        self.page = self.at = None

    @contextmanager
    def to(self, server: str, name: str, address: dict[str, Any]) -> Iterator[Page]:
        """The page as it was left where the address is the same; from a bare address to another by the bar; else in a
        profile of its own."""
        there = (server, {"name": name, **address} if address else {})
        if self.at != there:
            self.leave()
        fresh, self.at = self.page is None, there
        self.page = self.page or profile(self.browser)
        with watched(self.page) as page:
            if fresh:
                visit(page, server, name, **address)
            elif page.evaluate("window.lab.page") != name:
                go(page, name)
            page.set_viewport_size(SIZE)
            page.mouse.move(0, 0)
            page.locator(".lab-toasts .toast").evaluate_all("notes => notes.forEach((note) => note.remove())")
            yield page
