"""Editing on the Attention page: what is changed, what it does to the answer and the maps, and what is said."""

import base64
import json
from typing import Any

import numpy as np
import pytest
import torch
from browser import visit
from playwright.sync_api import Page, expect
from trained import run_of

from lab.batch import Batch
from lab.inference.ablation import Change, changed
from lab.inference.attention_maps import attention
from lab.inference.edits import masked
from lab.inference.shown import shown
from lab.settings import SettingsError
from lab.ui.pages.attention import editing
from lab.ui.pages.attention.editing import EDITS, edit
from lab.ui.pages.attention.page import OTHER, SPECIMENS, needed
from lab.ui.shell import visitor
from lab.ui.words import in_language

TEXT = "the [MASK] sat on"


def edited(
    model: str, what: str, *, head: str = "1.1", text: str = TEXT, where: str = "head", **more: Any
) -> dict[str, Any]:
    chosen = {"factor": 0.0, "locked": "", "other": ""} | more
    values = edit(run_of(model), text, head, what, where, *chosen.values())
    values["moved"] = json.loads(values["moved"]) if values["moved"] else None
    json.dumps(values, allow_nan=False)
    return values


def spoken(values: dict[str, Any]) -> str:
    return " ".join(in_language(text, "en") for _, text in values["said"])


def moved(values: dict[str, Any], kind: int = 0) -> np.ndarray:
    """How far each weight moved: (L, H, T, S)."""
    given = values["moved"]["maps"][kind]
    root = (np.frombuffer(base64.b64decode(given["data"]), dtype=np.uint8).astype(float) - 128) / 127
    shape = given["layers"], given["heads"], len(given["lookers"]), len(given["tokens"])
    return (np.sign(root) * root**2).reshape(shape)


@pytest.mark.parametrize(("model", "kind"), [("bert", ""), ("albert", ""), ("gpt", ""), ("t5", "decoder")])
def test_the_maps_that_are_sent_are_those_of_the_changed_model_less_its_own(model: str, kind: str) -> None:
    head = f"{kind}.1.2" if kind else "1.2"
    values = edited(model, "scale", head=head, factor=0.5)
    trained = visitor.trained(run_of(model))
    before = attention(trained, TEXT)
    number = [each.kind for each in before].index(kind)
    sent = moved(values, number)
    assert np.abs(sent[0, 1] + 0.5 * before[number].maps[0, 1].numpy()).max() < 0.01
    assert (sent[0, 0] == 0).all() and values["moved"]["maps"][number]["signed"]
    with changed(trained.model, Change(kind=kind, layer=0, head=1, factor=0.5)):
        after = attention(trained, TEXT)
    if model != "t5":  # its decoder may write something else then; on the page it reads the same
        assert np.abs(sent - (after[number].maps - before[number].maps).numpy()).max() < 0.01
    assert "output of head 2 in layer 1 is multiplied by 0.5" in spoken(values) and "nats" in spoken(values)


def test_nothing_moves_where_a_head_counts_once() -> None:
    values = edited("bert", "scale", factor=1.0)
    assert (moved(values) == 0).all() and "moved by 0.000 nats" in spoken(values)
    for bar in values["answers"]["bars"]:
        assert bar["value"] == pytest.approx(bar["expected"], abs=1e-5)


def test_what_moves_a_little_is_not_said_to_stand_still() -> None:
    """ "0.000 nats" are said where nothing moved, and "0.0 %" of what is never answered."""
    values = edited("bert", "scale", factor=0.9)
    assert any(abs(bar["value"] - bar["expected"]) > 1e-6 for bar in values["answers"]["bars"])
    assert "moved by <\N{NO-BREAK SPACE}0.001 nats" in spoken(values)
    rare = editing.edit("gpt-town", SPECIMENS["repeated"], "1.1", "scale", "all", 0.0, "", "")["answers"]["bars"]
    said = [in_language(bar["said"], "en") for bar in rare if 0 < min(bar["value"], bar["expected"]) < 0.0005]
    assert said and all("<\N{NO-BREAK SPACE}0.1" in each for each in said)


def test_bars_are_the_likeliest_answers_of_both_readings() -> None:
    bars = edited("bert", "scale", where="all")["answers"]["bars"]
    assert 6 <= len(bars) <= 12 and all(0 <= bar["value"] <= 1 for bar in bars)
    assert any(abs(bar["value"] - bar["expected"]) > 1e-5 for bar in bars)
    highest = [max(bar["value"], bar["expected"]) for bar in bars]
    assert highest == sorted(highest, reverse=True)


