"""How every page stands: headings in order, all of it by keyboard, in both languages, light and dark, on a phone and
on paper."""

from typing import Any

import pytest
from axe import findings
from browser import calm, visit, watched
from folds import hollow, unfold
from playwright.sync_api import Browser, Page, expect
from staying import Stay

from lab.catalog import OBJECTIVES
from lab.ui.app import PAGES

# Small checks of the rules of accessibility that a page of ours has once broken; each gives what breaks it.
RULES = """() => {
  const broken = [], seen = (node) => node.checkVisibility({ checkVisibilityCSS: true }) && !node.closest("[aria-hidden=true]");
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen), say = (rule, node) => broken.push(`${rule}: ${node.outerHTML.slice(0, 160)}`);
  const tidy = (text) => text.toLowerCase().replace(/[^\\p{L}\\p{N}]+/gu, " ").trim();
  const focusable = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, summary, [tabindex]:not([tabindex='-1'])";
  let level = 0;
  for (const node of all("h1, h2, h3, h4, h5, h6")) {
    const here = Number(node.tagName[1]);
    if (here > level + 1) say("heading order", node);
    level = here;
  }
  if (all("h1").length !== 1) broken.push("one first heading: " + all("h1").length);
  const marks = all("nav, main, aside, body > header, form[aria-label], section[aria-label]").map((node) => node.tagName + (node.ariaLabel || ""));
  if (new Set(marks).size < marks.length) broken.push("landmarks: " + marks);
  for (const node of all("*")) {
    const style = getComputedStyle(node);
    const scrolls = (axis, n, m) => /auto|scroll/.test(style["overflow" + axis]) && n > m + 1;
    if (node !== document.documentElement && node !== document.body && (scrolls("Y", node.scrollHeight, node.clientHeight) || scrolls("X", node.scrollWidth, node.clientWidth)))
      if (!node.matches(focusable) && !node.querySelector(focusable)) say("scrolled without the keyboard", node);
  }
  for (const node of all("button, a[href], [role=button], [role=radio], [role=option], [role=tab]")) {
    const label = node.getAttribute("aria-label"), name = label ?? node.innerText + (node.title || "");
    if (!name.trim() && !node.querySelector("img[alt], svg[aria-label]")) say("no name", node);
    if (label && !tidy(label).includes(tidy(node.innerText))) say("another name than what stands there", node);
  }
  const ids = [...document.querySelectorAll("[id]:not([id=''])")].map((node) => node.id);
  const twice = ids.filter((id, at) => ids.indexOf(id) < at);
  if (twice.length) broken.push("one id, several elements: " + twice);
  return broken;
}"""  # noqa: E501

# What the keyboard reaches, one after another, and whether one sees it there.
FOCUS = """() => {
  const blind = [];
  for (const node of document.querySelectorAll("#pages :is(input, select, textarea, button, summary, a[href], [tabindex='0'])")) {
    if (!node.checkVisibility({ checkVisibilityCSS: true }) || node.disabled) continue;
    node.focus({ focusVisible: true, preventScroll: true });
    if (document.activeElement !== node) continue;
    const { outlineStyle, outlineWidth } = getComputedStyle(node);
    if (outlineStyle === "none" || parseFloat(outlineWidth) < 2) blind.push(node.outerHTML.slice(0, 160));
  }
  return blind;
}"""  # noqa: E501

BUTTONS = """() => [...document.querySelectorAll("#pages .lab .body button.plain:not([aria-pressed=true]):not(.main), #pages .lab-command button, #pages button.secondary")]
  .filter((node) => node.checkVisibility()).map((node) => { const s = getComputedStyle(node);
    return [s.borderTopWidth, s.borderTopColor, s.borderTopLeftRadius, s.backgroundColor, s.color, s.fontSize, s.fontWeight, s.paddingLeft, s.paddingTop].join(" "); })"""  # noqa: E501

CUT = """() => [...document.querySelectorAll("#pages :is(label, button, h1, h2, h3, .card-title, dt, .name, .strip-label, .row-label, .year)")]
  .filter((node) => node.checkVisibility() && node.clientWidth && !node.closest(".chips, .columns, .lab-beam_tree .tree, [role=listbox]"))
  .filter((node) => { const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    return box.right > innerWidth + 1 || (style.overflowX !== "visible" && node.scrollWidth > node.clientWidth + 1); })
  .map((node) => node.outerHTML.slice(0, 160))"""  # noqa: E501


