"""Every page as it opens without a word in its address: each fold, once open, holds what belongs into it."""

import time
from typing import Any

from browser import visit
from playwright.sync_api import Page, expect

from lab.catalog import OBJECTIVES
from lab.ui.app import PAGES

FOLDS = "#pages details:visible, #pages .block:has(> button.label-wrap):visible"
PATIENCE = 60.0  # seconds
OPEN = """async (folds) => {
  const closed = folds.map((fold) => fold.querySelector(":scope > button.label-wrap:not(.open)")).filter(Boolean);
  for (const fold of folds.filter((each) => each.matches("details"))) fold.open = true;
  for (const button of closed) button.click();
  while (!closed.every((button) => button.matches(".open"))) await new Promise(requestAnimationFrame);
}"""
INSIDE = """folds => folds.map((fold) => {
  const title = fold.querySelector("summary, button.label-wrap"), rest = [...fold.children].filter((each) => each !== title);
  const drawn = [...fold.querySelectorAll(".block.lab-knobs, .block.lab-choice")].filter((each) => each.checkVisibility());
  return { title: title.innerText, shown: rest.some((each) => each.innerText.trim()), empty: drawn.filter((each) => !each.innerText.trim()).length };
})"""  # noqa: E501


def opened(page: Page, name: str) -> list[dict[str, Any]]:
    """What every fold of a page holds once it is open; what the page asks for as it opens has come by then."""
    page.evaluate("(name) => window.lab.goto(name)", name)
    page.wait_for_selector("#pages .lab-command details:visible")
    page.wait_for_timeout(1000)
    for _ in range(2):  # and the folds inside folds
        page.locator(FOLDS).evaluate_all(OPEN)  # each is clicked once: a second click would close it again
        page.wait_for_timeout(300)
    inside: list[dict[str, Any]] = page.locator(FOLDS).evaluate_all(INSIDE)
    return inside


def test_every_fold_of_every_page_at_its_bare_address_holds_something(page: Page, server: str) -> None:
    visit(page, server, PAGES[0])
    for name in PAGES:
        found, until = opened(page, name), time.monotonic() + PATIENCE
        while not all(fold["shown"] and not fold["empty"] for fold in found) and time.monotonic() < until:
            page.wait_for_timeout(
                500
            )  # what a page asks for as it opens may take its time where others use the machine
            found = page.locator(FOLDS).evaluate_all(INSIDE)
        assert found and all(fold["shown"] and not fold["empty"] for fold in found), (name, found)
        if name == "objectives":
            knobs = len(OBJECTIVES["mlm"].settings.knobs())
            expect(page.locator("#objectives-knobs .knob")).to_have_count(knobs)