def test_a_forbidden_look_is_one_of_the_cell_that_is_locked() -> None:
    assert "cell of the map" in spoken(edited("bert", "edge"))
    assert "cell of the map" in spoken(edited("bert", "edge", locked="2."))
    values = edited("bert", "edge", locked="2.1")
    sent = moved(values)
    assert sent[0, 0, 2, 1] < 0 and sent[0, 0, 2].sum() == pytest.approx(0, abs=0.02) and (sent[0, 1] == 0).all()
    assert "may not look at" in spoken(values)
    trained = visitor.trained(run_of("t5"))
    read = len(attention(trained, TEXT)[0].tokens)
    crossed = edited("t5", "edge", head="cross.1.1", locked=f"{read + 1}.2")
    assert moved(crossed, 2)[0, 0, 1, 2] < 0
    assert "choose a token" in spoken(edited("t5", "edge", head="cross.1.1", locked="0.0")).lower()


def test_a_token_is_masked_and_two_are_swapped_in_their_places() -> None:
    assert "click a token" in spoken(edited("bert", "mask")).lower()
    values = edited("bert", "mask", locked="1.")
    assert "replaced by [MASK]" in spoken(values) and np.abs(moved(values)).max() > 0
    swap = edited("bert", "swap", locked="1.3")
    assert "are swapped" in spoken(swap) and np.abs(moved(swap)).max() > 0
    assert (moved(edited("bert", "swap", locked="2.", text="a a a a")) == 0).all()
    assert "choose a token" in spoken(edited("bert", "mask", locked="999.")).lower()


def nats(values: dict[str, Any]) -> float:
    """What is said, where less than a thousandth counts as none."""
    said = spoken(values).rpartition("moved by ")[2].split(" ")[0]
    return 0.0 if said.startswith("<") else float(said)


def answer_at(model: str, ids: np.ndarray, place: int) -> torch.Tensor:
    """The probabilities of ordinary tokens at one place, by a pass of its own."""
    trained = visitor.trained(run_of(model))
    with torch.no_grad():
        logits = trained.model(Batch(shown=torch.from_numpy(ids)[None], asked=torch.tensor([place]))).tokens[0]
    logits[list(trained.tokenizer.vocabulary.specials.values())] = -torch.inf
    return logits.softmax(-1).double()


@pytest.mark.parametrize("text", ["the cat [MASK] on the mat", "[MASK]he cat", "the cat sat on the mat"])
@pytest.mark.parametrize(("what", "locked"), [("mask", "3."), ("swap", "3.1")])
def test_the_same_place_is_asked_before_and_after(text: str, what: str, locked: str) -> None:
    """A gap in front of the one that is asked for is not asked for instead; a gap that is swapped is followed."""
    trained = visitor.trained(run_of("bert"))
    before = shown(trained, text).text
    after, gap = before.copy(), trained.tokenizer.vocabulary.mask
    gaps, ordinary = np.flatnonzero(before == gap), np.flatnonzero(~trained.tokenizer.vocabulary.is_special(before))
    place = here = int(gaps[0] if len(gaps) else ordinary[-1])
    if what == "mask":
        after[3] = gap
    else:
        after[[1, 3]] = before[[3, 1]]
        here = 3 if place == 1 else place
    p, q = answer_at("bert", before, place), answer_at("bert", after, here)
    some = p > 0
    wanted = float((p[some] * (p[some] / q[some]).log()).sum())
    assert nats(edited("bert", what, text=text, locked=locked)) == pytest.approx(wanted, abs=6e-4)


def test_the_last_token_is_asked_for_where_it_is_masked() -> None:
    values = edited("bert", "mask", text="a", locked="1.")
    assert "last token" in spoken(values) and nats(values) > 0 and values["answers"]["bars"]


@pytest.mark.parametrize(
    ("model", "text", "told"),
    [
        ("bert", TEXT, "predicted for what was the first [MASK]"),
        ("bert", "the cat", "the model's own version of the last token"),
        ("electra", TEXT, "whether the generator's token in the gap was replaced"),
        ("electra", "the cat", "has no [MASK]: the answer is whether its last token was replaced"),
        ("t5", TEXT, "write first into the first gap, behind <extra_id_0>"),
        ("t5", "the cat", "would write next"),
        ("bart", TEXT, "would write next"),
        ("gpt", "the cat", "would write next"),
    ],
)
def test_what_the_answer_is_said_to_be_is_what_is_asked(model: str, text: str, told: str) -> None:
    assert told in spoken(edited(model, "scale", head="encoder.1.1" if model in ("t5", "bart") else "1.1", text=text))


