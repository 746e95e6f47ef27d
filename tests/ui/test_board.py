"""The board: every objective on one text, each token known in every row."""

import base64

import numpy as np
import pytest
from browser import calm
from playwright.sync_api import expect
from staying import Stay, go

from lab.analysis.preview import corrupt
from lab.catalog import OBJECTIVES
from lab.ui.components.drawn import to_json
from lab.ui.exercise.board import DRAWN, GROUPS, board, group_of, origins, small
from lab.ui.exercise.shipped import tokenizer
from lab.ui.exercise.sight import sees
from lab.ui.words import WORDS

TEXT = "The cat sat down. Then it slept for an hour. Nobody saw it."
ODD = [
    "",
    " ",
    "a",
    "👩‍🚀🚀",
    "你好。再见。",
    "\ud83d",
    "<img src=x onerror=window.hit=1>",
    "[MASK] [SEP]",
    "\0",
    "w " * 9000,
]


def rows(text: str = TEXT, seed: int = 0) -> dict[str, dict]:
    value = board(text, seed, 202)
    return {row["name"]: {**row, "texts": value["texts"]} for group in value["groups"] for row in group["rows"]}


def texts(row: dict, strip: int = 0) -> list[str]:
    return [row["texts"][number] for number in row["strips"][strip]["text"]]


@pytest.mark.parametrize("text", ODD)
def test_any_text_is_drawn_and_small(text: str) -> None:
    assert len(to_json(board(text, 3, 202))) < 100_000


def test_every_objective_has_a_row_in_a_group_with_a_name() -> None:
    assert sorted(rows()) == sorted(OBJECTIVES.names())
    assert {group_of(objective) for objective in OBJECTIVES} == set(GROUPS)
    assert all(f"board.group.{name}" in WORDS for name in GROUPS)
    fewer = [row["name"] for group in board(TEXT, 0, 202, leave_out=["mlm"])["groups"] for row in group["rows"]]
    assert sorted([*fewer, "mlm"]) == sorted(OBJECTIVES.names())


def test_a_row_of_masked_modelling_is_the_exercise_that_the_seed_gives() -> None:
    row, objective = rows(TEXT * 5, 5)["mlm"], OBJECTIVES["mlm"]
    found = corrupt(TEXT * 5, objective, tokenizer(objective), seed=5, longest=202)
    asked = found.exercise.asked[0][:DRAWN]
    below = [row["texts"][number] if number >= 0 else "" for number in row["strips"][0]["below"]]
    answers = [piece.text for piece in tokenizer(objective).pieces(found.original)]
    assert below == [text if here else "" for text, here in zip(answers, asked, strict=False)]
    assert [letter in "mrk" for letter in row["strips"][0]["kind"]] == asked.tolist()
    assert row["strips"][0]["from"][:3] == [-1, 0, 1]  # what is masked keeps its place, and [CLS] has none
    assert row["strips"][0]["more"] == len(found.original) - DRAWN


@pytest.mark.parametrize("name", ["span_corruption", "denoising"])
def test_what_is_read_and_what_is_written_know_where_they_come_from(name: str) -> None:
    row = rows(TEXT, 2)[name]
    base = [piece.text for piece in tokenizer(OBJECTIVES[name]).pieces(tokenizer(OBJECTIVES[name]).encode(TEXT))]
    for number, strip in enumerate(row["strips"]):
        for text, place in zip(texts(row, number), strip["from"], strict=True):
            assert place == -1 or text == base[place]
    places = {place for strip in row["strips"] for place in strip["from"]} - {-1}
    assert places == set(range(len(base)))  # every token is found in one of the two, or in both


def test_a_token_goes_on_from_the_one_before_it_and_else_where_most_is_alike() -> None:
    text = np.array([1, 2, 9, 1, 3, 9])
    assert origins(text, np.array([0, 1, 3, 9, 1, 2, 9])) == [-1, 3, 4, 5, 0, 1, 2]
    assert origins(text, np.array([9, 9, 9])) == [2, 5, -1]


def test_a_small_drawing_holds_the_corners_of_a_large_table() -> None:
    table = np.tril(np.ones((100, 100), dtype=bool))
    drawn = small(table)
    bits = np.unpackbits(np.frombuffer(base64.b64decode(drawn["bits"]), np.uint8))[: drawn["n"] ** 2]
    assert (bits.reshape(drawn["n"], -1) == np.tril(np.ones((drawn["n"],) * 2))).all()
    assert small(table[:3, :3])["n"] == 3


def test_a_decoder_sees_what_its_encoder_read_and_the_encoder_sees_no_decoder() -> None:
    found = corrupt(TEXT, OBJECTIVES["span_corruption"], tokenizer(OBJECTIVES["span_corruption"]))
    table, source = sees(found), found.exercise.source.shape[1]
    assert table[:, :source].all() and not table[:source, source:].any() and not table[source, source + 1]


def test_every_objective_names_the_models_that_learn_it() -> None:
    named = {name: [model["en"] for model in row["models"]] for name, row in rows().items()}
    assert all(named.values())
    for objective, model in {
        "span": "SpanBERT",
        "span_corruption": "T5",
        "denoising": "BART",
        "rtd": "ELECTRA",
    }.items():
        assert model in named[objective]
    assert named["blank_infilling"] == ["GLM"] and named["permutation"] == ["XLNet"] and "ERNIE" in named["phrases"]


# ---- in the browser


