"""A link carries what is on the screen: packed texts, choices of the browser alone, and how it is copied."""

import re
from typing import Any

import pytest
from browser import calm, visit
from playwright.sync_api import Browser, Page, expect
from staying import Stay, go

from lab.ui.words import WORDS

CAT = "The red cat sat on the mat. It slept."
LONG = "她很难过，但是小红给了她一把新的。" * 40
REFUSED = """Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("refused")) } });
document.execCommand = () => false;"""  # noqa: E501
SAID = """window.said = [];  // every note, those that have gone again among them
new MutationObserver((all) => all.forEach((each) => each.addedNodes.forEach((node) => node.dataset?.text && window.said.push(node.dataset.text))))
  .observe(document, { childList: true, subtree: true });"""  # noqa: E501
SLOW = """const whole = TransformStream, Plain = DecompressionStream;
window.DecompressionStream = class {
  constructor(kind) {
    const plain = new Plain(kind), wait = new whole({ async transform(part, out) { await new Promise((go) => setTimeout(go, 4000)); out.enqueue(part); } });
    wait.readable.pipeTo(plain.writable).catch(() => {});
    return { writable: wait.writable, readable: plain.readable };
  }
};"""  # noqa: E501


def link(page: Page) -> str:
    """What the button in the bar copies."""
    found: str = page.evaluate("window.lab.link()")
    return found


def test_a_long_text_is_packed_behind_the_hash_and_comes_back_however_late(gallery: str, page: Page) -> None:
    visit(page, gallery, "tokenize")
    page.locator("#text textarea").fill(LONG)
    page.wait_for_function("location.hash.startsWith('#text=')")
    assert len(page.url) < 400 and "text=" not in page.url.split("#")[0]  # no server and no proxy has to take it
    page.reload()
    expect(page.locator("#text textarea")).to_have_value(LONG)
    expect(page.locator("#heard textarea")).to_have_value(re.compile("^" + LONG[:40]))
    page.add_init_script(SLOW)
    page.reload()  # it comes after the page and takes its place all the same
    expect(page.locator("#text textarea")).to_have_value("hello")
    expect(page.locator("#text textarea")).to_have_value(LONG, timeout=15000)


@pytest.mark.parametrize("packed", ["%%%", "AAAA", "!"])
def test_a_packed_text_that_is_none_is_said_and_leaves_the_usual_one(packed: str, gallery: str, page: Page) -> None:
    page.goto(f"{gallery}/?page=tokenize#text={packed}")
    expect(page.locator(".lab-toasts .toast")).to_contain_text("text")
    expect(page.locator("#text textarea")).to_be_visible()


def test_a_link_holds_texts_and_language_that_nobody_has_touched(server: str, page: Page, browser: Browser) -> None:
    visit(page, server, "start")
    page.wait_for_selector("#start-mlm .chip:visible")
    context = browser.new_context(locale="zh-CN")
    other = context.new_page()
    other.goto(link(page))
    expect(other.locator("#start-text textarea")).to_have_value(WORDS["start.default"]["en"])
    expect(other.locator("html")).to_have_attribute("lang", "en")
    context.close()


def test_a_field_that_was_emptied_stays_empty(server: str, stay: Stay, page: Page) -> None:
    here = stay(server, "start")
    here.fill("#start-text textarea", "")
    here.wait_for_function("new URLSearchParams(location.search).get('text') === ''")
    page.goto(link(here))
    expect(page.locator("#start-text textarea")).to_have_value("")


def test_tokens_hidden_by_hand_and_the_filter_are_in_the_link(server: str, stay: Stay, page: Page) -> None:
    here = stay(server, "start")
    go(here, "start", text=CAT)  # its exercise has come: an original stays one
    at = here.locator("#start-mlm [data-row='0'].original").nth(3).get_attribute("data-at")
    mine = here.locator(f"#start-mlm [data-row='0'][data-at='{at}']")
    mine.click()
    expect(mine).to_have_text("[MASK]")
    here.locator("#start-board select").select_option("GLM")
    shown = here.locator("#start-mlm .stage").text_content() or ""
    page.goto(link(here))
    expect(page.locator("#start-mlm .stage")).to_have_text(shown)
    expect(page.locator("#start-board .row-of:visible")).to_have_count(1)


