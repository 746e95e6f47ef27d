"""Mirostat on the Generate page: its bound over the text is the one by which the tokens were drawn."""

import math
from typing import Any

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from test_generate import PROMPT, controls, request
from trained import run_of

from lab.catalog import SAMPLERS
from lab.inference import decoding
from lab.inference.sampling import sample
from lab.ui.pages.generate import writing
from lab.ui.pages.generate.samplers import chain_of
from lab.ui.pages.generate.writing import write


def answers(on: list[str], count: int, ids: Any = ()) -> dict[str, Any]:
    return write(request(ids, len(ids), count), run_of("gpt"), PROMPT, 3, *controls(*on))


@pytest.mark.parametrize("on", [["mirostat"], ["mirostat_v2"], ["temperature", "mirostat_v2"]])
def test_the_page_the_command_and_many_texts_at_once_draw_by_the_same_bound(on: list[str]) -> None:
    whole = answers(on, 20)
    ids = [token["id"] for token in whole["writing"]["tokens"]]
    trained, chain = writing.visitor.trained(run_of("gpt")), chain_of(controls(*on))
    assert ids == [token.id for token in decoding.generate(trained, PROMPT, chain, 20, 3)]
    assert ids == [token.id for token in sample(trained, PROMPT, [chain, chain], [3, 4], 20)[0]]
    halves = [token["id"] for token in answers(on, 10)["writing"]["tokens"]]
    later = answers(on, 10, halves)
    assert ids == [*halves, *(token["id"] for token in later["writing"]["tokens"])]
    assert later["feedback"] == whole["feedback"]


def test_mu_follows_the_surprise_of_each_token() -> None:
    answer = answers(["mirostat_v2"], 12)
    tokens, line = answer["writing"]["tokens"], answer["feedback"]
    tau, rate = (SAMPLERS["mirostat_v2"].settings.knobs()[name].default for name in ("tau", "rate"))
    assert line["tau"] == tau and line["mu"][0] == 2 * tau and len(line["mu"]) == len(tokens) + 1
    for n, token in enumerate(tokens):
        assert line["surprise"][n] == pytest.approx(-math.log2(token["p"]), abs=2e-3)
        assert line["mu"][n + 1] == pytest.approx(line["mu"][n] - rate * (line["surprise"][n] - tau), abs=2e-3)


def test_without_mirostat_there_is_no_bound_to_show() -> None:
    assert answers(["temperature"], 3)["feedback"] is None


def test_the_bound_is_drawn_and_goes_when_mirostat_is_turned_off(page: Page, asking: str) -> None:
    visit(page, asking, "generate", run="gpt", text=PROMPT, mirostat_v2="true")
    line = page.locator("#generate-feedback")
    expect(line.locator("polyline.mu")).to_be_visible()
    assert line.locator("line.surprise").count() == page.locator("#generate-text .stage .token").count() > 5
    page.get_by_role("button", name="More samplers").click()
    page.get_by_role("checkbox", name="Mirostat 2").uncheck()
    expect(line).to_be_hidden()
