"""The Objectives page: its handlers as functions, and its choices in a browser."""

import base64
import json
import re
import shlex
from typing import Any

import numpy as np
import pytest
from browser import visit
from playwright.sync_api import Page, expect

from lab.analysis.preview import corrupt
from lab.catalog import OBJECTIVES
from lab.cli.main import main
from lab.settings import SettingsError
from lab.ui.components.drawn import to_json
from lab.ui.exercise.shipped import tokenizer
from lab.ui.pages.objectives import handlers as objectives
from lab.ui.pages.objectives.desks import place
from lab.ui.words import WORDS

TEXT = "The cat sat down. Then it slept for an hour. Nobody saw it."
HOSTILE = [
    "a",
    " x ",
    "👩‍🚀",
    "你好。再见。",
    "\ud83d",
    "<img src=x onerror=alert(1)>",
    "[MASK] [SEP]",
    "\0",
    "a" * 5000,
]
MLM = {"share": 0.15, "mask": 0.8, "random": 0.1, "dynamic": True}
SHOWN = ("exercise", "mask", "looks", "epochs")


def parts(answer: dict[str, Any], *names: str) -> list[Any]:
    return [answer[name] for name in names]


def kinds(row: dict[str, Any]) -> list[str]:
    return [chip["kind"] for chip in row["tokens"]]


def texts(row: dict[str, Any]) -> list[str]:
    return [chip["text"] if chip else "" for chip in row["tokens"]]


def sees(value: dict[str, Any]) -> np.ndarray:
    n = len(value["tokens"])
    return np.frombuffer(base64.b64decode(value["see"]), dtype=np.uint8).reshape(n, n)


@pytest.mark.parametrize("name", OBJECTIVES.names())
@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_becomes_an_exercise(name: str, text: str) -> None:
    values = OBJECTIVES[name].settings().dump()
    assert to_json(objectives.view(text, name, 0, values))
    assert to_json(objectives.count(text, name, 0, values))


@pytest.mark.parametrize("name", OBJECTIVES.names())
@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_text_is_asked_for(name: str, text: str) -> None:
    values = OBJECTIVES[name].settings().dump()
    assert objectives.view(text, name, 0, values)["exercise"]["empty"] == {"word": "objectives.empty"}
    assert objectives.count(text, name, 0, values)["rates"]["bars"] == []


@pytest.mark.parametrize("name", ["prefix_lm", "text_to_text", "denoising"])
def test_static_rows_are_identical_and_dynamic_rows_differ(name: str) -> None:
    epochs = objectives.view(TEXT, name, 3, {})["epochs"]
    static, dynamic = epochs["rows"][: objectives.EPOCHS], epochs["rows"][objectives.EPOCHS :]
    assert len({str(row["tokens"]) for row in static}) == 1 < len({str(row["tokens"]) for row in dynamic})


def test_a_text_in_which_nothing_is_left_to_chance_is_shown_once() -> None:
    epochs = objectives.view("A cat sat.", "span_corruption", 3, {})["epochs"]
    assert len(epochs["rows"]) == 1 and epochs["note"] == {"word": "objectives.epochs.same"}


@pytest.mark.parametrize("text", [TEXT, "医生昨天晚上来看我妈妈，她觉得很冷。👩‍🚀"])
def test_a_discriminator_is_asked_about_every_token_of_a_text_that_a_generator_has_filled(text: str) -> None:
    replaced = []
    for seed in range(6):
        rows = objectives.view(text, "rtd", seed, {})["exercise"]["rows"]
        _, target, filled, asked = (row["tokens"] for row in rows)
        true = tokenizer(OBJECTIVES["rtd"]).encode(text)
        here = [chip is not None for chip in target]
        wrong = [one["id"] != other for one, other in zip(filled[1:-1], true, strict=True)]
        assert not any(new and not at for new, at in zip(wrong, here[1:-1], strict=True))
        assert [chip["text"] for chip in asked] == ["=", *("≠" if new else "=" for new in wrong), "="]
        assert not any(chip["kind"] == "special" for chip in filled[1:-1])
        replaced += [new for new, at in zip(wrong, here[1:-1], strict=True) if at]
        assert objectives.view(text, "rtd", seed, {})["exercise"]["rows"] == rows
    assert any(replaced) and not all(replaced)  # now and then the generator is right


