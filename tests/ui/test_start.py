"""The Start page: its handlers as functions, and its weight and its gestures in a browser."""

import json
import math
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import numpy as np
import pytest
from browser import visit
from playwright.sync_api import Page, expect

from lab.catalog import OBJECTIVES
from lab.inference import predict
from lab.inference.model import load
from lab.runs.folder import SHIPPED, RunFolder, hub
from lab.runs.pack import pack
from lab.runs.run import IMPORTED, Run
from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.training.train import train
from lab.ui.app import PAGES
from lab.ui.components.drawn import to_json
from lab.ui.exercise import shipped
from lab.ui.pages.start import handlers as start
from lab.ui.pages.start import replay, spans
from lab.ui.words import WORDS

TEXT = WORDS["start.default"]["en"]
HOSTILE = [
    "",
    " ",
    "a",
    "👩‍🚀",
    "你好。再见。",
    "\ud83d",
    "<img src=x onerror=alert(1)>",
    "[MASK] [SEP]",
    "\0",
    "w " * 9000,
]


def small(model: str, objective: str, pair: str | None, pinned: str) -> dict[str, Any]:
    """A run of three steps."""
    return {
        "model": model,
        "objective": objective,
        "pair": pair,
        "shape": {"width": 16, "depth": 1, "heads": 2, "context": 64},
        "corpus": "town_en",
        "corpus_settings": {"stories": 30},
        "tokenizer": "byte_bpe",
        "tokenizer_settings": {"vocabulary": 400},
        "training": {"steps": 3, "batch": 4, "threads": 1},
        "pinned": pinned,
    }


