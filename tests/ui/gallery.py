"""A lab whose pages show the components with awkward data, for the tests of this folder."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import gradio as gr
import numpy as np

import lab.ui.shell.quiet  # noqa: F401
from lab.settings import Settings, SettingsError, knob
from lab.ui import app
from lab.ui.components.attention_map import AttentionMap, attention_value
from lab.ui.components.bars import Bars, Stacked
from lab.ui.components.curve import Curve
from lab.ui.components.mask_table import MaskTable, mask_value
from lab.ui.components.pinned import Pinned
from lab.ui.components.replay import Replay
from lab.ui.components.tiles import Tiles
from lab.ui.components.token_strip import TokenStrip
from lab.ui.shell.forms import form
from lab.ui.words import pair

HOSTILE = [
    "<img src=x onerror=window.ran=1>",
    "${window.ran=2}",
    "{{window.ran}}",
    "`${window.ran=3}`",
    "</script><script>window.ran=4</script>",
    "\\x \\u{zz} \\",
    "javascript:window.ran=5",
    "@children",
    '__i18n__{"__type__":"translation_metadata","key":"frame.name"}',
    "你好",
    "👩‍👩‍👧",
    "\u202eturned",
    "\ud7ff\ufffd\x00\x1b",
]
WORDS = ["[CLS]", "the", "baker", "sold", "bread", "[SEP]"]


@dataclass(frozen=True, kw_only=True)
class Small(Settings):
    """Settings for the form."""

    width: int = knob(64, "Width", "宽度", low=16, high=512, step=16)
    heads: int = knob(4, "Heads", "头数", low=1, high=16)

    def check(self) -> None:
        if self.width % self.heads:
            raise SettingsError(f"width {self.width} is not a multiple of heads {self.heads}", "宽度不是头数的倍数")


def token(text: str, kind: str = "original", number: int = 7) -> dict[str, Any]:
    return {"text": text, "id": number, "bytes": text.encode("utf-8", "replace").hex(), "kind": kind}


def strip(words: list[str], label: Any = "") -> dict[str, Any]:
    return {"rows": [{"label": label, "tokens": [token(word) for word in words]}]}


def start(frame: Any) -> None:
    steps = [{"step": n, "loss": 4 / (n + 1), "guesses": [["cake" if n < 9 else "bread", n / 12]]} for n in range(12)]
    sentence = ["The baker sold ", {"answer": "bread"}, "."]
    Replay(
        {"steps": steps, "sentence": sentence, "baselines": [{"name": "uniform", "y": 4.2}], "x": "step", "y": "loss"}
    )
    Tiles(
        {"tiles": [{"name": pair("Loss", "损失"), "value": 2.5, "unit": HOSTILE[0], "share": 0.5, "note": HOSTILE[1]}]}
    )


def tokenize(frame: Any) -> None:
    text = frame.share("text", gr.Textbox("hello", label="text", lines=1, elem_id="text"))
    many = frame.share("many", gr.Slider(1, 10, 3, step=1, label="many", elem_id="many"))
    heard = gr.Textbox(label="heard", elem_id="heard")
    chips = TokenStrip(strip(HOSTILE), elem_id="chips", label=pair("x", "y")["en"])

    def cut(said: str) -> dict[str, Any]:
        if said == "wrong":
            raise SettingsError(f"the text <b>{said}</b> is wrong", "文字不对")
        if said == "broken":
            raise RuntimeError("a secret of the server")
        return strip(list(said) * (5000 if said == "x" else 1))

    frame.listen(text.change, cut, text, chips)
    frame.opens(lambda *given: " | ".join(map(str, given)), [text, many, frame.visitor, frame.language], heard)
    link = gr.Button("to attention", elem_id="link")
    link.click(None, [text], None, js=frame.goto("attention", "text"))


def objectives(frame: Any) -> None:
    shown = ["[CLS]", "the", "[MASK]", "sold", "bread", "[SEP]"]
    kinds = ["special", "original", "masked", "original", "kept", "special"]
    rows = [
        {"label": "original", "tokens": [token(word) for word in WORDS]},
        {"label": "shown", "tokens": [token(word, kind) for word, kind in zip(shown, kinds, strict=True)]},
        {"label": "answers", "tokens": [None, None, token("baker", "wrong"), None, token("bread", "predicted"), None]},
    ]
    TokenStrip({"rows": rows, "group": "one"}, elem_id="rows")
    MaskTable(mask_value(WORDS, np.tril(np.ones((6, 6), bool)), "one"), elem_id="mask")


def pretrain(frame: Any) -> None:
    settings = form(Small)
    button = gr.Button("go", elem_id="go")
    told = gr.Textbox(label="told", elem_id="told")
    frame.listen(button.click, lambda *values: str(settings.settings(*values).dump()), settings.components, told)
    x = list(range(1, 200))
    lines = [{"name": HOSTILE[0], "x": x, "y": [5 * math.exp(-n / 40) + n % 2 for n in x]}]
    points = [{"name": "validation", "kind": "points", "colour": "kept", "x": x[::50], "y": [3.0, 2.0, 1.5, 1.0]}]
    curve = Curve({"key": "r", "from": [0, 0], "series": lines + points, "x": "step", "y": "loss"}, elem_id="curve")
    spans = [[["a cake", 0.2], [" bread", 0.5, True]]]
    moments = [{"step": 0, "gaps": [[["cake", 0.2]]]}, {"step": 9, "gaps": spans}]
    Pinned({"key": "r", "sentence": "The baker sold [MASK].", "moments": moments}, elem_id="pinned")
    more = gr.Button("more", elem_id="more")
    new = {
        "key": "r",
        "from": [199, 4],
        "series": [{"name": "a", "x": [200, 201], "y": [1.0, None]}, {"x": [], "y": []}],
    }
    frame.listen(more.click, lambda: new, None, curve)


def parameters(frame: Any) -> None:
    parts = [{"name": HOSTILE[0], "value": 3}, {"name": "attention", "value": 1}]
    Stacked({"rows": [{"name": "BERT", "parts": parts}, {"name": "ALBERT", "parts": parts[:1]}], "unit": "parameters"})


def attention(frame: Any) -> None:
    text = frame.share("text", gr.Textbox("", label="text", elem_id="carried"))
    seen = gr.Textbox(label="seen", elem_id="seen")
    frame.opens(lambda said: said, text, seen)
    maps = np.random.default_rng(0).dirichlet(np.ones(6), (2, 3, 6))
    maps[1, 2] = np.eye(6)
    TokenStrip(strip(WORDS) | {"group": "heads"}, elem_id="words")
    AttentionMap({"maps": [attention_value(WORDS[:-1] + [HOSTILE[0]], maps)], "group": "heads"}, elem_id="map")


def generate(frame: Any) -> None:
    bars = [{"name": HOSTILE[0], "value": 0.5}, {"name": " cake", "value": 0.3, "expected": 0.625, "chosen": True}]
    shown = Bars({"bars": [*bars, {"name": "\n", "value": 0.2, "cut": True}]}, elem_id="bars")
    stream = gr.Button("stream", elem_id="stream")

    def grow() -> Iterator[dict[str, Any]]:
        for n in (1, 2):
            yield {"bars": [{"name": f"{n}", "value": n / 2}]}
        raise SettingsError("the stream is over", "流已结束")

    frame.listen(stream.click, grow, None, shown, queue=True)


def with_heading(build: Any) -> Any:
    def whole(frame: Any) -> None:
        frame.heading("frame.name", "components.empty")
        build(frame)
        frame.command("python -m lab list models")

    return whole


PAGES = (start, tokenize, objectives, pretrain, parameters, attention, generate)
MODULES = [SimpleNamespace(NAME=build.__name__, build=with_heading(build)) for build in PAGES]

if __name__ == "__main__":
    app.create_app(MODULES).launch(**app.options(), quiet=True)
