"""Beam search on the Generate page: the tree that the search has walked, its texts beside the greedy one."""

import math
from typing import Any

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from trained import run_of

from lab.inference.beam_search import Candidate, Hypothesis, Search, beam_search
from lab.inference.decoding import GREEDY, generate
from lab.settings import SettingsError
from lab.ui.pages.generate import beams
from lab.ui.pages.generate.search_errors import BEGINNINGS, lost, verdict
from lab.ui.shell import visitor
from lab.ui.shell.answers import NOTE

PROMPT = "The town was"


def test_the_tree_is_what_the_search_looked_at() -> None:
    run = run_of("gpt")
    shown = beams.search(run, PROMPT, 3, 5, 1.0)
    found = beam_search(visitor.trained(run), PROMPT, 3, 5, 1.0)
    assert [len(step) for step in shown["tree"]["steps"]] == [len(step) for step in found.steps]
    for step, numbers in zip(shown["tree"]["steps"], found.steps, strict=True):
        for node, number in zip(step, numbers, strict=True):
            candidate = found.candidates[number]
            over = "ended" if candidate.token == visitor.trained(run).tokenizer.vocabulary.end else "stopped"
            assert node["fate"] == (over if candidate.fate == "ended" else candidate.fate)
            assert node["score"] == pytest.approx(candidate.score, abs=1e-3)
            assert math.log(node["p"]) == pytest.approx(candidate.logprob, abs=1e-2)
    assert "stopped" in {node["fate"] for node in shown["tree"]["steps"][-1]}
    ends = shown["tree"]["ends"]
    assert [end["score"] for end in ends] == sorted((end["score"] for end in ends), reverse=True)
    for end, best in zip(ends, found.best, strict=True):
        step, place = end["place"]
        assert found.steps[step][place] == best.last and end["logprob"] == pytest.approx(best.logprob, abs=1e-3)
    assert shown["command"]["command"].endswith("--beams 3 --length-penalty 1 --tokens 5")


def test_who_asks_the_same_makes_nobody_search_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = (run_of("gpt"), "The town was not", 2, 4, 1.0)
    once = beams.search(*asked)
    monkeypatch.setattr(beams, "beam_search", lambda *given: pytest.fail("searched again"))
    assert beams.search(*asked) == once


def test_one_beam_says_that_it_is_greedy() -> None:
    tree = beams.search(run_of("gpt"), PROMPT, 1, 4, 0.0)["tree"]
    assert tree["note"] == {"word": "generate.beam.same"}
    assert tree["ends"][0]["text"] == tree["greedy"]["text"]


def test_the_row_of_greedy_decoding_is_what_it_writes_and_its_way_is_marked_in_the_tree() -> None:
    run = run_of("gpt")
    trained, tree = visitor.trained(run), beams.search(run, PROMPT, 3, 5, 0.5)["tree"]
    greedy = [*generate(trained, PROMPT, GREEDY, 5)]
    assert len(greedy) == tree["greedy"]["length"] == 5
    assert tree["greedy"]["logprob"] == pytest.approx(sum(token.logprob for token in greedy), abs=1e-3)
    assert tree["greedy"]["score"] == pytest.approx(tree["greedy"]["logprob"] / 5**0.5, abs=1e-3)
    assert [sum("greedy" in node for node in step) for step in tree["steps"]][0] == 1 and tree["steps"][0][0]["greedy"]


# Greedy decoding writes 1, 6, 8 for 1.8 nats: two beams drop its way at step 2, for what is likelier until step 3.
ERRED = Search(
    [
        Candidate(-1, 1, -1.0, -1.0, "kept"),
        Candidate(-1, 2, -1.2, -1.2, "kept"),
        Candidate(1, 4, -0.3, -1.5, "kept"),
        Candidate(1, 5, -0.4, -1.6, "kept"),
        Candidate(0, 6, -0.7, -1.7, "dropped"),
        Candidate(2, 7, -2.5, -4.0, "ended"),
    ],
    [[0, 1], [2, 3, 4], [5]],
    [Hypothesis(5, (2, 4, 7), -4.0, -4 / 3)],
)


@pytest.mark.parametrize(
    ("ids", "score", "found"),
    [((2, 4, 7), -4 / 3, "same"), ((1, 6, 8), -0.6, "error"), ((1, 6, 8), -2.0, "other")]
    + [((1, 6, 8), -4 / 3 + 1e-6, "other")],
)
def test_where_greedy_decoding_scores_higher_the_search_has_erred(
    ids: tuple[int, ...], score: float, found: str
) -> None:
    said = verdict(ERRED, Hypothesis(0, ids, 3 * score, score))
    assert said["word"] == f"generate.beam.{found}"
    assert found != "error" or said == {"word": said["word"], "step": 2, "greedy": "-0.600", "best": "-1.333"}


def test_a_text_is_lost_where_its_beginning_is_dropped_or_was_never_looked_at() -> None:
    assert lost(ERRED, (1, 6, 8)) == 2 and lost(ERRED, (2, 4, 9)) == 3 and lost(ERRED, (9, 9, 9)) == 1


def test_behind_the_beginning_that_is_found_greedy_decoding_beats_the_search() -> None:
    trained, text = visitor.trained("gpt-town"), beams.with_error("gpt-town", "Where?", 2, 8, 1.0)["text"]
    assert text in BEGINNINGS["en"]
    greedy = sum(token.logprob for token in generate(trained, text, GREEDY, 8))
    assert greedy > beam_search(trained, text, 2, 8).best[0].logprob
    assert beams.search("gpt-town", text, 2, 8, 1.0)["tree"]["note"]["word"] == "generate.beam.error"


def test_where_no_search_errs_one_sentence_says_so() -> None:
    said = str(beams.with_error("gpt-town", "我", 1, 2, 1.0)[NOTE])
    assert said.startswith(f"beam search errs behind none of {len(BEGINNINGS['zh'])} beginnings")
    assert beams.with_error(run_of("bert"), "", 2, 8, 1.0) == {}


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


def test_one_click_shows_a_search_error(page: Page, server: str) -> None:
    visit(page, server, "generate", run="gpt-town", lang="en", beams="2")
    note = page.locator("#generate-tree .note")
    expect(note).to_contain_text("Greedy", timeout=30_000)
    page.locator("#generate-beam-find").click()
    expect(note).to_contain_text("A search error: greedy decoding scores", timeout=30_000)
    assert page.locator("#generate-tree .node.greedy").count() >= 1
