"""Inside on the page: the logit lens for any text, read by mouse and keyboard, without asking twice."""

import base64
import json
import math
import re
import shutil
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import calm, visit
from playwright.sync_api import Locator, Page, expect
from staying import Stay, go
from tiny import finished, plan, shape, steps
from trained import run_of

from lab.analysis.layer_similarity import between_tokens, cosines
from lab.inference import head_roles
from lab.inference.asked import ask
from lab.inference.hidden_states import hidden_states
from lab.inference.input_sum import input_sum
from lab.inference.inputs import framed, with_special_tokens
from lab.inference.model import build
from lab.inference.over_training import moments, over_training
from lab.inference.shown import shown
from lab.runs import snapshots
from lab.runs.folder import home
from lab.serve.ownership import seen
from lab.settings import SettingsError
from lab.spelling import spelling
from lab.ui.pages.attention import editing, lens
from lab.ui.pages.attention.editing import edit
from lab.ui.pages.attention.input_sum import added_up
from lab.ui.pages.attention.lens import through_the_lens
from lab.ui.pages.attention.maps import look, special_ways
from lab.ui.pages.attention.moments import watch_forming
from lab.ui.pages.attention.roles import texts
from lab.ui.pages.attention.similarity import similar_layers
from lab.ui.pages.attention.stepping import walk
from lab.ui.shell import visitor
from lab.ui.words import in_language

TEXT = "the [MASK] sat on"
ODD = ["a", "🦜🦜", "王芳是画家。", "<img src=x onerror=window.hit=1>", "${1}{{x}}`\\", "[CLS] [PAD] [MASK]", "\ud800"]


def spoken(said: list[Any]) -> str:
    return " ".join(in_language(text, "en") for _, text in said)


def table_of(model: str, text: str = TEXT, **values: str) -> dict[str, Any]:
    value = through_the_lens(run_of(model, **values), text)["lens"]
    json.dumps(value, allow_nan=False)
    return dict(value)


@pytest.mark.parametrize("model", ["bert", "albert", "gpt", "t5", "electra", "xlnet", "glm"])
def test_the_table_has_a_row_for_each_layer_and_ends_in_the_answer(model: str) -> None:
    value = table_of(model)
    rows, columns, several = len(value["rows"]), len(value["columns"]), value["several"]
    assert rows == 3 and columns >= 1 and len(value["rank"]) == rows * columns
    assert len(value["likeliest"]) == len(value["probability"]) == rows * columns * several
    assert value["rank"][-columns:] == [1] * columns
    assert value["final"][-columns:] == value["probability"][-columns * several :: several]
    assert min(value["entropy"]) >= 0 and max(value["entropy"]) <= value["most"] + 1e-3


def test_the_column_of_the_gap_ends_in_the_gap_s_answer() -> None:
    value, trained = table_of("bert"), visitor.trained(run_of("bert"))
    gap = value["columns"].index("[MASK]")
    answer = ask(trained, framed(trained, with_special_tokens(trained, TEXT))).probabilities
    last = (2 * len(value["columns"]) + gap) * value["several"]
    assert value["answers"][value["likeliest"][last]] == spelling(trained.tokenizer.pieces([int(answer.argmax())])[0])
    assert value["probability"][last] == pytest.approx(float(answer.max()), abs=1e-4)
    assert value["places"][gap] == gap


@pytest.mark.parametrize("text", ODD)
def test_any_text_is_looked_into(text: str) -> None:
    for model in ("bert", "gpt", "t5"):
        assert table_of(model, text)["rows"]


def test_what_a_column_asks_and_a_head_reads_is_said() -> None:
    for model, told in (
        ("bert", "only has to repeat it. This model is post-norm"),
        ("gpt", "follows the one at its head. This model is pre-norm"),
        ("t5", "The layers are the decoder's"),
        ("electra", "whether its token was replaced"),
        ("xlnet", "A column is a gap of the text: which token belongs there? The query stream answers"),
        ("deberta_v2", "A mask decoder answers here"),
    ):
        assert told in spoken(through_the_lens(run_of(model), TEXT)["lens note"])


def test_what_cannot_be_looked_into_gets_a_sentence() -> None:
    def empty(run: str, text: str) -> str:
        value = through_the_lens(run, text)
        assert value["lens note"] == []
        return in_language(value["lens"]["empty"], "en")

    assert "Put a [MASK]" in empty(run_of("xlnet"), "no gap")
    assert "no attention" in empty(run_of("lstm"), TEXT)
    assert "pretrain one first" in empty("", TEXT)
    with pytest.raises(SettingsError, match="characters"):
        through_the_lens(run_of("bert"), "a" * 2**20)


