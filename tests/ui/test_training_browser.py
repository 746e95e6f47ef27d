"""Training as a visitor lives through it: start, watch, reload, stop, resume, fine-tune; and nobody else's runs."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import visit, watched
from playwright.sync_api import Browser, Page, expect

PATIENCE = 90_000  # milliseconds: other tests may keep the machine busy
SOON = 2000  # milliseconds from the click to the first loss that can be seen

# From the click to the first frame in which the curve shows a point of the new run.
FIRST_POINT = """() => new Promise((resolve) => {
  const began = performance.now(), chart = document.querySelector(".lab-curve .chart");
  let cleared = false;
  const look = () => {
    const shown = !chart.hidden && chart.offsetParent && chart.querySelector("circle");
    if (!shown) cleared = true;
    if ((cleared && shown) || performance.now() - began > 60000) resolve(performance.now() - began);
    else requestAnimationFrame(look);
  };
  document.querySelector("#pretrain-start").click();
  look();
})"""


def stopped(page: Page) -> None:
    """Stop the run on show and wait until it has."""
    button(page, "Stop").click()
    expect(button(page, "Resume")).to_be_visible(timeout=PATIENCE)


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True).locator("visible=true")


def step_of(page: Page) -> int:
    """The step that the tile says."""
    text = page.locator(".lab-tiles .tile:visible", has_text=re.compile("^Step[^s]")).locator(".number").inner_text()
    return int(text.replace(",", ""))


def until(true: Callable[[], bool], seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.2)


@contextmanager
def another(browser: Browser, locale: str = "en-US") -> Iterator[Page]:
    """A page in a profile of its own: another visitor."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale=locale)
    with watched(context.new_page()) as page:
        yield page
    context.close()


def listed(page: Page) -> list[str]:
    """The titles in the list of runs."""
    return page.locator(".lab-run_list .title:visible").all_inner_texts()


def test_the_first_loss_is_seen_two_seconds_after_the_click(page: Page, server: str) -> None:
    visit(page, server, "pretrain", seconds=20)
    times = []
    for _ in range(3):
        page.wait_for_timeout(1500)
        times.append(page.evaluate(FIRST_POINT))
        stopped(page)
        if times[-1] < SOON:  # others may use the machine: one of three is to be as quick
            break
    assert min(times) < SOON, times


def test_a_run_is_found_again_after_a_reload_stopped_resumed_and_taken_step_by_step(page: Page, server: str) -> None:
    visit(page, server, "pretrain", seconds=120)
    page.evaluate(FIRST_POINT)
    until(lambda: step_of(page) >= 5)
    before, address = step_of(page), page.url
    assert "run=gpt-clm-" in address
    page.goto("about:blank")
    page.goto(address)
    until(lambda: page.locator(".lab-tiles .tile:visible").count() >= 4 and step_of(page) > before)
    assert page.url == address and button(page, "Stop").is_visible()
    stopped(page)
    held = step_of(page)
    page.wait_for_timeout(1500)
    assert step_of(page) == held, "stop means stopped"
    button(page, "Resume").click()
    until(lambda: step_of(page) > held)
    expect(page.get_by_text("Resumed at step")).to_be_visible()
    button(page, "Pause").click()
    button(page, "One step").wait_for(timeout=PATIENCE)
    until(lambda: f"Paused after step {step_of(page)}" in page.locator("#pretrain-state").inner_text())
    held = step_of(page)
    button(page, "One step").click()
    until(lambda: step_of(page) == held + 1)
    button(page, "Go on").click()
    until(lambda: step_of(page) > held + 1)
    expect(button(page, "One step")).to_have_count(0)
    stopped(page)


def test_two_tabs_that_start_at_once_both_come_to_their_turn(page: Page, server: str) -> None:
    tabs = [page, page.context.new_page()]
    for tab in tabs:
        visit(tab, server, "pretrain", seconds=10)
    for tab in tabs:
        tab.locator("#pretrain-start").click()
    for tab in tabs:
        expect(tab).to_have_url(re.compile("run=gpt-clm-"), timeout=PATIENCE)  # until then it shows a finished one
        expect(tab.get_by_text(re.compile("^Finished after"))).to_be_visible(timeout=PATIENCE)
    assert len({tab.url for tab in tabs}) == 2
    tabs[1].close()


def test_two_visitors_never_see_each_others_runs(browser: Browser, server: str) -> None:
    with another(browser) as ann, another(browser) as bob:
        visit(ann, server, "pretrain", seconds=60)
        ann.evaluate(FIRST_POINT)
        title = ann.get_by_label("Title of this run")
        expect(title).to_have_value(re.compile("GPT"), timeout=PATIENCE)  # what comes later would write over hers
        title.fill("Ann's Quux run")
        title.press("Enter")
        expect(ann.locator(".lab-run_list .title", has_text="Ann's Quux run")).to_be_visible()
        visit(bob, server, "pretrain", run=re.findall(r"run=([\w-]+)", ann.url)[0])
        bob.wait_for_timeout(1500)
        assert "Ann's Quux run" not in listed(bob) and "Quux" not in bob.content()
        stopped(ann)


