"""The page that shows who looks at whom: right maps, for any text, without asking twice."""

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import calm, visit
from numpy.typing import NDArray
from playwright.sync_api import Page, Route, expect
from staying import Stay, go
from tiny import finished
from trained import run_of

from lab.inference import attention_maps
from lab.inference.rollout import rollout
from lab.runs.folder import home
from lab.settings import SettingsError
from lab.spelling import spellings
from lab.ui.components.attention_map import pooled
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


@pytest.mark.parametrize("model", ["bert", "t5"])
def test_behind_the_heads_stand_their_mean_and_the_rollout(model: str) -> None:
    value = look(run_of(model), "the cat sat", "")["maps"]
    for number, true in enumerate(attention_maps.attention(attention.visitor.trained(run_of(model)), "the cat sat")):
        given, _ = maps_of(value, number)
        layers, _, t, s = true.maps.shape
        sent = np.frombuffer(base64.b64decode(given["extra"]), dtype=np.uint8).reshape(layers, -1, t, s)
        beside = {"mean": true.maps.mean(1)} | ({} if true.kind == "cross" else {"rollout": rollout(true.maps)})
        assert given["extras"] == [*beside]
        for place, expected in enumerate(beside.values()):
            assert np.abs((sent[:, place] / 255) ** 2 - expected.numpy()).max() < 0.01


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
    first = written["tokens"][0]["text"]
    assert f"The decoder's text begins with {first}" in spoken(said)
    assert (first == "[PAD]") == (model == "t5")


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
    monkeypatch.setattr(attention, "HELD", 4 * 10 * 10)  # 2 layers, 2 heads, 10 tokens
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


def test_another_head_needs_no_server_and_is_in_the_address(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text="the cat sat")
    go(page, "attention", run="albert", text="the cat sat")
    heads = page.locator("#attention-maps .heads button")
    heads.nth(3).wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "gradio_api" in request.url else None)
    for number, name in ((5, "Layer 2, head 2"), (0, "Layer 1, head 1")):
        heads.nth(number).click()
        page.locator("#attention-maps .head-title").get_by_text(name).wait_for()
    page.wait_for_function("() => location.search.includes('head=1.1')")
    assert not asked


def test_another_kind_of_maps_needs_no_server_and_is_in_the_address(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text="the cat sat")
    go(page, "attention", run="t5", text="the [MASK] sat", head="decoder.1.2")
    kinds = page.locator("#attention-maps .wall .kinds button")
    expect(kinds).to_have_text(["Encoder", "Decoder", "Decoder to encoder"])
    expect(kinds.nth(1)).to_have_attribute("aria-checked", "true")
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


def test_typing_redraws_the_maps_and_executes_nothing(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text="the cat sat")
    go(page, "attention", run="bert", text="the cat sat")
    page.locator("#attention-maps .heads button").first.wait_for()
    page.get_by_label("Text").first.fill("<img src=x onerror=window.hit=1> ${window.hit=1}")
    page.locator("#attention-strip").get_by_text("img").or_(
        page.locator("#attention-strip").get_by_text("<")
    ).first.wait_for()
    assert page.evaluate("window.hit") is None


def test_pointing_at_a_token_says_where_it_looks(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text="the cat sat")
    go(page, "attention", run="bert", text="the cat sat")
    page.locator("#attention-strip [role=option]").nth(2).hover()
    page.locator("#attention-maps .aside-name").get_by_text("looks at").wait_for()
    assert page.locator("#attention-maps .habit").count() > 2


def test_names_stand_beside_a_map_of_many_tokens(stay: Stay, asking: str) -> None:
    """The columns of names are drawn over, however small the cells are."""
    page = stay(asking, "attention", run="bert", text="the cat sat")
    go(page, "attention", run="gpt-town", text="the cat sat on a mat " * 10)
    page.locator("#attention-maps .heads button").first.wait_for()
    inked = page.evaluate("""() => {
      const canvas = document.querySelector("#attention-maps .large canvas"), pen = canvas.getContext("2d");
      const { data } = pen.getImageData(20, canvas.height * 0.3, 75, canvas.height * 0.5);
      return data.filter((value, i) => i % 4 === 3 && value > 100).length;
    }""")
    assert inked > 100


def test_lines_isolate_a_token_and_combine_heads_without_asking(stay: Stay, asking: str) -> None:
    page = stay(asking, "attention", run="bert", text="the cat sat")
    go(page, "attention", run="bert", text="the cat sat")  # a test before may have left another model there
    page.locator("#attention-maps .heads button").nth(1).click()
    canvas = "document.querySelector('#attention-maps .large canvas').toDataURL()"
    ways, heads = page.locator("#attention-maps .ways button"), page.locator("#attention-maps .combined button")
    ways.nth(1).wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "gradio_api" in request.url else None)
    ways.nth(0).press("ArrowRight")
    expect(ways.nth(1)).to_have_attribute("aria-checked", "true")
    expect(heads.nth(1)).to_have_attribute("aria-pressed", "true")
    one = page.evaluate(canvas)
    heads.nth(0).click()
    expect(heads.nth(0)).to_have_attribute("aria-pressed", "true")
    both = page.evaluate(canvas)
    page.locator("#attention-strip [role=option]").nth(2).hover()
    page.locator("#attention-maps .aside-name").get_by_text("looks at").wait_for()
    alone = page.evaluate(canvas)
    assert len({one, both, alone}) == 3
    page.wait_for_function("() => location.search.includes('view=lines')")
    page.locator("#attention-maps .heads button").nth(3).click()  # the rollout has a matrix alone
    expect(page.locator("#attention-maps .head-title")).to_have_text("Rollout up to layer 1")
    expect(ways.first).to_be_hidden()
    assert not asked


