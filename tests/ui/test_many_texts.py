"""The folds of the Generate page that ask one model many times, or look at how an encoder-decoder answers."""

import base64

import numpy as np
import pytest
from axe import findings
from browser import visit
from playwright.sync_api import Page, expect
from tiny import steps
from trained import run_of

from lab.analysis.text_diversity import perplexity
from lab.catalog import SAMPLERS
from lab.inference.alignment import alignment
from lab.inference.beam_search import beam_search
from lab.runs.folder import RunFolder, home
from lab.settings import SettingsError
from lab.training.run_request import finetuning
from lab.training.train import train
from lab.ui.pages.generate import shots
from lab.ui.pages.generate.filling import fill
from lab.ui.pages.generate.in_the_paper import FINDINGS, Figures, direction
from lab.ui.pages.generate.looks import LONGEST, where
from lab.ui.pages.generate.measures import BEAMS, TOKENS, likeliest, measure
from lab.ui.pages.generate.specimens import can_be_asked, kind_of
from lab.ui.shell import visitor
from lab.ui.words import in_language

PROMPT = "The town was"
SETTINGS = [False for _ in SAMPLERS] + [
    getattr(entry.settings(), name) for entry in SAMPLERS for name in entry.settings.knobs()
]
LINES = "one <b>{{x}}</b> | yes\ntwo 🦜 | no\n三 | yes\nfour|five | no\n"


def test_every_line_is_asked_about_behind_others_and_never_behind_itself() -> None:
    *_, last = shots.compare(run_of("gpt"), [run_of("lstm"), run_of("gpt")], LINES, False, 0)
    lines, rows = last["picture"]["series"], last["table"]["rows"]
    assert [line["x"] for line in lines] == [[0, 1, 2], [0, 1, 2]], "each model once, and of four lines no four others"
    assert len(rows) == 6 and last["picture"]["baselines"][0]["y"] == 0.5
    for line in lines:
        bands = zip(line["low"], line["y"], line["high"], strict=True)
        assert all(0 <= low <= y <= high <= 1 for low, y, high in bands)
    read = last["prompt"][1][1]
    assert read.endswith("one <b>{{x}}</b>\n") and read.count("one <b>") == 1
    assert last["prompt"][2][1]["truth"] == "yes"
    *_, other = shots.compare(run_of("gpt"), None, LINES, True, 0)
    assert other["prompt"][2][1]["chances"] != last["prompt"][2][1]["chances"], "calibrated"


def test_lines_without_labels_and_too_few_are_said() -> None:
    for wrong, why in (
        ("a | yes\nno label\n", "line 2 has no label"),
        ("a | yes\n | no\n", "line 2 has no label"),
        ("a | yes\nb | no\n", "at least 4 lines"),
        ("", "at least 4 lines"),
        ("a | yes\n" * 9, "two different labels"),
    ):
        with pytest.raises(SettingsError, match=why):
            [*shots.compare(run_of("gpt"), [], wrong, False, 0)]
    examples, labels = shots.labelled("a | yes\n" + "x | y | no\n" * 500)
    assert (len(examples), labels, examples[1].text) == (shots.LINES, ("no", "yes"), "x | y")
    for nobody in ("", run_of("bert")):
        (answer,) = shots.compare(nobody, [], LINES, False, 0)
        assert answer["picture"]["empty"] == {"word": "generate.no_runs"}


def test_the_row_of_beam_search_is_what_it_ends_with() -> None:
    trained = visitor.trained(run_of("gpt"))
    text = likeliest(trained, PROMPT)
    best = beam_search(trained, PROMPT, BEAMS, TOKENS).best[0]
    assert [token for token, _ in text] == [token for token in best.ids if token != trained.tokenizer.vocabulary.end]
    if len(text) == len(best.ids):
        assert sum(logprob for _, logprob in text) == pytest.approx(best.logprob, abs=1e-3)
    [*_, answer] = measure(run_of("gpt"), "", PROMPT, 0, *SETTINGS)
    rows = {in_language(name, "en"): figures for name, *figures in answer["measured"]["rows"]}
    own = perplexity([logprob for _, logprob in text])
    assert rows[f"Beam search, {BEAMS} beams"][0] == ("–" if own is None else f"{own:.2f}")


