"""The order of the samplers, and the next token's distribution worked out in the browser while they are turned."""

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from browser import calm
from playwright.sync_api import Page, expect
from staying import Stay, go
from test_generate import NAMES, PROMPT, controls, request
from trained import run_of
from transformers import GenerationConfig
from transformers.generation import GenerationMixin

from lab.ui.pages.generate import in_browser
from lab.ui.pages.generate.samplers import chain_of, order_of
from lab.ui.pages.generate.writing import write

WISH = json.loads(request()) | {"logits": True}
ALL = {  # what turns each on in transformers
    "repetition_penalty": 1.2,
    "no_repeat_ngram_size": 3,
    "temperature": 0.5,
    "top_k": 5,
    "top_p": 0.5,
    "min_p": 0.1,
    "typical_p": 0.5,
    "epsilon_cutoff": 0.1,
    "eta_cutoff": 0.1,
}


def test_the_usual_order_is_that_of_transformers() -> None:
    config = GenerationConfig(do_sample=True, **ALL)
    model = GenerationMixin()
    model.config = SimpleNamespace(is_encoder_decoder=False)
    theirs = model._get_logits_processor(config, 1)
    kinds = [re.sub("Logits(Processor|Warper)", "", type(each).__name__) for each in theirs]
    ours = [name.replace("_", "").replace("ngram", "NGram").casefold() for name in NAMES]
    found = [kind.casefold() for kind in kinds]
    assert len(found) == len(ALL) and found == [name.casefold() for name in ours if name.casefold() in found]


def test_the_order_that_is_asked_for_is_that_of_columns_command_and_text() -> None:
    on = controls("temperature", "top_p", temperature=2.0, p=0.5)
    usual, other = (write(request(), run_of("gpt"), PROMPT, 0, *on, order) for order in ("", "top_p*temperature"))
    assert usual["bars"]["chain"] == ["temperature", "top_p"] == [*reversed(other["bars"]["chain"])]
    assert re.findall(r"--sampler (\w+)", other["command"]["command"]) == ["top_p", "temperature"]
    left = [int(answer["draw"]["note"]["left"]) for answer in (usual, other)]
    assert left[0] > left[1]  # a nucleus of the flattened distribution is larger


@pytest.mark.parametrize("order", ["", "nonsense", "top_p*<img>*top_p", "*" * 1000, None, 7])
def test_any_order_names_every_sampler_once(order: Any) -> None:
    values = [*controls(*NAMES), order]
    assert sorted(order_of(values)) == sorted(NAMES)
    assert sorted(name for name, _ in chain_of(values)) == sorted(NAMES)


