"""The page that counts parameters: what it says is what counting gives, whatever is asked of it."""

import json
import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from browser import calm, visit
from playwright.sync_api import Page, Route, expect
from staying import Stay, go

from lab.analysis.count import count, published, published_names
from lab.analysis.measure import Step
from lab.catalog import MODELS
from lab.serve import in_turns
from lab.settings import SettingsError
from lab.ui.pages.parameters import costs as costing
from lab.ui.pages.parameters.address import RANGES, SIZES, recipes, side_of, sides_of
from lab.ui.pages.parameters.headline import why
from lab.ui.pages.parameters.page import PRESETS, brought, costs, counted, facts, timed
from lab.ui.words import ASSETS, WORDS, complaint, in_language

HOSTILE = [
    "llama+eps.5000.96.32.3.4.0.64.2*gpt2",
    "llama+tied+tied*gpt2",
    "",
    "*",
    "bert*",
    "x" * 401,
    "bert.1.2*gpt2",
    "<img src=x onerror=alert(1)>*gpt2",
    "${1}*{{x}}",
    "a*b*c",
]


def text(said: dict[str, Any], language: str = "en") -> str:
    return in_language(said, language)


def test_every_preset_is_a_pair_that_can_be_counted() -> None:
    for _, models in PRESETS:
        assert counted(models)["command"]["command"].count("python -m lab params") == 2


def test_the_sentence_holds_the_exact_counts_and_the_command_makes_them() -> None:
    seen = counted("bert-base-uncased*albert-base-v2")
    said = text(seen["truth"][0][1] | {"left": "BERT", "right": "ALBERT"})
    assert "110,106,428" in said and "11,813,810" in said
    assert seen["command"]["command"].split("\n") == [
        "python -m lab params bert-base-uncased",
        "python -m lab params albert-base-v2",
    ]


def test_own_sizes_are_read_from_the_address_and_come_back_in_the_command() -> None:
    side = side_of("albert.5000.96.32.3.4.0.64")
    assert side.shape == {"width": 96, "embedding_width": 32, "depth": 3, "heads": 4, "feed": None, "context": 64}
    assert side.command == (
        "python -m lab params --model albert --width 96 --embedding-width 32 --depth 3 --heads 4 --context 64 "
        "--vocab 5000"
    )


def test_an_address_names_heads_of_keys_and_switches_that_are_on() -> None:
    side = side_of("llama+tied.5000.96.32.3.4.0.64.2")
    assert side.shape["kv_heads"] == 2 and side.shape["tied"] is True
    assert side.command.endswith("--heads 4 --context 64 --kv-heads 2 --tied --vocab 5000")


def test_an_address_names_a_choice_that_changes_the_count() -> None:
    side = side_of("albert+sharing=feed.5000.96.32.3.4.0.64.0")
    assert side.shape["sharing"] == "feed" and "--sharing feed" in side.command
    assert side_of("albert+share=feed.5000.96.32.3.4.0.64.0") == side  # a link from before it was called so
    assert "albert+activation=gelu" not in recipes()


def test_a_size_that_a_recipe_lacks_is_left_out() -> None:
    assert "embedding_width" not in side_of("bert.5000.96.32.3.4.0.64").shape


@pytest.mark.parametrize("models", HOSTILE)
def test_what_is_no_pair_of_models_gets_one_sentence(models: str) -> None:
    with pytest.raises(SettingsError) as error:
        sides_of(models)
    assert error.value.zh and "\n" not in error.value.en
    [(kind, said)] = counted(models)["truth"]  # it stands where the count of what there cannot be would
    assert kind == "problem" and said == complaint(error.value)
    assert counted(models)["tensors"] == {"models": []} and costs(models)["price"]["rows"] == []


@pytest.mark.parametrize("sizes", ["0.96.32.3.4.0.64", "5000.99999.32.3.4.0.64", "5000.96.32.3.5.0.64"])
def test_sizes_out_of_range_or_that_do_not_fit_get_one_sentence(sizes: str) -> None:
    with pytest.raises(SettingsError):
        side_of("albert." + sizes)


def test_something_else_than_text_is_refused() -> None:
    for payload in (None, 7, ["bert-base-uncased"]):
        assert counted(payload)["truth"][0][0] == "problem"  # type: ignore[arg-type]


