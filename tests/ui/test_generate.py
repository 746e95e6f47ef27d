"""The page that asks a model: the draws that the lab makes, nothing asked twice, and any prompt taken."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from browser import calm, visit
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect
from staying import Stay, go
from tiny import finished, steps
from trained import run_of

from lab.catalog import SAMPLERS
from lab.inference import decoding
from lab.inference.gap_orders import ORDERS, fill_gaps
from lab.inference.model import load
from lab.noise import Dice
from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.ui.pages.generate import natural, writing
from lab.ui.pages.generate.beside import beside
from lab.ui.pages.generate.exposure import WINDOW, compare
from lab.ui.pages.generate.filling import fill
from lab.ui.pages.generate.judge import judges
from lab.ui.pages.generate.measures import ROWS, measure
from lab.ui.pages.generate.next_token import BARS, SEGMENTS
from lab.ui.pages.generate.samplers import chain_of
from lab.ui.pages.generate.specimens import kind_of, specimen, turn
from lab.ui.pages.generate.writing import AT_ONCE, write
from lab.ui.words import in_language
from lab.vocabulary import MASK

PROMPT = "The town was"
ODD = ["a", " ", "\n\n", "🦜", "王芳", "<img src=x onerror=window.hit=1>", "${1}{{x}}`\\", "[CLS][END]", "\ud800", "\0"]
NAMES = SAMPLERS.names()
KNOBS = [item.default for entry in SAMPLERS for item in entry.settings.knobs().values()]


def controls(*on: str, **values: float) -> list[Any]:
    """What the page's controls send: a switch for each sampler, then every knob."""
    names = [name for entry in SAMPLERS for name in entry.settings.knobs()]
    knobs = [values.get(name, default) for name, default in zip(names, KNOBS, strict=True)]
    return [*[name in on for name in NAMES], *knobs]


def request(ids: Any = (), have: Any = 0, count: Any = 0, number: Any = 1, **more: Any) -> str:
    return json.dumps({"ids": list(ids), "have": have, "count": count, "number": number, **more})


def spoken(said: list[Any]) -> str:
    return " ".join(in_language(text, "en") for _, text in said)


@pytest.mark.parametrize("on", [(), ("greedy",), ("temperature", "top_k"), ("top_p",)])
def test_the_page_writes_what_the_command_writes(on: tuple[str, ...]) -> None:
    run, values = run_of("gpt"), controls(*on, temperature=0.7, k=5, p=0.8)
    written = write(request(count=40), run, PROMPT, 3, *values)["writing"]
    trained = writing.visitor.trained(run)
    true = [*decoding.generate(trained, PROMPT, chain_of(values), 40, 3)]
    assert [token["id"] for token in written["tokens"]] == [each.id for each in true]
    for token, each in zip(written["tokens"], true, strict=True):
        assert math.log(token["p"]) == pytest.approx(each.logprob, abs=1e-3)
        assert token["rank"] >= 1 and 0 <= token["entropy"] <= math.log(trained.tokenizer.vocabulary.size)
    if on == ("greedy",):
        assert {token["rank"] for token in written["tokens"]} == {1}


def test_a_text_is_the_same_whether_written_at_once_or_token_by_token() -> None:
    run, values = run_of("gpt"), controls("temperature")
    whole = write(request(count=30), run, PROMPT, 1, *values)["writing"]["tokens"]
    ids: list[int] = []
    for _ in range(len(whole)):
        more = write(request(ids, len(ids), 1), run, PROMPT, 1, *values)["writing"]
        assert more["from"] == len(ids)
        ids += [token["id"] for token in more["tokens"]]
    assert ids == [token["id"] for token in whole]


