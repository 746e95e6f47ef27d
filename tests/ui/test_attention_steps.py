"""The steps of a head on the page: the model's numbers, in the browser by mouse and keyboard, for any text."""

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import visit
from numpy.typing import NDArray
from playwright.sync_api import Page, expect
from trained import run_of

from lab.inference.attention_maps import attention
from lab.runs.folder import home
from lab.settings import SettingsError
from lab.ui.pages.attention.stepping import walk
from lab.ui.shell import visitor

TEXT = "the [MASK] sat"
ODD = ["a", "🦜🦜", "王芳是画家。", "<img src=x onerror=window.hit=1>", "${1}{{x}}`\\", "[CLS] [PAD] [MASK]", "\ud800"]


def value_of(run: str, text: str = TEXT, head: str = "1.1") -> dict[str, Any]:
    value = walk(run, text, head)["walk"]
    json.dumps(value, allow_nan=False)
    return dict(value)


def numbers(matrix: dict[str, Any]) -> NDArray[np.float32]:
    data = np.frombuffer(base64.b64decode(matrix["data"]), dtype=np.float32)
    return data.reshape(matrix["rows"], matrix["cols"])


def number_of(text: str) -> float:
    return float(text.replace("−", "-"))


@pytest.mark.parametrize(("model", "head"), [("bert", "2.1"), ("albert", "2.2"), ("gpt", "1.2"), ("t5", "cross.2.1")])
def test_the_page_is_sent_the_model_s_own_map_among_the_matrices(model: str, head: str) -> None:
    value = value_of(run_of(model), head=head)
    kind, layer, number = (["", *head.split(".")])[-3:]
    [true] = [each for each in attention(visitor.trained(run_of(model)), TEXT) if each.kind == kind]
    sent = numbers(value["matrices"]["weights"])
    rows, cols = sent.shape
    assert np.allclose(sent, true.maps[int(layer) - 1, int(number) - 1][:rows, :cols], atol=1e-6)
    assert value["off"] < 1e-6 and value["lookers"] == true.lookers[:rows]
    for matrix in value["matrices"].values():
        assert matrix["rows"] == len(value["looked" if matrix["down"] == "s" else "lookers"])
    assert value["rows_from"] == (len(value["looked"]) if kind == "cross" else 0)


def test_a_gap_is_meant_first() -> None:
    value = value_of(run_of("bert"))
    assert value["lookers"][value["asked"]] == "[MASK]"


def test_under_a_causal_mask_the_upper_triangle_is_minus_infinity_and_then_nothing() -> None:
    value = walk(run_of("bert"), TEXT, "1.1", "causal")["walk"]
    above = np.triu(np.ones((len(value["lookers"]),) * 2, dtype=bool), 1)
    masked, weights = (numbers(value["matrices"][name]) for name in ("masked", "weights"))
    assert (masked[above] == -np.inf).all() and np.isfinite(masked[~above]).all()
    assert (weights[above] == 0).all() and np.allclose(weights.sum(1), 1, atol=1e-6)
    padded = walk(run_of("gpt"), TEXT, "1.1", "padded")["walk"]
    assert padded["looked"][-2:] == ["[PAD]", "[PAD]"] and (numbers(padded["matrices"]["weights"])[:-2, -2:] == 0).all()
    assert "part of it" in walk(run_of("t5"), TEXT, "encoder.1.1", "full")["walk"]["empty"]["en"]
    assert walk(run_of("bert"), TEXT, "1.1", "nonsense") == walk(run_of("bert"), TEXT, "1.1")


def test_a_text_is_cut_to_what_can_be_sent_and_that_is_said() -> None:
    long = value_of("bert-town", "the cat sat " * 30)
    assert len(long["lookers"]) == 24 and long["note"]["n"] == 24 < long["note"]["all"]
    assert len(json.dumps(long)) < 450_000 and value_of(run_of("bert"))["note"] is None


@pytest.mark.parametrize("text", ODD)
def test_any_text_is_stepped_through(text: str) -> None:
    for model in ("bert", "gpt"):
        assert value_of(run_of(model), text)["off"] < 1e-6


def test_what_cannot_be_stepped_through_is_said() -> None:
    assert "no_runs" in value_of("")["empty"]["word"]
    assert "no attention" in value_of(run_of("lstm"))["empty"]["en"]
    assert "Type some text" in value_of(run_of("gpt"), "")["empty"]["en"]
    assert "2 heads" in value_of(run_of("bert"), head="1.9")["empty"]["en"]
    with pytest.raises(SettingsError, match="characters"):
        walk(run_of("bert"), "a" * 2**20, "1.1")


