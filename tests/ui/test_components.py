"""The components: their values are JSON, hostile text stays text, and what can be computed in the browser is."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import calm, visit
from gallery import HOSTILE, MODULES, WORDS
from playwright.sync_api import Page, expect
from staying import Stay

from lab.tokenizer import Piece
from lab.ui.components import attention_map, bar, bars, curve, mask_table, memo, prose, replay, tiles, token_strip
from lab.ui.components.attention_map import attention_value
from lab.ui.components.drawn import Drawn
from lab.ui.components.mask_table import mask_value
from lab.ui.components.token_strip import TokenStrip, row, token
from lab.ui.words import ASSETS

MODULES_OF_OURS = (attention_map, bar, bars, curve, memo, prose, replay, mask_table, tiles, token_strip)
KINDS = [
    kind
    for module in MODULES_OF_OURS
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Drawn) and kind is not Drawn
]


def piece(text: str, special: bool = False) -> Piece:
    return Piece(5, text, b"" if special else text.encode("utf-8", "replace"), special)


# ---- values


@pytest.mark.parametrize("kind", KINDS)
def test_no_value_passes_through_a_template(kind: type[Drawn]) -> None:
    made = kind(HOSTILE[1])
    assert made.html_template == "" and made.css_template == ""
    assert HOSTILE[1] not in made.js_on_load


@pytest.mark.parametrize("kind", KINDS)
def test_every_component_has_its_script(kind: type[Drawn]) -> None:
    scripts = "".join(path.read_text("utf-8") for path in ASSETS.rglob("*.js"))
    assert f'component("{kind.script}"' in scripts


def test_a_value_is_one_json_string() -> None:
    value = {"rows": [{"label": "你好", "tokens": [{"text": text} for text in HOSTILE]}]}
    sent = TokenStrip().postprocess(value)
    assert isinstance(sent, str) and json.loads(sent) == value
    assert TokenStrip().postprocess(sent) == sent and TokenStrip().postprocess(None) is None


def test_numbers_that_json_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        TokenStrip().postprocess({"loss": float("nan")})


def test_a_token_tells_its_bytes_and_its_kind() -> None:
    assert token(piece("你")) == {"text": "你", "id": 5, "bytes": "e4bda0", "kind": "original"}
    assert token(piece("[CLS]", special=True))["kind"] == "special"
    assert token(piece("[UNK]", special=True))["kind"] == "unknown"
    assert token(piece("a"), "wrong", [("b", 0.123456)])["top"] == [["b", 0.1235]]


def test_a_row_needs_a_kind_for_each_token_or_none() -> None:
    assert [chip["kind"] for chip in row("", [piece("a"), piece("b")], ["", "masked"])["tokens"]] == [
        "original",
        "masked",
    ]
    with pytest.raises(ValueError, match="zip"):
        row("", [piece("a")], ["masked", "kept"])


def test_a_mask_table_arrives_as_it_was() -> None:
    table = np.tril(np.ones((3, 3), bool))
    value = mask_value(["a", "b", "c"], table)
    assert list(base64.b64decode(value["see"])) == [1, 0, 0, 1, 1, 0, 1, 1, 1]


def test_attention_survives_in_one_byte() -> None:
    maps = np.random.default_rng(0).dirichlet(np.full(6, 0.2), (2, 3, 6))
    value = attention_value(WORDS, maps)
    back = (np.frombuffer(base64.b64decode(value["data"]), np.uint8) / 255) ** 2
    assert np.abs(back.reshape(maps.shape) - maps).max() < 0.004


def test_scripts_write_text_and_never_markup() -> None:
    for path in ASSETS.rglob("*.js"):
        found = re.findall(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", path.read_text("utf-8")
        )
        assert found == [], Path(path).name


# ---- in the browser


def test_hostile_text_is_shown_and_never_run(gallery: str, stay: Stay) -> None:
    page = stay(gallery, MODULES[0].NAME)
    for module in MODULES:
        page.evaluate("(name) => window.lab.goto(name)", module.NAME)
        page.wait_for_selector(f"html:not(.settling) a[data-page={module.NAME}][aria-current=page]", state="attached")
        page.wait_for_timeout(500)
        assert page.evaluate("window.ran") is None
        assert page.locator("#pages img:not([src^='data:image/png;base64,'])").count() == 0  # but thumbnails


def test_chips_show_hostile_text_letter_by_letter(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "tokenize")
    chips = page.locator("#chips .chip")
    expect(chips).to_have_count(len(HOSTILE))
    assert chips.nth(2).text_content() == "{{window.ran}}"
    assert chips.nth(0).text_content() == "<img·src=x·onerror=window.ran=1>"  # white space is made visible
    assert chips.nth(8).text_content() == HOSTILE[8]  # Gradio's own mark for a word means nothing here
    assert chips.nth(11).text_content() == "⟨202E⟩turned"  # and so is what would turn the text around
    visible = "texts => texts.map((text) => window.lab.visible(text))"
    assert page.evaluate(visible, ["\u200d", "👩‍👧", "❤\ufe0f", "\u061c"]) == ["⟨200D⟩", "👩‍👧", "❤\ufe0f", "⟨061C⟩"]


def test_long_strips_are_cut_and_say_so(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "tokenize")
    page.locator("#text textarea").fill("x")
    expect(page.locator("#chips .chip")).to_have_count(4096)
    expect(page.locator("#chips .more")).to_have_text("… 904 more")


def test_rows_of_one_length_stand_under_each_other(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "objectives")
    columns = page.locator("#rows .column")
    expect(columns).to_have_count(6)
    edges = columns.nth(2).locator(".chip").evaluate_all("chips => chips.map(c => c.getBoundingClientRect().left)")
    assert len(edges) == 3 and max(edges) - min(edges) < 1
    assert page.locator("#rows .labels .row-label").all_text_contents() == ["original", "shown", "answers"]


def test_tokens_can_be_read_with_the_keyboard(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "objectives")
    page.locator("#rows [role=listbox]").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator("#rows .chip.focus")).to_have_text("[MASK]")
    expect(page.locator("#rows output")).to_contain_text("masked")


def test_the_table_says_who_looks_at_whom(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "objectives")
    page.locator("#mask canvas").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    reading = page.locator("#mask .reading")
    expect(reading).to_contain_text("“the” may look at “the”")
    page.keyboard.press("ArrowRight")
    expect(reading).to_contain_text("“the” may not look at “baker”")
    expect(reading).to_contain_text("sees 2 of 6")


def test_hovering_a_token_lights_it_everywhere_and_a_click_locks_it(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "objectives")
    chips = page.locator("#rows .chip[data-at='4']")
    chips.first.hover()
    expect(page.locator("#rows .chip.on")).to_have_count(3)
    expect(page.locator(".lab-note")).to_contain_text("bytes")
    chips.first.click()
    page.mouse.move(5, 5)
    expect(page.locator("#rows .chip.locked")).to_have_count(3)
    page.locator("#mask canvas").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#rows .chip.on")).to_have_count(0)


def test_changing_the_head_asks_nobody(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "attention")
    calm(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before = page.evaluate("document.querySelector('#map .large canvas').toDataURL()")
    page.locator("#map .heads button").nth(5).click()
    expect(page.locator("#map .head-title")).to_have_text("Layer 2, head 3")
    assert page.evaluate("document.querySelector('#map .large canvas').toDataURL()") != before
    page.keyboard.press("ArrowUp")
    expect(page.locator("#map .head-title")).to_have_text("Layer 1, head 3")
    assert asked == []


def test_the_large_map_reads_out_a_pair(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "attention")
    page.locator("#map .heads button").nth(5).click()  # the identity
    page.locator("#map .large canvas").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.locator("#map .reading")).to_have_text("“the” looks at “the”: 100 %")
    expect(page.locator("#words .chip.on")).to_have_text("the")


def test_a_curves_values_are_read_by_pointing(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "pretrain")
    page.locator("#curve .chart svg").hover()
    expect(page.locator(".lab-note")).to_contain_text("step")
    expect(page.locator(".lab-note")).to_contain_text("<img src=x")


def test_a_curve_grows_by_what_is_new(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "pretrain")
    line = page.locator("#curve .line").first
    before = line.get_attribute("d") or ""
    page.locator("#more").click()
    expect(line).not_to_have_attribute("d", before)
    expect(page.locator("#curve svg[role=img]")).to_have_attribute("aria-label", re.compile("a –"))
    assert (line.get_attribute("d") or "").count("L") == before.count("L") + 1  # the second new point is a gap


def test_smoothing_and_log_steps_are_the_browsers_work(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "pretrain")
    calm(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    path = "document.querySelector('#curve .line:not(.raw):not(.thin)').getAttribute('d')"
    rough = page.evaluate(path)
    page.locator("#curve input[type=range]").fill("0.9")
    smooth = page.evaluate(path)
    page.locator("#curve input[type=checkbox]:visible").check()
    assert len({rough, smooth, page.evaluate(path)}) == 3 and asked == []
    page.locator("#curve input[type=checkbox]:visible").uncheck()


def test_a_form_says_what_does_not_fit(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "pretrain")
    page.locator("#go").click()
    expect(page.locator("#told textarea")).to_have_value("{'width': 64, 'heads': 4}")
    page.get_by_label("Heads").first.fill("3")
    page.locator("#go").click()
    expect(page.locator(".lab-toasts .toast")).to_contain_text("Width 64 is not a multiple of heads 3")
    expect(page.locator("#told textarea")).to_have_value("{'width': 64, 'heads': 4}")


def test_what_is_cut_off_is_marked_without_colour(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "generate")
    cut = page.locator("#bars li.cut")
    expect(cut).to_have_attribute("title", "cut off")
    assert "line-through" in cut.locator(".name").evaluate("name => getComputedStyle(name).textDecoration")
    assert page.locator("#bars .number").all_text_contents() == ["50\u00a0%", "30\u00a0%", "20\u00a0%"]


def test_a_mark_beyond_every_bar_stretches_the_scale(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "generate")
    widths = page.locator("#bars .fill").evaluate_all("all => all.map((each) => parseFloat(each.style.width))")
    assert widths == pytest.approx([80, 48, 32])  # of 62.5 %, where the mark of the second stands
    assert page.locator("#bars .expected").nth(1).evaluate("(mark) => parseFloat(mark.style.left)") == 100


def test_numbered_tokens_keep_their_numbers_where_there_is_little_room(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "generate")
    short = page.evaluate("""() => {
      const pen = document.createElement("canvas").getContext("2d");
      pen.font = "12px monospace";
      return ["<extra_id_0>", "<extra_id_17>", "understanding", "a>"].map((text) => lab.shortened(pen, text, 64));
    }""")
    assert short[0].endswith("…0>") and short[1].endswith("…17>")
    assert short[2].startswith("und") and short[2].endswith("…")
    assert short[3] == "a>"


def test_no_line_ends_between_a_number_and_its_unit(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "generate")
    said = page.evaluate(
        """() => [lab.percent(0.0001), lab.percent(0.5), lab.word("objectives.rates.said", { observed: "14.9" }),
                 lab.word("tokenize.file", { mb: 3 }), lab.word("desks.assembly.raised", { rate: "30 %" })]"""
    )
    assert said[:2] == ["<\u00a00.1\u00a0%", "50\u00a0%"]
    assert said[2].startswith("14.9\u00a0%") and said[3].endswith("3\u00a0MB")
    assert "the paper has 15\u00a0%" in said[4]
    chinese = """() => {
        lab.language = "zh";
        const said = [lab.percent(0.5), ...["−6.6\u00a0% – 12.0 %", "a 5 %", { en: "a", zh: "40 %" }].map(lab.say)];
        lab.language = "en";
        return said;
    }"""
    assert page.evaluate(chinese) == ["50%", "−6.6% – 12.0%", "a 5 %", "40%"]  # what somebody has typed stays as it is


@pytest.mark.parametrize(
    ("wide", "unit"),
    [
        (600, "loss"),
        (340, "loss per predicted token, in nats; lower is better"),
        (328, "loss in bits per byte of the text that was read, comparable across tokenizers"),
    ],
)
def test_the_name_of_a_baseline_covers_no_line_and_no_other_text(
    gallery: str, stay: Stay, wide: int, unit: str
) -> None:
    """Three baselines, one near the unit on top, and lines that end just above, below and on them."""
    page = stay(gallery, "start")
    covered = page.evaluate(
        """([wide, unit]) => {
            const box = document.querySelector("#pages .column").appendChild(document.createElement("div"));
            box.className = "lab chart"; box.style.width = `${wide}px`;
            const x = [...Array(100).keys()], falls = (low) => x.map((n) => low + 4 * Math.exp(-n / 12));
            const series = [{ name: "a", x, y: falls(2.1) }, { name: "b", x, y: falls(1.9) }];
            const lines = [["unigram", 2.05], ["bigram", 1.85], ["uniform guess", 6.08]];
            const baselines = lines.map(([name, y]) => ({ name, y }));
            lab.plot(box, { onLeave() {} })({ series, baselines, x: "step", y: unit, height: 300, keep: 0 });
            const names = [...box.querySelectorAll("text.baseline-name, text.unit")].map((name) => name.getBBox());
            const inside = (p, b) => p.x > b.x && p.x < b.x + b.width && p.y > b.y + 2 && p.y < b.y + b.height - 2;
            const on = [...box.querySelectorAll("path.line")].flatMap((line) => [...Array(400).keys()].filter((i) =>
                names.some((name) => inside(line.getPointAtLength(line.getTotalLength() * i / 400), name))));
            const meet = (a, b) => a !== b && a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height - 4 &&
                b.y < a.y + a.height - 4;
            const out = names.filter((name) => name.x < 0 || name.x + name.width > wide).length;
            box.remove();
            return [names.length, on.length, names.filter((a) => names.some((b) => meet(a, b))).length, out];
        }""",
        [wide, unit],
    )
    assert covered == [4, 0, 0, 0]


def test_the_names_of_two_close_baselines_stay_apart_where_curves_leave_no_room(gallery: str, stay: Stay) -> None:
    """A training loss that jumps between zero and both of them, and a validation loss that stays at them."""
    page = stay(gallery, "start")
    meeting = page.evaluate(
        """() => {
            const box = document.querySelector("#pages .column").appendChild(document.createElement("div"));
            box.className = "lab chart"; box.style.width = "640px";
            const x = [...Array(60).keys()], checks = x.filter((n) => n % 3 === 0);
            const series = [
                { name: "training", x, y: x.map((n) => (n % 3 ? 0.7 : 0) + 1.4 * (n % 2)) },
                { name: "validation", kind: "points", x: checks, y: checks.map((n) => 2.1 + 3.5 * Math.exp(-n / 4)) },
            ];
            const lines = [["uniform guess", 5.57], ["bigram (token before)", 2.11], ["unigram (frequency)", 2.24]];
            const baselines = lines.map(([name, y]) => ({ name, y }));
            lab.plot(box, { onLeave() {} })({ series, baselines, x: "step", y: "loss", height: 270, keep: 0.6 });
            const names = [...box.querySelectorAll("text.baseline-name")].map((name) => name.getBBox());
            box.remove();
            const meet = (a, b) => a !== b && a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height - 4 &&
                b.y < a.y + a.height - 4;
            return names.filter((a) => names.some((b) => meet(a, b))).length;
        }"""
    )
    assert meeting == 0


@pytest.mark.parametrize("name", ["objectives", "attention", "generate"])
def test_a_very_long_text_is_pasted_at_once_and_in_part(server: str, page: Page, name: str) -> None:
    visit(page, server, name, lang="en")
    page.locator(f"#{name}-text textarea, textarea:visible").first.focus()
    paste = """([text, much]) => {
        const field = document.activeElement, data = new DataTransfer();
        field.select();
        data.setData("text/plain", text.repeat(much));
        const start = performance.now();
        field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        return performance.now() - start;
    }"""
    markup = "<p>Tom &amp; 👩‍👩‍👧 ran</p>\n"
    assert page.evaluate(paste, [markup, 30_000]) < 1000
    assert 19_990 < page.evaluate("document.activeElement.value.length") <= 20_000
    expect(page.locator(".lab-toasts .toast")).to_contain_text("of 900,000 were pasted, the rest was left out")
    if name == "objectives":
        expect(page.locator("#objectives-exercise")).to_contain_text("<")


@pytest.mark.parametrize("wide", [330, 900])
def test_every_dot_keeps_its_name_and_no_name_covers_another(gallery: str, stay: Stay, wide: int) -> None:
    """Nine ways to fine-tune: two with few parameters at almost the same height, four in a crowd, one at the edge."""
    page = stay(gallery, "start")
    found = page.evaluate(
        """(wide) => {
            const box = document.querySelector("#pages .column").appendChild(document.createElement("div"));
            box.className = "lab chart"; box.style.width = `${wide}px`;
            const of = { "Frozen (head only)": [258, 76.7], "BitFit (biases)": [29762, 85.5], Prefix: [33026, 75.2],
                Adapters: [37378, 88.2], LoRA: [41218, 93.8], "LoRA everywhere": [82000, 93.9],
                "Last block": [199000, 91.2], Gradual: [800000, 94.8], "Full fine-tuning": [812000, 95.0] };
            const [names, x, y] = [Object.keys(of), Object.values(of).map((p) => p[0]),
                Object.values(of).map((p) => p[1])];
            lab.plot(box, { onLeave() {} })({ series: [{ name: "", kind: "dots", x, y, names, colour: "line-1" }],
                x: "parameters", y: "accuracy", height: 300, logx: true });
            const texts = [...box.querySelectorAll("text.dot-name")].map((text) => [text.textContent, text.getBBox()]);
            const meet = (a, b) => a !== b && a.x < b.x + b.width - 2 && b.x < a.x + a.width - 2 &&
                a.y < b.y + b.height - 4 && b.y < a.y + a.height - 4;
            const boxes = texts.map(([, place]) => place);
            box.remove();
            const covered = boxes.filter((a) => boxes.some((b) => meet(a, b))).length;
            const out = boxes.filter((a) => a.x < 0 || a.x + a.width > wide + 2).length;
            return [texts.map(([name]) => name).sort(), names.sort(), covered, out];
        }""",
        wide,
    )
    assert found[0] == found[1] and found[2:] == [0, 0]


def test_parts_share_one_scale(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "parameters")
    wide, narrow = page.locator(".lab-stacked .whole").evaluate_all(
        "bars => bars.map(b => b.getBoundingClientRect().width)"
    )
    assert narrow / wide == pytest.approx(0.75, abs=0.01)


def test_a_replay_shows_the_end_first_and_can_be_wound_back(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "start")
    gap = page.locator(".lab-replay .gap")
    expect(gap).to_have_class("gap predicted")
    expect(gap.locator(".guess")).to_have_text("bread")
    page.locator(".lab-replay input[type=range]").fill("0")
    expect(gap).to_have_class("gap wrong")
    expect(gap.locator(".guess")).to_have_text("cake")
    expect(page.locator(".lab-replay .reading")).to_contain_text("step 0")


def test_a_guess_that_only_begins_an_answer_is_marked_and_explained(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "pretrain")
    pinned = page.locator("#pinned")
    expect(pinned.locator(".gap")).to_have_text("a cake")
    expect(pinned.locator("li .token")).to_have_text(["a·cake", "·bread…"])
    expect(pinned.locator(".begun")).to_contain_text("marks a beginning")
    pinned.locator("input[type=range]").fill("0")
    expect(pinned.locator(".begun")).to_have_text("")


def test_a_replay_plays_and_stops(gallery: str, stay: Stay) -> None:
    page = stay(gallery, "start")
    play = page.locator(".lab-replay .play")
    play.click()
    expect(play).to_contain_text("Pause")
    expect(page.locator(".lab-replay .reading")).to_contain_text(re.compile(r"step [1-9]\b"))
    play.click()
    expect(play).to_contain_text("Play")


def test_a_hundred_updates_leave_nothing_behind(gallery: str, page: Page) -> None:
    visit(page, gallery, "tokenize")
    box = page.locator("#text textarea")

    def nodes() -> int:
        session.send("HeapProfiler.collectGarbage")
        return int({m["name"]: m["value"] for m in session.send("Performance.getMetrics")["metrics"]}["Nodes"])

    session: Any = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    counts = []
    for _ in range(2):
        for i in range(50):
            box.fill(f"text {i % 10}")
        box.fill("the end")
        expect(page.locator("#chips .chip")).to_have_count(7)
        counts.append(nodes())
    assert counts[1] <= counts[0] + 200, counts


def test_a_text_that_has_nothing_to_say_leaves_no_gap(server: str, page: Page) -> None:
    visit(page, server, "pretrain", lang="en")
    page.wait_for_selector("#pretrain-state :text('Finished')")
    flat = page.evaluate(
        """() => [...document.querySelectorAll("#pages .column > .lab-prose")].filter((part) => !part.offsetHeight &&
            part.parentElement.offsetParent && getComputedStyle(part).display !== "none").length"""
    )
    assert flat == 0, "a part without height has a gap on either side"
