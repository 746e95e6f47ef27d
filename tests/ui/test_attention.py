"""The page that shows who looks at whom: right maps, for any text, without asking twice."""

import base64
import json
from typing import Any

import numpy as np
import pytest
from browser import visit
from numpy.typing import NDArray
from playwright.sync_api import Page, expect
from trained import run_of

from lab.inference import attention_maps
from lab.settings import SettingsError
from lab.spelling import spellings
from lab.ui.pages.attention import maps as attention
from lab.ui.pages.attention.maps import look, sharpest
from lab.ui.words import in_language

MODELS = ("bert", "albert", "gpt")
ODD = [
    "a",
    " ",
    "\n",
    "🦜🦜",
    "王芳是画家。",
    "<img src=x onerror=window.hit=1>",
    "${1}{{x}}`\\",
    "[CLS] [PAD] [MASK]",
    "\ud800",
]


def maps_of(value: str, number: int = 0) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """The component's value and the probabilities in it: (L, H, T, S)."""
    given = json.loads(value)
    first = given["maps"][number]
    shape = first["layers"], first["heads"], len(first["lookers"]), len(first["tokens"])
    coded = np.frombuffer(base64.b64decode(first["data"]), dtype=np.uint8)
    return given | first, (coded.reshape(shape) / 255) ** 2


def spoken(said: list[Any]) -> str:
    return " ".join(in_language(text, "en") for _, text in said)


@pytest.mark.parametrize("model", MODELS)
def test_each_family_shows_the_maps_that_the_model_computes(model: str) -> None:
    run, text = run_of(model), "the cat sat"
    strip, value, *_ = look(run, text, "").values()
    given, maps = maps_of(value)
    [true] = attention_maps.attention(attention.visitor.trained(run), text)
    assert maps.shape == true.maps.shape
    assert np.abs(maps - true.maps.numpy()).max() < 0.01
    assert [token["text"] for token in strip["rows"][0]["tokens"]] == given["tokens"]


def test_a_model_without_attention_says_so_in_one_sentence() -> None:
    strip, value, said, *_ = look(run_of("lstm"), "the cat sat", "").values()
    assert not strip and value is None
    assert spoken(said).startswith("This model has no attention")
    with pytest.raises(SettingsError, match="no attention"):
        attention_maps.attention(attention.visitor.trained(run_of("lstm")), "the cat sat")


def test_nobody_sees_what_comes_later_in_a_model_that_reads_from_left_to_right() -> None:
    _, value, said, *_ = look(run_of("gpt"), "the cat sat on it", "").values()
    _, maps = maps_of(value)
    assert (np.triu(maps, 1) == 0).all()
    assert "left to right" in spoken(said)


@pytest.mark.parametrize("model", ["t5", "bart"])
def test_of_an_encoder_decoder_all_three_kinds_are_shown(model: str) -> None:
    run, text = run_of(model), "the [MASK] sat"
    strip, value, said, *_ = look(run, text, "").values()
    true = attention_maps.attention(attention.visitor.trained(run), text)
    assert [each.kind for each in true] == ["encoder", "decoder", "cross"]
    for number, each in enumerate(true):
        given, maps = maps_of(value, number)
        assert np.abs(maps - each.maps.numpy()).max() < 0.01
        texts = tuple(spellings(pieces) for pieces in (each.looked, each.looking))
        assert given["kind"] == each.kind and (given["tokens"], given["lookers"]) == texts
    read, written = strip["rows"]
    assert written["from"] == len(read["tokens"]) == maps_of(value, 2)[0]["rows_from"]
    assert [token["text"] for token in written["tokens"]] == maps_of(value, 2)[0]["lookers"]
    assert (np.triu(maps_of(value, 1)[1], 1) == 0).all() and maps_of(value, 1)[0]["causal"]
    assert "An encoder and a decoder" in spoken(said)


def test_the_kind_of_maps_is_part_of_the_address_and_of_the_command() -> None:
    text = "the [MASK] sat"
    _, value, _, head, line = look(run_of("t5"), text, "cross.1.2").values()
    assert maps_of(value)[0]["kind"] == "encoder" and json.loads(value)["kind"] == "cross" and head == "cross.1.2"
    assert line["command"].endswith("--kind cross")
    assert json.loads(look(run_of("t5"), text, "2.1")["maps"])["kind"] == ""


def test_a_gap_is_the_mask_token_and_not_its_letters() -> None:
    strip, *_ = look(run_of("bert"), "the [MASK] sat", "").values()
    assert [token["text"] for token in strip["rows"][0]["tokens"] if token["kind"] == "masked"] == ["[MASK]"]


def test_what_exceeds_the_context_is_cut_off_and_said() -> None:
    strip, _, said, *_ = look(run_of("bert"), "cat " * 50, "").values()
    assert len(strip["rows"][0]["tokens"]) == 16
    assert "at most, so the rest was cut off" in spoken(said)


def test_maps_that_no_screen_could_hold_are_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "CELLS", 4 * 10 * 10)  # 2 layers, 2 heads, 10 tokens
    strip, _, said, *_ = look(run_of("bert"), "cow " * 40, "").values()
    assert len(strip["rows"][0]["tokens"]) == 10
    assert "as much as a screen can hold" in spoken(said)


