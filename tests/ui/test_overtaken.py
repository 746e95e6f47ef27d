"""Answers that come late: what was asked about one run is never shown of another; and whoever comes back sees the run
as it is by now."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browser import calm, visit, watched
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from lab.runs.folder import RunFolder

PATIENCE = 90_000  # milliseconds: other tests may keep the machine busy
SHIPPED = "gpt-town"


@contextmanager
def learning(browser: Browser, server: str, place: Path) -> Iterator[Page]:
    """A page of a visitor of its own whose run learns, and is stopped in the end."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US", reduced_motion="reduce")
    with watched(context.new_page()) as page:
        visit(page, server, "pretrain", seconds=120)
        calm(page)
        page.locator("#pretrain-start").click()
        expect(page.locator("#pretrain-state")).to_contain_text("You may close the page", timeout=PATIENCE)
        [name] = re.findall(r"run=([\w-]+)", page.url)
        try:
            yield page
        finally:
            if (place / name).exists():
                RunFolder(place / name).ask_to_stop()  # the next one wants its core
        page.unroute_all(behavior="wait")
    context.close()


def held_back(page: Page, asks: str) -> list[tuple[Route, APIResponse]]:
    """The next request that holds ``asks``: the server answers, and the page does not hear of it yet."""
    held: list[tuple[Route, APIResponse]] = []

    def hold(route: Route) -> None:
        if held or asks not in (route.request.post_data or ""):
            route.fallback()
        else:
            held.append((route, route.fetch()))

    page.route("**/gradio_api/run/**", hold)
    return held


def until_held(page: Page, held: list[tuple[Route, APIResponse]]) -> None:
    for _ in range(900):
        if held:
            return
        page.wait_for_timeout(100)
    raise TimeoutError("nothing was asked")


def pick(page: Page, name: str) -> None:
    """Look at another run of the list."""
    page.locator(f".runs li[data-run={name}] .title").click()
    expect(page).to_have_url(re.compile(f"run={name}"), timeout=PATIENCE)
    expect(page.locator("#pretrain-stop")).to_be_hidden(timeout=PATIENCE)


def stop(page: Page) -> None:
    """Stop the run on show."""
    page.locator("#pretrain-stop").click()
    expect(page.locator("#pretrain-resume")).to_be_visible(timeout=PATIENCE)


def delete(page: Page, name: str) -> None:
    """Delete a run of the list."""
    row = page.locator(f".runs li[data-run={name}]:visible")
    row.locator(".bin").click()
    row.locator(".yes").click()


def let_go(page: Page, held: list[tuple[Route, APIResponse]]) -> None:
    [(route, answer)] = held
    route.fulfill(response=answer)
    calm(page)


def shown(page: Page) -> str:
    """All that the page says of a run."""
    fields = [page.get_by_label(label).locator("visible=true") for label in ("Title of this run", "Notes")]
    typed = [field.input_value() for field in fields if field.count()]
    parts = [page.locator(f"#pretrain-{part}").inner_text() for part in ("name", "state", "tiles")]
    return "\n".join([*typed, *parts, page.locator(".lab-curve .legend:visible").first.inner_text()])


@pytest.mark.parametrize("label", ["Title of this run", "Notes"])
def test_what_was_written_of_one_run_is_not_shown_of_another(
    browser: Browser, server: str, place: Path, label: str
) -> None:
    with learning(browser, server, place) as page:
        box = page.get_by_label(label).locator("visible=true")
        held = held_back(page, "mine alone")
        box.fill("mine alone")
        box.blur()
        until_held(page, held)
        pick(page, SHIPPED)
        expect(page.locator("#pretrain-state")).to_contain_text("Finished", timeout=PATIENCE)
        before = shown(page)
        let_go(page, held)
        assert shown(page) == before and "mine alone" not in before


# The curve, which misses what comes before the other run's points, asks anew and so mends it a moment later.
STATES = """() => {
  const state = document.querySelector("#pretrain-state");
  window.states = [state.innerText];
  new MutationObserver(() => window.states.push(state.innerText)).observe(state, { subtree: true, childList: true });
}"""