@pytest.mark.parametrize(
    ("model", "symbol", "why"),
    [
        ("bert", "S / √d", "It is divided by a root"),
        ("t5", "S", "does not divide here"),
        ("deberta_v1", "S / √(3d)", "Each kind of score"),
    ],
)
def test_the_root_is_the_one_by_which_the_model_divides(
    page: Page, asking: str, place: Path, model: str, symbol: str, why: str
) -> None:
    if not (place / model).exists():
        shutil.copytree(home() / run_of(model), place / model)
    visit(page, asking, "attention", run=model, text=TEXT, head="1.1")
    page.get_by_role("button", name="Step through this head").click()
    page.locator("#attention-steps .steps button").get_by_text("Scale").click()
    expect(page.locator("#attention-steps figure.made figcaption")).to_have_text(
        re.compile(rf"^{re.escape(symbol)}\s+\d+ × \d+$")
    )
    expect(page.locator("#attention-steps .why")).to_contain_text(why)
    if model == "deberta_v1":
        for name, symbol, why in (
            ("Content to position", "S / √(3d) + C2P", "the key of the distance"),
            ("Position to content", "S / √(3d) + C2P + P2C", "the query of the distance"),
        ):
            page.locator("#attention-steps .steps button").get_by_text(name).click()
            expect(page.locator("#attention-steps figure.made figcaption")).to_contain_text(symbol)
            expect(page.locator("#attention-steps .why")).to_contain_text(why)
            expect(page.locator("#attention-steps .formula")).to_have_text(re.compile(r"^\S+ [+−] \S+ = \S+$"))


def test_one_walks_through_a_head_by_mouse_and_keyboard(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="bert", text="the [MASK] sat <b>", head="1.2")
    page.get_by_role("button", name="Step through this head").click()
    steps, formula = page.locator("#attention-steps .steps button"), page.locator("#attention-steps .formula")
    expect(steps.first).to_have_attribute("aria-checked", "true")
    page.wait_for_timeout(300)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "gradio_api" in request.url else None)
    heights = set()
    for number in range(steps.count()):
        steps.nth(number).click()
        expect(steps.nth(number)).to_have_attribute("aria-checked", "true")
        expect(formula).to_have_text(re.compile(r"\d$|∞$"))
        heights.add(page.locator("#attention-steps").bounding_box()["height"])
    assert len(heights) == 1  # nothing moves
    steps.get_by_text("Dot products").click()
    products = page.locator("#attention-steps .terms tr").last.locator("td").all_inner_texts()
    total = number_of(formula.inner_text().split(" = ")[-1])
    assert sum(map(number_of, products)) == pytest.approx(total, abs=0.02)
    before = formula.inner_text()
    made = page.locator("#attention-steps figure.made canvas")
    made.press("ArrowDown")
    expect(formula).not_to_have_text(before)
    made.press("Enter")
    expect(steps.get_by_text("Scale")).to_have_attribute("aria-checked", "true")
    steps.get_by_text("Scale").press("ArrowRight")
    expect(steps.get_by_text("Mask")).to_be_focused()
    page.get_by_role("button", name="One step back").click()
    expect(page.locator("#attention-steps .reading")).to_have_text("Step 6 of 14")
    page.wait_for_function("() => location.search.includes('walk=6')")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#attention-steps .reading")).to_have_text("Step 7 of 14")
    page.get_by_role("button", name="Pause").click()
    assert not asked and page.evaluate("window.hit") is None
    page.get_by_label("its own, with padding").check()
    mask = page.locator("#attention-steps .mask")
    expect(mask).to_contain_text("Padding is not causal: whole columns are forbidden")
    page.get_by_label("causal").check()
    expect(mask).to_contain_text("the triangle above the diagonal")
    page.get_by_label("the model's own").check()
    expect(mask).to_be_hidden()
    page.locator("#attention-maps .heads button").nth(0).click()  # another head of the map
    page.locator("#attention-steps .head-title").get_by_text("Layer 1, head 1").wait_for()


def test_a_matrix_has_all_of_its_numbers_or_none(page: Page, asking: str) -> None:
    """Those above 0 are narrower: where they alone fit, the others would seem to be missing."""
    page.add_init_script(
        """const fill = CanvasRenderingContext2D.prototype.fillText, written = (window.written = new Set());
        CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
          written.add(text);
          return fill.call(this, text, ...at);
        };"""
    )
    visit(
        page, asking, "attention", run="small-bert-town", text="the cat sat on the mat. " * 4, head="1.2", open="steps"
    )
    page.locator("#attention-steps canvas").first.wait_for()
    found = set()
    for width in (2400, *range(1280, 960, -40)):
        page.evaluate("window.written.clear()")
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(400)
        texts = page.evaluate("[...window.written].filter((text) => /^−?[0-9]+[.][0-9]+$/.test(text))")
        found.add((any(text[0] != "−" for text in texts), any(text[0] == "−" for text in texts)))
    assert found == {(True, True), (False, False)}
