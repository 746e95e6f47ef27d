"""Every page as it opens without a word in its address: each fold, once open, holds what belongs into it."""

import time
from typing import Any

from browser import visit
from playwright.sync_api import Page, expect

from lab.catalog import OBJECTIVES
from lab.ui.app import PAGES

FOLDS = "#pages details:visible, #pages .block:has(> button.label-wrap):visible"
PATIENCE = 60.0  # seconds
# Each is clicked but once: a second click on one that opens slowly would close it again.
OPEN = """folds => folds.forEach((fold) => {
  const button = fold.querySelector(":scope > button.label-wrap:not(.open)");
  if (fold.matches("details")) fold.open = true;
  else if (button && !fold.dataset.clicked) button.click();
  fold.dataset.clicked = "yes";
})"""
INSIDE = """folds => folds.map((fold) => {
  const title = fold.querySelector("summary, button.label-wrap"), rest = [...fold.children].filter((each) => each !== title);
  const drawn = [...fold.querySelectorAll(".block.lab-knobs, .block.lab-choice")].filter((each) => each.checkVisibility());
  return { title: title.innerText, shown: rest.some((each) => each.innerText.trim()), empty: drawn.filter((each) => !each.innerText.trim()).length };
})"""  # noqa: E501


def opened(page: Page) -> list[dict[str, Any]]:
    """What every fold of the page holds once it is open, and those inside it; what the page asks for as they open may
    take its time where others use the machine."""
    until, rounds = time.monotonic() + PATIENCE, 0
    while True:
        page.locator(FOLDS).evaluate_all(OPEN)
        page.wait_for_timeout(300)
        inside: list[dict[str, Any]] = page.locator(FOLDS).evaluate_all(INSIDE)
        rounds += 1
        if rounds >= 3 and not lacking(inside) or time.monotonic() > until:
            return inside


def lacking(folds: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [fold for fold in folds if not fold["shown"] or fold["empty"]]


def test_every_fold_of_every_page_at_its_bare_address_holds_something(page: Page, server: str) -> None:
    visit(page, server, PAGES[0])
    for name in PAGES:
        page.evaluate("(name) => window.lab.goto(name)", name)
        page.wait_for_selector("#pages .lab-command details:visible")
        page.wait_for_timeout(1000)
        folds = opened(page)
        assert folds and not lacking(folds), (name, lacking(folds))
        if name == "objectives":
            knobs = len(OBJECTIVES["mlm"].settings.knobs())
            expect(page.locator("#objectives-knobs .knob")).to_have_count(knobs)
