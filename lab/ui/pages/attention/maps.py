"""Attention maps of one's own text: every layer and head of a trained model, and what is to be said about them.

L layers   H heads   T tokens
"""

import math
import shlex
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.analysis.count import attends
from lab.catalog import MODELS
from lab.inference import attention_maps, inputs
from lab.inference.model import Trained
from lab.runs.run import Run
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.ui.components.attention_map import attention_value
from lab.ui.components.drawn import to_json
from lab.ui.components.token_strip import row
from lab.ui.shell import visitor
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.lru import Kept
from lab.ui.words import say

GROUP = "attention"  # whose strips and maps light up together
CELLS = 2_000_000  # in all maps together: what a browser takes and draws at once

_maps = Kept(24)  # the values of the component, by model and text


def blind(run: Run) -> SettingsError:
    """Why there is nothing to look at."""
    model = MODELS[run.model]
    return SettingsError(
        f"{model.title} has no attention to look at: another run is shown",
        f"{model.title_zh} 没有注意力可看：显示的是另一个训练",
    )


def look(run: str, text: str, head: str) -> Values:
    """The strip of tokens, the maps, what is to be said about them, the chosen head and the command."""
    within(text, limits().prompt)
    if not run:
        return _nothing("attention.no_runs", head)
    trained = visitor.trained(run)
    if not attends(trained.run.model):
        return _nothing("attention.none", head)
    if not text and trained.left_to_right:
        return _nothing("attention.empty", head)
    strip, maps, remarks, sharpest = _maps.get((run, trained.step, text), partial(read, trained, text))
    wanted, head = head, head if not head or exists(trained, head) else ""
    head = head or sharpest
    *kind, layer, number = head.split(".")
    return {
        "strip": strip,
        "maps": maps[:-1] + f',"kind":"{"".join(kind)}","layer":{int(layer) - 1},"head":{int(number) - 1}}}',
        "remarks": remarks,
        "head": head,
        "command": {"command": command(run, text, "".join(kind))},
        **({NOTE: no_such_head(trained, wanted, head)} if wanted and wanted != head else {}),
    }


def _nothing(why: str, head: str) -> Values:
    return {"strip": {}, "maps": None, "remarks": [["note", say(why)]], "head": head, "command": {"command": ""}}


def exists(trained: Trained, head: str) -> bool:
    """Whether the model has a head of this name."""
    *kind, layer, number = head.split(".")
    shape = trained.run.settings_of("model")
    stacks, own = trained.seq2seq is not None and bool(kind), shape.decoder_depth
    depth = shape.depth if kind in ([], ["encoder"]) else own or shape.depth
    return stacks == bool(kind) and int(layer) <= depth and int(number) <= shape.heads


def no_such_head(trained: Trained, wanted: str, shown: str) -> SettingsError:
    """What is said of a head that an address names and the model has not."""
    shape = trained.run.settings_of("model")
    return SettingsError(
        f"this model has {shape.depth} layers of {shape.heads} heads, and no head {wanted}: {shown} is shown",
        f"该模型有 {shape.depth} 层，每层 {shape.heads} 个头，没有头 {wanted}：显示的是 {shown}",
    )


def read(trained: Trained, text: str) -> tuple[Any, ...]:
    """What the model does with the text: strip, maps as JSON text, sentences, and the head to show first."""
    shape = trained.run.settings_of("model")
    kinds = 1 if trained.seq2seq is None else 3
    most = max(8, math.isqrt(CELLS // (kinds * shape.depth * shape.heads)))
    by_kind = attention_maps.attention(trained, text, most)
    read = by_kind[0].looked
    gaps = ["masked" if piece.id == trained.tokenizer.vocabulary.mask else "" for piece in read]
    rows = [row(say("attention.read") if len(by_kind) > 1 else None, read, gaps)]
    if len(by_kind) > 1:  # what the decoder writes stands after what the encoder read
        rows.append(row(say("attention.written"), by_kind[-1].looking) | {"from": len(read)})
    strip = {"rows": rows, "aligned": False, "group": GROUP}
    maps = [drawn(kind, len(read), trained.given == "causal") for kind in by_kind]
    special = np.array([piece.special for piece in read])
    remarks, first = sentences(trained, text, most), sharpest(by_kind[0].maps.numpy(), special)
    return strip, to_json({"maps": maps, "group": GROUP}), remarks, first


def drawn(maps: attention_maps.Maps, written_from: int, causal: bool) -> dict[str, Any]:
    """One kind of maps as the component draws it. What a decoder writes is counted from ``written_from`` on."""
    special = [place for place, piece in enumerate(maps.looked) if piece.special]
    decoder, cross = maps.kind == "decoder", maps.kind == "cross"
    return attention_value(
        maps.tokens,
        maps.maps.numpy(),
        maps.lookers,
        kind=maps.kind,
        special=special,
        causal=decoder or causal,
        rows_from=written_from if decoder or cross else 0,
        cols_from=written_from if decoder else 0,
    )


def sentences(trained: Trained, text: str, most: int) -> list[Any]:
    """What a reader of the maps should know: the direction of reading, what was cut off, what a map is not."""
    ids = inputs.with_marks(trained, text)
    whole = len(ids)
    framed = 0 if trained.left_to_right else 2
    shown = min(most, trained.context) - framed
    reads = trained.given if trained.seq2seq is None else "encoder"
    remarks: list[Any] = [["p", say(f"attention.{reads}")]]
    if whole > shown:
        why = "attention.cut" if trained.context <= most else "attention.large"
        remarks.append(["p", say(why, n=f"{whole:,}", shown=f"{shown:,}")])
    unknown = int((ids == trained.tokenizer.vocabulary.unknown).sum())
    if unknown:
        remarks.append(["p", say("attention.unknown", n=f"{unknown:,}")])
    return [*remarks, ["note", say("attention.caution")]]


def sharpest(maps: NDArray[np.float32], special: NDArray[np.bool_]) -> str:
    """The head that points most clearly at ordinary tokens, as "layer.head", counted from 1."""
    ordinary = maps[:, :, :, ~special] if not special.all() else maps  # (L, H, T, up to T)
    clear = ordinary.max(-1).mean(-1)  # (L, H)
    layer, head = np.unravel_index(int(clear.argmax()), clear.shape)
    return f"{layer + 1}.{head + 1}"


def command(run: str, text: str, kind: str = "") -> str:
    """The command that gives the same maps."""
    of = f" --kind {kind}" if kind else ""
    return (
        f"python -m lab attention {visitor.flags_of(run)} --text {shlex.quote(text)}{of}" if len(text) <= 2000 else ""
    )
