"""The desks of the Objectives page: what each shows, held against the objectives, and each once in a browser."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from staying import Stay, go

from lab.analysis.preview import corrupt
from lab.catalog import OBJECTIVES
from lab.corpora.town_stories import Town
from lab.data.corpus import split, town_documents
from lab.settings import SettingsError
from lab.ui.components.drawn import to_json
from lab.ui.exercise.shipped import FILLS, shipped, tokenizer
from lab.ui.pages.objectives.desks import (
    assembly,
    cloze_game,
    cooccurrences,
    mask_calendar,
    permutation_desk,
    place,
    shortcut,
    windows,
)
from lab.ui.words import WORDS

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
NAMES = [
    first + last for first in "Ka Lo Mi Nu Pe Ro Su Te".split() for last in "bin dor gal hem jok lup mat nes".split()
]
MLM, PERMUTATION = OBJECTIVES["mlm"], OBJECTIVES["permutation"]
T5, GLM = OBJECTIVES["span_corruption"], OBJECTIVES["blank_infilling"]


def event(**data: Any) -> Any:
    """What a component's script fires."""
    return SimpleNamespace(**data)


# ---- all of them


@pytest.mark.parametrize("name", OBJECTIVES.names())
def test_desks_show_themselves_where_they_suit_and_nowhere_else(name: str) -> None:
    for desks, values in (
        (place.FOLLOWING, place.followed(TEXT, name, 0, {})),
        (place.STANDING, place.stood(name, "en")),
    ):
        assert [*values] == [place.called(desk) for desk in desks]
        for desk, value in zip(desks, values.values(), strict=True):
            assert (value is not None) == desk.suits(OBJECTIVES[name])
            assert value is None or to_json(value)


def test_every_desk_suits_something() -> None:
    assert all(any(desk.suits(each) for each in OBJECTIVES) for desk in (*place.FOLLOWING, *place.STANDING))


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_taken(text: str) -> None:
    for objective in OBJECTIVES:
        for value in place.followed(text, objective.name, 1, {}).values():
            assert value is None or len(to_json(value)) < 40_000 and "empty" not in value


@pytest.mark.parametrize("text", ["", " \n", None])
def test_without_a_text_one_is_asked_for(text: Any) -> None:
    found = [
        value for each in OBJECTIVES for value in place.followed(text, each.name, 0, {}).values() if value is not None
    ]
    assert len(found) >= len(place.FOLLOWING) and all(each == {"empty": {"word": "desks.empty"}} for each in found)


def test_settings_that_cannot_be_are_refused_in_words() -> None:
    for name in ("mlm", "span_corruption", "permutation"):
        for knob in OBJECTIVES[name].settings.knobs().keys() - {"dynamic"}:  # a calendar draws both
            with pytest.raises(SettingsError):
                place.followed(TEXT, name, 0, {knob: "x"})


def test_a_text_that_is_too_long_is_cut_and_that_is_said() -> None:
    for desk, objective in (
        (mask_calendar, MLM),
        (permutation_desk, PERMUTATION),
        (assembly, T5),
        (assembly, GLM),
        (windows, OBJECTIVES["window"]),
        (cooccurrences, OBJECTIVES["cooccurrence"]),
    ):
        assert desk.view(TEXT * 9, objective, {}, 0)["note"][-1] == {"word": "desks.cut", "n": desk.LONGEST}
        assert desk.view("One.", objective, {}, 0)["note"][-1]["word"] != "desks.cut"


# ---- the mask calendar


def columns(side: dict[str, Any]) -> list[str]:
    """One string of letters for each epoch."""
    return ["".join(side["cells"][epoch :: mask_calendar.EPOCHS]) for epoch in range(mask_calendar.EPOCHS)]


def test_static_masks_come_back_every_ten_epochs_and_dynamic_ones_do_not() -> None:
    static, dynamic = (columns(side) for side in mask_calendar.view(TEXT, MLM, {}, 0)["sides"])
    assert all(static[epoch] == static[epoch % 10] for epoch in range(40))
    assert len(set(static)) == 10 and len(set(dynamic)) > 35
    assert dynamic[:10] == static[:10]


