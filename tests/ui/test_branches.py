"""Branches of a text on the Generate page: kept when left, named, returned to, dropped, and carried by the link."""

import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from trained import run_of

from lab.ui.components.branches import LONGEST, MOST, Branches, branches_of
from lab.ui.pages.generate.branching import mark_of, spelt
from lab.ui.shell import visitor

PROMPT = "The town was"
HOSTILE = '"><img src=x onerror=window.hit=1>分支🦜\\'


def value(*branches: list[Any]) -> str:
    return json.dumps(branches, separators=(",", ":"), ensure_ascii=False)


def test_each_branch_reads_as_its_tokenizer_spells_it() -> None:
    run = run_of("gpt")
    tokenizer = visitor.trained(run).tokenizer
    ids = [int(i) for i in tokenizer.encode("a cow 牛")]
    mark = spelt(run, "")["texts"]["of"]
    assert mark == mark_of(visitor.trained(run)) and re.fullmatch(r"[0-9a-f]{8}", mark)
    found = spelt(run, value(["one", mark, ids, [0]], ["two", mark, [], []]))["texts"]["texts"]
    assert b"".join(bytes.fromhex(piece) for _, piece in found[0]).decode().strip() == "a cow 牛"
    assert found[1] == []


def test_ids_of_another_tokenizer_or_beyond_the_vocabulary_are_not_read() -> None:
    run = run_of("gpt")
    mark = spelt(run, "")["texts"]["of"]
    assert spelt(run_of("gpt", tokenizer="char_bpe"), "")["texts"]["of"] != mark
    other = "0" * 8
    assert spelt(run, value(["one", other, [50], []], ["two", mark, [9_999_999], []]))["texts"]["texts"] == [None, None]
    assert spelt("", "") == spelt(run_of("bert"), "") == {}


@pytest.mark.parametrize(
    "sent",
    [
        "[[",
        "null",
        "[]",
        value(["", "0" * 8, [1], []]),
        value(["a", "0" * 7, [1], []]),
        value(["a", "0" * 8, [-1], []]),
        value(["a", "0" * 8, [1.5], []]),
        value(["a", "0" * 8, [10**7], []]),
        value(["a", "0" * 8, [1] * (LONGEST + 1), []]),
        value(*[["a", "0" * 8, [1], []]] * (MOST + 1)),
        value(["a" * 241, "0" * 8, [1], []]),
        value(["a", "0" * 8, [1], []]) + "x",
    ],
)
def test_of_a_value_that_is_none_the_handler_receives_nothing(sent: str) -> None:
    assert Branches().preprocess(sent) == "" and branches_of("") == []


def test_the_most_that_may_be_kept_is_received_whole() -> None:
    whole = value(*[[HOSTILE, "0" * 8, [9_999_999] * LONGEST, [0, 511]]] * MOST)
    assert Branches().preprocess(whole) == whole
    assert [len(branch.ids) for branch in branches_of(whole)] == [LONGEST] * MOST
    assert branches_of(whole)[0].name == HOSTILE


# ---- in the browser


def words(page: Page) -> list[str]:
    return page.locator("#generate-text .stage .token").all_inner_texts()


def rows(page: Page) -> Any:
    return page.locator("#generate-branches .kept li")


# Returns to the second branch in the moment in which its button answers.
QUICK = """new MutationObserver(() => {
    const back = document.querySelectorAll("#generate-branches .return")[1];
    if (!back || back.disabled || window.went) return;
    window.went = true;
    back.click();
}).observe(document, {subtree: true, childList: true, attributes: true})"""


def test_a_text_that_is_left_is_kept_and_comes_back_from_a_link(page: Page, asking: str) -> None:
    visit(page, asking, "generate", run="gpt", text=PROMPT, greedy="true")
    page.locator("#generate-text .stage .token").nth(5).wait_for()
    first = words(page)
    page.locator("#generate-text .stage .token").nth(2).hover()
    expect(page.locator(".lab-note:visible")).to_contain_text("instead: ")
    page.locator("#generate-text .stage .token").nth(2).click()
    page.locator("#generate-text .alternatives .other:not(.taken)").first.click()
    page.locator("#generate-text .stage .token.picked").wait_for()
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first.locator(".facts")).to_contain_text("the first 2 as in the text above")
    page.get_by_role("button", name="Keep this text").click()
    expect(rows(page)).to_have_count(2)
    expect(rows(page).nth(1)).to_have_class("here")
    second = words(page)
    page.keyboard.type(HOSTILE)  # the new name stands marked
    page.keyboard.press("Enter")
    rows(page).first.get_by_role("button", name="Return to Branch 1").click()
    expect(rows(page).first).to_have_class("here")
    expect(page.locator("#generate-text .stage .token")).to_have_text(first)
    page.goto(page.evaluate("window.lab.link()"))
    expect(rows(page)).to_have_count(2)
    expect(rows(page).nth(1).locator("input")).to_have_value(HOSTILE)
    expect(rows(page).nth(1).locator(".reads")).not_to_be_empty()
    rows(page).nth(1).locator(".return").click()
    expect(page.locator("#generate-text .stage .token")).to_have_text(second)
    expect(page.locator("#generate-text .stage .token.picked")).to_have_count(1)
    for left in (1, 0):
        rows(page).first.locator(".drop").focus()
        page.keyboard.press("Enter")
        expect(rows(page)).to_have_count(left)
    page.wait_for_function("!location.href.includes('branches=')")
    assert page.evaluate("window.hit") is None