def test_the_first_epoch_is_the_exercise_that_is_shown() -> None:
    strip, epochs = parts(objectives.view(TEXT, "prefix_lm", 3, {}), "exercise", "epochs")
    assert texts(strip["rows"][0]) == texts(epochs["rows"][0]) == texts(epochs["rows"][objectives.EPOCHS])


def test_asked_tokens_are_those_that_were_hidden_changed_or_kept() -> None:
    strip = objectives.view(TEXT * 4, "mlm", 1, MLM)["exercise"]
    shown, asked = strip["rows"]
    places = [i for i, chip in enumerate(asked["tokens"]) if chip]
    assert places == [i for i, kind in enumerate(kinds(shown)) if kind in ("masked", "replaced", "kept")]
    assert strip["note"][0]["asked"] == len(places)


def test_each_token_of_a_span_is_asked_again_from_the_tokens_beside_it_and_its_place() -> None:
    for seed in range(20):
        rows = objectives.view(TEXT * 2, "span", seed, {"p": 0.2})["exercise"]["rows"]
        shown, asked, ends = (texts(row) for row in rows)
        runs = "".join("x" if each else "." for each in asked)
        for run in re.finditer("x+", runs):
            before, behind = shown[run.start() - 1], shown[run.end()]
            said = [f"{before}⋯{behind}\u2002{place}" for place in range(1, len(run[0]) + 1)]
            inner = run.start() > 1 and run.end() < len(runs) - 1  # no span beside [CLS] or [SEP] is asked again
            assert ends[run.start() : run.end()] == (said if inner else [""] * len(run[0]))


def test_left_to_right_sees_a_triangle_and_is_asked_for_the_next_token() -> None:
    strip, table, looks, epochs = parts(objectives.view("one two three", "clm", 0, {}), *SHOWN)
    shown, asked = (texts(row) for row in strip["rows"])
    assert asked[:-1] == shown[1:] and asked[-1] == ""
    assert (sees(table) == np.tril(np.ones_like(sees(table)))).all()
    assert looks[0][1] == {"word": "objectives.mask.causal"} and epochs == {"rows": []}


def test_a_pair_is_two_parts_and_an_answer() -> None:
    strip = objectives.view(TEXT, "sop", 0, {"swapped": 0.0})["exercise"]
    assert [row["label"]["word"] for row in strip["rows"]] == ["objectives.row.part1", "objectives.row.part2"]
    assert "".join(t for row in strip["rows"] for t in texts(row) if not t.startswith("[")) == TEXT
    assert strip["note"][0]["answer"]["en"] == "in order"


@pytest.mark.parametrize("name", ["nsp", "sop"])
def test_one_sentence_alone_says_what_happens(name: str) -> None:
    strip = objectives.view("Only one sentence here.", name, 0, {})["exercise"]
    assert strip["note"][1] == {"word": f"objectives.alone.{name}"}
    first, second = objectives.count("Only one sentence here.", name, 0, {})["rates"]["bars"]
    assert (first["value"], second["value"], second["expected"]) == (0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("name", "values", "promised"),
    [
        ("mlm", MLM, [0.15, 0.8, 0.1, 0.1]),
        ("mlm", {"share": 0.4, "mask": 0.5, "random": 0.5, "dynamic": False}, [0.4, 0.5, 0.5, 0.0]),
        ("nsp", {"random": 0.5}, [0.5, 0.5]),
        ("sop", {"swapped": 0.2}, [0.8, 0.2]),
        ("blank_infilling", {"share": 0.15, "span": 3.0}, [0.177]),
        ("blank_infilling", {"document": 1.0}, [0.761]),
    ],
)
def test_a_thousand_rolls_keep_the_promise(name: str, values: dict[str, Any], promised: list[float]) -> None:
    bars = objectives.count(TEXT * 3, name, 5, values)["rates"]["bars"]
    for bar, promise in zip(bars, promised, strict=True):
        low, high = bar["band"]
        assert bar["expected"] == pytest.approx(promise, abs=0.002)
        assert low - (high - low) <= bar["value"] <= high + (high - low), "further off than six standard deviations"


