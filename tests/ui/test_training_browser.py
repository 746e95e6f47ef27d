"""Training as a visitor lives through it: start, watch, reload, stop, resume, fine-tune; and nobody else's runs."""

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from browser import calm, visit, watched
from playwright.sync_api import APIResponse, Browser, Page, Route, expect
from staying import Stay

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


def begun(page: Page) -> None:
    """Start a run and wait until it has learnt for some steps."""
    calm(page)  # a run that the page opens with would be held for the new one
    page.evaluate(FIRST_POINT)
    until(lambda: step_of(page) >= 5)


def test_numbers_are_written_as_the_page_writes_them_and_not_as_the_browser_does(browser: Browser, server: str) -> None:
    with another(browser, "de-DE") as page:
        visit(page, server, "pretrain", lang="en", run="gpt-town")
        expect(page.locator(".lab-pinned .reading")).to_have_text("step 6,500")


def test_the_first_loss_is_seen_two_seconds_after_the_click(stay: Stay, server: str) -> None:
    page = stay(server, "pretrain", seconds=60)
    times = []
    for _ in range(3):
        calm(page)
        times.append(page.evaluate(FIRST_POINT))
        stopped(page)
        if times[-1] < SOON:  # others may use the machine: one of three is to be as quick
            break
    assert min(times) < SOON, times


def test_runs_are_compared_found_by_tags_and_deleted_only_when_confirmed(stay: Stay, server: str) -> None:
    page = stay(server, "pretrain", seconds=60)
    begun(page)
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
    until(lambda: len(listed(page)) == 2)  # what is drawn stays in sight
    expect(tag).to_be_focused()
    boxes.nth(1).uncheck()
    tag.click()
    until(lambda: len(listed(page)) == count)
    tag.click()
    until(lambda: len(listed(page)) == 1)
    tag.click()
    until(lambda: len(listed(page)) == count)
    bin_of_first = page.locator(".lab-run_list .bin:visible").first
    bin_of_first.click()
    button(page, "Keep").click()
    assert len(listed(page)) == count
    page.locator(".lab-run_list .bin:visible").first.click()
    button(page, "Delete").click()
    until(lambda: len(listed(page)) == count - 1)


def test_after_one_step_more_the_other_pages_show_the_model_as_it_is_now(stay: Stay, server: str) -> None:
    page = stay(server, "pretrain", seconds=60)
    begun(page)
    page.locator("#pretrain-pause").click()
    one, snapshots = page.locator("#pretrain-one"), page.locator(".lab-snapshots output:visible")
    expect(one).to_be_visible(timeout=PATIENCE)
    busy = page.locator(".lab-run_list .bin:visible").first
    expect(busy).to_have_attribute("title", "Stop the run before deleting it.")
    busy.click(force=True)
    expect(page.locator(".lab-run_list .sure")).to_have_count(0)
    state = page.locator("#pretrain-state")
    for _ in range(2):
        expect(state).to_contain_text("Paused after step", timeout=PATIENCE)
        at = re.findall(r"step [\d,]+:", state.inner_text())[0]
        button(page, "Look into its attention").click()
        expect(snapshots).to_have_text(at.removesuffix(":"), timeout=PATIENCE)
        page.go_back()
        one.click()
        expect(state).not_to_contain_text(at, timeout=PATIENCE)
    stopped(page)


def test_two_visitors_never_see_each_others_runs(stay: Stay, browser: Browser, server: str) -> None:
    ann = stay(server, "pretrain", seconds=60)
    begun(ann)
    stopped(ann)
    title = ann.get_by_label("Title of this run")
    expect(title).to_have_value(re.compile("GPT"), timeout=PATIENCE)  # what comes later would write over hers
    title.fill("Ann's Quux run")
    title.press("Enter")
    expect(ann.locator(".lab-run_list .title", has_text="Ann's Quux run")).to_be_visible()
    with another(browser) as bob:
        visit(bob, server, "pretrain", run=re.findall(r"run=([\w-]+)", ann.url)[0])
        expect(bob.locator(".lab-toasts .toast", has_text="belongs to somebody else")).to_be_visible()
        calm(bob)
        assert "Ann's Quux run" not in listed(bob) and "Quux" not in bob.content()