def test_a_row_of_the_first_page_leads_to_the_objective_with_the_text(stay: Stay, server: str) -> None:
    page = stay(server, "start")
    page.locator("#start-text textarea").fill("One red bird sang.")
    page.locator("#start-board .chip", has_text="red").first.wait_for()
    page.locator("#start-board [data-name=permutation] .open").click()
    expect(page.locator("#objectives-opened h2")).to_have_text("Permutation language modelling")
    page.wait_for_url("**text=One+red+bird**")


def test_a_token_lights_up_in_every_row_and_a_row_opens(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", objective="mlm", text="One red bird sang.", seed=1)
    boards = page.locator("#objectives-board")
    boards.locator(".chip", has_text="red").first.hover()
    lit = boards.locator(".chip.on")
    expect(lit.first).to_be_visible()
    assert lit.count() > len(OBJECTIVES.names()) // 2
    assert (
        page.evaluate(
            "new Set([...document.querySelectorAll('#objectives-board .chip.on')].map(x => x.dataset.from)).size"
        )
        == 1
    )
    boards.locator("[data-name=clm]").click()
    expect(page.locator("#objectives-opened h2")).to_have_text("Causal language modelling")
    expect(boards.locator("[data-name=clm] .open")).to_have_attribute("aria-pressed", "true")
    page.wait_for_url("**objective=clm**")
    go(page, "objectives", objective="sop")  # as a link in the text does
    expect(boards.locator("[aria-pressed=true]")).to_have_count(1)
    expect(boards.locator("[data-name=sop] .open")).to_have_attribute("aria-pressed", "true")


def test_nothing_that_is_typed_is_run(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    page.locator("#objectives-text textarea").fill("<img src=x onerror=window.hit=1> ${window.hit=1} {{window.hit=1}}")
    page.locator("#objectives-board .chip", has_text="<").first.wait_for()
    assert page.evaluate("window.hit") is None


def test_only_the_objectives_of_one_model_are_shown_when_it_is_chosen(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", text="Ann waited at the station. The train was late.")
    expect(page.locator("#objectives-board")).to_contain_text("station")
    shown = page.locator("#objectives-board .row-of:visible")
    expect(shown).to_have_count(len(OBJECTIVES.names()))
    page.locator("#objectives-board select").select_option("ALBERT")
    expect(shown.locator(".open")).to_have_text(
        ["Masked language modelling", "N-gram masking", "Sentence order prediction"]
    )
    page.locator("#objectives-text textarea").fill("Ann bought bread. Then she went home.")
    expect(page.locator("#objectives-board")).not_to_contain_text("station")  # of the text before
    expect(shown).to_have_count(3)
    shown.last.click()
    expect(page.locator("#objectives-opened a")).to_have_attribute("href", "https://arxiv.org/abs/1909.11942")
    page.locator("#objectives-board select").select_option(index=0)
    expect(shown).to_have_count(len(OBJECTIVES.names()))


def test_the_table_of_a_model_that_writes_is_not_cut_off(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", text="She sold bread to the old man who lived by the river, and he paid her with eggs. " * 4)
    for name in ("span_corruption", "denoising", "blank_infilling"):
        page.set_viewport_size({"width": 1280, "height": 900})
        page.locator(f"#objectives-board [data-name={name}] .open").click()
        page.wait_for_url(f"**objective={name}**")
        calm(page)
        stage = page.locator("#objectives-mask .stage")
        expect(stage.locator("canvas")).to_be_visible()
        for wide in (1280, 1440):
            page.set_viewport_size({"width": wide, "height": 900})
            page.wait_for_timeout(300)
            inside, box = stage.evaluate("(stage) => [stage.scrollWidth, stage.clientWidth]")
            assert inside <= box, (name, wide)


@pytest.mark.parametrize("n", [30, 34, 38])
def test_a_table_beside_its_counts_is_seen_whole_on_a_projector(stay: Stay, server: str, n: int) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", text=" ".join(["the"] * n), objective="mlm")
    page.wait_for_function(
        "n => document.querySelector('#objectives-mask canvas').ariaLabel.includes(n)", arg=str(n + 2)
    )
    inside, box = page.locator("#objectives-mask .stage").evaluate("each => [each.scrollWidth, each.clientWidth]")
    assert inside <= box


def test_a_number_below_a_token_is_its_turn_and_no_target(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", text="Ann waited at the station. The train was late.", objective="mlm")
    board, note = page.locator("#objectives-board"), page.locator(".lab-note")
    expect(board.locator(".hint")).to_contain_text("its turn in the order")
    for kind in ("kept", "special"):
        board.locator(f"[data-name=permutation] .chip.{kind}").first.hover()
        expect(note).to_contain_text("turn in the order: ")
        expect(note).not_to_contain_text("target: ")
    board.locator("[data-name=mlm] .chip.masked").first.hover()
    expect(note).to_contain_text("target: ")


def test_another_text_reaches_the_rows_in_sight_and_those_below(stay: Stay, server: str) -> None:
    page = stay(server, "objectives")
    go(page, "objectives", text="One red bird sang.")
    boards = page.locator("#objectives-board")
    boards.locator(".chip", has_text="red").first.wait_for()
    page.locator("#objectives-text textarea").fill("Two blue fish swam.")
    expect(boards.locator(".chip", has_text="red")).to_have_count(0)
    # a word may be hidden, but not in the rows that hide nothing
    for name in ("clm", "cooccurrence"):
        expect(boards.locator(f"[data-name={name}] .chip").first).to_contain_text("T")
    page.get_by_role("button", name="中文").click()
    expect(boards.locator("h3").first).to_have_text(WORDS["board.group.masked"]["zh"])