@pytest.mark.parametrize("name", ["span_corruption", "denoising", "multilingual_denoising"])
def test_an_encoder_reads_above_and_a_decoder_is_asked_below_for_what_it_has_next(name: str) -> None:
    values = OBJECTIVES[name].settings().dump()
    strip, table, looks, epochs = parts(objectives.view(TEXT * 3, name, 2, values), *SHOWN)
    source, (has, asked) = strip["above"][0], (row for row in strip["rows"])
    assert "masked" in kinds(source) and set(kinds(source)) <= {"masked", "original", "special"}
    assert texts(asked)[:-1] == texts(has)[1:] and all(texts(asked))
    assert has["from"] == asked["from"] == len(source["tokens"])
    assert strip["note"][0]["source"] == len(source["tokens"]) and strip["note"][0]["asked"] == len(asked["tokens"])
    s, t = len(source["tokens"]), len(has["tokens"])
    assert sees(table)[:, :s].all() and not sees(table)[:s, s:].any()
    assert (sees(table)[s:, s:] == np.tril(np.ones((t, t)))).all()
    assert looks[0][1] == {"word": "objectives.mask.source"}
    static, dynamic = epochs["rows"][: objectives.EPOCHS], epochs["rows"][objectives.EPOCHS :]
    assert texts(static[0]) == texts(dynamic[0]) == texts(source)
    assert epochs["note"] == {"word": "objectives.epochs.source"}
    assert len({str(texts(row)) for row in static}) == 1 < len({str(texts(row)) for row in dynamic})


@pytest.mark.parametrize(("text", "language"), [(TEXT, "en_XX"), ("猫坐了下来。它睡了一个小时。", "zh_CN")])
def test_a_language_is_named_to_both_sides_and_is_no_gap(text: str, language: str) -> None:
    strip = objectives.view(text, "multilingual_denoising", 0, {})["exercise"]
    source, has, asked = strip["above"][0], *strip["rows"]
    assert texts(source)[-1] == texts(has)[0] == texts(asked)[-1] == language and kinds(source)[-1] == "special"


@pytest.mark.parametrize(
    ("name", "values", "nominal"),
    [("span_corruption", {}, 0.15), ("denoising", {}, 0.3), ("denoising", {"noise": "masking", "share": 0.5}, 0.5)],
)
def test_what_is_missing_from_a_source_is_what_arithmetic_says(
    name: str, values: dict[str, Any], nominal: float
) -> None:
    (bar,) = objectives.count(TEXT * 3, name, 5, values)["rates"]["bars"]
    low, high = bar["band"]
    assert abs(bar["value"] - bar["expected"]) <= high - low + 1e-9 < 0.02
    assert nominal - 0.08 < bar["expected"] < nominal + 0.02


def test_a_wrong_promise_would_be_noticed() -> None:
    asked = objectives.count(TEXT * 3, "mlm", 5, {**MLM, "share": 0.2})["rates"]["bars"][0]
    low, high = asked["band"]
    assert not low <= 0.15 <= high


def test_a_short_text_says_that_one_token_is_always_asked() -> None:
    bars, notes = parts(objectives.count("two words", "mlm", 0, MLM), "rates", "about")
    assert bars["bars"][0]["value"] == bars["bars"][0]["expected"] > 0.15
    assert notes[-1][1]["word"] == "objectives.rates.few"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("mlm", {"share": float("nan")}),
        ("mlm", {"share": 0.0}),
        ("mlm", {"mask": 0.9, "random": 0.9}),
        ("mlm", {"wrong": 1}),
        ("nothing", {}),
    ],
)
def test_bad_settings_are_one_sentence(name: str, values: dict[str, Any]) -> None:
    for handler in (objectives.view, objectives.count):
        with pytest.raises(SettingsError) as said:
            handler(TEXT, name, 0, values)
        assert said.value.en and said.value.zh


@pytest.mark.parametrize("seed", [None, 0, 7.0, 2**31 - 1])
def test_a_seed_is_a_whole_number_or_left_out(seed: Any) -> None:
    assert objectives.view(TEXT, "mlm", seed, MLM) == objectives.view(TEXT, "mlm", int(seed or 0), MLM)


@pytest.mark.parametrize("seed", [-1, 3.7, 1e99, float("nan"), 2**31, "x"])
def test_a_seed_in_whose_place_another_would_be_taken_is_refused(seed: Any) -> None:
    for handler in (objectives.view, objectives.count, place.followed):
        with pytest.raises(SettingsError, match="the seed must be a whole number"):
            handler(TEXT, "mlm", seed, MLM)
    with pytest.raises(SettingsError, match="the seed must be a whole number"):
        objectives.laid(TEXT, seed, "mlm")