def test_how_one_run_was_going_is_at_no_moment_shown_of_another(browser: Browser, server: str, place: Path) -> None:
    with learning(browser, server, place) as page:
        mine = re.findall(r"run=([\w-]+)", page.url)[0]
        looked = held_back(page, f'"{mine}"')
        until_held(page, looked)
        pick(page, SHIPPED)
        expect(page.locator("#pretrain-state")).to_contain_text("Finished", timeout=PATIENCE)
        page.evaluate(STATES)
        let_go(page, looked)
        assert all("Finished" in state for state in page.evaluate("window.states"))


def test_whoever_comes_back_to_a_window_sees_what_was_done_in_another(
    browser: Browser, server: str, place: Path
) -> None:
    with learning(browser, server, place) as page:
        stop(page)
        other = page.context.new_page()
        other.goto(page.url)
        other.locator("#pretrain-resume").click()
        expect(other.locator("#pretrain-stop")).to_be_visible(timeout=PATIENCE)
        known = page.locator(".runs li[data-run^=gpt-clm-]:visible").count()
        other.locator("#pretrain-start").click()  # one more, which waits for the core
        expect(other).not_to_have_url(page.url, timeout=PATIENCE)
        expect(page.locator("#pretrain-resume")).to_be_visible()
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(page.locator("#pretrain-stop")).to_be_visible(timeout=PATIENCE)
        expect(page.locator("#pretrain-state")).to_contain_text("You may close the page", timeout=PATIENCE)
        expect(page.locator(".runs li[data-run^=gpt-clm-]:visible")).to_have_count(known + 1)
        other.locator("#pretrain-stop").click()
        stop(page)


def test_a_run_that_is_deleted_in_one_window_goes_from_the_other(browser: Browser, server: str, place: Path) -> None:
    with learning(browser, server, place) as page:
        stop(page)
        [name] = re.findall(r"run=([\w-]+)", page.url)
        other = page.context.new_page()
        other.goto(page.url)
        delete(other, name)
        for window in (other, page):
            expect(window.locator(f".runs li[data-run={name}]")).to_have_count(0, timeout=PATIENCE)
            expect(window).not_to_have_url(re.compile(name))


def test_a_run_that_is_deleted_in_one_window_goes_from_the_curves_of_the_other(
    browser: Browser, server: str, place: Path
) -> None:
    """Whether it is on show there or only laid over others."""
    with learning(browser, server, place) as page:
        stop(page)
        [name] = re.findall(r"run=([\w-]+)", page.url)
        windows = [page.context.new_page(), page.context.new_page()]
        for other, run in zip(windows, (name, SHIPPED), strict=True):
            visit(other, server, "pretrain", run=run, compare=f"{name},{SHIPPED},bert-town")
            expect(other.locator("#pretrain-compared .legend button")).to_have_count(3)
        delete(page, name)
        for other in windows:
            expect(other.locator("#pretrain-compared .legend button")).to_have_count(2, timeout=PATIENCE)
            expect(other).not_to_have_url(re.compile(name))
            expect(other.locator(".runs li input:checked")).to_have_count(2)


def test_what_went_wrong_with_a_run_is_said_whatever_is_on_show(browser: Browser, server: str, place: Path) -> None:
    with learning(browser, server, place) as page:
        [name] = re.findall(r"run=([\w-]+)", page.url)
        stop(page)
        waiting: list[Route] = []
        page.route(
            "**/gradio_api/run/**",
            lambda route: waiting.append(route) if "lost" in (route.request.post_data or "") else route.fallback(),
        )
        box = page.get_by_label("Title of this run").locator("visible=true")
        box.fill("lost")
        box.blur()
        pick(page, SHIPPED)
        before = shown(page)
        shutil.rmtree(place / name)  # as in another tab
        [route] = waiting
        route.continue_()
        expect(page.locator(".lab-toasts .toast", has_text=name)).to_be_visible(timeout=PATIENCE)
        assert shown(page) == before