@pytest.mark.parametrize("name", published_names())
def test_every_published_model_says_its_exact_count_and_why_the_headline_differs(name: str) -> None:
    known = published(name)
    whole = count(known.model, known.shape, known.vocabulary)["params"]["with_pretraining_heads"]
    for language in ("en", "zh"):
        said = text(why(known), language)
        assert f"{whole:,}" in said
        assert "{" not in said


def test_the_stated_size_of_bert_base_is_the_one_with_its_pretraining_heads() -> None:
    assert why(published("bert-base-uncased"))["word"] == "parameters.why.heads"
    assert why(published("bert-base-chinese"))["word"] == "parameters.why.english"
    large = why(published("bert-large-uncased"))
    assert (large["word"], large["hit"], large["digits"]) == ("parameters.why.rounded", "336,226,108", 2)
    assert why(published("hfl/chinese-macbert-large"))["word"] == "parameters.why.bare"
    assert why(published("gpt2"))["word"] == "parameters.why.miscounted"
    small = why(published("microsoft/deberta-v3-base"))
    assert (small["word"], small["hit"]) == ("parameters.why.backbone", "86,170,980")
    assert why(published("microsoft/deberta-base"))["hit"] == "100,640,601"
    assert why(published("llama-65b"))["word"] == "parameters.why.cut"
    assert why(published("xlnet-base-cased"))["word"] == "parameters.why.no"
    assert why(published("llama-3-70b"))["word"] == "parameters.why.cut"  # not that it is stated without its head
    for name in ("cased", "uncased"):
        assert why(published(f"bert-base-multilingual-{name}"))["word"] == "parameters.why.english"


def test_a_pooler_is_named_where_the_model_has_one() -> None:
    names = ("albert-base-v2", "roberta-base", "llama-7b", "google/mt5-small", "distilbert-base-uncased")
    said = [text(why(published(name)), language) for language in ("en", "zh") for name in names]
    assert ["pooler" in each or "池化" in each for each in said] == [True, False, False, False, False] * 2


def test_the_browser_is_given_every_recipe_and_every_published_model() -> None:
    given = json.loads(json.dumps(facts()))
    assert [each["name"] for each in given["published"]] == published_names()
    assert all(set(each["sizes"]) == set(SIZES) for each in given["published"])
    assert {term["part"] for term in given["models"]["albert"]["plain"]} == {
        "embeddings",
        "norms",
        "attention",
        "ffn",
        "heads",
    }


@pytest.mark.parametrize("script", ["parameters", "shapes", "formulas", "ledger", "treemap", "published"])
def test_every_word_that_the_scripts_name_exists(script: str) -> None:
    source = (ASSETS / "components" / f"{script}.js").read_text(encoding="utf-8")
    named = set(re.findall(r'"(parameters\.[\w.]+\w)"', source))
    assert named <= set(WORDS)


