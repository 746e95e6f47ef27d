"""The Pretrain page on one screen: where its parts stand, what is folded, and that a run which learns moves nothing."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from browser import calm, visit
from playwright.sync_api import Browser, Page, Route, expect
from staying import Stay
from test_terms import SHIFTS

from lab.catalog import MODELS
from lab.runs.finding import runs
from lab.runs.folder import RunFolder
from lab.training.sizes import USUAL, shape

BOXES = """() => Object.fromEntries(Object.entries({ start: "#pretrain-start", bar: "#pretrain-bar", curve: ".lab-screen .lab-curve .card",
  chart: ".lab-screen .chart", pinned: ".lab-screen .lab-pinned .card" }).map(([name, selector]) => {
  const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
  return [name, { left, top, right, bottom }];
}))"""  # noqa: E501


def boxes(page: Page) -> dict[str, dict[str, float]]:
    """Where the parts of the page stand in the window, in pixels."""
    page.wait_for_selector(".lab-screen .chart svg circle")
    found: dict[str, dict[str, float]] = page.evaluate(BOXES)
    return found


def picked(page: Page, name: str) -> None:
    """Choose a model."""
    page.locator(".lab-choice summary:visible").nth(1).click()
    page.get_by_role("radio", name=name, exact=True).click()


FORECASTS = """(name) => window.lab.config.dependencies
  .filter(({ outputs, backend_fn }) => backend_fn && outputs.some((id) => window.lab.config.components
    .find((each) => each.id === id)?.props.elem_id === name)).map(({ id }) => id)"""  # the questions that it answers


def button(page: Page, name: str) -> Any:
    return page.get_by_role("button", name=name, exact=True).locator("visible=true")


@pytest.fixture(params=[{"lang": "zh"}, {}], ids=["zh", "en"], scope="module")
def address(request: pytest.FixtureRequest) -> dict[str, str]:
    """The page in each language; the tests of one stand together."""
    found: dict[str, str] = request.param
    return found


def test_curve_and_pinned_sentence_stand_side_by_side_above_the_fold(
    server: str, stay: Stay, address: dict[str, str]
) -> None:
    at = boxes(stay(server, "pretrain", **address))
    assert at["start"]["bottom"] < at["curve"]["top"] == at["pinned"]["top"] < 400
    assert at["curve"]["right"] < at["pinned"]["left"] and at["chart"]["bottom"] < 800
    assert at["curve"]["bottom"] <= 800 and at["pinned"]["bottom"] <= 800


def test_a_phone_shows_start_at_once_and_one_part_below_the_other(
    server: str, stay: Stay, address: dict[str, str]
) -> None:
    page = stay(server, "pretrain", **address)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(300)
    at = boxes(page)
    assert at["start"]["bottom"] < 844 and at["curve"]["top"] < 844 and at["pinned"]["top"] > at["curve"]["bottom"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_bar_stays_in_sight_down_to_the_last_run(server: str, stay: Stay, address: dict[str, str]) -> None:
    page = stay(server, "pretrain", **address)
    for wide in (1280, 390):
        page.set_viewport_size({"width": wide, "height": 800})
        page.locator(".lab-run_list li:visible").last.scroll_into_view_if_needed()
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        expect(page.locator("#pretrain-start")).to_be_in_viewport(ratio=1)
        expect(page.locator("#pretrain-state")).to_be_in_viewport()
    page.evaluate("scrollTo(0, 0)")


def test_a_model_is_picked_from_cards_over_the_page_and_what_does_not_fit_waits_to_be_asked_for(
    server: str, stay: Stay
) -> None:
    page = stay(server, "pretrain")
    before = boxes(page)
    page.locator(".lab-choice summary:visible").nth(1).click()
    assert boxes(page) == before
    page.keyboard.press("Escape")
    expect(page.get_by_role("radio", name="BERT", exact=True)).to_be_hidden()
    picked(page, "BERT")
    expect(page.locator(".lab-choice summary:visible").nth(1)).to_contain_text("BERT")
    expect(page.get_by_role("radio", name="BERT", exact=True)).to_be_hidden()
    page.get_by_role("button", name="All settings").click()
    objective = page.locator(".lab-choice:visible", has=page.get_by_role("heading", name="Objective", exact=True))
    expect(objective.get_by_role("radio", name=re.compile("^MLM"))).to_be_checked()
    refused = objective.get_by_role("radio", name=re.compile("^Span corruption"))
    expect(refused).to_be_hidden()
    objective.locator("summary", has_text="do not fit").click()
    expect(refused).to_be_visible()
    expect(page.locator("#pretrain-forecast .tile").first).to_be_visible()


def test_a_model_is_forecast_once_when_all_that_it_changes_stands(server: str, stay: Stay) -> None:
    page = stay(server, "pretrain")
    asks, asked = page.evaluate(FORECASTS, "pretrain-forecast"), []
    page.on("request", lambda request: asked.append(request.post_data_json) if request.method == "POST" else None)
    for model in ("XLNet", "word2vec", "BART"):
        asked.clear()
        picked(page, model)
        calm(page)
        forecast = [question["data"] for question in asked if question["fn_index"] in asks]
        assert len(forecast) == 1, model
        shaped = next(value for value in forecast[0] if isinstance(value, str) and '"context"' in value)
        assert MODELS[json.loads(shaped)["of"]].title == model  # not the shape of the model before


def test_a_family_that_is_not_seen_learning_says_so_before_the_start(server: str, stay: Stay) -> None:
    page = stay(server, "pretrain")
    said = page.locator("#pretrain-objection")
    expect(said).to_be_hidden()
    seconds = page.get_by_label("number input for Time in seconds")
    picked(page, "word2vec")
    expect(said).to_contain_text("nearest neighbours")
    expect(seconds).to_have_value("120")
    picked(page, "SpanBERT")
    expect(page).to_have_url(re.compile("objective=span"))  # the dial follows with it, over what is typed earlier
    expect(seconds).to_have_value("180")  # as long as it needs, so that there is nothing to say
    expect(said).to_be_hidden()
    seconds.fill("60")
    expect(said).to_contain_text("SpanBERT falls below the bigram baseline only")
    seconds.fill("300")
    expect(said).to_be_hidden()


def test_the_papers_recipe_is_set_as_a_whole_and_stands_after_a_reload(server: str, stay: Stay) -> None:
    page = stay(server, "pretrain", model="bert")
    rate = page.get_by_label("Learning rate, the model's own if left out")
    paper, ours = (page.get_by_label(name, exact=True) for name in ("As published", "The lab's"))
    page.get_by_role("button", name="All settings").click()
    paper.check()
    expect(rate).to_have_value("0.0001")
    expect(page).to_have_url(re.compile("learning_rate=0.0001"))
    page.reload()
    page.get_by_role("button", name="All settings").click()
    expect(paper).to_be_checked()
    expect(rate).to_have_value("0.0001")
    ours.check()
    expect(rate).to_have_value("")
    expect(page.get_by_label("Optimizer", exact=True)).to_have_value(re.compile("Muon"))


def test_a_run_that_learns_moves_nothing(server: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US", reduced_motion="reduce")
    page = context.new_page()
    page.add_init_script(SHIFTS)
    visit(page, server, "pretrain", seconds=6, run="gpt-town")
    before = boxes(page)
    page.evaluate("window.shifted = 0")
    page.locator("#pretrain-start").click()
    expect(button(page, "Stop")).to_be_visible()
    expect(page.locator("#pretrain-state")).to_contain_text("Finished", timeout=90_000)
    after = boxes(page)
    assert page.evaluate("window.shifted") <= 0.02
    assert {name: at["top"] for name, at in before.items()} == {name: at["top"] for name, at in after.items()}
    assert after["pinned"]["bottom"] <= 800
    context.close()


def test_on_a_phone_whoever_starts_a_run_sees_it_without_scrolling(server: str, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="en-US", reduced_motion="reduce")
    page = context.new_page()
    visit(page, server, "pretrain", seconds=5)
    assert boxes(page)["pinned"]["top"] > 844
    page.locator("#pretrain-start").click()
    expect(button(page, "Stop")).to_be_in_viewport(ratio=1)
    expect(page.locator("#pretrain-start")).to_be_in_viewport(ratio=1)
    at = boxes(page)
    assert at["bar"]["bottom"] <= at["curve"]["top"] and at["pinned"]["top"] + 100 < 844
    expect(page.locator(".lab-screen .chart")).to_be_in_viewport(ratio=1)
    expect(page.locator(".lab-screen .sentence")).to_be_in_viewport(ratio=1)
    expect(page.locator("#pretrain-state")).to_contain_text("Finished", timeout=90_000)
    context.close()


def test_no_label_is_read_through_the_bar_that_stays(server: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, server, "pretrain", corpus="own")
    label = page.locator("[data-testid=block-info]").filter(has_text="Or paste a text")
    bar = page.locator("#pages .lab-run-bar:visible")
    label.evaluate("(node) => window.scrollBy(0, node.getBoundingClientRect().top - innerHeight + 30)")
    page.wait_for_timeout(300)
    text, over = label.bounding_box(), bar.bounding_box()
    assert text and over and over["y"] < text["y"] + text["height"] / 2 < over["y"] + over["height"], "one on the other"
    assert bar.evaluate(
        "(node, [x, y]) => node.contains(document.elementFromPoint(x, y))",
        [text["x"] + 4, text["y"] + text["height"] / 2],
    )


def test_several_runs_change_axis_and_unit_without_asking_the_server(server: str, page: Page) -> None:
    visit(page, server, "pretrain", compare="gpt-town,bert-town")
    compared = page.locator("#pretrain-compared")
    expect(compared.locator("tbody")).to_contain_text("Causal language modelling")
    lines = compared.locator(".chart path.line")
    expect(page.locator(".lab-run_list input:checked")).to_have_count(2)

    def drawn_now() -> str:
        return " ".join(line.get_attribute("d") or "" for line in lines.all())  # the longest fills every axis alike

    calm(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    drawn = [drawn_now()]
    for label, name, said in (
        ("Axis", "seconds", "seconds"),
        ("Axis", "epochs", "epochs"),
        ("Axis", "compute", "FLOPs"),
        ("Unit", "bits", "bits per byte"),
    ):
        compared.get_by_label(label, exact=True).select_option(name)
        expect(compared.locator(".chart svg")).to_contain_text(said)
        drawn.append(drawn_now())
    for box in ("Log x axis", "Log loss axis"):
        compared.get_by_label(box, exact=True).check()
        drawn.append(drawn_now())
    assert len({*drawn}) == 7 and not asked
    expect(page.get_by_label("Log loss axis").locator("visible=true")).to_have_count(1)  # a run alone has none
    page.evaluate("window.lab.goto('pretrain', ['compare'], ['t5-town,bert-town'])")  # as by going back
    expect(compared.locator(".legend")).to_contain_text("T5")
    ticked = page.locator(".lab-run_list li:has(input:checked)")
    assert {row.get_attribute("data-run") for row in ticked.all()} == {"t5-town", "bert-town"}
    page.locator(".lab-run_list li[data-run=t5-town] input").uncheck()
    expect(compared).to_be_hidden()
    expect(page).to_have_url(re.compile("compare=bert-town(&|$)"))


CHOOSE_AND_START = """(name) => {
  const own = [...document.querySelectorAll(".lab-choice [role=radio]")].find(
    (each) => each.offsetParent && each.textContent.trim().startsWith(name),
  );
  own.click();
  document.querySelector("#pretrain-start").click();
}"""


@pytest.mark.parametrize("model", ["ELMo", "T5"])
def test_whoever_starts_at_once_after_a_choice_starts_what_the_page_then_shows(
    stay: Stay, server: str, place: Path, model: str
) -> None:
    """Size, objective and tokenizer follow the model; what they become is waited for, the forecast is not."""
    page = stay(server, "pretrain", seconds=10)

    def late(route: Route) -> None:
        answer = route.fetch()
        time.sleep(0.2)
        route.fulfill(response=answer)

    page.route("**/gradio_api/run/**", late)
    page.locator(".lab-choice summary:visible").nth(1).click()
    known = {folder.name for folder in runs(place)}
    page.evaluate(CHOOSE_AND_START, model)
    begun: list[RunFolder] = []
    for _ in range(300):
        page.wait_for_timeout(100)
        if begun := [folder for folder in runs(place) if folder.name not in known]:
            break
    page.unroute_all(behavior="wait")
    [folder] = begun
    name = model.lower()
    assert (folder.run.model, folder.run.objective) == (name, MODELS[name].objective)
    assert folder.run.shape == {**folder.run.shape, **shape(name, USUAL)}