@pytest.mark.parametrize(("language", "theme", "wide"), [("en", "light", 1280), ("zh", "dark", 390)])
def test_every_fold_of_every_page_holds_something_and_all_keeps_the_rules_of_accessibility(
    language: str, theme: str, wide: int, server: str, browser: Browser
) -> None:
    context = browser.new_context(viewport={"width": wide, "height": 900}, reduced_motion="reduce")
    found: dict[str, Any] = {}
    with watched(context.new_page()) as page:
        visit(page, server, PAGES[0], lang=language, __theme=theme)
        for name in PAGES:
            page.evaluate("(name) => window.lab.goto(name)", name)
            page.wait_for_function("!document.documentElement.classList.contains('settling')")
            calm(page)  # what the page asks for as it opens
            unfold(page)
            calm(page)
            if name == "objectives":
                expect(page.locator("#objectives-knobs .knob")).to_have_count(len(OBJECTIVES["mlm"].settings.knobs()))
            found[name] = hollow(page) if language == "en" else []
            found[name] += page.evaluate(RULES) + page.evaluate(FOCUS) + findings(page)
            if wide == 390:
                found[name] += page.evaluate(CUT)
            else:
                assert len({*page.evaluate(BUTTONS)}) <= 1, page.evaluate(BUTTONS)
    context.close()
    assert not any(found.values()), found


def test_axe_finds_what_is_wrong_once_for_each_look(page: Page) -> None:
    page.set_content(
        "<html lang=en><title>t</title><main><h1>t</h1><input>"
        "<p style='color:#bbb'>pale</p><p style='color:#bbb'>too</p>"
    )
    found = findings(page)
    assert [line.split(":")[0] for line in found] == ["color-contrast", "label"], found


def test_no_address_makes_the_browser_ask_for_the_icon(server: str, stay: Stay) -> None:
    page = stay(server, "start")
    assert page.locator("link[rel=icon]").evaluate_all("all => all.map((each) => each.href.slice(0, 19))") == [
        "data:image/svg+xml,"
    ]


def test_a_share_below_a_gap_touches_nothing(server: str, stay: Stay) -> None:
    page = stay(server, "start")
    page.wait_for_selector("#start-replay .share:visible")
    for wide in (1280, 390):
        page.set_viewport_size({"width": wide, "height": 900})
        page.wait_for_timeout(300)
        touching = page.evaluate("""() => {
          const root = document.querySelector("#start-replay"), box = (node) => node.getBoundingClientRect();
          const others = [...root.querySelectorAll(".gap, .chart")];
          return [...root.querySelectorAll(".share")].filter((share) => others.some((other) => other !== share.parentNode
            && box(share).bottom > box(other).top && box(share).top < box(other).bottom && box(share).right > box(other).left && box(share).left < box(other).right)).length;
        }""")  # noqa: E501
        assert touching == 0, wide


def test_paper_keeps_the_colours_and_is_light(server: str, stay: Stay) -> None:
    page = stay(server, "start")
    page.get_by_role("button", name="Dark").click()
    page.wait_for_selector("#start-mlm .chip.masked:visible")
    page.emulate_media(media="print")
    for part in ("#start-mlm .chip.masked", ".lab-replay .gap", "#start-board .chip"):
        expect(page.locator(part).first).to_have_css("print-color-adjust", "exact")
    expect(page.locator(".bar nav")).to_be_hidden()
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("body")).to_have_css("background-color", "rgb(248, 247, 243)")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(page.locator("body")).to_have_css("background-color", "rgb(19, 21, 28)")
    page.emulate_media(media="screen")
    page.get_by_role("button", name="Dark").click()


def test_the_tree_of_models_fills_its_place(server: str, stay: Stay) -> None:
    page = stay(server, "models")
    page.wait_for_selector(".lab-family_tree .stage:visible")
    for wide in (1280, 1000):
        page.set_viewport_size({"width": wide, "height": 900})
        page.wait_for_timeout(300)
        boxes = page.locator(".lab-family_tree .stage .family").evaluate_all(
            "all => all.map((each) => { const { left, top, right, bottom } = each.getBoundingClientRect(); return [left, top, right, bottom]; })"  # noqa: E501
        )
        columns, rows = {round(box[0]) for box in boxes}, {round(box[1]) for box in boxes}
        assert len(boxes) / (len(columns) * len(rows)) > 0.6
        apart = [(a, b) for a in boxes for b in boxes if a is not b and a[0] < b[2] and b[0] < a[2] and a[1] < b[3]]
        assert not [(a, b) for a, b in apart if b[1] < a[3]]


def test_tokens_of_every_tokenizer_are_walked_with_the_arrow_keys(server: str, stay: Stay) -> None:
    page = stay(server, "tokenize")
    page.locator("#tokenize-text textarea").fill("In a house")
    calm(page)
    row = page.locator("#tokenize-cuts [data-name=words] [role=listbox]")
    expect(row).to_contain_text("In")
    page.wait_for_function("!document.documentElement.classList.contains('settling')")
    row.focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    third = row.locator("[role=option]").nth(2)
    assert row.get_attribute("aria-activedescendant") == third.get_attribute("id") and "focus" in (
        third.get_attribute("class") or ""
    )
    expect(page.locator("#tokenize-cuts output.unseen")).to_contain_text("id")
    page.keyboard.press("Enter")
    expect(third).to_have_attribute("aria-selected", "true")