@pytest.mark.parametrize("name", ["mlm", "macbert", "rtd"])
def test_a_column_of_the_calendar_is_the_exercise_of_that_epoch(name: str) -> None:
    value = mask_calendar.view(TEXT, OBJECTIVES[name], {"share": 0.3}, 5)
    side, known = value["sides"][1], tokenizer(OBJECTIVES[name])
    kinds = {"": ".", "masked": "m", "replaced": "r", "kept": "k"}
    for epoch in (0, 7, 39):
        found = corrupt(TEXT, OBJECTIVES[name], known, {"share": 0.3}, seed=5, epoch=epoch)
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
    static, dynamic = mask_calendar.view(TEXT, MLM, {}, 2)["sides"]
    assert max(static["blanks"]) <= 10 and sum(dynamic["blanks"]) > 3 * sum(static["blanks"])
    assert static["said"]["never"] == static["blanks"].count(0)
    assert float(static["said"]["promised"]) == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize("text", ["我", "今天天气", "她不得不等了五个", WORDS["objectives.default"]["zh"]])
def test_the_calendar_expects_the_different_maskings_that_it_counts(text: str) -> None:
    sides = [mask_calendar.view(text, MLM, {}, seed)["sides"] for seed in range(60)]
    for each in zip(*sides, strict=True):
        found, expected = np.array([[np.mean(side["blanks"]), float(side["said"]["promised"])] for side in each]).T
        band = 4 * (np.hypot(found.std(), expected.std()) / len(sides) ** 0.5) + 0.01
        assert abs(found.mean() - expected.mean()) < band


@pytest.mark.parametrize(("copies", "each"), [(1, "40"), (3, "13.3"), (100, "1")])
def test_as_many_copies_take_turns_as_are_asked_for(copies: int, each: str) -> None:
    value = mask_calendar.view(TEXT, MLM, {"copies": copies, "dynamic": True}, 0)
    static, dynamic = map(columns, value["sides"])
    assert static == [dynamic[epoch % copies] for epoch in range(40)]
    assert value["copies"] == value["sides"][0]["name"]["copies"] == min(copies, 40)
    assert value["sides"][0]["name"]["each"] == each