@pytest.fixture(scope="module", autouse=True)
def models(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Four small models in the place of those that come with the lab."""
    place = tmp_path_factory.mktemp("shipped")
    runs = {
        shipped.FILLS: small("bert", "mlm", "nsp", "Tom [MASK] the [MASK]."),
        shipped.WRITES: small("gpt", "clm", None, "Tom"),
        shipped.ORDERS: small("albert", "mlm", "sop", "Tom [MASK] the [MASK]."),
        shipped.SPANS: small("t5", "span_corruption", None, "Tom [MASK] the [MASK].")
        | {"objective_settings": {"share": 0.25, "span": 1.5}},
    }
    for name, values in runs.items():
        folder = RunFolder.create(Run.load(values), place / "whole" / name)
        list(train(folder))
        pack(folder, place / name)
    patch = pytest.MonkeyPatch()
    patch.setattr(shipped, "SHIPPED", place)
    patch.setattr(replay, "PLACE", place / shipped.FILLS)
    shipped.shipped.cache_clear()
    yield place
    patch.undo()
    shipped.shipped.cache_clear()


def strip(name: str, text: str = TEXT, seed: int = 0) -> dict[str, Any]:
    """The strip of one objective."""
    strip: dict[str, Any] = start.view(text, seed)[name]
    return strip


def click(at: Any, row: int = 0) -> gr.EventData:
    return SimpleNamespace(at=at, row=row, id=0)  # type: ignore[return-value]


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_answered(text: str) -> None:
    shown = start.view(text, 0)
    assert len(shown) == 2 + len(start.AT_ONCE)
    others = [row["name"] for group in shown["board"]["groups"] for row in group["rows"]]
    assert not text.strip() or sorted([*others, *start.ANSWERED]) == sorted(OBJECTIVES.names())
    assert len(to_json(shown)) < 120_000
    assert to_json(start.going_on(text)) and to_json(start.command(text, 0))
    assert len(to_json(spans.spans(text, 0))) < 30_000


def test_of_a_text_that_is_too_long_it_is_said_how_much_is_read() -> None:
    most = limits().prompt
    notes = [start.view("小红去了市场。" * (most // 7 + more), 0)["tokens"]["note"] for more in (0, 1)]
    assert [note["word"] for note in notes] == ["start.tokens.cut", "start.tokens.head"]
    assert notes[1]["characters"] == f"{most:,}"


@pytest.mark.parametrize("model", ["albert-town", "small-bert-town"])
def test_any_other_model_of_the_lab_answers_where_it_is_chosen(model: str) -> None:
    chosen, usual = start.view(TEXT, 0, model), start.view(TEXT, 0)
    reads = load(RunFolder(SHIPPED / model)).tokenizer
    asked, guessed = (row["tokens"] for row in chosen["mlm"]["rows"][1:3])
    assert [chip["id"] for chip in chosen["tokens"]["rows"][0]["tokens"]] == reads.encode(TEXT).tolist()
    assert [bool(chip) for chip in asked] == [bool(chip) for chip in guessed]
    assert chosen["clm"]["note"][0]["model"] == usual["clm"]["note"][0]["model"] == "GPT"
    assert f"--tokenizer {model}" in start.command(TEXT, 0, model)["command"]


def test_every_gap_has_a_guess_beside_its_answer() -> None:
    shown, asked, model = (row["tokens"] for row in strip("mlm")["rows"])
    assert [bool(chip) for chip in asked] == [bool(chip) for chip in model]
    for chip, answer in zip(model, asked, strict=True):
        if chip:
            assert (chip["kind"] == "predicted") == (chip["id"] == answer["id"]) and len(chip["top"]) == 5
    assert strip("mlm")["note"][0]["asked"] == sum(bool(chip) for chip in asked)


def test_below_each_sentinel_stand_the_span_and_what_the_model_writes_for_it(models: Any) -> None:
    value, writer = spans.spans(TEXT, 0), shipped.shipped(shipped.SPANS)
    source, target, prediction = (row["tokens"] for row in value["rows"])
    assert writer is not None
    whole = [below["text"] if below else one["text"] for one, below in zip(source, target, strict=True)][:-1]
    assert "".join(whole) == TEXT and source[-1]["kind"] == "special"
    gaps = [place for place, one in enumerate(source) if one["kind"] == "masked"]
    assert len(gaps) > 1 and [source[place]["text"] for place in gaps] == [f"<extra_id_{n}>" for n in range(len(gaps))]
    assert [place for place, one in enumerate(prediction) if one] == gaps
    ids = np.array([chip["id"] for chip in source])
    asked = predict.written(writer, ids, longest=predict.PINNED_GAP)
    for place, guesses in zip(gaps, asked, strict=True):
        chip = prediction[place]
        assert chip["text"] == guesses[0].token and len(chip["top"]) == len(guesses)
        assert (chip["kind"] == "predicted") == (chip["text"] == target[place]["text"])
    removed = sum(len(writer.tokenizer.encode(target[place]["text"])) for place in gaps)
    assert removed / (len(source) - 1 - len(gaps) + removed) == pytest.approx(0.25, abs=0.02)  # as the model has learnt
    score, drawn = value["note"][:2]
    assert (score["asked"], drawn["share"], drawn["span"], drawn["usual"], drawn["long"]) == (
        len(gaps),
        "25",
        "1.5",
        "15",
        "3",
    )
    assert "--objective-share 0.25 --objective-span 1.5 --tokenizer t5-town" in start.command(TEXT, 0)["command"]


def test_what_is_answered_at_once_does_not_wait_for_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predict, "written", None)
    assert "spans" not in start.again("Another text.", 0)


def test_the_writing_model_is_asked_for_every_next_token() -> None:
    shown, asked, model = (row["tokens"] for row in strip("clm")["rows"])
    assert [chip["id"] for chip in asked[:-1]] == [chip["id"] for chip in shown[1:]]
    assert asked[-1] is None and model[-1] is None and all(model[:-1])


def test_what_a_model_has_read_is_said_without_the_sentence_of_another() -> None:
    """BERT's sentence is not there where ALBERT or a run of one's own answers in its place."""
    for key in ("start.fills.read", "start.spans.read", "start.writes.note"):
        assert "those" not in WORDS[key]["en"] and "其中" not in WORDS[key]["zh"]
        assert "town" in WORDS[key]["en"] and "小镇" in WORDS[key]["zh"]


def test_a_model_of_the_lab_that_is_chosen_is_told_of_as_where_it_answers_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert start.going_on(TEXT, shipped.WRITES)["rows"][0]["note"] == {"word": "start.writes.note"}
    assert {"word": "start.spans.read"} in spans.spans(TEXT, 0, shipped.SPANS)["note"]
    for page in (start, spans):
        monkeypatch.setattr(page, "answering", lambda model: shipped.shipped(model.removeprefix("own ")))
    assert start.going_on(TEXT, f"own {shipped.WRITES}")["rows"][0]["note"]["word"] == "start.writes.other"
    assert {"word": "start.spans.read"} not in spans.spans(TEXT, 0, f"own {shipped.SPANS}")["note"]


def test_behind_a_single_token_there_is_nothing_to_predict_and_that_is_said() -> None:
    for text, said in (("a", ["start.next.none"]), ("a word", ["start.score"])):
        assert [note["word"] for note in start.exercise(text, OBJECTIVES["clm"], 0)["note"]] == said


def test_a_pair_is_judged_only_by_a_model_that_learnt_to() -> None:
    for pair, model in (("nsp", "BERT"), ("sop", "ALBERT")):
        said = strip(pair)["note"][-1]
        assert said["word"] == "start.judge" and said["model"] == model


def test_no_model_judges_a_pair_that_it_has_not_learnt(models: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "ORDERS", "nowhere")
    assert all(note.get("word") != "start.judge" for note in strip("sop")["note"])


def test_one_sentence_alone_is_explained() -> None:
    assert {"word": "start.alone"} in strip("nsp", "Only one sentence.")["note"]
    assert {"word": "start.alone"} not in strip("nsp")["note"]


def test_a_clicked_token_is_hidden_and_a_second_click_shows_it() -> None:
    one = start.hide(TEXT, 0, start.noted(set(), TEXT, 0), "", click(3))["hidden"]
    assert start.chosen(one, TEXT, 0) == {3}
    value, two = start.hide(TEXT, 0, one, "", click(5)).values()
    assert start.chosen(two, TEXT, 0) == {3, 5}
    assert [i for i, chip in enumerate(value["rows"][0]["tokens"]) if chip["kind"] == "masked"] == [3, 5]
    assert start.chosen(start.hide(TEXT, 0, two, "", click(3))["hidden"], TEXT, 0) == {5}


def test_the_first_click_goes_on_from_the_dice() -> None:
    asked = [i for i, chip in enumerate(strip("mlm")["rows"][1]["tokens"]) if chip]
    free = next(i for i in range(1, 9) if i not in asked)
    assert start.chosen(start.hide(TEXT, 0, "", "", click(free))["hidden"], TEXT, 0) == {*asked, free}


@pytest.mark.parametrize("at", [0, 10**6, -3, "x", None, 1.5])
def test_special_tokens_and_places_that_are_not_there_cannot_be_hidden(at: Any) -> None:
    answer = start.hide(TEXT, 0, start.noted(set(), TEXT, 0), "", click(at))
    assert answer == {} or start.chosen(answer["hidden"], TEXT, 0) == set()


def test_what_was_hidden_by_hand_stays_with_its_text_and_its_seed() -> None:
    value, own = start.hide(TEXT, 0, start.noted(set(), TEXT, 0), "", click(3)).values()
    assert start.first(TEXT, 0, own, "", "en")["mlm"] == start.again(TEXT, 0, own)["mlm"] == value
    assert start.again(TEXT, 0, own)["hidden"] == own
    for text, seed in ((TEXT + " More.", 0), (TEXT, 1)):
        assert start.again(text, seed, own)["mlm"] == start.again(text, seed)["mlm"]
        assert start.again(text, seed, own)["hidden"] == ""
    assert start.first(WORDS["start.default"]["en"], 0, "00000000-3", "", "en") != {}  # a mark of another text
    assert start.again(TEXT, 0, start.noted({10**6}, TEXT, 0))["mlm"]["rows"]


@pytest.mark.parametrize("seed", [-1, 3.7, 1e99, float("nan")])
def test_a_seed_in_whose_place_another_would_be_taken_is_refused(seed: float) -> None:
    for handler in (start.view, start.again, start.command, spans.spans):
        with pytest.raises(SettingsError, match="the seed must be a whole number"):
            handler(TEXT, seed)
    with pytest.raises(SettingsError, match="the seed must be a whole number"):
        start.first(TEXT, seed, "", "", "en")


def test_the_continuation_is_marked_as_written() -> None:
    (text, plain), (added, mark) = start.going_on(TEXT)["rows"][0]["parts"]
    assert (text, plain, mark) == (TEXT, "", "written") and added


def test_the_recorded_run_is_what_its_diary_says(models: Any) -> None:
    value = replay.recorded()
    lines = (models / shipped.FILLS / "metrics.jsonl").read_text().splitlines()
    checks = [each for each in map(json.loads, lines) if each["kind"] == "check"]
    assert [step["step"] for step in value["steps"]] == [each["step"] for each in checks]
    assert value["steps"][-1]["loss"] == pytest.approx(checks[-1]["loss"], abs=1e-3)
    assert value["sentence"] == ["Tom ", {"answer": None}, " the ", {"answer": None}, "."]
    assert all(len(step["guesses"]) == 2 for step in value["steps"])
    assert [each["name"]["word"] for each in value["baselines"]] == [
        f"start.line.{line}" for line in ("uniform", "unigram", "bigram")
    ]
    ((_, told),) = replay.explained()
    assert math.log(int(told["size"].replace(",", ""))) == pytest.approx(value["baselines"][0]["y"], abs=1e-5)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_view_needs_no_answer_from_the_server(language: str) -> None:
    assert start.first(WORDS["start.default"][language], 0, "", "", language) == {}
    assert start.first("another text", 0, "", "", language) != {}
    assert start.first(WORDS["start.default"][language], 4, "", "", language) != {}


def test_there_is_a_door_to_every_other_page() -> None:
    assert [door["page"] for door in start.doors(PAGES[1:])] == list(PAGES[1:])


def test_a_copy_without_recorded_runs_still_opens(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(shipped, "SHIPPED", tmp_path)
    monkeypatch.setattr(replay, "PLACE", tmp_path)
    shipped.shipped.cache_clear()
    try:
        assert replay.recorded() == {"steps": []} and replay.explained() == []
        assert [row["label"]["word"] for row in strip("mlm")["rows"]] == [
            "objectives.row.shown",
            "objectives.row.asked",
        ]
        assert start.going_on(TEXT)["rows"] == []
        assert len(spans.spans(TEXT, 0)["rows"]) == 2 and not spans.spans(TEXT, 0)["note"]
    finally:
        shipped.shipped.cache_clear()


def test_the_page_is_light_asks_nobody_outside_and_a_door_carries_its_text(page: Page, server: str) -> None:
    client, sizes = page.context.new_cdp_session(page), []
    client.send("Network.enable")
    client.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    visit(page, server, "start")
    page.wait_for_selector("#start-mlm .chip")
    page.wait_for_timeout(1000)
    assert sum(sizes) <= 1_000_000 and len(sizes) <= 100, (sum(sizes), len(sizes))
    assert "plotly" not in page.content()
    page.fill("#start-text textarea", "carried along")
    page.wait_for_url("**text=carried+along**")
    page.click(".doors a[href*=tokenize]")
    expect(page.locator("#tokenize-text textarea")).to_have_value("carried along")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_text_that_is_typed_or_linked_is_answered(page: Page, server: str, language: str) -> None:
    visit(page, server, "start", lang=language, text="<b>bold</b> {{x}}")
    strip = page.locator("#start-tokens .chips")
    expect(strip).to_contain_text("<")
    page.fill("#start-text textarea", "Tom ran home. 小红笑了。")
    expect(strip).to_contain_text("om")
    expect(page.locator("#start-sop .row-label")).to_have_count(2)
    gaps, written = (page.locator(f"#start-span_corruption {chip}") for chip in (".masked", ":is(.predicted, .wrong)"))
    expect(page.locator("#start-span_corruption")).to_contain_text("Tom")  # the note says "random", which holds "om"
    expect(gaps.first).to_have_text("<extra_id_0>")
    expect(written).to_have_count(gaps.count())
    written.first.hover()
    expect(page.locator(".lab-note")).to_contain_text("%")
    at = page.locator("#start-mlm [data-row='0'].original").first.get_attribute("data-at")
    chip = page.locator(f"#start-mlm [data-row='0'][data-at='{at}']")
    chip.click()
    expect(chip).to_have_text("[MASK]")
    page.fill("#start-text textarea", "")
    expect(page.locator("#start-mlm .empty")).to_be_visible()
    expect(page.locator("#start-span_corruption .empty")).to_be_visible()


def test_another_model_answers_what_it_has_learnt(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A published GPT continues the text and says its tokens; the gaps stay with the lab's own model."""
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path))
    name = "somebody--tiny-gpt"
    shutil.copytree(models / shipped.WRITES, hub() / name)
    document = json.loads((hub() / name / "run.json").read_text())
    run = document | {"kind": IMPORTED, "title": "somebody/tiny-gpt"}
    (hub() / name / "run.json").write_text(json.dumps(run))
    own, theirs = start.view(TEXT, 0), start.view(TEXT, 0, name)
    assert theirs["mlm"] == own["mlm"] and theirs["sop"] == own["sop"]
    assert "somebody/tiny-gpt" in str(theirs["clm"]["note"]) and "somebody/tiny-gpt" not in str(own["clm"]["note"])
    assert "somebody/tiny-gpt" in str(start.going_on(TEXT, name)) and f"--run {name}" in str(
        start.command(TEXT, 0, name)
    )
    assert start.first(WORDS["start.default"]["en"], 0, "", name, "en")["tokens"] == theirs["tokens"]
    hidden = start.noted({3}, TEXT, 0, name)
    assert start.chosen(hidden, TEXT, 0, name) == {3} and start.chosen(hidden, TEXT, 0) is None  # its tokens are others
    with pytest.raises(SettingsError):
        start.view(TEXT, 0, "../../etc")