def test_two_tabs_that_start_at_once_both_come_to_their_turn(stay: Stay, server: str) -> None:
    first = stay(server, "pretrain", seconds=60)
    with watched(first.context.new_page()) as second:
        visit(second, server, "pretrain", seconds=60)
        before = first.url
        for tab in (first, second):
            tab.locator("#pretrain-start").click()
        expect(first).not_to_have_url(before, timeout=PATIENCE)  # until then it shows the one before
        for tab in (first, second):
            expect(tab).to_have_url(re.compile("run=gpt-clm-"), timeout=PATIENCE)  # until then it shows a finished one
        states = {tab: tab.locator("#pretrain-state") for tab in (first, second)}
        until(lambda: any("You may close the page" in state.inner_text() for state in states.values()))
        # Whose click came first is the machine's to say; the other one waits for a core until that one has stopped.
        for tab in sorted(states, key=lambda tab: "You may close the page" not in states[tab].inner_text()):
            expect(states[tab]).to_contain_text("You may close the page", timeout=PATIENCE)
            stopped(tab)
        assert first.url != second.url
    second.close()


def test_a_run_that_is_gone_while_it_is_on_show_makes_room_for_another(stay: Stay, server: str, place: Path) -> None:
    page = stay(server, "pretrain", seconds=60)
    begun(page)
    name = re.findall(r"run=([\w-]+)", page.url)[0]
    shutil.rmtree(place / name, ignore_errors=True)  # as in another tab
    expect(page.locator(".lab-toasts .toast", has_text="another one is shown")).to_be_visible(timeout=PATIENCE)
    expect(page).not_to_have_url(re.compile(name))
    expect(page.locator("#pretrain-state")).not_to_contain_text("You may close the page")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(3000)
    assert not asked, "nothing learns, so that nothing is to be asked"


def test_whoever_clicks_twice_starts_one_run(stay: Stay, server: str) -> None:
    page = stay(server, "pretrain", seconds=60)
    calm(page)
    count = len(listed(page))
    page.locator("#pretrain-start").dblclick()
    expect(page.locator("#pretrain-state")).to_contain_text("You may close the page", timeout=PATIENCE)
    calm(page)
    assert len(listed(page)) == count + 1
    stopped(page)
    page.locator("#pretrain-start").click()  # and once more when that one is under way
    until(lambda: len(listed(page)) == count + 2)
    expect(page.locator("#pretrain-state")).to_contain_text("You may close the page", timeout=PATIENCE)
    stopped(page)


def test_what_a_page_opens_with_never_takes_the_place_of_a_run_that_was_started_meanwhile(
    browser: Browser, server: str
) -> None:
    with urlopen(f"{server}/config") as told:
        config = json.load(told)
    (state,) = (part["id"] for part in config["components"] if part["props"].get("elem_id") == "pretrain-state")
    (opening,) = (
        each["id"]
        for each in config["dependencies"]
        if state in each["outputs"] and each["api_name"].startswith("open_page")
    )
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        if route.request.post_data_json["fn_index"] == opening:
            held.append((route, route.fetch()))
        else:
            route.fallback()

    with another(browser) as page:
        page.route("**/run/predict*", hold)
        visit(page, server, "pretrain", seconds=60)
        page.locator("#pretrain-start").click()
        page.wait_for_timeout(4000)  # long enough for a run to be in the queue and on the page
        ((route, answer),) = held
        route.fulfill(response=answer)
        expect(page).to_have_url(re.compile("run=gpt-clm-"), timeout=PATIENCE)
        expect(page.locator("#pretrain-state")).to_contain_text("You may close the page", timeout=PATIENCE)
        stopped(page)