def test_the_calendar_plays_and_rolls(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    desk = page.locator("#mask-calendar")
    expect(desk.locator("canvas[role=img]")).to_have_count(2)
    expect(page.locator("#permutation-desk .card")).to_have_count(0)
    said = desk.locator(".count").all_inner_texts()
    desk.locator("input[type=range]").fill("12")
    expect(desk.locator(".reading")).to_have_text("epoch 13 of 40")
    expect(desk.locator(".row-label").first).to_contain_text("copy 3 of 10, visit 2")
    desk.get_by_text("Roll again").click()
    expect(desk.locator(".count").first).not_to_have_text(said[0])
    page.wait_for_url("**seed=1**")  # the luck of the whole page


# ---- the permutation desk


def test_the_desk_opens_with_the_order_that_the_objective_draws() -> None:
    found = corrupt(
        TEXT, PERMUTATION, tokenizer(PERMUTATION), {"every": 3}, seed=2, longest=permutation_desk.LONGEST + 2
    )
    value = permutation_desk.view(TEXT, PERMUTATION, {"every": 3}, 2)
    content, query = permutation_desk.streams(TEXT, PERMUTATION, value["order"], value["last"])
    assert (content == found.exercise.table()[0]).all()
    assert (query.any(1) == found.exercise.asked[0]).all()


def test_the_desk_has_one_order_and_shows_a_row_read_backwards_as_it_is_read() -> None:
    plain = permutation_desk.view(TEXT, PERMUTATION, {"every": 3}, 2)
    assert permutation_desk.view(TEXT, PERMUTATION, {"every": 3, "halves": True}, 2) == plain
    turned = permutation_desk.view(TEXT, PERMUTATION, {"backwards": 1.0}, 2)
    assert turned["tokens"] == [*plain["tokens"][-3::-1], *plain["tokens"][-2:]]


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


def test_the_browser_draws_what_the_objective_says(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", text=TEXT, objective="permutation", seed=0)
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


def test_a_row_that_asks_nothing_is_told_from_the_paper(stay: Stay, server: str) -> None:
    """Left empty, such a row and its key were white on white: what marks them has three times the paper's light."""
    page = stay(server, "objectives")
    go(page, "objectives", text=TEXT, objective="permutation", seed=0)
    desk = page.locator("#permutation-desk")
    expect(desk.locator(".lane .token")).to_have_count(16)
    desk.locator("input[type=range]").fill("6")
    papers = set()
    for _ in ("light", "dark"):
        asked = int(re.findall(r"\d+", desk.locator(".reading").inner_text())[0])
        struck = desk.locator("svg[data-stream=query] line.none")
        expect(struck).to_have_count(16 - asked)
        paper, line = desk.evaluate(
            "desk => [getComputedStyle(desk.querySelector('.card')).backgroundColor, "
            "getComputedStyle(desk.querySelector('svg[data-stream=query] line.none')).stroke]"
        )
        papers.add(paper)
        assert contrast(paper, line) >= 3
        assert line in desk.locator(".key.none").evaluate("key => getComputedStyle(key).backgroundImage")
        page.get_by_role("button", name="Dark").click()
    assert len(papers) == 2


def contrast(one: str, other: str) -> float:
    """How much lighter one colour is than another, as WCAG counts it."""

    def light(colour: str) -> float:
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


# ---- the animators


def lanes(value: dict[str, Any], frame: int = -1) -> list[list[str]]:
    """What lies in each lane of a frame, as texts."""
    return [[value["chips"][i]["text"] for i in lane["chips"]] for lane in value["frames"][frame]["lanes"]]


def spelt(found: Any, ids: np.ndarray) -> list[str]:
    """Ids as the chips spell them."""
    return assembly.spellings(found.tokenizer.pieces(ids))


@pytest.mark.parametrize("share", assembly.RATES)
@pytest.mark.parametrize("seed", range(5))
def test_span_corruption_ends_as_the_objective_has_it(seed: int, share: float) -> None:
    found = corrupt(TEXT * 2, T5, tokenizer(T5), {"share": share}, seed=seed, longest=assembly.LONGEST + 2)
    value = assembly.view(TEXT * 2, T5, {"share": share}, seed)
    assert found.exercise.source is not None
    parts = (found.exercise.source[0], found.exercise.shown[0], found.exercise.answers[0])
    assert lanes(value) == [spelt(found, part) for part in parts]
    assert lanes(value, 0) == [spelt(found, found.original), []]


@pytest.mark.parametrize(
    "values", [*[{"share": share} for share in assembly.RATES], {"document": 1.0}, {"sentence": 1.0}]
)
@pytest.mark.parametrize("seed", range(5))
def test_blank_infilling_ends_as_the_objective_has_it(seed: int, values: dict[str, float]) -> None:
    values = {"share": 0.15, **values}
    found = corrupt(TEXT * 2, GLM, tokenizer(GLM), values, seed=seed, longest=assembly.LONGEST + 2)
    value = assembly.view(TEXT * 2, GLM, values, seed)
    a, b, answers = lanes(value)
    exercise, last = found.exercise, value["frames"][-1]
    assert a + b == spelt(found, exercise.shown[0])
    assert answers == spelt(found, exercise.answers[0][exercise.asked[0]])
    assert exercise.positions is not None
    order = [chip for lane in last["lanes"][:2] for chip in lane["chips"]]
    assert [last["places"][str(chip)] for chip in order] == exercise.positions[0].tolist()


@pytest.mark.parametrize("objective", [T5, GLM], ids=lambda each: each.name)
def test_chips_are_moved_and_none_is_lost(objective: Any) -> None:
    value = assembly.view(TEXT, objective, {}, 1)
    words = len(tokenizer(objective).encode(TEXT))
    for frame in value["frames"]:
        placed = [chip for lane in frame["lanes"] for chip in lane["chips"]]
        assert len(set(placed)) == len(placed) and set(range(words)) <= set(placed)
        assert set(frame["lit"]) - set(placed) <= set(range(words, len(value["chips"])))


def test_a_short_text_loses_more_so_that_there_is_something_to_see_and_that_is_said() -> None:
    assert len(tokenizer(GLM).encode("The cat sat on a mat.")) < 13
    value = assembly.view("The cat sat on a mat.", GLM, {}, 1)
    assert value["share"] > 0.15 and value["note"][0]["word"] == "desks.assembly.raised"
    assert assembly.view("word " * 40, T5, {}, 0)["share"] == 0.15


def test_a_share_that_was_asked_for_is_kept_and_offered() -> None:
    value = assembly.view("Short.", T5, {"share": 0.2}, 4)
    assert value["share"] == 0.2 and value["rates"] == [0.15, 0.2, 0.3, 0.5]


def test_the_animator_steps_plays_and_stops(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", text=TEXT, objective="blank_infilling", seed=0)
    desk = page.locator("#assembly")
    steps = len(assembly.view(TEXT, GLM, {}, 0)["frames"])
    expect(desk.locator(".reading").first).to_have_text(f"step {steps} of {steps}")
    expect(desk.locator(".strip")).to_have_count(3)
    desk.locator("[data-act=reset]").click()
    expect(desk.locator(".reading").first).to_have_text(f"step 1 of {steps}")
    expect(desk.locator(".nothing")).to_have_count(1)
    desk.locator("[data-act=step]").click()
    expect(desk.locator(".chip.masked").first).to_be_visible()
    desk.locator(".lanes").press("ArrowLeft")
    desk.locator(".play").click()
    expect(desk.locator(".play")).to_contain_text("Pause")
    expect(desk.locator(".reading").first).to_have_text(f"step 2 of {steps}")
    desk.locator(".play").click()
    expect(desk.locator(".play")).to_contain_text("Play")
    share = desk.get_by_role("button", name="30 %")
    share.click()
    page.wait_for_url("**share%22%3A0.3**")  # the setting of the whole page
    expect(share).to_have_attribute("aria-pressed", "true")


# ---- next sentence beside sentence order


@pytest.mark.parametrize("language", ["en", "zh"])
def test_shared_words_solve_next_sentence_and_fail_on_order(language: str) -> None:
    nsp, sop = shortcut.view("", OBJECTIVES["nsp"], language, seed=1)["sides"]
    easy, hard = nsp["readers"][0], sop["readers"][0]
    assert easy["right"] - easy["spread"] > nsp["chance"] + 0.1
    assert abs(hard["right"] - 0.5) < 0.12
    assert sop["readers"][1]["right"] > 0.9, "words that open and close a story tell the order"


def test_what_is_shared_does_not_change_when_the_parts_change_places() -> None:
    dice = np.random.default_rng(0)
    first, second = (dice.random((2, 30, 50)) < 0.2).astype(np.float32)
    common = (first.mean(0) + 0.01) / 1.1
    forth, back = shortcut.shared(first, second, common), shortcut.shared(second, first, common)
    assert np.allclose(forth, back) and np.isfinite(forth).all()


def test_the_classifier_learns_what_can_be_learnt() -> None:
    dice = np.random.default_rng(0)
    x = np.column_stack([dice.normal(size=(400, 3)), np.ones(400)]).astype(np.float32)
    y = (x @ np.array([2, -1, 0, 0.5], dtype=np.float32) > 0).astype(np.float32)
    assert ((x @ shortcut.fitted(x, y) > 0) == y).mean() > 0.97


def test_both_objectives_are_drawn_by_themselves_from_equally_many_stories() -> None:
    for name in ("nsp", "sop"):
        found = shortcut.pairs(name, shortcut.passages("en", 1, ""), 1)
        assert len(found) == shortcut.PAIRS and 0.4 < np.mean([each.answer for each in found]) < 0.6
    told_ = [np.concatenate(story) for story in shortcut.passages("en", 1, "")]
    found = shortcut.pairs("sop", shortcut.passages("en", 1, ""), 1)
    for story, each in zip(told_[:50], found, strict=False):
        parts = [each.second, each.first] if each.answer else [each.first, each.second]
        assert len(story) > shortcut.LONGEST or np.concatenate(parts).tolist() == story.tolist()


def test_a_text_of_ones_own_is_learnt_from_in_its_first_half_and_checked_in_its_second() -> None:
    text = "\n\n".join(f"{name} has {n} apples. {name} eats one. Now {name} has fewer." for n, name in enumerate(NAMES))
    told_ = shortcut.passages("own", 0, text)
    assert len(told_) == len(NAMES) and {len(each) for each in told_} == {3}
    halves = [set(np.concatenate([*each])) for each in (sum(told_[:32], ()), sum(told_[32:], ()))]
    for number, each in enumerate(shortcut.pairs("nsp", told_, 3)):
        assert {*each.first, *each.second} <= halves[number >= shortcut.LEARNT]
    value = shortcut.again(text, event(source="own", seed=1))
    assert value["source"] == "own" and value["sides"][0]["readers"][0]["right"] > 0.7


def test_a_text_without_paragraphs_is_cut_into_passages_and_a_short_one_is_too_short() -> None:
    assert [len(each) for each in shortcut.passages("own", 0, "It rained. " * 23)] == [5, 5, 5, 5, 3]
    for text in HOSTILE[:-1]:
        value = shortcut.again(text, event(source="own", seed=1))
        assert value["sides"] == [] and value["note"][0]["word"] == "desks.shortcut.few"
    assert len(shortcut.again(HOSTILE[-1], event(source="own", seed=1))["sides"]) == 2
    assert shortcut.again("", event(source="elsewhere", seed="x"))["source"] == "en"


def test_an_example_says_what_was_true_and_marks_what_is_shared() -> None:
    for given in (each for side in shortcut.view("", OBJECTIVES["sop"])["sides"] for each in side["examples"]):
        assert given["right"] == (given["said"] == given["truth"]) and 0.5 <= given["sure"] <= 1
        shared = {piece.strip() for part in given["parts"] for piece, marked in part if marked}
        assert all(any(letter.isalpha() for letter in piece) for piece in shared)
        assert not shared & {"the", "was", "a"}
    assert shared


def test_other_stories_are_drawn_on_demand(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", objective="nsp")
    desk = page.locator("#shortcut")
    expect(desk.locator(".reader")).to_have_count(4, timeout=20_000)
    expect(desk.locator(".reader.beats").first).to_contain_text("than the majority class")
    before = desk.locator(".part").first.text_content() or ""
    desk.locator("[data-act=roll]").click()
    expect(desk.locator(".part").first).not_to_have_text(before, timeout=20_000)
    desk.locator("[data-source=zh]").click()
    expect(desk.locator("[data-source=zh]")).to_have_attribute("aria-pressed", "true", timeout=20_000)


# ---- play against it


def test_the_town_of_the_game_is_the_one_that_the_model_has_not_learnt_from() -> None:
    for language in ("en", "zh"):
        known, unseen = split(town_documents(f"town_{language}", Town()))
        for seed in (0, 1, 399, 400):
            ending = cloze_game.story(language, seed)
            assert any(ending in each.text for each in unseen) and not any(ending in each.text for each in known[:50])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_answers_put_into_the_blanks_give_back_the_text(language: str) -> None:
    for seed in range(6):
        value = cloze_game.view("", MLM, language, seed)
        whole = "".join(
            piece if isinstance(piece, str) else value["blanks"][piece]["answer"] for piece in value["pieces"]
        )
        assert whole == cloze_game.story(language, seed)
        assert len(value["blanks"]) >= 1 and all(blank["answer"].isalnum() for blank in value["blanks"])


def test_the_model_knows_the_blanks_before_and_not_those_behind() -> None:
    model = shipped(FILLS)
    assert model is not None
    ids = model.tokenizer.encode(cloze_game.story("en", 0))
    places = cloze_game.hidden(ids, model, 0)
    both = cloze_game.guessed(ids, places, model)
    assert cloze_game.guessed(ids, places[:1], model)[0] != both[0]  # those behind are hidden
    assert cloze_game.guessed(ids, places[-1:], model)[0][0].probability == pytest.approx(
        both[-1][0].probability, abs=1e-5
    )


def test_the_game_takes_a_text_of_ones_own() -> None:
    own = cloze_game.again("The baker sold bread. " * 3, event(source="own", seed=1, language="en"))
    assert own["source"] == "own" and own["blanks"]
    assert "empty" in cloze_game.again("👩‍🚀 !!", event(source="own", seed=0, language="en"))
    assert cloze_game.again("", event(source="own", seed=0, language="en"))["empty"] == {"word": "desks.empty"}
    stories = "".join(cloze_game.story("en", seed) for seed in range(9))
    long = cloze_game.again(stories, event(source="own", seed=1, language="en"))
    assert long["blanks"] and long["note"][-1]["word"] == "desks.cut"
    town = cloze_game.again("x", event(source="town", seed=2, language="zh"))
    assert town == cloze_game.view("", MLM, "zh", 2)
    for text in HOSTILE:
        assert to_json(cloze_game.again(text, event(source="own", seed=0, language="zh")))


def test_the_score_of_both_runs_on(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", objective="mlm")
    desk, value = page.locator("#cloze-game"), cloze_game.view("", MLM, "en", 0)
    right = [blank["answer"] for blank in value["blanks"]]
    desk.locator(".field").fill(right[0].upper())
    desk.locator(".field").press("Enter")
    desk.locator(".field").fill("never this")
    desk.locator("[data-act=answer]").click()
    model = sum(blank["right"] for blank in value["blanks"][:2])
    expect(desk.locator(".score .number")).to_have_text(["1 / 2", f"{model} / 2"])
    expect(desk.locator(".results li")).to_have_count(2)
    expect(desk.locator(".gap.wrong")).to_contain_text(right[1])
    desk.locator("[data-act=next]").click()
    expect(desk.locator(".results li")).to_have_count(0)
    expect(desk.locator(".score .number").first).to_have_text("1 / 2")