def test_the_merge_the_rule_and_the_paragraphs_are_in_the_link(server: str, stay: Stay, page: Page) -> None:
    here = stay(server, "tokenize")
    go(here, "tokenize", text=CAT)
    here.get_by_role("button", name="last in byte order first").click()
    for _ in range(2):
        here.get_by_role("button", name="Next merge").click()
    here.locator("#tokenize-paragraphs button", has_text="Unigram").click()
    page.goto(link(here))
    expect(page.locator("#tokenize-merges .reading")).to_have_text(re.compile("^merge 3 of"))
    expect(page.get_by_role("button", name="last in byte order first")).to_have_attribute("aria-pressed", "true")
    pressed = page.locator("#tokenize-paragraphs button[aria-pressed=true]")
    expect(pressed).to_have_text("Unigram")


def test_a_pinned_sentence_and_settings_stand_as_the_link_says(server: str, page: Page) -> None:
    visit(page, server, "pretrain", pinned="A sentence of my own", vocabulary=900, seed=7, tokenizer="unigram")
    page.wait_for_timeout(1500)  # what the page asks for as it opens changes nothing of it
    page.get_by_role("button", name="All settings").click()
    expect(page.get_by_label("Pinned sentence")).to_have_value("A sentence of my own")
    expect(page.get_by_role("radio", name="Unigram", exact=True)).to_be_checked()
    values = page.locator("input:visible").evaluate_all("all => all.map((each) => each.value)")
    assert {"900", "7"} <= {*values}
    assert all(each in link(page) for each in ("pinned=A+sentence", "vocabulary=900", "seed=7", "tokenizer=unigram"))


@pytest.mark.parametrize("shape", ["{junk", '{"of":"bert","values":{"width":128}}'])
def test_a_link_with_no_knobs_of_the_model_shows_the_usual_ones(server: str, page: Page, shape: str) -> None:
    def foreseen(**address: str) -> list[str]:
        visit(page, server, "pretrain", lang="en", **address)
        calm(page)
        page.get_by_role("button", name="All settings").click()
        expect(page.locator("#pretrain-forecast")).to_contain_text("Parameters")
        return re.findall(r"Parameters\s*([\d.]+[KM])", page.locator("#pretrain-forecast").inner_text())

    usual = foreseen()
    assert len(usual) == 1 and foreseen(shape=shape) == usual
    expect(page.locator(".lab-toasts .toast")).to_have_count(int("junk" in shape))  # what nobody can read is said
    assert not re.search("junk|bert", page.evaluate("lab.kept.pretrain.shape ?? ''"))  # nor is it kept


def test_a_link_with_more_than_its_field_takes_says_so(server: str, page: Page) -> None:
    visit(page, server, "generate", lang="en", text="Tom ran. " * 2_300)
    assert len(page.locator("textarea:visible").first.input_value()) == 20_000
    expect(page.locator(".lab-toasts .toast")).to_contain_text("of the 20,700 in the link the first 20,000 are here")


def test_a_row_on_start_opens_its_objective_in_sight_with_the_sentence(server: str, stay: Stay) -> None:
    page = stay(server, "start")
    go(page, "start", text="Tom ran home.")
    page.locator("#start-board select").select_option(index=0)  # every objective
    page.locator("#start-board .row-of[data-name=span]").click()
    title = page.locator("#objectives-opened h2")
    expect(title).to_have_text("Span masking")
    expect(title).to_be_in_viewport()
    expect(page.locator("#objectives-text textarea")).to_have_value("Tom ran home.")


def test_the_link_is_copied_or_stands_marked_where_the_browser_refuses(gallery: str, browser: Browser) -> None:
    for refuses in (False, True):
        context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
        page = context.new_page()
        if refuses:
            page.add_init_script(REFUSED)
        visit(page, gallery, "tokenize", text="copied")
        page.get_by_role("button", name="Copy a link").click()
        expect(page.locator(".lab-link [role=status]")).to_have_text("Press Ctrl+C to copy" if refuses else "Copied")
        field: dict[str, Any] = page.evaluate(
            "({ text: getSelection().toString(), value: document.querySelector('.lab-link input').value })"
        )
        assert field["text"] == field["value"] and "text=copied" in field["value"]
        if not refuses:
            assert page.evaluate("navigator.clipboard.readText()") == field["value"]
        page.keyboard.press("Escape")
        expect(page.locator(".lab-link")).to_be_hidden()
        context.close()