def test_a_lost_connection_is_told_in_the_language_of_the_page(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="zh-CN")
    page = context.new_page()  # what the browser says of the network is no fault of the page
    visit(page, server, "pretrain", lang="zh", seconds=60)
    calm(page)
    page.locator("#pretrain-start").click()
    expect(page.locator("#pretrain-state")).to_contain_text("可以关闭页面", timeout=PATIENCE)
    context.set_offline(True)
    note = page.locator(".toast-body")
    expect(note).to_contain_text("服务器没有响应", timeout=PATIENCE)
    expect(note).to_contain_text("连接已断开")
    expect(note).not_to_contain_text("Connection")
    context.set_offline(False)
    page.wait_for_timeout(3000)
    page.locator("#pretrain-stop").click()
    expect(page.locator("#pretrain-resume")).to_be_visible(timeout=PATIENCE)
    context.close()


def test_a_run_is_found_again_after_a_reload_stopped_resumed_and_taken_step_by_step(stay: Stay, server: str) -> None:
    page = stay(server, "pretrain", seconds=60)
    begun(page)
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


def test_a_pretrained_run_is_fine_tuned_beside_a_random_one_and_classifies(stay: Stay, server: str) -> None:
    page = stay(server, "pretrain", seconds=60)
    begun(page)
    stopped(page)
    button(page, "Fine-tune it").click()
    expect(page.get_by_role("heading", name="Fine-tune and compare")).to_be_visible()
    page.get_by_text("All settings").locator("visible=true").click()
    page.get_by_label("Number of stories").locator("visible=true").first.fill("50")
    expect(page.locator(".tile:visible", has_text="Training examples")).to_contain_text("45")
    page.locator("#finetune-start").click()
    for which in ("From the pretrained run", "From random weights"):
        expect(page.get_by_text(f"{which}: Finished after")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".tile:visible", has_text="What pretraining is worth")).to_contain_text("points")
    bars = page.locator(".lab-bars .number:visible")
    expect(bars).to_have_count(4)
    page.get_by_label("Your text").locator("visible=true").fill("In the end nobody came, and Rose cried.")
    expect(bars).to_have_count(4)
    calm(page)
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_text("From random weights: Finished after")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".lab-bars .number:visible")).to_have_count(4)


HOSTILE = "<img src=x onerror=window.ran=1>${window.ran=2}{{window.ran}}</script>[MASK]\\x"


def test_a_mistake_is_said_in_one_sentence_in_the_visitors_language(stay: Stay, server: str) -> None:
    page = stay(server, "pretrain", corpus="own", lang="zh")
    page.locator("#pretrain-start").click()
    expect(page.locator(".toast")).to_contain_text("请先上传或粘贴文本")


def test_nothing_that_is_typed_is_ever_executed(stay: Stay, server: str, tmp_path: Path) -> None:
    page = stay(server, "pretrain", corpus="own", lang="zh")
    file = tmp_path / "<img src=x onerror=window.ran=3>.txt"
    file.write_text((HOSTILE + "\nThe ferry leaves at nine. ") * 400, encoding="utf-8")
    page.locator("input[type=file]").first.set_input_files(str(file))
    expect(page.locator(".lab-prose pre", has_text="onerror")).to_be_visible()
    page.get_by_role("button", name=re.compile("^全部设置")).click()
    page.wait_for_timeout(1500)  # the sentence that suits the text comes later than its facts, and would write over it
    page.get_by_label("观察句").fill(HOSTILE)
    page.evaluate(FIRST_POINT)
    title = page.get_by_label("训练的名称")
    expect(title).to_have_value(re.compile("GPT"), timeout=PATIENCE)  # what comes later would write over it
    title.fill(HOSTILE)
    title.press("Enter")
    expect(page.locator(".lab-run_list .title", has_text="onerror").first).to_be_visible()
    page.get_by_role("button", name="停止", exact=True).locator("visible=true").click()
    page.get_by_role("button", name="恢复训练", exact=True).locator("visible=true").wait_for(timeout=PATIENCE)
    for language in ("中文", "English"):
        page.locator(".lab-command summary:visible").click()
        expect(page.locator(".lab-pinned .sentence", has_text="onerror")).to_be_visible()
        expect(page.locator(".lab-run_list .title", has_text="onerror").first).to_be_visible()
        assert page.evaluate("window.ran") is None, language
        if language == "中文":
            page.get_by_role("button", name="English").click()  # the page is loaded anew
            expect(page.locator("html")).to_have_attribute("lang", "en")