def test_a_long_text_is_read_in_part_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lens, "MOST", 8)
    answer = through_the_lens(run_of("bert"), "the cat sat on the mat and on")
    assert len(answer["lens"]["columns"]) == 8 and "first 8 of" in spoken(answer["lens note"])
    assert len(json.dumps(answer["lens"])) < 25_000


def test_a_text_is_looked_into_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = through_the_lens(run_of("bert"), "only once [MASK]")
    monkeypatch.setattr(lens, "lens", None)
    assert through_the_lens(run_of("bert"), "only once [MASK]") == first


def unfold(page: Page, name: str) -> None:
    """Open a fold, if it is not."""
    fold = page.locator("button.label-wrap:visible", has_text=name)
    if "open" not in (fold.get_attribute("class") or "").split():
        fold.click()


def test_open_folds_are_part_of_the_address_and_open_again(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text=TEXT)
    for name in ("Logit lens", "hidden states change"):
        page.get_by_role("button", name=name).click()
    page.wait_for_function("() => location.search.includes('open=lens.similar')")
    page.get_by_role("button", name="Logit lens").click()
    page.wait_for_function("() => location.search.endsWith('open=similar')")
    page.reload()
    expect(page.locator("#attention-similar .which")).to_have_text("cosine, mean over all tokens")
    expect(page.locator("#attention-lens")).to_be_hidden()


def test_both_lenses_are_shaded_as_the_address_says(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="small-bert-town", text=TEXT)
    unfold(page, "Logit lens")
    unfold(page, "Over training")
    lenses = [page.locator(name) for name in ("#attention-lens", "#attention-moments-lens")]
    for lens_table in lenses:
        expect(lens_table.locator("td.same").first).to_be_visible()
    lenses[1].get_by_role("radio", name="entropy").click()
    for lens_table in lenses:
        expect(lens_table.get_by_role("radio", name="entropy")).to_be_checked()
        expect(lens_table.locator(".legend")).to_contain_text("nats")
    page.wait_for_function("() => location.search.includes('lens=entropy')")
    lenses[0].get_by_role("radio", name="probability").click()
    expect(lenses[1].get_by_role("radio", name="probability")).to_be_checked()


def test_one_reads_the_lens_by_mouse_and_keyboard_and_shades_it_otherwise(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text=TEXT)
    unfold(page, "Logit lens")
    cells = page.locator("#attention-lens tbody td")
    cells.first.wait_for()
    reading = page.locator("#attention-lens .reading")
    cells.nth(3).hover()
    expect(page.locator("#attention-lens th.lit")).to_have_count(1)
    expect(page.locator("#attention-strip .chip.on").first).to_be_visible()
    cells.first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(reading).to_contain_text("layer 1")
    expect(reading).to_contain_text("final answer")
    calm(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "gradio_api" in request.url else None)
    dark = "[...document.querySelectorAll('#attention-lens tbody td')].map((td) => td.style.getPropertyValue('--dark'))"
    before = page.evaluate(dark)
    page.get_by_role("radio", name="rank of the final answer").click()
    assert page.evaluate(dark) != before
    page.wait_for_function("() => location.search.includes('lens=rank')")
    assert not asked


@pytest.mark.parametrize(("model", "kind"), [("bert", ""), ("gpt", ""), ("t5", ""), ("t5", "encoder"), ("t5", "cross")])
def test_the_squares_are_those_of_the_model_s_hidden_states(model: str, kind: str) -> None:
    answer, trained = similar_layers(run_of(model), TEXT, kind), visitor.trained(run_of(model))
    value = answer["similar"]
    json.dumps(value, allow_nan=False)
    asked = shown(trained, TEXT)
    hidden, ids = hidden_states(trained, asked, kind or ("encoder" if model == "t5" else ""))

    def sent(data: str) -> Any:
        return np.frombuffer(base64.b64decode(data), dtype="<i2") / 32_767

    each = cosines(hidden).numpy()
    assert np.abs(sent(value["each"]["data"]) - each.flatten()).max() < 2e-5
    assert np.abs(sent(value["squares"][0]["data"]) - each.mean(0).flatten()).max() < 2e-5
    assert np.abs(sent(value["squares"][0]["more"]) - between_tokens(hidden).numpy()).max() < 2e-5
    assert len(value["names"]) == 3 and len(value["each"]["tokens"]) == len(ids)
    assert value["each"]["places"][0] == (len(asked.read) if kind == "cross" else 0)
    assert ("decoder's layers" in spoken(answer["similar note"])) == (kind == "cross")