def sides() -> list[dict[str, Any]]:
    """Every published model, and models of random sizes, as the browser knows them."""
    known = [{"model": each["model"], **each["sizes"]} for each in facts()["published"]]
    dice = random.Random(0)
    own = []
    for name, (model, _) in recipes().items():
        knobs = {size: item.metadata["knob"] for size, item in MODELS[model].settings.knobs().items()}
        for feed in (True, False):
            side = {size: dice.randint(*RANGES[size]) for size in SIZES}
            side |= {size: min(side[size], knobs[size].high) for size in SIZES if size in knobs}
            side["head_width"] += -side["head_width"] % 4  # half of which turns in pairs
            side["depth"] = min(side["depth"], 9)  # the published ones are deep enough, and each block is built here
            heads, kv_heads = dice.choice([(1, 0), (1, 1), (2, 1), (4, 2)])
            side |= {"width": side["width"] // 16 * 16 + 16, "feed": side["feed"] if feed else 0}
            own.append({"model": name, **side, "heads": heads, "kv_heads": kv_heads})
    return known + own


def test_the_browser_counts_as_the_lab_counts(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    asked = sides()
    found = page.evaluate("([facts, sides]) => sides.map((s) => window.lab.counting.count(facts, s))", [facts(), asked])
    for side, got in zip(asked, found, strict=True):
        model, chosen = recipes()[side["model"]]
        shape = {size: side[size] or None for size in SIZES if size in MODELS[model].settings.knobs()}
        counted_here = count(model, shape | chosen, side["vocabulary"])
        assert {"params": got["params"], "breakdown": got["parts"]} == counted_here


def test_the_ledger_holds_all_that_is_counted(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    script = """([facts, sides]) => sides.map((s) => {
        const { pieces } = { pieces: window.lab.parameters.ledger(facts, [s, s]).sides[0] };
        return [Object.values(pieces).reduce((a, b) => a + b, 0), window.lab.counting.count(facts, s).whole];
    })"""
    for ledger, whole in page.evaluate(script, [facts(), sides()]):
        assert ledger == whole


def test_an_encoder_decoders_work_is_told_for_a_token_read_and_for_one_written(stay: Stay, server: str) -> None:
    page, tiles = stay(server, "parameters"), "#parameters-tiles"
    width, blocks = 768, 12
    encoder = blocks * 12 * width**2  # four maps of attention, a feed-forward network of 4 W
    go(page, "parameters", models="gpt2*t5-base")
    expect(page.locator(tiles)).to_contain_text(f"{encoder / 1e6:.1f}M + {encoder * 16 / 12 / 1e6:.0f}M")  # and a look
    expect(page.locator(tiles)).to_contain_text("the second for one that the decoder writes.")
    go(page, "parameters", models="bert-base-uncased*gpt2")
    expect(page.locator(tiles)).to_contain_text("in the blocks, as in BERT")
    expect(page.locator(tiles)).not_to_contain_text("decoder writes")


def test_memory_is_told_in_the_unit_that_it_fills(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    for models, said in (("gpt2*llama-3.1-405b", "1.62 TB"), ("glove.6B.50d*lstm.1", "656 B")):
        go(page, "parameters", models=models)
        expect(page.locator("#parameters-tiles")).to_contain_text(said)


def test_unticking_a_part_takes_it_out_of_the_sum(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    go(page, "parameters", models="bert-base-uncased*bert-large-uncased")
    ledger = page.locator("#parameters-ledger")
    ledger.get_by_text("335.1M", exact=False).first.wait_for()
    assert "large has 334.1M, 335.1M and 336.2M" in ledger.inner_text() and "says 340M" in ledger.inner_text()
    ledger.get_by_label("Pooler").uncheck()
    ledger.locator("tr.sum").get_by_text("109,515,836").wait_for()
    ledger.get_by_role("button", name="without heads").click()
    ledger.locator("tr.sum").get_by_text("108,891,648").wait_for()
    ledger.get_by_role("button", name="all that is pretrained").click()
    expect(ledger.get_by_label("Pooler")).to_be_checked()


def test_a_way_of_counting_is_offered_where_it_gives_a_number_of_its_own(stay: Stay, server: str) -> None:
    page, ledger = stay(server, "parameters"), "#parameters-ledger"
    every = ["all that is pretrained", "with the head for tokens alone", "with the pooler alone", "without heads"]
    for models, ways in (("bert-base-uncased*llama-7b", every), ("llama-7b*t5-base", [every[0], every[3]])):
        go(page, "parameters", models=models)
        expect(page.locator(f"{ledger} button")).to_have_text([*ways, "the blocks alone"])


def test_what_is_said_of_blocks_is_true_of_those_beside_it(stay: Stay, server: str) -> None:
    page, formulas, tiles = stay(server, "parameters"), "#parameters-formulas", "#parameters-tiles"
    for models in ("bert-base-uncased*albert-base-v2", "bert-large-uncased*gpt2"):
        go(page, "parameters", models=models)
        expect(page.locator(formulas)).to_contain_text("the feed-forward part 8 · H²")
    go(page, "parameters", models="bert-base-uncased*t5-base")  # whose decoder has a second attention
    expect(page.locator(formulas)).not_to_contain_text("the feed-forward part")
    expect(page.locator(formulas)).to_contain_text("how many times a block is kept")
    expect(page.locator(tiles)).to_contain_text("12 blocks in the encoder and 12 in the decoder")
    go(page, "parameters", models="bert-base-uncased*llama-7b")
    expect(page.locator(formulas)).not_to_contain_text("the feed-forward part")


def test_what_is_pressed_by_key_keeps_the_focus(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    go(page, "parameters", models="albert-base-v2*bert-base-uncased")
    treemap = page.locator("#parameters-treemap")
    treemap.get_by_text("embed.tokens").wait_for()
    for button in (
        page.locator("#parameters-ledger").get_by_role("button", name="without heads"),
        page.locator("#parameters-ledger").get_by_role("button", name="all that is pretrained"),
        treemap.get_by_role("button", name="BERT (bert-base-uncased)", exact=True),
        treemap.get_by_role("button", name="Block 12"),  # opens
        treemap.get_by_role("button", name="Block 12"),  # and closes
    ):
        button.press("Enter")
        expect(button).to_be_focused()


def test_every_tensor_has_its_area_and_its_line_in_the_file(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    go(page, "parameters", models="albert-base-v2*bert-base-uncased")
    treemap = page.locator("#parameters-treemap")
    treemap.get_by_text("embed.tokens").wait_for()
    treemap.get_by_role("button", name="BERT (bert-base-uncased)", exact=True).click()
    treemap.get_by_text("Block 12").wait_for()
    with page.expect_download() as download:
        treemap.get_by_role("button", name="CSV").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert download.value.suggested_filename == "bert-base-uncased.csv"
    assert (
        lines[0] == "tensor,part,shape,parameters"
        and sum(int(each.split(",")[-1]) for each in lines[1:]) == 110_106_428
    )
    assert '"stack.embed.tokens.weight",embeddings,"30522x768",23440896' in lines


def test_a_published_model_is_found_by_what_is_typed(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    page.locator("#shapes summary").first.click()
    page.locator("#shapes input[type=search]").fill("roberta large")
    page.get_by_role("button", name="roberta-large: right", exact=True).click()
    page.locator("#parameters-bars").get_by_text("roberta-large").wait_for()
    assert page.locator("#shapes .published li").count() < 5


LAB = "bert.4096.128.64.4.4.0.128.0.0*albert.4096.128.64.4.4.0.128.0.0"


def test_what_both_cost_stands_beside_each_other() -> None:
    table, remark = (costs("bert-base-uncased*gpt2")[part] for part in ("price", "remark"))
    assert remark[0][1]["room"] == "1.3" and [len(row) for row in table["rows"]] == [3] * 7
    weights, optimizer, *_, cache = table["rows"]
    assert weights[1:] == ["440\u00a0MB", "498\u00a0MB"] and optimizer[1:] == ["881\u00a0MB", "996\u00a0MB"]
    assert cache[1:] == ["–", "73.7\u00a0kB"]  # 12 blocks, a key and a value of 768 numbers of 4 bytes


def test_what_they_cost_is_read_whole_on_a_telephone(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    go(page, "parameters", models="bert-base-uncased*albert-base-v2")
    page.set_viewport_size({"width": 390, "height": 844})
    table = page.locator("#parameters-cost .table")
    expect(table).to_contain_text("albert-base-v2")
    inside, box = table.evaluate("each => [each.scrollWidth, each.clientWidth]")
    assert inside <= box


def test_a_discriminator_alone_takes_no_step_and_its_weights_are_counted() -> None:
    alone = [name for name in published_names() if "discriminator" in name]
    for name in alone:
        answer = costs(f"bert-base-uncased*{name}")
        (_, *weights), (_, *optimizer), *others = answer["price"]["rows"]
        assert weights[0] == "440\u00a0MB" and optimizer[0] == "881\u00a0MB" and "–" not in (weights[1], optimizer[1])
        assert {row[2] for row in others} == {"–"} and "discriminator alone" in answer["remark"][0][1]["en"]
        assert answer["price"]["columns"][2]["en"].endswith(f"({name})")
    assert len(alone) >= 3 and len(costs(f"{alone[0]}*{alone[0]}")["remark"]) == 2, "said once"
    with pytest.raises(SettingsError, match="discriminator alone"):
        timed(f"{alone[0]}*{alone[0]}")


def test_steps_of_both_are_taken_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    step = in_turns._step
    monkeypatch.setattr(in_turns, "_step", lambda pipe, patience: asked.append(id(pipe)) or step(pipe, patience))
    monkeypatch.setattr(costing, "SECONDS", 0.0)
    seen = timed(LAB)
    table = seen["price"]
    assert len(asked) == 2 * (in_turns.FEWEST + 1) and asked == asked[:2] * (in_turns.FEWEST + 1)
    assert re.fullmatch(r"[\d,]+\u00a0ms \([\d,]+–[\d,]+\)", table["rows"][7][1])
    assert re.fullmatch(r"[\d.]+\u00a0MB", table["rows"][8][1])
    said = text(seen["remark"][0][1] | {"left": "BERT", "right": "ALBERT"})
    assert re.search(r"Measured in 3 turns: with 3\d\s% of the parameters .* \(\d+\s% to \d+\s%\)", said)


def test_each_visitor_gets_what_was_measured_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def slower(runs: list[Any], *limits: Any) -> list[list[Step]]:
        nonlocal factor
        factor *= 2
        return [[Step(factor * second, None) for second in (1.0, 1.1, 1.2)] for _ in runs]

    factor = 0.001
    monkeypatch.setattr(costing, "in_turns", slower)
    first, second = (timed(LAB)["price"]["rows"][7][1] for _ in range(2))
    assert (first, second) == ("2\u00a0ms (2–2)", "4\u00a0ms (4–5)")


def test_what_is_too_large_to_measure_is_refused_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costing, "in_turns", None)
    with pytest.raises(SettingsError, match="at most"):
        timed("gpt3-175b*bert-base-uncased")
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "classroom")
    with pytest.raises(SettingsError, match="at most"):
        timed("bert-large-uncased*albert-base-v2")


def test_a_slider_redraws_bars_and_formulas_without_the_server(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    go(page, "parameters", models="bert-base-uncased*albert-base-v2")
    bars = page.locator("#parameters-bars")
    bars.get_by_text("110,106,428 parameters").wait_for()
    page.locator("#parameters-truth").get_by_text("11,813,810").wait_for()
    expect(page.locator("#parameters-ideas")).to_contain_text(
        "factorising the embeddings saves 19,429,888 parameters compared with tables of the full hidden size "
        "without a projection, and sharing the blocks saves 77,966,592"
    )
    held: list[Route] = []
    page.route("**/gradio_api/**", lambda route: held.append(route))  # the server does not hear of it
    width = page.locator("#shapes input[type=number]").nth(2)
    width.fill("1024")
    page.wait_for_function("() => document.querySelector('#parameters-formulas').textContent.includes('31,254,528')")
    page.unroute("**/gradio_api/**")
    for route in held:
        route.continue_()
    page.locator("#parameters-truth").get_by_text("ALBERT 17,847,474").wait_for()
    assert "models=bert.30522.1024" in page.url


def test_sizes_that_do_not_fit_leave_nothing_behind_that_was_checked(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    page.evaluate("document.activeElement.blur()")  # a number that somebody is typing stays theirs
    go(page, "parameters", models="bert-base-uncased*albert-base-v2")
    truth, cost = page.locator("#parameters-truth"), page.locator("#parameters-cost")
    truth.get_by_text("11,813,810").wait_for()
    page.locator("#shapes").get_by_text("Heads, feed-forward, positions").click()
    heads = page.get_by_label("First model: attention heads").last
    heads.fill("7")
    heads.press("Tab")
    expect(truth).to_contain_text("not a multiple of heads 7")
    expect(truth).not_to_contain_text("Checked")
    expect(cost).to_be_hidden()
    heads.fill("12")
    context = page.get_by_label("First model: positions").last
    context.fill("131072")
    context.press("Tab")
    expect(context).to_have_value("8192")  # BERT's own most
    expect(truth).to_contain_text("Checked")
    expect(cost).to_be_visible()


def test_what_is_many_times_as_large_is_told_as_a_factor(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    go(page, "parameters", models="bert.1000.32.128.1.1.128.16.0.0*bert-base-uncased")
    expect(page.locator("#parameters-tiles")).to_contain_text("2,266 times as large")
    go(page, "parameters", models="bert-base-uncased*bert-large-uncased")
    expect(page.locator("#parameters-tiles")).to_contain_text("bert-large-uncased is larger than bert-base-uncased by")
    expect(page.locator("#parameters-tiles")).to_contain_text("205.4 %")


def test_models_that_come_from_elsewhere_are_counted_and_cost_too(stay: Stay, server: str) -> None:
    page = stay(server, "parameters")
    go(page, "parameters", models="gpt2*bert-base-uncased")
    expect(page.locator("#parameters-cost")).to_contain_text("GPT (gpt2)")
    expect(page.locator("#parameters-truth")).to_contain_text("124,439,808")


def test_what_the_page_opens_with_never_comes_behind_what_is_chosen_meanwhile(page: Page, server: str) -> None:
    visit(page, server, "start")
    held: list[Route] = []
    page.route("**/gradio_api/run/**", lambda route: route.continue_() if held else held.append(route))
    with page.expect_request("**/gradio_api/run/**"):  # what the page opens with is late
        page.evaluate("window.lab.goto('parameters')")
    expect(page.locator("#shapes")).to_be_visible()
    page.evaluate("window.lab.goto('parameters', ['models'], ['gpt2*bert-base-uncased'])")
    page.wait_for_timeout(1000)
    held[0].continue_()
    calm(page)
    expect(page.locator("#parameters-cost")).to_contain_text("GPT (gpt2)")
    expect(page.locator("#parameters-truth")).to_contain_text("124,439,808")


def test_each_side_has_its_own_sizes(stay: Stay, server: str, tmp_path: Path) -> None:
    page = stay(server, "parameters")
    go(page, "parameters", models="bert-base-uncased*bert-large-uncased")
    numbers = page.locator("#shapes input[type=number]")
    numbers.nth(2).fill("1024")
    page.wait_for_function(
        "() => /^bert\\.30522\\.1024.*[*]bert-large-uncased$/.test(new URLSearchParams(location.search).get('models'))"
    )
    page.get_by_label("Move both together").check()
    page.locator('input[type=number][aria-label="First model: depth"]').fill("6")
    page.wait_for_function("() => (location.search.match(/bert\\.30522\\.1024\\.128\\.6\\./g) || []).length === 2")
    file = tmp_path / "config.json"
    file.write_text(json.dumps(TIED))
    page.locator("#shapes input[type=file]").nth(1).set_input_files(file)
    page.locator("#parameters-truth").get_by_text("T5 v1.1 60,511,616").wait_for()


TIED = {
    "model_type": "t5",
    "feed_forward_proj": "gated-gelu",
    "tie_word_embeddings": True,
    "d_model": 512,
    "num_heads": 6,
    "num_layers": 8,
    "d_ff": 1024,
    "vocab_size": 32128,
}


def config(text: Any, side: Any = 0) -> SimpleNamespace:
    return SimpleNamespace(side=side, text=text)


def test_a_config_becomes_the_side_for_which_it_was_brought() -> None:
    before = "bert-base-uncased*gpt2"
    left, right = brought(before, config(json.dumps(TIED), 1)).split("*")  # type: ignore[arg-type]
    assert left == "bert-base-uncased" and right.startswith("t5_v11+tied.32128.512.")
    side, untied = side_of(right), side_of(right.replace("+tied", ""))
    assert sum(each.cost.parameters * sign for each, sign in ((untied, 1), (side, -1))) == 32128 * 512
    published_one = brought(before, config(json.dumps({**TIED, "tie_word_embeddings": False})))  # type: ignore[arg-type]
    assert published_one.startswith("t5_v11.32128.")


@pytest.mark.parametrize("more", [{"num_decoder_layers": 3}, {"model_type": "bert", "type_vocab_size": 16}])
def test_a_config_whose_count_no_sizes_here_give_is_sent_to_the_command_line(more: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="a setting that has no place here"):
        brought("bert-base-uncased*gpt2", config(json.dumps({**TIED, **more})))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "{", "[]", "x" * 200_000, "[" * 90_000, '{"model_type": "<img>"}', None, 7])
def test_what_is_no_config_gets_one_sentence(text: Any) -> None:
    for side in (0, 1, 2, "0", None):
        with pytest.raises(SettingsError) as error:
            brought("bert-base-uncased*gpt2", config(text, side))  # type: ignore[arg-type]
        assert error.value.zh and len(error.value.en) < 400


def test_it_is_said_where_published_vectors_are_only_a_part() -> None:
    apart = {name for name, model in facts()["models"].items() if model["apart"]}
    assert {name.partition("+")[0] for name in apart} == {"word2vec", "glove", "elmo", "deberta_v3"}
    assert "deberta_v3+half=generator" in apart and "deberta_v3" not in apart


def test_the_address_brings_the_sizes_back(page: Page, server: str) -> None:
    visit(page, server, "parameters", models="albert.5000.96.32.3.4.0.64*gpt2", lang="zh")
    page.locator("#parameters-bars").get_by_text("124,439,808").first.wait_for()
    assert page.locator("#shapes input[type=number]").first.input_value() == "5000"


@pytest.mark.parametrize("models", ["<img src=x onerror=window.hit=1>*${window.hit=1}", "gpt2", "x" * 1500])
def test_an_address_made_up_by_somebody_is_put_right(page: Page, server: str, models: str) -> None:
    visit(page, server, "parameters", models=models)
    page.locator("#parameters-bars").get_by_text("11,813,810 parameters").wait_for()
    assert page.evaluate("window.hit") is None