def test_the_same_text_is_not_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    first = look(run_of("bert"), "only once", "1.2")
    monkeypatch.setattr(attention_maps, "attention", None)
    again = look(run_of("bert"), "only once", "1.1")
    assert maps_of(first["maps"])[0]["head"] == 1 and maps_of(again["maps"])[0]["head"] == 0


def test_without_a_wish_the_head_that_points_most_clearly_is_shown_and_kept() -> None:
    maps = np.full((2, 2, 3, 3), 1 / 3, dtype=np.float32)
    maps[1, 0] = np.eye(3)
    assert sharpest(maps, np.array([False, False, False])) == "2.1"
    maps[1, 0] = [[0, 0, 1]] * 3  # clearly, but at a special token
    maps[0, 1] = [[0.6, 0.2, 0.2]] * 3
    assert sharpest(maps, np.array([False, False, True])) == "1.2"
    _, value, _, head, _ = look(run_of("bert"), "the cat", "").values()
    given, _ = maps_of(value)
    assert head == f"{given['layer'] + 1}.{given['head'] + 1}"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("text", ODD)
def test_any_text_is_read(model: str, text: str) -> None:
    strip, value, said, _, line = look(run_of(model), text, "").values()
    assert maps_of(value)[0]["tokens"]
    assert strip["rows"] and said and line["command"]
    json.dumps([strip, said, line], allow_nan=False)


def test_empty_text_is_two_marks_for_bert_and_a_wish_for_gpt() -> None:
    assert maps_of(look(run_of("bert"), "", "")["maps"])[0]["tokens"] == ["[CLS]", "[SEP]"]
    _, value, said, *_ = look(run_of("gpt"), "", "").values()
    assert value is None and "Type some text" in spoken(said)


def test_a_megabyte_gets_one_sentence() -> None:
    with pytest.raises(SettingsError, match="characters"):
        look(run_of("bert"), "a" * 2**20, "")


@pytest.mark.parametrize("run", ["no-such-run", "../x", "/etc", ".", "a\0b", "x" * 300])
def test_a_run_that_is_none_gets_one_sentence(run: str) -> None:
    with pytest.raises(SettingsError):
        look(run, "text", "")


def test_without_any_run_the_page_says_what_to_do() -> None:
    assert "pretrain one first" in spoken(look("", "text", "")["remarks"])


def test_the_command_quotes_what_a_shell_would_read() -> None:
    assert attention.command("run", "it's $HOME") == """python -m lab attention --run run --text 'it'"'"'s $HOME'"""


def test_another_head_needs_no_server_and_is_in_the_address(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="albert", text="the cat sat")
    heads = page.locator("#attention-maps .heads button")
    heads.nth(3).wait_for()
    page.wait_for_timeout(500)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "gradio_api" in request.url else None)
    for number, name in ((3, "Layer 2, head 2"), (0, "Layer 1, head 1")):
        heads.nth(number).click()
        page.locator("#attention-maps .head-title").get_by_text(name).wait_for()
    page.wait_for_function("() => location.search.includes('head=1.1')")
    assert not asked


def test_another_kind_of_maps_needs_no_server_and_is_in_the_address(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="t5", text="the [MASK] sat", head="decoder.1.2")
    kinds = page.locator("#attention-maps .kinds button")
    expect(kinds).to_have_text(["Encoder", "Decoder", "Decoder to encoder"])
    expect(kinds.nth(1)).to_have_attribute("aria-checked", "true")
    page.wait_for_timeout(500)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "gradio_api" in request.url else None)
    kinds.nth(1).press("ArrowRight")
    page.wait_for_function("() => location.search.includes('head=cross.1.2')")
    expect(kinds.nth(2)).to_be_focused()
    page.locator("#attention-strip [data-row='1']").first.hover()  # what the decoder wrote
    page.locator("#attention-maps .aside-name").get_by_text("looks at").wait_for()
    shown = page.locator("#attention-strip [data-row='0']").count()
    assert page.locator("#attention-maps .habit").count() == min(7, shown)  # its looks go to what was read
    assert not asked


def test_an_address_brings_run_text_and_head_back(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="gpt", text="猫 sat", head="1.2", lang="zh")
    page.locator("#attention-maps .head-title").get_by_text("第 1 层，第 2 头").wait_for()
    page.locator("#attention-said").get_by_text("从左往右").wait_for()
    assert page.locator("#attention-strip [role=option]").count() == 5


def test_typing_redraws_the_maps_and_executes_nothing(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="bert")
    page.locator("#attention-maps .heads button").first.wait_for()
    page.get_by_label("Text").first.fill("<img src=x onerror=window.hit=1> ${window.hit=1}")
    page.locator("#attention-strip").get_by_text("img").or_(
        page.locator("#attention-strip").get_by_text("<")
    ).first.wait_for()
    assert page.evaluate("window.hit") is None


def test_pointing_at_a_token_says_where_it_looks(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="bert", text="the cat sat")
    page.locator("#attention-strip [role=option]").nth(2).hover()
    page.locator("#attention-maps .aside-name").get_by_text("looks at").wait_for()
    assert page.locator("#attention-maps .habit").count() > 2
