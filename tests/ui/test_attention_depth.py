"""Depth on the page: curves of fresh models for any text, a slider that asks nobody, and warm-up step by step."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from trained import run_of

from lab.analysis.depth import DEPTHS, TOKENS
from lab.settings import SettingsError
from lab.ui.pages.attention import depth
from lab.ui.pages.attention.depth import deepened, warm_up
from lab.ui.words import in_language

TEXT = "the cat sat on the mat"
ODD = ["🦜🦜", "王芳是画家。", "<img src=x onerror=window.hit=1>", "${1}{{x}}`\\", "[CLS] [PAD] [MASK]", "\ud800b"]


def rows_of(layers: int) -> list[dict[str, Any]]:
    """What the child finds at one depth, where theory held to the letter."""
    return [
        {
            "norm": norm,
            "residual": residual,
            "depth": layers,
            "gradients": [1.0] * (layers - 1) + [1.5 if norm == "post" else (4 / layers) ** 0.5],
            "states": [8.0] * (layers + 1),
            "alike": [1.0] * (layers + 1),
        }
        for norm in ("post", "pre")
        for residual in (True, False)
    ]


def told(function: str, ids: Sequence[int], **_: Any) -> Iterator[list[list[dict[str, Any]]]]:
    """Depth by depth, as somebody hears it who looks now and then."""
    assert 1 < len(ids) <= TOKENS
    for count in (0, 1, 3, len(DEPTHS)):
        yield [rows_of(layers) for layers in DEPTHS[:count]]


def whole(run: str, text: str) -> dict[str, Any]:
    """What stands at the end."""
    return [*deepened(run, text)][-1]


@pytest.fixture
def theory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depth, "followed", told)


def spoken(said: list[Any]) -> str:
    return " ".join(in_language(text, "en") for _, text in said)


@pytest.mark.usefixtures("theory")
@pytest.mark.parametrize("text", [TEXT, *ODD])
def test_the_curves_of_every_depth_are_sent_at_once(text: str) -> None:
    answer = whole(run_of("bert"), text)
    assert len(json.dumps(answer, allow_nan=False)) < 25_000
    layers = answer["layers"]
    assert layers["depths"] == list(DEPTHS) and layers["at"] in DEPTHS and len(layers["kinds"]) == 4
    for kind in layers["numbers"]:
        for count, (gradients, states, alike) in zip(DEPTHS, kind, strict=True):
            assert len(gradients) == count and len(states) == len(alike) == count + 1


@pytest.mark.usefixtures("theory")
def test_what_theory_says_stands_beside_what_was_found() -> None:
    answer = whole(run_of("bert"), TEXT)
    post, pre, root = answer["across"]["series"]
    assert pre["y"] == pytest.approx(root["y"], rel=1e-3) and post["y"] == [1.5] * len(DEPTHS)
    assert "pre-norm 1 and 0.29, where 1/√L gives 0.29" in spoken(answer["theory"])
    assert "1.00 without residual" in spoken(answer["theory"])
    assert "theorem 1" in spoken(answer["theory"])


@pytest.mark.usefixtures("theory")
def test_it_is_said_at_once_what_goes_on_and_each_depth_is_drawn_as_it_comes() -> None:
    first, *more = deepened(run_of("bert"), TEXT)
    assert "being worked out" in spoken(first["theory"]) and "layers" not in first
    assert [answer["layers"]["depths"] for answer in more] == [[4], [4, 6, 8], list(DEPTHS)]
    assert [answer["layers"]["at"] for answer in more] == [4, 8, 12]
    assert "3 of 8 depths" in spoken(more[1]["theory"])


def test_a_text_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [rows_of(layers) for layers in DEPTHS]
    monkeypatch.setattr(depth, "at_hand", lambda function, ids: rows if function == depth.BY_DEPTH else None)
    monkeypatch.setattr(depth, "followed", lambda *_, limits: iter([rows]))
    [only] = deepened(run_of("bert"), TEXT)
    assert only["layers"]["depths"] == list(DEPTHS)


def test_what_cannot_be_had_gets_a_sentence() -> None:
    for run, text, why in ((run_of("bert"), "", "two tokens"), ("", TEXT, "pretrain one")):
        assert why in in_language(whole(run, text)["layers"]["empty"], "en")
        [answer] = warm_up(run, text)
        assert why in spoken(answer["learnt"])
    with pytest.raises(SettingsError, match="characters"):
        whole(run_of("bert"), "a" * 2**20)


def test_the_losses_grow_while_they_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    def told(loss: float) -> list[dict[str, Any]]:
        return [{"norm": n, "warmup": w, "losses": [loss, loss / 2]} for n in ("post", "pre") for w in (False, True)]

    monkeypatch.setattr(depth, "followed", lambda *_, limits: iter([[], [told(8.0)], [told(8.0), told(2.0)]]))
    answers = list(warm_up(run_of("bert"), TEXT))
    charts = [answer["learning"] for answer in answers if "learning" in answer]
    assert [len(chart["series"][0]["y"]) for chart in charts] == [0, 2, 4, 4]
    assert charts[-1]["series"][0] | {"name": ""} == {
        "name": "", "x": [1, 2, 3, 4], "y": [8.0, 4.0, 2.0, 1.0], "colour": "wrong", "dash": "3 4"
    }  # fmt: skip
    assert "post-norm 1.00 without" in spoken(answers[-1]["learnt"])


def test_one_moves_the_depth_without_asking_and_sees_the_losses_fall(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="bert", text=TEXT, open="depth", depth=16)
    line = page.locator("#attention-depth .line").first
    expect(line).to_be_attached(timeout=60_000)  # milliseconds: others may use the machine
    expect(page.locator("#attention-depth-said")).to_contain_text("theorem 1", timeout=60_000)  # all depths have come
    before = line.get_attribute("d")
    page.wait_for_timeout(300)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "gradio_api" in request.url else None)
    slider = page.get_by_label("Depth of the model")
    slider.focus()
    assert "&depth=16" in page.url, "what a link asks of a fold stays in it"
    page.keyboard.press("ArrowRight")
    expect(page.locator("#attention-depth output.reading")).to_have_text("24 layers")
    assert line.get_attribute("d") != before and not asked and "&depth=24" in page.url
    page.get_by_role("button", name="pre-norm, no residuals").click()
    expect(page.locator("#attention-depth .line")).to_have_count(9)
    page.get_by_role("button", name="Learn with and without").click()
    expect(page.locator("#attention-depth-learning .line")).to_have_count(4)
    expect(page.locator("#attention-depth-learnt")).to_contain_text("Loss in the end")
