"""The desks of the Objectives page: what each shows, held against the objectives, and each once in a browser."""

import re
from types import SimpleNamespace
from typing import Any

import gradio as gr
import numpy as np
import pytest
from browser import visit
from playwright.sync_api import Page, expect

from lab.catalog import OBJECTIVES
from lab.engine.exercise import corrupt
from lab.settings import SettingsError
from lab.ui.components.drawn import to_json
from lab.ui.desks import mask_calendar, permutation_desk, place
from lab.ui.shipped import tokenizer

TEXT = "The cat sat down. Then it slept for an hour. Nobody saw it."
HOSTILE = [
    "a",
    " x ",
    "👩‍🚀",
    "你好。再见。",
    "\ud83d",
    "<img src=x onerror=alert(1)>",
    "[MASK] [SEP] <extra_id_0>",
    "\0",
    "a" * 5000,
    "Many words here. " * 60_000,
]
MLM, PERMUTATION = OBJECTIVES["mlm"], OBJECTIVES["permutation"]


def event(**data: Any) -> Any:
    """What a component's script fires."""
    return SimpleNamespace(**data)


# ---- all of them


@pytest.mark.parametrize("name", OBJECTIVES.names())
def test_desks_show_themselves_where_they_suit_and_nowhere_else(name: str) -> None:
    for desk, value in zip(place.DESKS, place.laid(TEXT, name, "en"), strict=True):
        assert (value is not None) == desk.suits(OBJECTIVES[name])
        assert value is None or to_json(value)


def test_every_desk_suits_something() -> None:
    assert all(any(desk.suits(objective) for objective in OBJECTIVES) for desk in place.DESKS)


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_taken(text: str) -> None:
    for desk in place.DESKS:
        for objective in OBJECTIVES:
            if desk.FOLLOWS and desk.suits(objective):
                value = desk.view(text, objective, "zh")
                assert len(to_json(value)) < 40_000 and "empty" not in value


@pytest.mark.parametrize("text", ["", " \n", None])
def test_without_a_text_one_is_asked_for(text: Any) -> None:
    for desk in place.DESKS:
        objective = next(each for each in OBJECTIVES if desk.suits(each))
        if desk.FOLLOWS:
            assert desk.view(text, objective, "en") == {"empty": {"word": "desks.empty"}}


def test_another_text_leaves_alone_what_has_texts_of_its_own() -> None:
    for desk, value in zip(place.DESKS, place.retyped(TEXT, "mlm", "en"), strict=True):
        assert (value == gr.skip()) == (not desk.FOLLOWS or not desk.suits(MLM))


def test_a_text_that_is_too_long_is_cut_and_that_is_said() -> None:
    for desk, objective in ((mask_calendar, MLM), (permutation_desk, PERMUTATION)):
        assert desk.view(TEXT * 9, objective)["note"][-1] == {"word": "desks.cut", "n": desk.LONGEST}
        assert desk.view("One.", objective)["note"][-1]["word"] != "desks.cut"


# ---- the mask calendar


def columns(side: dict[str, Any]) -> list[str]:
    """One string of letters for each epoch."""
    return ["".join(side["cells"][epoch :: mask_calendar.EPOCHS]) for epoch in range(mask_calendar.EPOCHS)]


def test_static_masks_come_back_every_ten_epochs_and_dynamic_ones_do_not() -> None:
    static, dynamic = (columns(side) for side in mask_calendar.view(TEXT, MLM)["sides"])
    assert all(static[epoch] == static[epoch % 10] for epoch in range(40))
    assert len(set(static)) == 10 and len(set(dynamic)) > 35
    assert dynamic[:10] == static[:10]


@pytest.mark.parametrize("name", ["mlm", "macbert", "rtd"])
def test_a_column_of_the_calendar_is_the_exercise_of_that_epoch(name: str) -> None:
    value = mask_calendar.view(TEXT, OBJECTIVES[name], seed=5)
    side, known = value["sides"][1], tokenizer(OBJECTIVES[name])
    kinds = {"": ".", "masked": "m", "replaced": "r", "kept": "k"}
    for epoch in (0, 7, 39):
        found = corrupt(TEXT, OBJECTIVES[name], known, seed=5, epoch=epoch)
        assert columns(side)[epoch] == "".join(kinds[kind] for kind in found.kinds(known.vocabulary)[1:-1])
        for place_, letter in enumerate(columns(side)[epoch]):
            if letter == "r":
                instead = known.pieces([found.exercise.shown[0, place_ + 1]])[0]
                assert side["words"][f"{place_},{epoch}"] in (instead.text, f"‹{instead.bytes.hex(' ').upper()}›")


def test_equal_exercises_count_as_one_blank() -> None:
    shown = np.array([[9, 2, 3], [9, 2, 3], [1, 9, 3], [9, 9, 3]])
    asked = shown == 9
    assert mask_calendar.different(shown, asked) == [2, 2, 0]


