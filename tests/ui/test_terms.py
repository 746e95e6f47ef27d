"""Terms where pages say them, without moving them, and the page that lists them all."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from browser import calm, visit
from playwright.sync_api import Browser, Page, expect
from staying import Stay, go

from lab.glossary import TOPICS, glossary
from lab.ui.app import PAGES

TERMS = glossary()
MARKS = "dfn.lab-term:visible"
STILL = ("start", "tokenize", "pretrain", "finetune", "parameters")  # pages of which nothing may move while they load
SHIFTS = """window.shifted = 0;
new PerformanceObserver((list) => { for (const each of list.getEntries()) if (!each.hadRecentInput) window.shifted += each.value; })
  .observe({ type: "layout-shift", buffered: true });"""  # noqa: E501
COST = """() => {  // how long it takes to mark a page anew, in milliseconds; all is put back, for Gradio knows its pieces
  const page = document.querySelector("#pages"), times = [], pieces = new Map();
  const texts = () => {
    const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    return found;
  };
  for (const { parentNode } of texts()) pieces.set(parentNode, [...parentNode.childNodes]);
  let marks;
  for (let turn = 0; turn < 5; turn++) {
    for (const term of document.querySelectorAll(".lab-term")) { const text = document.createTextNode(term.textContent); term.replaceWith(text); }
    texts().forEach((text) => text.replaceWith(document.createTextNode(text.data)));
    const start = performance.now();
    window.lab.markTerms();
    times.push(performance.now() - start);
    marks = page.querySelectorAll(".lab-term").length;
  }
  for (const [parent, children] of pieces) parent.replaceChildren(...children);
  return [Math.min(...times), marks];
}"""  # noqa: E501


def settled(page: Page, name: str) -> None:
    """Go to a page and wait until it stands and its terms are marked."""
    page.evaluate("(name) => window.lab.goto(name)", name)
    page.wait_for_function("!document.documentElement.classList.contains('settling')")
    page.wait_for_timeout(500)


@pytest.fixture(params=[("en", "light", 1280), ("zh", "dark", 390)], ids=["en", "zh"], scope="module")
def look(request: Any, browser: Browser, server: str) -> Iterator[tuple[str, str, Page]]:
    """A language, a theme, and the Pretrain page as wide as a screen or a phone."""
    language, theme, wide = request.param
    context = browser.new_context(viewport={"width": wide, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    visit(page, server, "pretrain", lang=language, __theme=theme)
    yield language, theme, page
    context.close()


def test_a_term_says_its_sentence_on_hover_and_on_focus(look: tuple[str, str, Page]) -> None:
    language, _, page = look
    settled(page, "pretrain")
    term = page.locator(".lab-prose dfn[data-term=baseline]:visible").first
    says = TERMS["baseline"].says_en if language == "en" else TERMS["baseline"].says_zh
    note = page.locator(".lab-note")
    term.hover()
    expect(note).to_contain_text(says)
    page.mouse.move(5, 700)
    expect(note).to_be_hidden()
    page.keyboard.press("Tab")  # from here on the keyboard leads
    term.focus()
    expect(note).to_be_visible()  # what it said before is still in it while it is hidden
    expect(note).to_contain_text(says)
    expect(note).to_contain_text("baseline")
    expect(note).to_contain_text("基线")
    described = term.get_attribute("aria-describedby")
    assert page.evaluate("(id) => document.getElementById(id).textContent", described) == says
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator("#glossary-terms .chosen")).to_contain_text(says)


def test_the_glossary_is_searched_in_both_languages_and_leads_to_the_lab(look: tuple[str, str, Page]) -> None:
    _, theme, page = look
    settled(page, "start")
    page.locator(".bar a[data-page=glossary]").click()
    found = page.locator("#glossary-terms .term:visible")
    expect(found).to_have_count(len(TERMS))
    expect(page.locator("#glossary-terms h2:visible")).to_have_count(len(TOPICS))
    field = {"light": "rgb(255, 255, 255)", "dark": "rgb(34, 38, 51)"}[theme]
    expect(page.locator("#glossary-terms input")).to_have_css("background-color", field)
    page.locator("#glossary-terms input").fill("哨兵")
    expect(found.first).to_contain_text("sentinel")
    assert found.count() < 10 and "find=" in page.url
    page.locator("#glossary-terms input").fill("nucleus")
    expect(found).to_have_count(1)
    found.locator("dd a").click()
    expect(page.locator("#pages h1:visible")).to_be_visible()
    assert "page=generate" in page.url and "top_p=true" in page.url
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")


TWICE = """() => [...document.querySelectorAll(".lab-prose")].filter((block) => {
  const keys = [...block.querySelectorAll(".lab-term")].map((term) => term.dataset.term);
  return new Set(keys).size < keys.length; }).length"""
HEIGHTS = """() => {  // with and without marks, in one go: answers may come in between
  const high = () => [...document.querySelectorAll("#pages :is(p, h1, h2, li)")].map((each) => each.getBoundingClientRect().height);
  const before = high();
  document.querySelectorAll(".lab-term").forEach((term) => term.replaceWith(...term.childNodes));
  return [before, high()];
}"""  # noqa: E501


def test_a_page_stands_still_its_terms_are_marked_once_a_block_and_that_moves_nothing_and_is_quick(
    server: str, page: Page
) -> None:
    """Those that are not to move while they load are loaded; to the others one goes from page to page."""
    page.add_init_script(SHIFTS)
    for name in [*STILL, *(name for name in PAGES[:-1] if name not in STILL)]:
        if name in STILL:
            visit(page, server, name)
        else:
            settled(page, name)
        expect(page.locator(MARKS).first).to_be_visible()
        if name in STILL:
            page.wait_for_timeout(800)  # what comes late moves nothing either
            shifted = page.evaluate("window.shifted")
            assert shifted <= 0.05, (name, shifted)
        calm(page)  # a page that is left while it asks for something tells the console so
        cost, marks = page.evaluate(COST)
        assert marks and cost < 20, (name, cost)
        assert page.evaluate(TWICE) == 0, name
        before, after = page.evaluate(HEIGHTS)
        assert before == after, name


def test_what_visitors_typed_is_never_marked(server: str, stay: Stay) -> None:
    page = stay(server, "tokenize")
    page.locator("#tokenize-text textarea").fill("attention mask, learning rate, token")
    expect(page.locator("#tokenize-cuts")).to_contain_text("rate")
    settled(page, "tokenize")
    assert page.locator("#tokenize-cuts .stage dfn, .chip dfn, code dfn, pre dfn, button dfn").count() == 0
    page.evaluate("""() => {  // a sentence of ours with a name of theirs in it, and one without
      const { lab } = window, host = document.createElement("div");
      host.className = "lab-prose";
      for (const [id, text] of [["theirs", { word: "tokenize.ready", corpus: "my attention mask", size: 7 }],
        ["plain", "the learning rate"], ["ours", { en: "The learning rate.", zh: "学习率。" }]]) {
        const p = document.createElement("p");
        if (lab.ours(text)) p.dataset.ours = "";
        p.id = id; p.textContent = lab.say(text); host.append(p);
      }
      document.querySelector("#pages .lab-page").append(host);
    }""")
    expect(page.locator("#ours dfn")).to_have_text("learning rate")
    assert page.locator("#theirs dfn, #plain dfn").count() == 0


def test_a_run_named_like_a_term_stays_plain(server: str, stay: Stay) -> None:
    page = stay(server, "pretrain")
    settled(page, "pretrain")
    assert page.locator(".lab-run_list dfn, input dfn").count() == 0


def test_a_tap_shows_the_sentence_and_leaves_the_field_alone(server: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    visit(page, server, "objectives", lang="en")
    seed = page.locator("[data-testid=block-info] dfn[data-term=seed]:visible").first
    seed.tap()
    expect(page.locator(".lab-note")).to_contain_text(TERMS["seed"].says_en)
    assert page.evaluate("document.activeElement.tagName") != "INPUT"
    context.close()


def test_the_address_opens_a_term_and_the_command_follows(server: str, page: Page) -> None:
    visit(page, server, "glossary", term="kv_cache")
    expect(page.locator("#glossary-terms .chosen dt a")).to_have_text("KV cache")
    expect(page.locator("#glossary-terms .chosen")).to_be_in_viewport()
    command = page.locator(".lab-command code:visible, .lab-command code").last
    expect(command).to_have_text("python -m lab glossary 'KV cache'")
    page.locator("#glossary-terms dt a", has_text=re.compile("^perplexity$")).click()
    expect(command).to_have_text("python -m lab glossary perplexity")
    assert "term=perplexity" in page.url
    go(page, "glossary", term="attention-mask")  # with hyphens or underscores
    expect(page.locator("#glossary-terms .chosen dt a")).to_have_text("attention mask")
    expect(command).to_have_text("python -m lab glossary 'attention mask'")
    expect(page.locator(".lab-toasts .toast")).to_have_count(0)
    go(page, "glossary", term="nonsense")
    expect(page.locator(".lab-toasts .toast")).to_contain_text("term = nonsense")


def test_a_search_takes_the_place_of_a_term_that_was_open_and_knows_other_spellings(page: Page, server: str) -> None:
    visit(page, server, "glossary", term="weight-tying")
    field, terms = page.locator(".lab-glossary input"), page.locator(".lab-glossary .term:visible")
    wide = "ｔｏｐ－ｋ"  # as an input method for Chinese may write it
    spellings = {wide: "top_k", "kv-cache": "kv_cache", "finetuning": "fine_tuning", "tokeniser": "tokenizer"}
    for spelt, key in spellings.items():
        field.fill(spelt)
        expect(page.locator(f".lab-glossary .term:visible a[href$='term={key}']")).to_be_visible()
    assert "term=" not in page.url and "find=tokeniser" in page.url
    found = terms.count()
    page.reload()
    expect(field).to_have_value("tokeniser")
    expect(terms).to_have_count(found)


def test_the_bar_has_room_for_the_glossary(server: str, stay: Stay) -> None:
    page = stay(server, "start")
    for wide in (390, 1280):
        page.set_viewport_size({"width": wide, "height": 900})
        page.wait_for_timeout(200)
        brand = page.locator(".bar .brand").bounding_box()
        icon = page.locator(".bar a[data-page=glossary]").bounding_box()
        assert brand and icon and icon["x"] + icon["width"] < wide
        assert abs(brand["y"] + brand["height"] / 2 - icon["y"] - icon["height"] / 2) < 12  # in one line with the name
    assert page.locator(".bar nav").evaluate("(nav) => nav.scrollWidth <= nav.clientWidth")
