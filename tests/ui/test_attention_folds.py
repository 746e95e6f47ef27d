"""The Attention page with every fold open and drawn: the rules of accessibility hold, in both languages."""

from collections.abc import Iterator

import pytest
from axe import findings
from browser import calm, visit
from folds import unfold
from playwright.sync_api import Browser, Page
from test_looks import CUT, FOCUS, RULES

TEXT = "Tom saw 🦜 [MASK] <b>王芳</b> ${1} in the town"
DRAWN = (
    "#attention-maps .heads button",
    "#attention-steps canvas",
    "#attention-answers .body *",
    "#attention-roles td",
    "#attention-lens td",
    "#attention-similar canvas",
    "#attention-sum svg, #attention-sum canvas",
    "#attention-cost-formulas td",
    "#attention-depth .line",
    "#attention-depth-across .line",
)


@pytest.fixture(params=[("en", "light", 1280), ("zh", "dark", 390)], ids=lambda each: each[0])
def folds(request: pytest.FixtureRequest, asking: str, browser: Browser) -> Iterator[tuple[Page, int]]:
    """The page, all of it open and drawn, and how wide it is."""
    language, theme, wide = request.param
    context = browser.new_context(viewport={"width": wide, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    visit(page, asking, "attention", run="bert", text=TEXT, lang=language, __theme=theme)
    unfold(page)
    for selector in DRAWN:
        page.locator(selector).first.wait_for()
    calm(page)
    yield page, wide
    context.close()


def test_every_fold_of_attention_keeps_the_rules_of_accessibility(folds: tuple[Page, int]) -> None:
    page, wide = folds
    assert page.evaluate(RULES) + page.evaluate(FOCUS) + findings(page) == []
    assert wide > 390 or page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