def test_a_megabyte_is_cut_to_what_is_shown() -> None:
    strip, table = parts(objectives.view("Many words here. " * 60_000, "mlm", 0, MLM), "exercise", "mask")
    assert len(table["tokens"]) == objectives.LONGEST
    assert strip["note"][-1]["word"] == "objectives.cut"


@pytest.mark.parametrize("name", OBJECTIVES.names())
def test_the_page_says_where_paper_and_code_differ(name: str) -> None:
    assert f"objectives.note.{name}" in WORDS
    assert objectives.differences(name)[-1] == ["p", {"word": f"objectives.note.{name}"}]
    assert objectives.opened(name)[0][0] == "h2"
    kind, pieces = objectives.opened(name)[-1]
    assert kind == "cite" and "".join(text["en"] for text, _ in pieces) == OBJECTIVES[name].paper


def test_epochs_are_shown_where_no_calendar_shows_them_and_foreign_settings_do_not_count() -> None:
    names = ("clm", "sop", "mlm", "denoising")
    described = {name: objectives.described(name) for name in names}
    shown = {name: [described[name][fold]["visible"] for fold in ("folded", "often")] for name in names}
    assert shown == {"clm": [False, False], "sop": [True, False], "mlm": [True, False], "denoising": [True, True]}
    assert objectives.own({"of": "mlm", "values": MLM}, "mlm") == MLM
    assert objectives.own({"of": "mlm", "values": MLM}, "nsp") == {}


def test_the_tensors_are_those_of_the_batch() -> None:
    (_, said), (_, text) = objectives.view("one two three", "clm", 0, {})["tensors"]
    lines = {line.split()[0]: line.split(maxsplit=1)[1] for line in text.splitlines()}
    ids = objectives.tokenizer(OBJECTIVES["clm"]).encode("one two three").tolist()
    assert said == {"word": "objectives.tensors.note"}
    assert lines["shown"] == f"int64 (1, {len(ids)})  {' '.join(map(str, ids))}" and lines["visible"] == "'causal'"
    assert lines["answers"].endswith(" ".join(map(str, ids[1:])))


@pytest.mark.parametrize("name", ["nsp", "sop"])
def test_the_tensors_of_a_pair_hold_its_answer(name: str) -> None:
    answers = set()
    for seed in range(9):
        values = objectives.view("One two. Three four. Five six.", name, seed, {})
        (_, said), (_, text) = values["tensors"]
        assert said == {"word": "objectives.tensors.pair"}
        [line] = [line for line in text.splitlines() if line.startswith("label")]
        answers.add(line.split("  ")[-1])
        assert line.split()[1:3] == ["int64", "(1)"]
    assert answers == {"0", "1"}


def test_the_command_says_what_was_changed() -> None:
    line = objectives.view("it's", "mlm", 7, {**MLM, "share": 0.3, "dynamic": False})["command"]["command"]
    assert "--seed 7 --objective-share 0.3 --no-objective-dynamic" in line and "'it'\"'\"'s'" in line


OTHER: dict[str, dict[str, Any]] = {  # settings that ask for care on a command line
    "phrases": {"phrases": "it slept, 'an hour'"},
    "whole_word": {"words": "猫坐, $HOME", "share": 0.5},
    "span": {"longest": 2},
    "permutation": {"longest": 3, "every": 3},
    "ngram": {"longest": 2},
}