DESKS = [  # an objective, what is pressed, what then reads otherwise, and its name in the address
    ("mlm", "#cloze-game [data-act=next]", "#cloze-game .text", "game"),
    ("sop", "#shortcut [data-act=roll]", "#shortcut .sides", "pairs"),
    ("permutation", "#permutation-desk [data-act=straight]", "#permutation-desk .lane", "order"),
    ("span_corruption", "#assembly [data-act=back]", "#assembly .caption", "step"),
    ("window", "#windows .token >> nth=1", "#windows .said", "window"),
    ("cooccurrence", "#cooccurrences [data-cell='0,0']", "#cooccurrences .said", "cell"),
]


def test_what_cannot_be_done_at_a_desk_is_said_and_leaves_it_as_it_is(server: str, stay: Stay, page: Page) -> None:
    here = stay(server, "objectives")
    page.add_init_script(SAID)
    visit(page, server, "objectives", **{key: "nonsense" for *_, key in DESKS})
    for objective, _, state, key in DESKS:
        for each in (here, page):
            go(each, "objectives", objective=objective, text=CAT)
        page.wait_for_function("(part) => window.said.some((text) => text.includes(part))", arg=f"{key} = nonsense")
        expect(page.locator(state)).to_have_text(here.locator(state).inner_text(), use_inner_text=True)


@pytest.mark.parametrize(("objective", "press", "state", "key"), DESKS)
def test_what_was_done_at_a_desk_is_in_the_link(
    objective: str, press: str, state: str, key: str, server: str, stay: Stay, page: Page
) -> None:
    here = stay(server, "objectives")
    go(here, "objectives", objective=objective)
    shown = here.locator(state)
    usual = shown.inner_text()
    here.locator(press).click()
    expect(shown).not_to_have_text(usual, use_inner_text=True)
    to = link(here)
    assert f"{key}=" in to
    page.goto(to)
    expect(page.locator(state)).to_have_text(shown.inner_text(), use_inner_text=True)


def test_a_locked_token_is_in_the_link(server: str, stay: Stay, page: Page) -> None:
    for name, text, strip, locked in (
        ("objectives", CAT, "#objectives-exercise .chip.original", "#objectives-exercise .chip.locked"),
        ("start", CAT, "#start-tokens .chip", "#start-tokens .chip.locked"),
        ("tokenize", CAT, "#tokenize-cuts .row .cut", "#tokenize-cuts [aria-selected=true]"),
        ("tokenize", LONG, "#tokenize-cuts .row .cut", "#tokenize-cuts [aria-selected=true]"),
    ):
        here = stay(server, name)
        go(here, name, text=text)
        here.locator(strip).nth(4).click()
        token = here.locator(locked).first.inner_text()
        page.goto(link(here))
        expect(page.locator(locked).first).to_have_text(token)


def test_the_open_tensors_and_what_is_counted_are_in_the_link(server: str, stay: Stay, page: Page) -> None:
    here = stay(server, "parameters")
    tensors = here.locator("#parameters-treemap")
    tensors.locator(".presets button").nth(1).click()
    tensors.locator(".map i").first.click()
    here.locator("#parameters-ledger input").nth(1).uncheck()
    inside = tensors.locator(".group").all_inner_texts()
    page.goto(link(here))
    tensors, ticks = page.locator("#parameters-treemap"), page.locator("#parameters-ledger input")
    expect(tensors.locator(".presets button").nth(1)).to_have_attribute("aria-pressed", "true")
    expect(tensors.locator(".group")).to_have_text(inside)
    expect(ticks.nth(1)).not_to_be_checked()


def test_what_a_written_text_is_coloured_by_is_in_the_link(server: str, stay: Stay, page: Page) -> None:
    here = stay(server, "generate")
    here.locator(".lab-writing .surprise").get_by_role("radio", name="rank").click()
    address = link(here)
    assert "by=rank" in address
    page.goto(address)
    coloured = page.locator(".lab-writing .surprise")
    expect(coloured.get_by_role("radio", name="rank")).to_be_checked()
    expect(coloured.locator(".shades")).to_contain_text("21–100")
    page.goto(address.replace("by=rank", "by=fame"))
    expect(page.locator(".lab-toasts")).to_contain_text("fame")
    expect(coloured.get_by_role("radio", name="probability")).to_be_checked()