@pytest.mark.parametrize("text", ODD)
def test_layers_are_compared_on_any_text(text: str) -> None:
    for model, kind in (("bert", ""), ("gpt", ""), ("t5", "decoder")):
        json.dumps(similar_layers(run_of(model), text, kind), allow_nan=False)
    one = similar_layers(run_of("gpt"), "a", "")["similar"]
    assert len(one["squares"]) == 1 and len(one["each"]["tokens"]) == 1  # one token has nobody to be compared with


def test_squares_without_a_run_or_attention_get_a_sentence() -> None:
    for run, text, told in (("", TEXT, "pretrain one first"), (run_of("lstm"), TEXT, "no attention")):
        assert told in in_language(similar_layers(run, text, "")["similar"]["empty"], "en")


def test_pointing_at_a_token_shows_its_own_square(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text=TEXT)
    unfold(page, "hidden states change")
    which, reading = (page.locator(f"#attention-similar .{name}") for name in ("which", "reading"))
    expect(which).to_have_text("cosine, mean over all tokens")
    canvas = "document.querySelector('#attention-similar .box canvas').toDataURL()"
    page.locator("#attention-similar .box canvas").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(reading).to_contain_text("layer 1 · embedding")
    mean = page.evaluate(canvas)
    page.locator("#attention-strip [role=option]").nth(2).hover()
    expect(which).to_contain_text("alone")
    assert page.evaluate(canvas) != mean
    page.mouse.move(0, 0)
    page.get_by_role("radio", name="linear CKA").click()
    expect(which).to_have_text("linear CKA over the text")
    page.wait_for_function("() => location.search.includes('similar=2')")


@pytest.fixture(scope="module")
def watched() -> str:
    """A run along which snapshots were kept, as if there had been time."""
    usual, snapshots.SHARE = snapshots.SHARE, math.inf
    finished(home() / "watched", shape=shape("bert") | {"depth": 2}, training=steps(9, learning_rate=0.05))
    snapshots.SHARE = usual
    return "watched"


def test_a_head_the_gap_and_the_lens_are_sent_for_every_step(watched: str) -> None:
    answer = watch_forming(watched, TEXT, "2.1")
    json.dumps(answer, allow_nan=False)
    value, table = answer["moments"], answer["lens over training"]
    found = over_training(moments(seen(watched)), TEXT, "", 1, 0)
    assert value["steps"] == [0, 1, 2, 4, 8, 9]
    for name, true in (("maps", found.maps), ("looks", found.looks)):
        sent = np.frombuffer(base64.b64decode(value[name]), dtype=np.uint8).reshape(true.shape)
        assert np.abs((sent / 255) ** 2 - true.numpy()).max() < 0.01
    assert value["lookers"][value["looker"]] == "[MASK]" and len(value["names"]) == 2
    assert table["columns"] == ["0", "1", "2", "4", "8", "9"] and len(table["rows"]) == 3
    assert table["rank"][-1] == 1 and len({*table["own"]}) == 1
    assert "in “[MASK]” above" in spoken(answer["moments note"])


@pytest.mark.parametrize("text", ODD)
def test_any_text_is_followed_over_training(text: str, watched: str) -> None:
    json.dumps(watch_forming(watched, text, "1.1"), allow_nan=False)


def test_where_there_are_no_snapshots_it_is_said_how_to_have_some() -> None:
    empty = watch_forming("gpt-town", TEXT, "1.1")["moments"]["empty"]
    told = in_language(empty, "en")
    assert "weights are kept at the steps 0, 1, 2, 4" in told and "“Small BERT (town stories, with snapshots)”" in told
    for run, text, head, told in (("", TEXT, "1.1", "pretrain one first"), ("watched", TEXT, "9.9", "no such head")):
        assert told in in_language(watch_forming(run, text, head)["moments"]["empty"], "en")


def test_to_scrub_the_steps_asks_nobody_and_is_in_the_address(
    page: Page, asking: str, place: Path, watched: str
) -> None:
    shutil.copytree(home() / watched, place / watched)
    visit(page, asking, "attention", run=watched, text=TEXT, head="1.1", moment="4", open="nosuch.moments")
    expect(page.locator(".lab-toasts .toast")).to_contain_text("open = nosuch.moments")
    part = page.locator("#attention-moments")
    expect(part.locator(".head-title").first).to_have_text("Layer 1, head 1 · step 4")
    expect(page.locator("#attention-moments-lens tbody tr")).to_have_count(3)
    canvas = "document.querySelector('#attention-moments .large canvas').toDataURL()"
    before = page.evaluate(canvas)
    calm(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "gradio_api" in request.url else None)
    part.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(part.locator(".head-title").first).to_have_text("Layer 1, head 1 · step 9")
    assert page.evaluate(canvas) != before
    part.locator(".moments button").first.click()
    page.wait_for_function("() => location.search.includes('moment=0')")
    part.get_by_role("button", name="Play").click()
    expect(part.locator(".moments button[aria-pressed=true]")).to_have_text("9")
    assert not asked