def test_the_rollout_that_is_shown_is_in_the_link_and_stays_with_another_text(
    stay: Stay, asking: str, page: Page
) -> None:
    here = stay(asking, "attention", run="bert", text="the cat sat")
    here.locator("#attention-maps .heads button").nth(3).click()
    page.goto(here.evaluate("window.lab.link()"))
    title = page.locator("#attention-maps .head-title")
    expect(title).to_have_text("Rollout up to layer 1")
    page.get_by_label("Text").first.fill("王芳是画家。")
    expect(page.locator("#attention-strip .chip", has_text="芳").first).to_be_visible()
    expect(title).to_have_text("Rollout up to layer 1")
    page.locator("#attention-maps .heads button").first.click()
    expect(title).to_have_text("Layer 1, head 1")
    assert "rollout" not in page.evaluate("window.lab.link()")


def test_names_are_drawn_again_when_their_font_has_come(page: Page, asking: str) -> None:
    canvas, held = "document.querySelector('#attention-maps .large canvas').toDataURL()", list[Route]()
    page.route("**/plex-mono.woff2", lambda route: held.append(route))
    page.goto(f"{asking}/?page=attention&run=bert&text=the+cat+sat")
    page.wait_for_selector("#attention-maps .heads button")
    page.wait_for_timeout(300)
    before = page.evaluate(canvas)
    assert held
    for route in held:
        route.continue_()
    page.wait_for_function(f"(before) => {canvas} !== before", arg=before)


@pytest.fixture(scope="module")
def many() -> str:
    """A run of so many heads that a text of a hundred tokens is sent as thumbnails."""
    shape = {"width": 24, "depth": 12, "heads": 12, "context": 160}
    finished(home() / "many-heads", model="bert", shape=shape, training={"steps": 1, "batch": 1, "threads": 1})
    return "many-heads"


def test_of_a_longer_text_thumbnails_are_sent_and_whole_maps_one_by_one(many: str) -> None:
    text = "the cat sat on a mat and saw " * 9
    value = look(many, text, "2.3")
    given = json.loads(value["maps"])
    [true] = attention_maps.attention(attention.visitor.trained(many), text)
    maps, sheet, count = given["maps"][0], given["maps"][0]["sheet"], len(true.tokens)
    assert count > 120 and (sheet["rows"], sheet["cols"]) == (32, 32) and len(value["maps"]) < 300_000
    small = np.frombuffer(base64.b64decode(maps["data"]), dtype=np.uint8).reshape(12, 12, 32, 32)
    assert small[4, 5].max() == np.round(255 * np.sqrt(true.maps[4, 5].max().item()))
    for name, expected in (
        ("2.3", true.maps[1, 2]),
        ("12.12", true.maps[11, 11]),
        ("3.mean", true.maps[2].mean(0)),
        ("12.rollout", rollout(true.maps)[11]),
    ):
        answer = attention.one(many, text, name)["maps"]
        sent = json.loads(answer)
        assert len(answer) * 128**2 / count**2 < 25_000 and sent["of"] == given["of"]
        whole = np.frombuffer(base64.b64decode(sent["one"]["data"]), dtype=np.uint8).reshape(count, count)
        assert np.abs((whole / 255) ** 2 - expected.numpy()).max() < 0.01
    assert given["one"] == json.loads(attention.one(many, text, "2.3")["maps"])["one"]
    assert json.loads(attention.one(many, text, "13.1")["maps"])["one"] is None
    assert attention.one(many, text, f"2.3@{given['of']}") == attention.one(many, text, "2.3")
    assert json.loads(attention.one(many, "another text", "1.1")["maps"])["of"] != given["of"]
    assert attention.one(many, text, "") == {} == attention.one("", text, "1.1")


def test_what_is_pooled_keeps_the_largest_of_each_block() -> None:
    maps = np.zeros((1, 1, 70, 65), dtype=np.uint8)
    maps[0, 0, 69, 64], maps[0, 0, 0, 33] = 200, 100
    small = pooled(maps)
    assert small.shape == (1, 1, 32, 32) and small[0, 0, 31, 31] == 200 and small[0, 0, 0, 16] == 100
    assert small.astype(int).sum() == 300 and pooled(maps[..., :5, :7]).shape == (1, 1, 5, 7)