@pytest.mark.parametrize("name", OBJECTIVES.names())
def test_the_command_gives_the_exercise_of_the_page(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXT * 9 + "猫坐了下来。"
    line = objectives.view(text, name, 5, OTHER.get(name, {}))["command"]["command"]
    words = shlex.split(line)
    assert words[:3] == ["python", "-m", "lab"] and main([*words[3:], "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    objective = OBJECTIVES[name]
    found = corrupt(text, objective, tokenizer(objective), OTHER.get(name, {}), seed=5, longest=objectives.LONGEST)
    assert said["shown"] == found.exercise.shown[0].tolist() and said["ids"] == found.original.tolist()
    assert said["asked"] == np.flatnonzero(found.exercise.asked[0]).tolist()


@pytest.mark.parametrize("name", ["window", "cooccurrence"])
def test_models_without_attention_show_pairs_and_no_targets(name: str) -> None:
    answer = objectives.view("one two three", name, 0, {})
    assert [texts(row) for row in answer["exercise"]["rows"]] == [answer["mask"]["tokens"]]
    assert answer["exercise"]["note"] == [{"word": f"objectives.count.{name}"}]
    assert answer["mask"]["pairs"] and answer["mask"]["title"] == {"word": "objectives.mask.pairs"}
    assert not objectives.view("one two three", "mlm", 0, MLM)["mask"]["pairs"]


ASKED = [each.name for each in OBJECTIVES if each.stage == "token" and not each.pairs_tokens]


@pytest.mark.parametrize("name", ASKED)
def test_the_command_counts_the_tokens_as_the_page_does(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = objectives.view(TEXT, name, 5, {})
    said = answer["exercise"]["note"][0]
    assert main(shlex.split(answer["command"]["command"])[3:]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    if said["word"] == "objectives.count":
        assert last.startswith(f"{said['asked']} of {said['n']} tokens are asked; ")
    else:
        assert last.startswith(f"of {said['n']} tokens the encoder reads {said['source']}; ")
        assert f"the decoder writes {said['asked']}; " in last


def test_an_address_that_names_an_objective_brings_its_knobs(page: Page, server: str) -> None:
    visit(page, server, "objectives", lang="en", objective="permutation")
    page.locator(".label-wrap:visible", has_text="Settings").click()
    expect(page.locator("#objectives-knobs")).to_contain_text("Longest span in tokens")


def test_an_address_brings_back_objective_settings_and_seed(page: Page, server: str) -> None:
    knobs = {"of": "mlm", "values": {"share": 1.0, "mask": 1.0, "random": 0.0}}
    visit(page, server, "objectives", lang="en", seed=3, settings=to_json(knobs))
    expect(page.locator("#objectives-rates li").first).to_contain_text("100.00 %")
    page.wait_for_function(  # as many as the answers: nothing that is shown is left
        """() => { const count = (kind) => document.querySelectorAll(`#objectives-exercise .chip.${kind}`).length;
          return count("masked") && count("masked") === count("original"); }"""
    )
    page.click("#objectives-board .open:text('Next sentence prediction')")
    page.wait_for_url("**objective=nsp**")
    expect(page.locator("#objectives-rates li")).to_have_count(2)
    expect(page.locator("#objectives-epochs")).to_have_count(0)
    page.click("#objectives-roll")
    page.wait_for_url("**seed=4**")
    page.locator("#objectives-seed input").fill("3.7")  # another seed would stand in for it
    expect(page.locator(".toast")).to_contain_text("The seed must be a whole number")
    page.click("#objectives-roll")
    page.wait_for_url("**seed=4**")


@pytest.mark.parametrize("objective", ["span_corruption", "denoising"])
def test_who_may_look_at_whom_is_read_on_a_telephone(server: str, page: Page, objective: str) -> None:
    """Cells large enough for a name and a finger, and names that stay where the table is scrolled."""
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, server, "objectives", lang="en", objective=objective)
    table = page.locator(".lab-mask_table:visible").first
    table.scroll_into_view_if_needed()
    stage, canvas = table.locator(".stage"), table.locator("canvas")
    expect(canvas).to_have_attribute("aria-label", re.compile(r"\d"))
    n = int(re.findall(r"\d+", canvas.get_attribute("aria-label") or "")[0])
    assert (canvas.evaluate("canvas => canvas.clientWidth") - 96) / n >= 16
    assert stage.evaluate("stage => stage.clientHeight") < 844 and page.evaluate("document.body.scrollWidth") <= 390
    ink = """stage => {
        const pen = stage.querySelector("canvas").getContext("2d");
        const written = (x, y, width, height) => {
            const { data } = pen.getImageData(x, y, width, height);
            const dark = (i) => data[i] > 200 && Math.max(data[i - 3], data[i - 2], data[i - 1]) < 80;
            return data.filter((_, i) => i % 4 === 3 && dark(i)).length;
        };
        const { scrollLeft: left, scrollTop: top } = stage;
        return [written(left, top + 64, 60, 200), written(left + 64, top, 200, 60)];
    }"""  # how many points have the colour of letters, where the names of rows and of columns stand
    drawn = f"stage => Math.min(...({ink})(stage)) > 50"
    page.wait_for_function(drawn, arg=stage.element_handle())
    stage.evaluate("stage => stage.scrollTo(stage.scrollWidth, stage.scrollHeight)")
    page.wait_for_function(drawn, arg=stage.element_handle())
