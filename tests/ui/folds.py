"""The folds of a page: all of them opened, and what each then holds."""

import time
from typing import Any

from playwright.sync_api import Page

FOLDS = "#pages details:visible, #pages .block:has(> button.label-wrap):visible"
PATIENCE = 60.0  # seconds
OPEN = """async (folds) => {
  const closed = folds.map((fold) => fold.querySelector(":scope > button.label-wrap:not(.open)")).filter(Boolean);
  for (const fold of folds.filter((each) => each.matches("details"))) fold.open = true;
  for (const button of closed) button.click();
  const open = (button) => button.matches(".open") || !button.isConnected;  // an answer may draw a fold again
  for (const end = Date.now() + 30000; !closed.every(open) && Date.now() < end; )
    await new Promise((then) => setTimeout(then, 20));
}"""
INSIDE = """folds => folds.map((fold) => {
  const title = fold.querySelector("summary, button.label-wrap"), rest = [...fold.children].filter((each) => each !== title);
  const drawn = [...fold.querySelectorAll(".block.lab-knobs, .block.lab-choice")].filter((each) => each.checkVisibility());
  return { title: title.innerText, shown: rest.some((each) => each.innerText.trim()), empty: drawn.filter((each) => !each.innerText.trim()).length };
})"""  # noqa: E501


def unfold(page: Page) -> None:
    """Open every fold, and those inside them; each is clicked once, for a second click would close it again."""
    for _ in range(2):
        page.locator(FOLDS).evaluate_all(OPEN)
        page.wait_for_timeout(200)


def hollow(page: Page) -> list[dict[str, Any]]:
    """The open folds that hold nothing, or an empty place. What a page asks for may take its time where others use the
    machine; they are found and opened anew each time, for an answer may draw a fold again."""
    until = time.monotonic() + PATIENCE
    while True:
        page.locator(FOLDS).evaluate_all(OPEN)
        inside: list[dict[str, Any]] = page.locator(FOLDS).evaluate_all(INSIDE)
        empty = [held for held in inside if not held["shown"] or held["empty"]]
        if (inside and not empty) or time.monotonic() > until:
            return empty if inside else [{"title": "no fold"}]
        page.wait_for_timeout(1500)  # to read a whole page is dear