def test_the_calendar_counts_no_more_blanks_than_it_has_drawings() -> None:
    static, dynamic = mask_calendar.view(TEXT, MLM, seed=2)["sides"]
    assert max(static["blanks"]) <= 10 and sum(dynamic["blanks"]) > 3 * sum(static["blanks"])
    assert static["said"]["never"] == static["blanks"].count(0)
    assert float(static["said"]["promised"]) == pytest.approx(1.5, abs=0.1)


def test_a_roll_of_the_calendar_keeps_to_its_objective() -> None:
    value = mask_calendar.again(TEXT, event(of="rtd", seed=3))
    assert value == mask_calendar.view(TEXT, OBJECTIVES["rtd"], seed=3) and value["of"] == "rtd"
    assert mask_calendar.again(TEXT, event(of="clm", seed=3)) == gr.skip()
    with pytest.raises(SettingsError):
        mask_calendar.again(TEXT, event(of="nothing", seed=3))


def test_the_calendar_plays_and_rolls(page: Page, server: str) -> None:
    visit(page, server, "objectives", lang="en")
    desk = page.locator("#mask-calendar")
    expect(desk.locator("canvas[role=img]")).to_have_count(2)
    expect(page.locator("#permutation-desk .card")).to_have_count(0)
    said = desk.locator(".count").all_inner_texts()
    desk.locator("input[type=range]").fill("12")
    expect(desk.locator(".reading")).to_have_text("epoch 13 of 40")
    expect(desk.locator(".row-label").first).to_contain_text("copy 3 of 10, visit 2")
    desk.get_by_text("Roll again").click()
    expect(desk.locator(".count").first).not_to_have_text(said[0])


# ---- the permutation desk


def test_the_desk_opens_with_the_order_that_the_objective_draws() -> None:
    found = corrupt(TEXT, PERMUTATION, tokenizer(PERMUTATION), longest=permutation_desk.LONGEST + 2)
    value = permutation_desk.view(TEXT, PERMUTATION)
    content, query = permutation_desk.streams(TEXT, PERMUTATION, value["order"], value["last"])
    assert (content == found.exercise.table()[0]).all()
    assert (query.any(1) == found.exercise.asked[0]).all()


def test_by_hand_an_order_decides_who_sees_whom() -> None:
    known = tokenizer(PERMUTATION)
    assert len(known.encode("an old town")) == 3  # then [SEP] and [CLS]
    content, query = permutation_desk.streams("an old town", PERMUTATION, [1, 4, 2, 0, 3], 2)
    assert query.astype(int).tolist() == [[0, 1, 1, 0, 1], [0] * 5, [0, 1, 0, 0, 1], [0] * 5, [0] * 5]
    assert content.astype(int).tolist() == [
        [1, 1, 1, 0, 1],  # "an", the last word that is read, sees all before it
        [0, 1, 0, 0, 0],  # "old" is there from the start
        [0, 1, 1, 0, 1],
        [1, 1, 1, 1, 1],  # [SEP] comes last
        [0, 1, 0, 0, 1],
    ]


def drawn(page: Page, stream: str) -> list[list[int]]:
    """The table that the browser draws."""
    rows = page.locator(f"#permutation-desk svg[data-stream={stream}]").get_attribute("data-sees") or ""
    return [[int(cell) for cell in row] for row in rows.split(" ")]


def lane(page: Page) -> list[int]:
    """The places of the tokens in the order of reading."""
    chips = page.locator("#permutation-desk .lane .token")
    return [int(chip.get_attribute("data-place") or -1) for chip in chips.all()]


def test_the_browser_draws_what_the_objective_says(page: Page, server: str) -> None:
    visit(page, server, "objectives", lang="en", text=TEXT, objective="permutation")
    desk = page.locator("#permutation-desk")
    expect(desk.locator(".lane .token")).to_have_count(16)

    def agree(last: int) -> None:
        tables = permutation_desk.streams(TEXT, PERMUTATION, lane(page), last)
        for stream, table in zip(("content", "query"), tables, strict=True):
            assert drawn(page, stream) == table.astype(int).tolist()

    agree(int(re.findall(r"\d+", desk.locator(".reading").inner_text())[0]))
    for last in (0, 5, 14):
        desk.locator("input[type=range]").fill(str(last))
        desk.locator("[data-act=random]").click()
        agree(last)
    desk.locator("[data-act=straight]").click()
    assert lane(page) == list(range(16))
    desk.locator(".lane .token").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert lane(page)[:4] == [1, 2, 0, 3]
    desk.locator(".lane .token").nth(5).drag_to(desk.locator(".lane .token").first, target_position={"x": 2, "y": 8})
    assert lane(page)[:4] == [5, 1, 2, 0]
    agree(14)