STRONGEST = re.compile(r"The [\d,]+ strongest of [\d,]+ lines are drawn; the darkest is [\d.]+")
INKED = """() => {  // pixels between the two columns
  const canvas = document.querySelector("#attention-maps .large canvas"), pen = canvas.getContext("2d");
  const { data } = pen.getImageData(canvas.width * 0.4, 0, canvas.width * 0.2, canvas.height);
  return data.filter((value, i) => i % 4 === 3 && value > 8).length;
}"""


def test_a_head_of_a_longer_text_comes_when_it_is_picked(page: Page, asking: str, place: Path, many: str) -> None:
    shutil.copytree(home() / many, place / many)
    visit(page, asking, "attention", run=many, text="the cat sat on a mat and saw " * 9, head="2.3")
    canvas = "document.querySelector('#attention-maps .large canvas').toDataURL()"
    page.locator("#attention-maps .heads button").nth(20).wait_for()
    page.wait_for_timeout(500)
    before = page.evaluate(canvas)
    heads, asked = page.locator("#attention-maps .heads button"), list[str]()
    page.on("request", lambda request: asked.append(request.url) if "gradio_api" in request.url else None)
    with page.expect_request_finished(lambda request: "gradio_api" in request.url):
        heads.nth(9 + 14 * 8).hover()  # what one points at is fetched before it is picked
    page.wait_for_timeout(300)
    assert page.evaluate(canvas) == before
    asked.clear()
    heads.nth(9 + 14 * 8).click()
    page.wait_for_function(f"(before) => {canvas} !== before", arg=before)
    assert not [url for url in asked if "predict" in url]
    before = page.evaluate(canvas)
    heads.nth(4 + 14 * 3).evaluate("(button) => button.click()")  # not pointed at before
    expect(page.locator("#attention-maps .head-title")).to_have_text("Layer 4, head 5")
    page.wait_for_function(f"(before) => {canvas} !== before", arg=before)
    expect(page.locator("#attention-maps .heads button").nth(4 + 14 * 3)).to_be_focused()
    page.get_by_role("radio", name="Lines").first.click()
    said, heads = page.locator("#attention-maps .strongest"), page.locator("#attention-maps .combined button")
    expect(said).to_have_text(STRONGEST)
    for number in range(4):
        heads.nth(number).click()
    expect(heads.and_(page.locator("[aria-pressed=true]"))).to_have_count(5)

    def lines() -> tuple[int, int]:
        drawn, of = re.findall(r"[\d,]+", said.inner_text())[:2]
        return int(drawn.replace(",", "")), int(of.replace(",", ""))

    page.wait_for_function("() => document.querySelector('#attention-maps .strongest').textContent.includes('of 8')")
    drawn, of = lines()
    tokens = int(of / 5) ** 0.5
    assert 0 < drawn <= 6000 and abs(tokens - round(tokens)) < 0.1 and page.evaluate(INKED) > 1000
    page.locator("#attention-strip .chip").nth(3).hover()
    page.wait_for_function("() => !document.querySelector('#attention-maps .strongest').textContent.includes('of 8')")
    assert lines()[1] == 5 * round(tokens)


def test_until_a_map_has_come_its_thumbnail_stands_in_its_place(
    page: Page, asking: str, place: Path, many: str
) -> None:
    shutil.copytree(home() / many, place / many, dirs_exist_ok=True)
    visit(page, asking, "attention", run=many, text="the cat sat on a mat and saw " * 9, head="2.3")
    calm(page)
    canvas = page.locator("#attention-maps .large canvas")
    look = "document.querySelector('#attention-maps .large canvas').toDataURL()"
    said, habits = page.locator("#attention-maps .reading"), page.locator("#attention-maps .looks")
    of_another, before = habits.inner_text(), page.evaluate(look)
    page.route("**/gradio_api/run/**", lambda route: None)
    page.locator("#attention-maps .heads button").nth(5 + 14 * 6).dispatch_event("pointerdown")  # a finger
    page.locator("#attention-maps .heads button").nth(5 + 14 * 6).dispatch_event("click")
    expect(said).to_contain_text("Coarse at first")
    expect(habits).to_be_hidden()  # what another head does is not what this one does
    coarse = page.evaluate(look)
    canvas.hover()
    expect(said).to_contain_text("Coarse at first")  # no cell of it is a weight
    page.unroute("**/gradio_api/run/**")
    expect(said).not_to_contain_text("Coarse")
    expect(habits).not_to_have_text(of_another)
    expect(habits).to_be_visible()
    assert len({before, coarse, page.evaluate(look)}) == 3


def test_while_a_model_takes_its_time_a_sign_says_so(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="bert", text="the cat sat")
    calm(page)
    sign = page.locator(".lab-working")
    page.get_by_label("Text").first.fill("the cat sat on")  # an answer that comes at once gets none
    page.locator("#attention-strip").get_by_text("on").wait_for()
    assert not sign.is_visible()
    page.route("**/gradio_api/run/**", lambda route: None)
    page.get_by_label("Text").first.fill("the cat sat on a mat")
    expect(sign).to_have_text("The server is computing …")
    page.unroute("**/gradio_api/run/**")  # lets go on what it holds
    expect(sign).to_be_hidden()
    page.locator("#attention-strip").get_by_text("mat").wait_for()