def test_a_link_carries_the_text_above_where_the_visitor_chose_a_token(page: Page, asking: str) -> None:
    visit(page, asking, "generate", run="gpt", text=PROMPT, greedy="true")
    page.locator("#generate-text .stage .token").nth(5).wait_for()
    assert "branches=" not in page.evaluate("window.lab.link()"), "a seed says it all"
    page.locator("#generate-text .stage .token").nth(2).click()
    page.locator("#generate-text .alternatives .other:not(.taken)").first.click()
    page.locator("#generate-text .stage .token.picked").wait_for()
    page.locator("#generate-text .stage .token").nth(5).wait_for()
    page.wait_for_function("!window.lab.awaited")
    text = words(page)
    page.goto(page.evaluate("window.lab.link()"))
    expect(rows(page)).to_have_count(2)
    expect(page.locator("#generate-text .stage .token")).to_have_text(text)
    expect(rows(page).nth(1)).to_have_class("here")


def test_who_returns_to_a_branch_before_the_page_has_is_not_taken_elsewhere(page: Page, asking: str) -> None:
    """The page opens with the address's branch as soon as its text is there; a quick visitor is quicker."""
    visit(page, asking, "generate", run="gpt", text=PROMPT)
    page.locator("#generate-text .stage .token").nth(5).wait_for()
    page.wait_for_function("!document.querySelector('#generate-branches .keep').disabled")
    mark = spelt(run_of("gpt"), "")["texts"]["of"]
    both = value(["one", mark, [60, 61, 62], []], ["two", mark, [70, 71, 72, 73], []])
    page.add_init_script(QUICK)
    page.goto(f"{page.url}&{urlencode({'branches': both, 'branch': 1})}")
    page.wait_for_function("window.went")
    page.wait_for_function("!window.lab.awaited")
    expect(page.locator("#generate-text .stage .token")).to_have_count(4)
    expect(rows(page).nth(1)).to_have_class("here")


def test_another_language_shows_the_text_in_which_the_visitor_chose_a_token(page: Page, asking: str) -> None:
    visit(page, asking, "generate", run="gpt", text=PROMPT, greedy="true")
    page.locator("#generate-text .stage .token").nth(5).wait_for()
    page.locator("#generate-text .stage .token").nth(2).click()
    page.locator("#generate-text .alternatives .other:not(.taken)").first.click()
    page.locator("#generate-text .stage .token.picked").wait_for()
    page.wait_for_function("!window.lab.awaited")
    text = words(page)
    page.get_by_role("button", name="中文").click()
    page.wait_for_function("document.documentElement.lang === 'zh-CN'")
    expect(page.locator("#generate-text .stage .token")).to_have_text(text)
    expect(page.locator("#generate-text .stage .token.picked")).to_have_count(1)
    page.locator("#generate-text .stage .token").nth(1).click()
    page.locator("#generate-text .alternatives .other:not(.taken)").last.click()
    page.wait_for_function("!location.href.includes('branch=')")  # another text is above now


def test_an_address_that_names_no_branch_opens_with_the_seeds_text(page: Page, asking: str) -> None:
    for branch in ("7", "none"):
        visit(page, asking, "generate", run="gpt", text=PROMPT, greedy="true", branch=branch)
        page.locator("#generate-text .stage .token").nth(5).wait_for()
        page.wait_for_function("!location.href.includes('branch=')")


def test_a_long_branch_of_a_link_is_read_in_pieces_and_one_of_another_tokenizer_stays(page: Page, asking: str) -> None:
    visit(page, asking, "generate", run="gpt", text=PROMPT)
    page.locator("#generate-text .stage .token").nth(5).wait_for()
    page.wait_for_function("!document.querySelector('#generate-branches .keep').disabled")
    mark = spelt(run_of("gpt"), "")["texts"]["of"]
    long = [50 + at % 90 for at in range(150)]
    page.goto(f"{page.url}&{urlencode({'branches': value(['long', mark, long, []], ['other', '0' * 8, [60], []])})}")
    expect(rows(page)).to_have_count(2)
    expect(rows(page).nth(1)).to_contain_text("1 tokens of another tokenizer")
    expect(rows(page).nth(1).locator(".return")).to_be_disabled()
    rows(page).first.locator(".return").click()
    expect(page.locator("#generate-text .stage .token")).to_have_count(150)
    expect(rows(page).first).to_have_class("here")


def test_branches_that_are_none_are_said_and_the_page_stands(page: Page, asking: str) -> None:
    visit(page, asking, "generate", run="gpt", text=PROMPT, branches="nonsense")
    expect(page.locator(".lab-toasts .toast", has_text="branches = nonsense")).to_be_visible()
    page.locator("#generate-text .stage .token").nth(5).wait_for()
    expect(rows(page)).to_have_count(0)
