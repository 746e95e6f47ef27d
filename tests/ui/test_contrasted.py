"""Contrastive search on the Generate page and on the command line: the search's own text, terms and borders."""

import json
from typing import Any

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from trained import run_of

from lab.cli.main import main
from lab.inference.contrastive_search import contrastive_search
from lab.inference.decoding import continuation
from lab.settings import SettingsError
from lab.spelling import spelling
from lab.ui.pages.generate import bounded, contrasted
from lab.ui.pages.generate.contrasted import contrast
from lab.ui.pages.generate.diverse import diverse
from lab.ui.shell import visitor
from lab.ui.words import in_language

PROMPT = "The town was"


@pytest.mark.parametrize("prompt", [PROMPT, "", "<img src=x onerror=window.hit=1> 🦜王", "the cow " * 60])
def test_the_page_shows_the_terms_of_the_search(prompt: str) -> None:
    run = run_of("gpt")
    trained = visitor.trained(run)
    shown = contrast(run, prompt, 3, 0.5, 12)["contrast"]
    true = [*contrastive_search(trained, prompt, 3, 0.5, 12)]
    assert len(shown["steps"]) == len(true) > 0
    read = [*continuation(trained, prompt).ids]
    for step, choice in zip(shown["steps"], true, strict=True):
        assert step["taken"] == choice.taken
        for row, candidate in zip(step["candidates"], choice.candidates, strict=True):
            assert row["penalty"] == pytest.approx(candidate.penalty, abs=1e-4)
            assert row["score"] == pytest.approx(0.5 * row["p"] - 0.5 * row["penalty"], abs=2e-4)
            like = trained.tokenizer.pieces([read[row["place"] - 1]])[0]
            assert like.special or row["like"] == spelling(like)
        read.append(choice.token)
    json.dumps(shown, allow_nan=False)


def test_what_is_out_of_range_or_has_no_model_gets_a_sentence() -> None:
    run = run_of("gpt")
    for wrong in ((0, 0.5, 8), (11, 0.5, 8), (3, 1.5, 8), (3, float("nan"), 8), (3, 0.5, 10**6), (3, "a", 8)):
        with pytest.raises(SettingsError):
            contrast(run, PROMPT, *wrong)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="characters"):
        contrast(run, "a" * 2**20, 3, 0.5, 8)
    assert contrast("", PROMPT, 3, 0.5, 8)["contrast"]["steps"] == []
    assert contrast(run_of("bert"), PROMPT, 3, 0.5, 8)["contrast"]["steps"] == []


def test_the_command_writes_what_the_page_writes(capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of("gpt")
    answer = contrast(run, PROMPT, 3, 0.5, 12)
    words: list[Any] = ["generate", "--run", run, "--prompt", PROMPT, "--tokens", "12", "--json"]
    assert "--contrastive 0.5 --candidates 3 --tokens 12" in answer["command"]["command"]
    assert main([*words, "--contrastive", "0.5", "--candidates", "3"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["text"] == answer["contrast"]["rows"][0][1]
    taken = [step["candidates"][step["taken"]] for step in answer["contrast"]["steps"]]
    assert document["penalty"] == pytest.approx([row["penalty"] for row in taken], abs=1e-4)
    for wrong in (["--contrastive", "2"], ["--contrastive", "0.5", "--candidates", "0"]):
        assert main([*words, *wrong]) == 2
    for other in (["--beams", "2"], ["--sampler", "greedy"], ["--samples", "2"]):
        assert main([*words, "--contrastive", "0.5", *other]) == 2


def test_a_token_that_is_clicked_shows_its_candidates(page: Page, asking: str) -> None:
    visit(page, asking, "generate", run="gpt", text=PROMPT, open="contrastive", contrast_k="3")
    tokens = page.locator("#generate-contrast .stage button")
    tokens.nth(5).wait_for()
    expect(page.locator("#generate-contrast .table").first.locator("tbody tr")).to_have_count(3)
    tokens.nth(4).press("Enter")
    expect(tokens.nth(4)).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#generate-contrast .note")).to_contain_text("Token 5")


def test_what_was_asked_is_searched_once_and_no_longer_than_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of("gpt")
    first = contrast(run, "once only", 4, 0.6, 8)
    monkeypatch.setattr(contrasted, "contrastive_search", lambda *_: iter([]))
    assert contrast(run, "once only", 4, 0.6, 8)["contrast"] == first["contrast"] and not first["contrast"]["note"]
    monkeypatch.undo()
    monkeypatch.setattr(bounded, "SECONDS", -1.0)
    late = contrast(run, "too late", 4, 0.6, 8)["contrast"]
    assert len(late["steps"]) == 1 and "after 1 of 8 tokens" in in_language(late["note"], "en")
    monkeypatch.undo()
    assert len(contrast(run, "too late", 4, 0.6, 8)["contrast"]["steps"]) > 1, "what time cut off is not kept"


def test_a_search_that_would_keep_too_much_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of("gpt")
    shape = visitor.trained(run).run.settings_of("model")
    each = 2 * shape.depth * shape.width  # numbers in the keys and values of one token
    monkeypatch.setattr(bounded, "CACHED", 4 * each * shape.context)
    bounded.bearable(visitor.trained(run), 4, 10 * shape.context)  # no more is read than the context holds
    with pytest.raises(SettingsError, match="5 texts side by side"):
        contrast(run, "cow " * 100, 5, 0.6, 8)
    with pytest.raises(SettingsError, match="6 texts side by side"):
        diverse(run, "cow " * 100, 3, 2, 1.0, 8, 1)