def test_a_further_gap_of_a_t5_is_the_next_that_is_free() -> None:
    trained = visitor.trained(run_of("t5"))
    spelt = [piece.text for piece in trained.tokenizer.pieces(masked(trained, shown(trained, TEXT).text, 0))]
    assert spelt[0] == "<extra_id_1>" and spelt.count("<extra_id_0>") == 1
    assert "replaced by <extra_id_1>" in spoken(edited("t5", "mask", head="encoder.1.1", locked="0."))


def test_a_glm_that_would_have_to_fill_another_gap_first_is_not_compared() -> None:
    values = edited("glm", "mask", text="the cat [MASK] on", locked="0.")
    assert "only the maps are compared" in spoken(values) and not values["answers"]["bars"]
    assert "moved by" in spoken(edited("glm", "mask", text="the [MASK] sat on", locked="3."))


def test_a_gap_and_no_gap_are_not_compared() -> None:
    values = edited("bert", "write", text="a [MASK] a", other="a a a")
    assert "only the maps are compared" in spoken(values) and not values["answers"]["bars"]


@pytest.mark.parametrize("language", ["english", "chinese"])
def test_the_other_text_that_is_there_first_is_another(language: str) -> None:
    assert OTHER[language] != SPECIMENS[language]
    values = editing.edit("bert-town", SPECIMENS[language], "1.1", "write", "head", 0.0, "", OTHER[language])
    assert nats(values) > 0.05


def test_another_text_is_compared_where_it_is_as_long() -> None:
    same = edited("bert", "write", other=TEXT)
    assert (moved(same) == 0).all()
    assert "maps of one length alone" in spoken(edited("bert", "write", other=TEXT + " cat cat"))


@pytest.mark.parametrize("what", EDITS)
@pytest.mark.parametrize("text", ["🦜🦜", "<img src=x onerror=window.hit=1>", "\ud800", "王芳"])
def test_any_edit_of_any_text_is_answered(what: str, text: str) -> None:
    for model in ("bert", "gpt", "t5"):
        values = edited(
            model, what, head="encoder.1.1" if model == "t5" else "1.1", text=text, locked="1.1", other=text
        )
        assert values["said"]


def test_what_cannot_be_edited_is_said() -> None:
    assert "pretrain one first" in " ".join(
        in_language(t, "en") for _, t in edit("", TEXT, "1.1", "skip", "head", 0, "", "")["said"]
    )
    with pytest.raises(SettingsError, match="characters"):
        edited("bert", "write", other="a" * 2**20)


def test_only_the_fields_that_an_edit_takes_are_shown() -> None:
    shown = {what: {name for name, field in needed(what).items() if field["visible"]} for what in EDITS}
    assert shown == {
        "scale": {"where", "factor"},
        "edge": {"where"},
        "skip": set(),
        "mask": set(),
        "swap": set(),
        "write": {"other"},
    }


def test_what_the_model_does_as_it_is_is_not_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    first = edited("bert", "scale", factor=0.2, text="only once [MASK]")
    monkeypatch.setattr(editing, "reading_of", None)
    again = edited("bert", "scale", factor=0.3, text="only once [MASK]")
    marks = [{str(bar["name"]): bar["expected"] for bar in each["answers"]["bars"]} for each in (first, again)]
    assert any(marks[0][name] == marks[1][name] for name in marks[0].keys() & marks[1].keys())


def test_a_model_is_the_same_after_any_edit() -> None:
    trained = visitor.trained(run_of("bert"))
    before = [parameter.clone() for parameter in trained.model.parameters()]
    for what in EDITS:
        edited("bert", what, locked="1.2", other=TEXT)
    assert all(torch.equal(one, two) for one, two in zip(before, trained.model.parameters(), strict=True))


def test_one_locks_a_token_and_watches_what_masking_it_does(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="bert", text="the [MASK] sat on")
    page.get_by_role("button", name="Edit and watch").click()
    said = page.locator("#attention-edited")
    expect(said).to_contain_text("is multiplied by 0")
    expect(page.locator("#attention-answers li").first).to_be_visible()
    page.get_by_label("Mask a token").check()
    expect(said).to_contain_text("Click a token")
    page.locator("#attention-strip [role=option]").nth(1).click()
    expect(said).to_contain_text("is replaced by [MASK]")
    expect(page.locator("#attention-moved .head-title")).to_be_visible()
    page.wait_for_function("() => location.search.includes('edit=mask')")