def test_what_the_paper_found_is_held_against_what_is_measured() -> None:
    """Greedy decoding repeats more than pure sampling, as in the paper; perplexities stand the other way or alike."""
    measured = {
        "pure": Figures(5.0, 0.01, None),
        "greedy": Figures(9.0, 0.5, 1.0),
        "top_p": Figures(5.0, None, None),
        "stories": Figures(8.0, 0.0, 0.1),
    }
    rows = [
        [cell if isinstance(cell, str) else in_language(cell, "en") for cell in row]
        for row in direction(measured)["rows"]
    ]
    assert [row[1:] for row in rows] == [
        ["0.2\u00a0% < 73.7\u00a0%", "1.0\u00a0% < 50.0\u00a0%", "yes"],
        ["1.50 < 12.38", "9.00 > 8.00", "no"],
        ["13.13 < 22.73", "5.00 = 5.00", "no difference"],
        ["12.38 < 22.73", "8.00 > 5.00", "no"],
    ]
    assert all(finding.paper[0] < finding.paper[1] for finding in FINDINGS)
    assert direction({})["rows"] == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", [*shots.READY])
def test_what_stands_ready_can_be_asked(name: str, language: shots.Tongue) -> None:
    examples, labels = shots.labelled(shots.ready(name, language))
    assert len(examples) == shots.LINES and 2 <= len(labels) <= 3
    assert {label.isascii() for label in labels} == {language == "en"}


def test_the_strips_hold_what_attention_gives() -> None:
    run, text = run_of("t5"), "The [MASK] was <b>quiet</b>. 猫"
    found, value = alignment(visitor.trained(run), text, LONGEST), where(run, text)
    assert found.written
    data = np.frombuffer(base64.b64decode(value["data"]), np.uint8)
    shares = data.reshape(1 + value["layers"], len(value["written"]), len(value["source"])) / 255
    assert np.abs(shares[1:] - found.shares.numpy()).max() <= 0.002
    assert np.abs(shares[0] - found.shares.mean(0).numpy()).max() <= 0.002


def test_who_does_not_answer_is_told_which_model_does() -> None:
    assert where("", "a") == {"empty": {"word": "generate.no_runs"}}
    for other in ("gpt", "bert", "lstm"):
        assert "T5 or BART" in in_language(where(run_of(other), "a")["empty"], "en")


def test_a_translator_answers_and_a_classifier_cannot_be_asked() -> None:
    parent = visitor.seen(run_of("bart"))
    for task, corpus, able in (("seq2seq", "town_translation", True), ("classify", "town_en", False)):
        chosen = {"corpus": {"stories": 20}, "training": steps(2)}
        run = finetuning(parent, task=task, corpus=corpus, chosen=chosen, parent=parent.name)
        folder = RunFolder.create(run, home() / f"bart-{task}")
        for _ in train(folder):
            pass
        assert can_be_asked(run) is able
    assert kind_of("bart-seq2seq") == "fill"
    value = where("bart-seq2seq", "The town was quiet.")
    assert value.get("source") or value == {"empty": {"word": "generate.looks.nothing"}}
    assert fill("bart-seq2seq", "a [MASK]")["gaps"]["empty"] == {"word": "generate.answers"}


def test_pointing_at_a_word_shades_the_source_by_its_looks(asking: str, page: Page) -> None:
    """With the pointer, and with the keyboard."""
    visit(page, asking, "generate", lang="en", run="t5-town", text="The [MASK] was <b>quiet</b>. 猫", open="looks")
    strips = page.locator("#generate-looks")
    written, source = strips.get_by_role("option"), strips.locator(".source .chip")
    expect(written.first).to_have_attribute("aria-selected", "true", timeout=30_000)
    shades = source.evaluate_all("chips => chips.map((chip) => chip.style.getPropertyValue('--dark'))")
    assert max(map(float, shades)) == 1 and min(map(float, shades)) >= 0
    written.nth(1).hover()
    expect(written.nth(1)).to_have_attribute("aria-selected", "true")
    expect(strips.locator(".reading")).to_contain_text("looked at:")
    written.nth(1).focus()
    page.keyboard.press("ArrowRight")
    expect(written.nth(2)).to_be_focused()
    strips.get_by_role("radio", name="1", exact=True).click()
    assert "looks=1" in page.url
    inks = source.evaluate_all("chips => chips.map((chip) => getComputedStyle(chip).color)")
    assert len({*inks}) == 1 and len(inks) > 3, "marks are as legible on any shade as words"
    page.locator("#generate-natural").locator("xpath=..").get_by_text("Pseudo-perplexity").first.hover()
    assert findings(page) == []
    expect(page.locator("#generate-gaps")).to_contain_text("The first is the whole span that the model writes there")
    page.set_viewport_size({"width": 390, "height": 800})
    long = page.locator("#generate-gaps .name").first  # a span may be many tokens long
    long.evaluate("(name) => { name.textContent = 'over and over '.repeat(9); }")
    assert long.evaluate("(name) => name.scrollWidth <= name.clientWidth + 1 && name.clientHeight > 60")