def test_heads_form_along_the_lab_s_own_small_run() -> None:
    """Its clearest heads are those that look at a neighbour; at the first step there is none."""
    models = moments(seen("small-bert-town"))
    first, last = (head_roles.roles(trained, texts()[:4]) for trained in (models[0], models[-1]))
    for role in ("previous", "next"):
        assert float(last.share[role].max()) > 0.7 and float(first.share[role].max()) < 0.2
    assert [trained.step for trained in models] == [0, 64, 256, 1024, 2048, 4096, 8000]


@pytest.mark.parametrize(
    ("model", "text", "told"),
    [
        ("xlnet", TEXT, "Two streams"),
        ("xlnet", "no gap", "Bidirectional"),
        ("glm", TEXT, "like a prefix"),
        ("mistral", TEXT, "Sliding-window"),
        ("longformer", TEXT, "may look to the left and to the right. Sliding-window attention: a token looks only at"),
        ("linear_transformer", TEXT, "implied"),
    ],
)
def test_what_each_kind_of_attention_shows_is_said(model: str, text: str, told: str) -> None:
    answer = look(run_of(model), text, "")
    json.dumps(answer, allow_nan=False)
    assert told in spoken(answer["remarks"])
    if (model, text) == ("glm", TEXT):
        kinds = [token.get("kind") for token in answer["strip"]["rows"][0]["tokens"]]
        assert "masked" in kinds and kinds[-1] == "written"


def test_a_window_that_all_see_past_to_the_first_token_is_said_to_be_one() -> None:
    """As Longformer's classifier does (Beltagy et al. 2020, section 3.1)."""
    kind = {"kind": "finetune", "task": "classify", "parent": "x"}
    run = plan(model="longformer", shape=shape("longformer"), **kind)
    model = visitor.trained(run_of("longformer"))
    classifier = replace(model, run=run, model=build(run, model.tokenizer.vocabulary.size, 2))
    assert "and at the first token, which looks at all" in spoken(special_ways(classifier))
    assert "first token" not in spoken(special_ways(model))


def test_a_head_of_the_query_stream_is_knocked_out_and_compared_like_the_content_stream_s() -> None:
    run = run_of("xlnet")
    for head in ("2.1", "query.2.1"):
        said = edit(run, TEXT, head, "scale", "head", 0.0, "", "")["said"]
        assert "head 1 in layer 2" in spoken(said)
    for kind in ("", "query"):
        assert similar_layers(run, TEXT, kind)["similar"]["squares"] and added_up(run, TEXT, kind)["positions note"]
    assert "content stream" in in_language(walk(run, TEXT, "query.2.1")["walk"]["empty"], "en")


def test_a_difference_map_of_a_long_text_says_how_much_of_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editing, "CELLS", 8 * 8 * 4)
    text = "the cat sat on the mat and saw [MASK]"
    for name, told in (("bert", True), ("gpt", True)):
        said = spoken(edit(run_of(name), text, "1.1", "scale", "head", 0.0, "", "")["said"])
        assert ("first 8 of" in said) == told
    assert "first" not in spoken(edit(run_of("bert"), "the cat", "1.1", "scale", "head", 0.0, "", "")["said"])


@pytest.mark.parametrize("model", ["bert", "gpt", "glm", "electra", "albert"])
def test_the_arrows_of_every_token_add_up_to_its_sum(model: str) -> None:
    answer = added_up(run_of(model), TEXT, "")
    json.dumps(answer, allow_nan=False)
    value, trained = answer["sum"], visitor.trained(run_of(model))
    found = input_sum(trained, shown(trained, TEXT))
    assert len(value["parts"]) == len(found.parts) > 1 and len(value["tokens"]) == len(found.ids)
    for part, vectors in zip(value["parts"], found.parts.values(), strict=True):
        assert part["lengths"] == pytest.approx(vectors.norm(dim=1).tolist(), abs=1e-3)
        drawn = np.linalg.norm(np.array(part["points"]), axis=1)
        assert (drawn <= np.array(part["lengths"]) + 1e-3).all()
    assert value["tokens"][value["meant"]] == "[MASK]" or model == "gpt"
    assert answer["positions"]["squares"] and "learned vectors" in spoken(answer["positions note"])