def test_turning_the_samplers_never_asks_the_model_again(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of("gpt")
    first = write(request(), run, "asked once", 0, *controls())
    monkeypatch.setattr(decoding, "Continuation", None)
    monkeypatch.setattr(writing.decoding, "continuation", lambda *_: type("Text", (), {"ids": prompt})())
    prompt = [int(i) for i in writing.visitor.trained(run).tokenizer.encode("asked once")]
    for temperature in (0.1, 1.0, 3.0):
        for k in (1, 5, 40):
            again = write(
                request(), run, "asked once", 0, *controls("temperature", "top_k", temperature=temperature, k=k)
            )
            assert sum(not bar["cut"] for bar in again["bars"]["bars"]) == min(k, len(again["bars"]["bars"]))
    assert first["bars"] != again["bars"]


def test_turning_the_samplers_leaves_the_text_alone() -> None:
    run = run_of("gpt")
    assert "writing" not in write(request([50, 60], 2), run, PROMPT, 0, *controls("greedy"))
    assert write(request([50, 60], 1), run, PROMPT, 0, *controls("greedy"))["writing"]["tokens"]


def test_what_a_sampler_cuts_off_is_marked_and_keeps_the_models_own_probability() -> None:
    _, bars, draw, *_ = write(request(), run_of("gpt"), PROMPT, 0, *controls("top_k", k=3)).values()
    cut = [bar for bar in bars["bars"] if bar["cut"]]
    left = [bar for bar in bars["bars"] if not bar["cut"]]
    assert len(left) == 3 and len(draw["segments"]) == 3
    assert all(bar["value"] == 0 and bar["cumulative"] is None and bar["steps"] == [None] for bar in cut)
    assert sum(bar["value"] for bar in left) == pytest.approx(1, abs=1e-3)
    assert max(bar["cumulative"] for bar in left) == pytest.approx(1, abs=1e-3)


def test_each_column_is_the_logit_after_one_more_sampler() -> None:
    both = controls("temperature", "top_k", temperature=0.5, k=3)
    bars = write(request(), run_of("gpt"), PROMPT, 0, *both)["bars"]
    assert bars["chain"] == ["temperature", "top_k"]
    for bar in bars["bars"]:
        assert bar["steps"][0] == pytest.approx(2 * bar["logit"], abs=2e-3)
        assert bar["steps"][1] == (None if bar["cut"] else bar["steps"][0])


@pytest.mark.parametrize("seed", range(8))
def test_the_draw_that_is_shown_is_the_next_token(seed: int) -> None:
    run, values = run_of("gpt"), controls("temperature", temperature=1.5)
    _, bars, draw, *_ = write(request(), run, PROMPT, seed, *values).values()
    drawn = write(request(count=1), run, PROMPT, seed, *values)["writing"]["tokens"]
    assert draw["uniform"] == pytest.approx(float(Dice(seed).random(1)[0, 0]), abs=1e-4)
    shares = [share for _, share in draw["segments"]]
    before = sum(shares[: draw["chosen"]])
    assert before - 1e-3 <= draw["uniform"] <= before + shares[draw["chosen"]] + 1e-3
    chosen = [bar for bar in bars["bars"] if bar["chosen"]]
    assert [bar["key"] for bar in chosen] == [str(token["id"]) for token in drawn] or not drawn


def test_a_token_that_is_not_among_the_likeliest_is_named_and_stands_apart() -> None:
    seed = max(range(30), key=lambda seed: float(Dice(seed).random(1)[0, 0]))
    _, bars, draw, *_ = write(request(), run_of("gpt"), PROMPT, seed, *controls("temperature", temperature=2)).values()
    assert [bar["apart"] for bar in bars["bars"]] == [False] * (BARS - 2) + [True]
    token = draw["note"]["token"]
    assert token["word"] == "generate.among" and token["token"]["token"] == bars["bars"][-1]["name"]
    assert draw["segments"][-1][0]["n"] == token["n"] == str(int(draw["note"]["left"]) - SEGMENTS)


def test_another_token_takes_the_place_of_one_and_the_later_uniform_numbers_stays_the_same() -> None:
    run, values = run_of("gpt"), controls()
    ids = [token["id"] for token in write(request(count=5), run, PROMPT, 0, *values)["writing"]["tokens"]]
    other = (ids[2] + 7) % 200 + 50
    changed = write(request([*ids[:2], other], 2, 3), run, PROMPT, 0, *values)["writing"]
    assert changed["from"] == 2 and changed["tokens"][0]["id"] == other and changed["tokens"][0]["picked"]
    uniforms = Dice(0).random(6)[0]
    for place, token in enumerate(changed["tokens"], start=2):
        assert token["uniform"] == pytest.approx(float(uniforms[place]), abs=1e-4)


def test_alternatives_are_the_likeliest_tokens_first() -> None:
    for token in write(request(count=5), run_of("gpt"), PROMPT, 0, *controls())["writing"]["tokens"]:
        shares = [share for _, _, share in token["top"]]
        assert shares == sorted(shares, reverse=True) and len(shares) >= 5


def test_each_sampler_writes_beside_the_others_with_the_same_uniform_numbers() -> None:
    answer = beside(run_of("gpt"), PROMPT, 5, *controls(k=1, temperature=0.01))
    assert f"from the prompt “{PROMPT}”, seed 5." in spoken(answer["of"])
    found = answer["columns"]
    texts = [[token["text"] for token in column["tokens"]] for column in found["columns"]]
    assert len(texts) == len(NAMES)
    greedy, cold, only_one = (texts[NAMES.index(name)] for name in ("greedy", "temperature", "top_k"))
    assert greedy == cold == only_one  # three ways to take the best
    assert found["uniforms"] == [
        pytest.approx(float(uniform), abs=1e-4) for uniform in Dice(5).random(len(found["uniforms"]))[0]
    ]


@pytest.mark.parametrize("text", ["", *ODD])
def test_any_prompt_is_continued(text: str) -> None:
    written, bars, draw, _, _, line = write(request(count=3), run_of("gpt"), text, 0, *controls("temperature")).values()
    assert bars["bars"] and draw["segments"] and line["command"].startswith("python -m lab generate")
    json.dumps([written, bars, draw], allow_nan=False)


def test_an_empty_prompt_and_one_beyond_the_context_are_explained() -> None:
    run = run_of("gpt")
    assert "begins a new text" in spoken(write(request(), run, "", 0, *controls())["remarks"])
    assert "the model reads the last" in spoken(write(request(), run, "cow " * 100, 0, *controls())["remarks"])


def test_masks_that_are_no_gaps_of_their_own_are_explained() -> None:
    assert "as plain text" in spoken(write(request(), run_of("gpt"), "the [MASK] sat", 0, *controls())["remarks"])
    assert "as plain text" not in spoken(write(request(), run_of("gpt"), "the cow", 0, *controls())["remarks"])
    for text, joined in (("the [MASK] [MASK] sat", True), ("the [MASK] sat [MASK]", False)):
        filled = fill(run_of("t5"), text)
        assert ("are one gap to this model" in spoken(filled["remarks"])) == joined
        assert len(filled["gaps"]["gaps"]) == 2 - joined
    assert not fill(run_of("bert"), "the [MASK] [MASK] sat")["remarks"]


def test_characters_that_the_tokenizer_does_not_know_are_counted_or_refused() -> None:
    run = run_of("gpt", tokenizer="char_bpe")
    assert "does not know 2" in spoken(write(request(), run, "the 🦜🦜 cow", 0, *controls())["remarks"])
    with pytest.raises(SettingsError, match="none of these characters"):
        write(request(), run, "🦜🦜", 0, *controls())


def test_a_megabyte_gets_one_sentence() -> None:
    for handler in (partial_write, partial_fill):
        with pytest.raises(SettingsError, match="characters"):
            handler("a" * 2**20)


def partial_write(text: str) -> Any:
    return write(request(), run_of("gpt"), text, 0, *controls())


def partial_fill(text: str) -> Any:
    return fill(run_of("bert"), text)


@pytest.mark.parametrize(
    "wish",
    [
        "null",
        "[]",
        "{",
        "[" * 5000,
        request([10**9]),
        request([-1]),
        request([1.5]),
        request(["1"]),
        request([True]),
        request(have=3),
        request(have=-1),
        request(count=AT_ONCE + 1),
        request(count=-1),
        request([5] * (AT_ONCE + 1)),
        request([5] * 10**4, 10**4),
    ],
)
def test_a_request_that_no_browser_of_ours_makes_gets_one_sentence(wish: str) -> None:
    with pytest.raises(SettingsError, match="start over"):
        write(wish, run_of("gpt"), PROMPT, 0, *controls())


@pytest.mark.parametrize("seed", [None, 0, 7.0, 2**31 - 1])
def test_a_seed_is_a_whole_number_or_left_out(seed: Any) -> None:
    assert write(request(count=1), run_of("gpt"), PROMPT, seed, *controls())["bars"]["bars"]


@pytest.mark.parametrize("seed", [math.nan, math.inf, -5, 1.5, 2.0**31, 2.0**70, "7"])
def test_a_seed_in_whose_place_another_would_be_taken_is_refused(seed: Any) -> None:
    with pytest.raises(SettingsError, match="the seed must be a whole number from 0 to 2,147,483,647"):
        write(request(count=1), run_of("gpt"), PROMPT, seed, *controls())


@pytest.mark.parametrize("values", [[], [True], controls()[:-1], controls(temperature=0), controls(k=10**6)])
def test_settings_that_are_missing_or_out_of_range_get_one_sentence(values: list[Any]) -> None:
    with pytest.raises(SettingsError):
        write(request(), run_of("gpt"), PROMPT, 0, *values)


def test_the_page_opens_where_the_model_is_in_doubt() -> None:
    run, values = run_of("gpt"), controls("greedy")
    whole = json.loads(request(count=24)) | {"doubt": True}
    written, bars, *_ = write(json.dumps(whole), run, PROMPT, 0, *values).values()
    assert 12 <= len(written["tokens"]) <= 24
    assert len(written["tokens"]) == 12 or bars["bars"][0]["expected"] <= writing.SURE


def test_a_text_ends_at_the_limit() -> None:
    most = limits().generated
    written = write(request([5] * most, most, 8), run_of("gpt"), PROMPT, 0, *controls())["writing"]
    assert written["tokens"] == [] and written["limit"] == most


def test_each_gap_gets_its_guesses_the_likeliest_first() -> None:
    value, said, line = fill(run_of("bert"), f"the {MASK} sat on the {MASK}").values()
    assert len(value["gaps"]) == 2 and not said
    for guesses in value["gaps"]:
        assert [p for _, p in guesses] == sorted((p for _, p in guesses), reverse=True)
    assert line["command"] == f"python -m lab fill --run {run_of('bert')} --text 'the {MASK} sat on the {MASK}'"


def test_a_text_without_a_gap_or_with_one_out_of_reach_gets_a_sentence() -> None:
    run = run_of("albert")
    assert "Write [MASK]" in in_language(fill(run, "no gap")["gaps"]["empty"], "en")
    assert "too far into the text" in in_language(fill(run, "cow " * 40 + MASK)["gaps"]["empty"], "en")
    value, said, _ = fill(run, f"{MASK} " + "cow " * 40 + MASK).values()
    assert len(value["gaps"]) == 1 and "1 more gap lies" in spoken(said)


@settings(max_examples=30, deadline=None)
@given(text=st.text(max_size=60))
def test_no_text_breaks_the_filling(text: str) -> None:
    value = fill(run_of("bert"), text + MASK)["gaps"]
    json.dumps(value, allow_nan=False)


def test_the_half_of_the_page_that_suits_the_run_is_shown_with_a_text_that_suits_it() -> None:
    gpt, bert = run_of("gpt"), run_of("bert")
    assert kind_of(gpt) == "write" and kind_of(bert) == "fill"
    writes, fills, text = turn(bert, specimen("chinese", gpt)).values()
    assert not writes["visible"] and fills["visible"] and MASK in text
    assert MASK not in specimen("chinese", gpt)
    assert "text" not in turn(bert, "a text of one's own")


@pytest.mark.parametrize("run", ["no-such-run", "../x", "/etc", "a\0b"])
def test_a_run_that_is_none_gets_one_sentence(run: str) -> None:
    for handler in (lambda: write(request(), run, "a", 0, *controls()), lambda: fill(run, "a"), lambda: turn(run, "a")):
        with pytest.raises(SettingsError):
            handler()


def test_the_command_says_that_it_cannot_pick_a_token() -> None:
    given = [run_of("gpt"), PROMPT, 4, *controls("temperature")]
    drawn = write(request(count=2), *given)
    assert "#" not in drawn["command"]["command"]
    ids = [token["id"] for token in drawn["writing"]["tokens"]]
    picked = write(request(ids=ids, have=2, picked=True), *given)
    assert (
        picked["command"]["command"]
        == drawn["command"]["command"] + "  # draws every token: those that you chose by hand are not among them"
    )


def test_uniform_guessing_is_rounded_once() -> None:
    assert write(request(count=1), run_of("gpt"), PROMPT, 0, *controls())["writing"]["even"] == math.log(
        writing.visitor.trained(run_of("gpt")).tokenizer.vocabulary.size
    )


def test_the_command_names_run_prompt_samplers_and_seed() -> None:
    line = write(request(count=2), run_of("gpt"), "it's", 4, *controls("temperature", "top_k", temperature=0.5, k=9))[
        "command"
    ]
    assert line["command"] == (
        f"python -m lab generate --run {run_of('gpt')} --prompt 'it'\"'\"'s' "
        "--sampler temperature:temperature=0.5 --sampler top_k:k=9 --tokens 2 --seed 4"
    )


# ---- in the browser


def stage(page: Page) -> Any:
    return page.locator("#generate-text .stage")


def test_the_page_opens_on_a_text_that_is_written(stay: Stay, asking: str) -> None:
    page = stay(asking, "generate", run="gpt")
    stage(page).locator(".token").nth(5).wait_for()
    page.locator("#generate-beside section").nth(3).wait_for()
    page.locator("#generate-draw").get_by_text("falls on").wait_for()


def greedy(page: Page) -> Any:
    """Where the tokens will stand that the model finds likeliest behind the prompt."""
    go(page, "generate", run="gpt", text=PROMPT, greedy=True)
    over = page.get_by_role("button", name="Start over")
    if over.is_enabled():
        over.click()
    page.wait_for_function("() => !document.querySelector('#generate-text .stage .token')")
    return stage(page).locator(".token")


def test_step_play_and_another_choice(stay: Stay, asking: str) -> None:
    page = stay(asking, "generate", run="gpt")
    tokens = greedy(page)
    page.get_by_role("button", name="Step", exact=True).click()
    tokens.nth(0).wait_for()
    page.get_by_role("button", name="Play", exact=True).click()
    tokens.nth(6).wait_for()
    page.get_by_role("button", name="Pause", exact=True).click()
    page.wait_for_timeout(500)
    before = tokens.count()
    page.wait_for_timeout(500)
    assert tokens.count() == before, "paused means paused"
    tokens.nth(2).click()
    other = page.locator("#generate-text .alternatives .other:not(.taken)").first
    other.click()
    page.wait_for_function(
        "() => document.querySelectorAll('#generate-text .stage .token')[2]?.classList.contains('picked')"
    )


def test_at_full_speed_the_page_says_how_fast_it_writes_and_colours_by_rank_and_entropy(
    stay: Stay, asking: str
) -> None:
    page = stay(asking, "generate", run="gpt")
    tokens = greedy(page)
    page.get_by_role("button", name="Full speed", exact=True).click()
    expect(page.locator("#generate-text .mean")).to_contain_text("tokens/s on this page")
    tokens.nth(20).wait_for()
    page.get_by_role("button", name="Pause", exact=True).evaluate_all("all => all.forEach((each) => each.click())")
    calm(page)  # whether it was stopped or had come to its end
    page.get_by_role("radio", name="rank", exact=True).click()
    expect(page.locator("#generate-text .shades")).to_contain_text("21–100")
    assert not tokens.evaluate_all("nodes => nodes.filter((node) => !node.classList.contains('s0')).length")  # greedy
    page.get_by_role("radio", name="entropy", exact=True).click()
    expect(page.locator("#generate-text .shades")).to_contain_text("nats")
    assert tokens.evaluate_all("nodes => nodes.filter((node) => !node.classList.contains('s0')).length")
    tokens.nth(0).hover()
    expect(page.locator(".lab-note")).to_contain_text("rank 1; entropy")


def test_the_mark_shows_the_digits_of_the_sentence(stay: Stay, asking: str) -> None:
    page = stay(asking, "generate", run="gpt")
    greedy(page)
    numbers = [float(Dice(seed).random(1)[0, 0]) for seed in range(100)]
    seed = next(seed for seed, n in enumerate(numbers) if f"{n:.3f}" != f"{round(n, 4):.3f}")  # rounded twice
    go(page, "generate", run="gpt", text=PROMPT, greedy=True, seed=seed)
    page.locator("#generate-draw").get_by_text(f"the random number {numbers[seed]:.3f} falls on").wait_for()
    expect(page.locator("#generate-draw .mark")).to_have_text(f"{numbers[seed]:.3f}")


def test_a_bar_that_is_clicked_is_the_next_token(stay: Stay, asking: str) -> None:
    page = stay(asking, "generate", run="gpt")
    tokens = greedy(page)
    page.locator("#generate-draw").get_by_text("Draw 1:").wait_for()
    page.locator("#generate-bars li").nth(4).click()
    stage(page).locator(".token.picked").wait_for()
    assert tokens.count() == 1


def test_nothing_typed_is_executed(stay: Stay, asking: str) -> None:
    page = stay(asking, "generate", run="gpt")
    page.get_by_label("Text").first.fill("<img src=x onerror=window.hit=1> ${window.hit=1} {{window.hit=1}}")
    stage(page).get_by_text("onerror").wait_for()
    page.get_by_role("button", name="Step", exact=True).click()
    stage(page).locator(".token").first.wait_for()
    assert page.evaluate("window.hit") is None


def test_a_sampler_is_turned_and_kept_in_the_address_and_a_model_that_fills_gets_gaps(page: Page, asking: str) -> None:
    visit(page, asking, "generate", run="gpt", top_k="true", **{"top_k.k": "3"})
    page.locator("#generate-draw").get_by_text(": 3 of").wait_for()
    page.get_by_role("checkbox", name="Greedy").check()
    page.locator("#generate-draw").get_by_text(": 1 of").wait_for()
    assert "greedy=true" in page.url
    go(page, "generate", run="bert", text="a [MASK]")
    page.locator("#generate-gaps").get_by_text("Gap 1").wait_for()
    expect(page.locator("#generate-gaps .note")).to_have_count(1)
    page.locator("#generate-gaps .other").first.click()
    page.locator("#generate-gaps").get_by_text("Write [MASK]").wait_for()


@pytest.mark.parametrize("model", ["t5", "bart", "mbart"])
def test_a_model_that_writes_answers_fills_each_gap_with_what_it_writes_there(model: str) -> None:
    run = run_of(model)
    assert kind_of(run) == "fill"
    gaps, said, line = fill(run, "the [MASK] sat on [MASK]").values()
    assert len(gaps["gaps"]) == 2
    for gap in gaps["gaps"]:  # a phrase or nothing; of an answer that copies nothing, the ways to begin alone
        whole = [each for each in gap if len(each) == 2]
        assert len(gap) > 4 and len(whole) <= 2 and all(0 <= each[1] <= 1 for each in gap)
    assert line["command"].startswith(f"python -m lab fill --run {run}")


def test_many_samples_are_measured_beside_stories_that_nobody_sampled() -> None:
    run, given = run_of("gpt"), controls("temperature", temperature=0.1)
    *_, answer = measure(run, "", PROMPT, 0, *given)
    table = answer["measured"]
    assert f"from the prompt “{PROMPT}”, seed 0; samplers that were on:" in spoken(answer["of"])
    rows = {in_language(name, "en"): figures for name, *figures in table["rows"]}
    assert len(rows) == len(ROWS) + 4 and all(len(figures) + 1 == len(table["columns"]) for figures in rows.values())
    assert rows["Greedy"][4] in ("100.0", "–", "0.0")  # twelve times the same text, unless it ended at once
    surprise = {name: float(figures[0]) for name, figures in rows.items() if figures[0] != "–"}
    assert surprise["All that are on above"] < surprise["No sampler (the model’s own distribution)"]
    *_, other = measure(run, run_of("lstm"), PROMPT, 0, *given)
    assert [row[:2] for row in other["measured"]["rows"]] == [row[:2] for row in table["rows"]], (
        "the texts are the same"
    )
    assert [row[2] for row in other["measured"]["rows"]] != [row[2] for row in table["rows"]], "the judge is not"
    for nobody in ("", run_of("bert")):
        assert [each["measured"]["rows"] for each in measure(nobody, "", PROMPT, 0, *given)] == [[]]


@pytest.mark.parametrize("judge", ["", "lstm"])
def test_its_own_texts_and_peoples_are_judged_along_the_way(judge: str) -> None:
    own = "\n".join(
        ["<b>The town</b> was quiet, and nobody slept. " * 6, "短", "Yesterday it rained in the town 🦜. " * 6]
    )
    name = run_of(judge) if judge else ""
    answers = [*compare(run_of("gpt"), name, PROMPT, own, 0, *controls("greedy"))]
    assert len(answers) == 2, "two of the three lines are long enough, and each is gone on with in turn"
    real, pure, on = answers[-1]["picture"]["series"]
    first = answers[0]["picture"]["series"][0]["y"]  # shown as far as anything was written so far
    assert first and real["y"][: len(first)] == first and real["x"][0] == WINDOW
    for one in (real, pure, on):
        assert all(low <= y <= high for low, y, high in zip(one["low"], one["y"], one["high"], strict=True))
    figures = answers[-1]["said"][0][1]
    assert (figures["n"], figures["of"], figures["texts"]) == (2, 2, 2)
    assert judge or float(figures["on"]) < float(figures["pure"]), "greedy decoding surprises its own model less"


def test_who_cannot_judge_and_what_is_too_short_is_said() -> None:
    encoder, writer = run_of("bert"), run_of("gpt")
    for run, judge, own, why in (
        (encoder, "", "", "generate.no_runs"),
        ("", "", "", "generate.no_runs"),
        (writer, encoder, "", "generate.judge.cannot"),
        (writer, "", "too short", "generate.exposure.short"),
    ):
        (answer,) = compare(run, judge, PROMPT, own, 0, *controls())
        assert answer["picture"]["empty"] == {"word": why} and not answer["said"]
    assert judges(encoder, "")["judge"] == "" and judges(writer, "")["judge"] in ("", writer)


def test_a_token_that_the_vocabulary_does_not_have_makes_no_sentence_more_natural(tmp_path: Path) -> None:
    run = finished(tmp_path / "run", model="bert", tokenizer="words", training=steps(2))
    trained = load(run)
    words = [piece.text.strip() for piece in trained.tokenizer.pieces(trained.tokenizer.vocabulary.ordinary.tolist())]
    known = next(word for word in words if word.isalpha() and len(word) > 3)
    odd, half = natural.scored(trained, "🦜🦜"), natural.scored(trained, f"{known} 🦜🦜")
    assert odd["title"]["perplexity"] == "–" and odd["note"]["word"] == "generate.natural.unknown"
    assert half["title"]["perplexity"] != "–" and half["note"]["unknown"] >= odd["note"]["unknown"] > 0
    assert natural.scored(trained, known)["note"]["word"] == "generate.natural.note"


def test_gaps_are_filled_in_every_order_and_sentences_scored() -> None:
    run = run_of("bert")
    trained = writing.visitor.trained(run)
    text = f"The {MASK} was {MASK} today."
    rows = natural.orders(run, text)["rows"]
    assert [in_language(name, "en") for name, *_ in rows] == [
        "At once",
        "Left to right",
        "Right to left",
        "Surest first",
    ]
    for (_, filled, logprob), order in zip(rows, ORDERS, strict=True):
        assert MASK not in filled and logprob == f"{fill_gaps(trained, text, order).logprob:.2f}"
    assert natural.orders(run, f"one {MASK}")["empty"] == {"word": "generate.orders.few"}
    far = natural.orders(run, f"one {MASK} " + "cow " * trained.context + MASK)["empty"]
    assert far == {"word": "generate.orders.far", "n": trained.context}
    first, second = natural.natural(run, "The town was quiet.", "<img src=x> 🦜")["natural"]["columns"]
    surprise = [math.log(token["p"]) for token in first["tokens"]]
    assert first["title"]["perplexity"] == f"{math.exp(-sum(surprise) / len(surprise)):.1f}" and second["tokens"]
    whole, cut = "cow " * 3, "cow " * trained.context
    assert natural.scored(trained, whole)["note"]["word"] == "generate.natural.note"
    note = natural.scored(trained, cut)["note"]
    assert note["word"] == "generate.natural.cut" and note["all"] == len(trained.tokenizer.encode(cut))
    assert note["read"] == len(natural.scored(trained, cut)["tokens"]) < trained.context
    for other in ("", run_of("gpt")):
        assert natural.natural(other, "a", "b")["natural"]["columns"] == natural.orders(other, text)["rows"] == []


def test_a_number_that_is_emptied_to_write_another_is_not_the_least_meanwhile(server: str, stay: Stay) -> None:
    page = stay(server, "generate")
    beams = page.get_by_label("number input for Beams")
    before = beams.input_value()
    beams.fill("")
    page.wait_for_timeout(400)
    assert "beams" not in page.url
    beams.blur()
    expect(beams).to_have_value(before)
    beams.fill("5")
    beams.blur()
    page.wait_for_function("() => location.search.includes('beams=5')")
    expect(page.locator(".lab-toasts .toast")).to_have_count(0)