def test_logits_are_sent_where_they_are_wanted_and_not_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of("gpt")
    assert "known" not in write(request(), run, PROMPT, 0, *controls())["bars"]
    known = write(json.dumps(WISH), run, PROMPT, 0, *controls())["bars"]["known"]
    size = len(known["names"])
    assert len(known["logits"]) == 4 * ((4 * size + 2) // 3)  # base64 of float32
    again = write(json.dumps(WISH | {"knows": known["of"]}), run, PROMPT, 0, *controls())["bars"]["known"]
    assert "names" not in again and again["logits"] == known["logits"]
    monkeypatch.setattr(in_browser, "LARGEST", size - 1)
    assert "known" not in write(json.dumps(WISH), run, PROMPT, 0, *controls())["bars"]


def test_a_browser_that_paints_by_itself_is_told_the_command_alone() -> None:
    answer = write(json.dumps(WISH | {"paints": True}), run_of("gpt"), PROMPT, 0, *controls("top_k", k=3))
    assert [*answer] == ["command", "feedback"] and "top_k:k=3" in answer["command"]["command"]


# ---- in the browser

PICTURE = """() => [
  [...document.querySelectorAll('#generate-bars li')].map((row) => row.innerText + row.className),
  document.querySelector('#generate-draw .note').innerText]"""
TURN = """([id, value]) => {
  const input = document.querySelector(`#${id} input[type=range]`);
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, value);
  input.dispatchEvent(new Event('input', { bubbles: true }));
}"""


@pytest.fixture
def opened(stay: Stay, asking: str) -> Page:
    """The page after its first text, with every answer."""
    on = dict.fromkeys(("temperature", "top_p", "min_p", "top_k"), "true")
    page = stay(asking, "generate", run="gpt", text=PROMPT, chain="top_p*temperature", **on)
    page.locator("#generate-draw").get_by_text("falls on").wait_for()
    calm(page)
    return page


def test_a_setting_out_of_range_is_refused_in_words_and_leaves_the_picture(opened: Page) -> None:
    page = opened
    page.evaluate(TURN, ["sampler-temperature-temperature", 2.5])
    calm(page)
    before = page.evaluate(PICTURE)
    page.locator("#sampler-temperature-temperature input[type=number]").fill("0")
    expect(page.locator(".lab-toasts .toast", has_text="below 0.01")).to_be_visible()
    assert page.evaluate(PICTURE) == before
    page.locator("#sampler-temperature-temperature input[type=number]").fill("1")


def test_the_chain_is_dragged_moved_with_buttons_and_kept_in_the_address(opened: Page) -> None:
    page = opened
    page.get_by_role("checkbox", name="Min-p").uncheck()
    page.get_by_role("button", name="Usual order").click()
    calm(page)
    names = page.locator("#generate-chain li .grip")
    assert names.all_inner_texts() == ["Temperature", "Top-k", "Top-p"]
    page.get_by_role("button", name="Apply Top-p earlier").press("Enter")
    assert names.all_inner_texts() == ["Temperature", "Top-p", "Top-k"]
    expect(page.get_by_role("button", name="Apply Top-p earlier")).to_be_focused()
    page.get_by_role("button", name="Apply Top-p earlier").press("Enter")
    assert page.locator("#generate-bars .head .step").all_inner_texts() == ["Logit", "Top-p", "Temperature", "Top-k"]
    names.nth(2).drag_to(names.nth(0))
    assert names.all_inner_texts() == ["Top-k", "Top-p", "Temperature"]
    expect(page).to_have_url(re.compile(r"chain=[\w*]*top_k\*[\w*]*top_p\*[\w*]*temperature"))
    calm(page)
    page.reload()
    page.locator("#generate-draw").get_by_text("falls on").wait_for()
    expect(names.first).to_have_text("Top-k")
    assert names.all_inner_texts() == ["Top-k", "Top-p", "Temperature"]
    page.get_by_role("button", name="Usual order").click()
    assert names.all_inner_texts() == ["Temperature", "Top-k", "Top-p"]


def test_a_slider_is_painted_at_once_as_the_server_would(opened: Page) -> None:
    page = opened
    go(page, "generate", chain="top_p*temperature", min_p=True)
    turns = [("temperature-temperature", 1.7), ("top_k-k", 12), ("min_p-p", 0.8), ("top_k-k", 3)]
    for knob, value in turns:
        before = page.evaluate(PICTURE)
        page.evaluate(TURN, [f"sampler-{knob}", value])
        assert page.evaluate(PICTURE) != before, "painted before anything else"
    calm(page)
    here = page.evaluate(PICTURE)
    assert "top_k.k=3" in page.url and "temperature.temperature=1.7" in page.url
    page.evaluate(
        "() => { window.lab.nextToken.paints = () => false; window.lab.nextToken.instead = (_, value) => value; }"
    )
    with page.expect_response(re.compile("/gradio_api/run/")):
        page.evaluate(TURN, ["sampler-top_k-k", 4])
    calm(page)
    page.evaluate(TURN, ["sampler-top_k-k", 3])
    calm(page)
    there = page.evaluate(PICTURE)
    assert here == there and len(here[0]) == 14