def test_runs_are_compared_found_by_tags_and_deleted_only_when_confirmed(page: Page, server: str) -> None:
    visit(page, server, "pretrain", seconds=60)
    for _ in range(2):
        page.evaluate(FIRST_POINT)
        until(lambda: step_of(page) >= 5)
        stopped(page)
    boxes = page.locator(".lab-run_list input[type=checkbox]:visible")
    for number in range(2):
        boxes.nth(number).check()
    expect(page.get_by_text("Validation loss of the ticked runs")).to_be_visible()
    count = len(listed(page))
    page.get_by_label("Notes").locator("visible=true").fill("the second #again")
    page.get_by_label("Notes").locator("visible=true").blur()
    tag = page.locator(".lab-run_list .tags button:visible", has_text="#again")
    tag.click()
    until(lambda: len(listed(page)) == 1)
    expect(tag).to_be_focused()
    tag.click()
    until(lambda: len(listed(page)) == count)
    bin_of_first = page.locator(".lab-run_list .bin:visible").first
    bin_of_first.click()
    button(page, "Keep").click()
    assert len(listed(page)) == count
    page.locator(".lab-run_list .bin:visible").first.click()
    button(page, "Delete").click()
    until(lambda: len(listed(page)) == count - 1)


HOSTILE = "<img src=x onerror=window.ran=1>${window.ran=2}{{window.ran}}</script>[MASK]\\x"


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_nothing_that_is_typed_is_ever_executed(browser: Browser, server: str, tmp_path: Path, locale: str) -> None:
    with another(browser, locale) as page:
        visit(page, server, "pretrain", seconds=10, corpus="own")
        file = tmp_path / "<img src=x onerror=window.ran=3>.txt"
        file.write_text((HOSTILE + "\nThe ferry leaves at nine. ") * 400, encoding="utf-8")
        page.locator("input[type=file]").first.set_input_files(str(file))
        expect(page.locator(".lab-prose pre", has_text="onerror")).to_be_visible()
        page.get_by_role("button", name=re.compile("^(All settings|全部设置)")).click()
        page.get_by_label(re.compile("Pinned sentence|观察句")).fill(HOSTILE)
        page.evaluate(FIRST_POINT)
        title = page.get_by_label(re.compile("Title of this run|训练的名称"))
        expect(title).to_have_value(re.compile("GPT"), timeout=PATIENCE)  # what comes later would write over it
        title.fill(HOSTILE)
        title.press("Enter")
        expect(page.locator(".lab-run_list .title", has_text="onerror").first).to_be_visible()
        page.locator(".lab-command summary:visible").click()
        page.reload()
        expect(page.locator(".lab-pinned .sentence", has_text="onerror")).to_be_visible()
        assert page.evaluate("window.ran") is None


def test_a_mistake_is_said_in_one_sentence_in_the_visitors_language(browser: Browser, server: str) -> None:
    with another(browser, "zh-CN") as page:
        visit(page, server, "pretrain", corpus="own")
        page.locator("#pretrain-start").click()
        expect(page.locator(".toast")).to_contain_text("请先上传或粘贴文本")


def test_a_pretrained_run_is_fine_tuned_beside_a_random_one_and_classifies(page: Page, server: str) -> None:
    visit(page, server, "pretrain", seconds=10)
    page.evaluate(FIRST_POINT)
    expect(page.get_by_text(re.compile("^Finished after"))).to_be_visible(timeout=PATIENCE)
    button(page, "Fine-tune it").click()
    expect(page.get_by_role("heading", name="Fine-tune and compare")).to_be_visible()
    page.get_by_text("All settings").locator("visible=true").click()
    page.get_by_label("Number of stories").locator("visible=true").first.fill("100")
    expect(page.locator(".tile:visible", has_text="Training examples")).to_contain_text("90")
    page.locator("#finetune-start").click()
    for which in ("From the pretrained run", "From random weights"):
        expect(page.get_by_text(f"{which}: Finished after")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".tile:visible", has_text="What pretraining is worth")).to_contain_text("points")
    bars = page.locator(".lab-bars .number:visible")
    expect(bars).to_have_count(4)
    page.get_by_label("Your text").locator("visible=true").fill("In the end nobody came, and Rose cried.")
    expect(bars).to_have_count(4)
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_text("From random weights: Finished after")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".lab-bars .number:visible")).to_have_count(4)