@pytest.mark.parametrize(
    ("model", "told"),
    [("llama", "RoPE"), ("t5", "each distance"), ("deberta_v2", "disentangled"), ("xlnet", "sinusoids")],
)
def test_what_stands_in_the_place_of_position_vectors_is_said(model: str, told: str) -> None:
    answer = added_up(run_of(model), TEXT, "")
    assert told in spoken(answer["positions note"])
    assert ("squares" in answer["positions"]) == (model == "llama")


@pytest.mark.parametrize("text", ODD)
def test_any_text_is_added_up(text: str) -> None:
    for model, kind in (("bert", ""), ("gpt", ""), ("t5", "cross")):
        json.dumps(added_up(run_of(model), text, kind), allow_nan=False)
    assert "pretrain one first" in in_language(added_up("", text, "")["sum"]["empty"], "en")
    assert "no attention" in in_language(added_up(run_of("lstm"), text, "")["sum"]["empty"], "en")


def test_one_walks_through_the_sums_by_mouse_and_keyboard(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text=TEXT)
    unfold(page, "The input as a sum")
    reading = page.locator("#attention-sum .reading")
    expect(reading).to_contain_text("“[MASK]”: token + segment + position")
    lengths = page.locator("#attention-sum .legend").inner_text()
    page.locator("#attention-sum svg").focus()
    page.keyboard.press("ArrowRight")
    expect(reading).not_to_contain_text("[MASK]")
    assert page.locator("#attention-sum .legend").inner_text() != lengths
    page.locator("#attention-strip [role=option]").first.hover()
    expect(reading).to_contain_text("“[CLS]”")
    expect(page.locator("#attention-sum .arrow")).to_have_count(3)
    expect(page.locator("#attention-positions .which")).to_have_text("cosine of the vectors of two positions")


@pytest.mark.parametrize("wide", [1280, 390])
def test_no_name_of_a_sum_stands_in_the_way_of_another_or_of_a_dot(wide: int, server: str, page: Page) -> None:
    page.set_viewport_size({"width": wide, "height": 900})
    visit(page, server, "attention", run="bert-town")
    unfold(page, "The input as a sum")
    expect(page.locator("#attention-sum .reading")).to_contain_text("token + segment + position")
    kinds = ("text", ".sum:not(.on) text", "circle")  # that of the token that is meant stands in any case
    names, others, dots = (boxes(page.locator(f"#attention-sum svg {kind}")) for kind in kinds)
    assert len(others) > 3 and not any(overlap(*pair) for pair in combinations(names, 2))
    assert not any(overlap(name, dot) for name in others for dot in dots)


def boxes(drawn: Locator) -> list[Any]:
    return [each.bounding_box() for each in drawn.all()]


def overlap(a: Any, b: Any) -> bool:
    """Whether two boxes share more than an edge: letters leave some room in theirs."""
    sides = (("x", "width"), ("y", "height"))
    return all(min(a[at] + a[size], b[at] + b[size]) - max(a[at], b[at]) > 3 for at, size in sides)


def test_the_query_stream_stands_beside_the_content_stream(stay: Stay, asking: str, place: Path) -> None:
    shutil.copytree(home() / run_of("xlnet"), place / "xlnet")
    page = stay(asking, "attention", run="bert", text=TEXT)
    go(page, "attention", run="xlnet", text=TEXT, head="query.2.1")
    kinds = page.locator("#attention-maps .wall .kinds button")
    expect(kinds).to_have_text(["Content stream", "Query stream: the gaps"])
    expect(kinds.nth(1)).to_have_attribute("aria-checked", "true")
    page.locator("#attention-maps .large canvas").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#attention-maps .reading")).to_contain_text("“[MASK]” looks at")
    expect(page.locator("#attention-strip .chip.on").first).to_be_visible()
    kinds.nth(1).press("ArrowLeft")
    page.wait_for_function("() => location.search.includes('head=2.1')")


def test_back_closes_a_fold_that_was_opened_later(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text=TEXT[:9])
    unfold(page, "Logit lens")
    page.wait_for_function("() => location.search.includes('lens')")
    for name in ("glossary", "attention"):
        go(page, name)
    unfold(page, "hidden states change")
    page.wait_for_function("() => location.search.includes('similar')")
    similar, lens = (page.locator(f"#fold-attention-{name} > .label-wrap") for name in ("similar", "lens"))
    for entries, expected in ((-2, False), (2, True)):
        page.evaluate("(entries) => history.go(entries)", entries)
        expect(similar).to_have_class(re.compile(r"\bopen\b") if expected else re.compile(r"^(?!.*\bopen\b)"))
        expect(lens).to_have_class(re.compile(r"\bopen\b"))
        assert ("similar" in page.url) == expected
