"""Beam search on the Generate page: the tree that the search has walked, its texts beside the greedy one."""

import math
from typing import Any

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from trained import run_of

from lab.inference.beam_search import beam_search
from lab.settings import SettingsError
from lab.ui.pages.generate import beams
from lab.ui.shell import visitor

PROMPT = "The town was"


def test_the_tree_is_what_the_search_looked_at() -> None:
    run = run_of("gpt")
    shown = beams.search(run, PROMPT, 3, 5, 1.0)
    found = beam_search(visitor.trained(run), PROMPT, 3, 5, 1.0)
    assert [len(step) for step in shown["tree"]["steps"]] == [len(step) for step in found.steps]
    for step, numbers in zip(shown["tree"]["steps"], found.steps, strict=True):
        for node, number in zip(step, numbers, strict=True):
            candidate = found.candidates[number]
            assert node["fate"] == candidate.fate and node["score"] == pytest.approx(candidate.score, abs=1e-3)
            assert math.log(node["p"]) == pytest.approx(candidate.logprob, abs=1e-2)
    ends = shown["tree"]["ends"]
    assert [end["score"] for end in ends] == sorted((end["score"] for end in ends), reverse=True)
    for end, best in zip(ends, found.best, strict=True):
        step, place = end["place"]
        assert found.steps[step][place] == best.last and end["logprob"] == pytest.approx(best.logprob, abs=1e-3)
    assert shown["command"]["command"].endswith("--beams 3 --length-penalty 1 --tokens 5")


def test_one_beam_says_that_it_is_greedy() -> None:
    tree = beams.search(run_of("gpt"), PROMPT, 1, 4, 0.0)["tree"]
    assert tree["note"] == {"word": "generate.beam.same"}
    assert tree["ends"][0]["text"] == tree["greedy"]["text"]


@pytest.mark.parametrize("odd", [0, 7, math.nan, -99999999, None, "3", 1e300])
def test_an_odd_number_of_beams_is_one_sentence(odd: Any) -> None:
    with pytest.raises(SettingsError, match="beams: a number from 1 to 6"):
        beams.search(run_of("gpt"), PROMPT, odd, 4, 1.0)


@pytest.mark.parametrize("text", ["", "🦜", "<img src=x onerror=window.hit=1>", "王芳" * 400, "\ud800"])
def test_any_prompt_is_searched_from(text: str) -> None:
    assert beams.search(run_of("gpt"), text, 2, 3, 1.0)["tree"]["ends"]


def test_a_run_that_fills_gaps_has_no_tree() -> None:
    assert beams.search(run_of("bert"), PROMPT, 2, 3, 1.0) == {}
    assert beams.search("", PROMPT, 2, 3, 1.0) == {}


def test_the_tree_is_walked_with_clicks_and_keys(page: Page, server: str) -> None:
    visit(page, server, "generate", lang="en", beams="2", length="4")
    tree = page.locator("#generate-tree")
    nodes = tree.locator(".node")
    expect(nodes).to_have_count(16, timeout=30_000)
    expect(tree.locator(".node:visible")).to_have_count(16)
    tree.get_by_role("button", name="To the first step").click()
    expect(tree.locator(".node:visible")).to_have_count(4)
    tree.get_by_role("button", name="Next step").click()
    expect(tree.locator(".node:visible")).to_have_count(8)
    nodes.first.focus()
    page.keyboard.press("Enter")
    expect(tree.locator(".node.on")).to_have_count(1)
    expect(tree.locator(".told")).to_contain_text("nats")
    expect(tree.locator("tbody tr")).to_have_count(3)
