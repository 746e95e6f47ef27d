"""Attention maps of one's own text: every layer and head of a trained model, and what is to be said about them.

L layers   H heads   T tokens
"""

import hashlib
import math
import shlex
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.analysis.count import attends
from lab.catalog import MODELS
from lab.inference import attention_maps, inputs
from lab.inference.attention_maps import QUERY
from lab.inference.model import Trained
from lab.inference.rollout import mean_of_heads, rollout
from lab.layers.attention import Attending
from lab.layers.linear import LinearAttention
from lab.layers.two_streams import TwoStreamModel
from lab.runs.run import Run
from lab.runs.tuning import PREFIX
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.ui.components.attention_map import attention_value, one_value, with_extras
from lab.ui.components.drawn import to_json
from lab.ui.components.token_strip import row
from lab.ui.shell import visitor
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.lru import Kept
from lab.ui.words import say

GROUP = "attention"  # whose strips and maps light up together
CELLS = 600_000  # in all maps together: what is sent to a browser at once
HELD = 24 * 16 * 512**2  # the same of longer texts, a byte each, which the server keeps and sends one by one

Key = tuple[str, int, str]  # a run, its step, and a text
Bytes = tuple[NDArray[np.uint8], list[str]]
SHEET = '"sheet":{'
# The name of one map of a longer text, and of the reading that it belongs to: the same head of another is another.
NAME = r"(?:(?:encoder|decoder|cross|query)\.)?[1-9]\d{0,2}\.(?:[1-9]\d{0,2}|mean|rollout)(?:@[0-9a-f]{16})?"

_maps = Kept(24)  # the values of the component, by model and text
_held = Kept(2)  # the bytes of all maps of longer texts, by kind


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
    key = (run, trained.step, text)
    strip, maps, remarks, sharpest = _maps.get(key, partial(read, key, trained, text))
    wanted, head = head, head if not head or exists(trained, head) else ""
    head = head or sharpest
    *kind, layer, number = head.split(".")
    chosen = {"kind": "".join(kind), "layer": int(layer) - 1, "head": int(number) - 1}
    if SHEET in maps:
        chosen |= {"of": token_of(key), "one": one_of(key, trained, text, head)}
    return {
        "strip": strip,
        "maps": maps[:-1] + "," + to_json(chosen)[1:],
        "remarks": remarks,
        "head": head,
        "command": {"command": command(run, text, "".join(kind))},
        **({NOTE: no_such_head(trained, wanted, head)} if wanted and wanted != head else {}),
    }


def _nothing(why: str, head: str) -> Values:
    return {"strip": {}, "maps": None, "remarks": [["note", say(why)]], "head": head, "command": {"command": ""}}


def one(run: str, text: str, name: str) -> Values:
    """One map of a longer text, of which the browser holds thumbnails alone; ``name`` is a head's, or names what stands
    beside the heads of a layer: "2.mean"."""
    within(text, limits().prompt)
    if not run or not name:
        return {}
    trained = visitor.trained(run)
    key = (run, trained.step, text)
    return {"maps": to_json({"of": token_of(key), "one": one_of(key, trained, text, name.partition("@")[0])})}


def one_of(key: Key, trained: Trained, text: str, name: str) -> dict[str, Any] | None:
    """The map of this name, None where there is none."""
    held: dict[str, Bytes] = _held.get(
        key, lambda: bytes_of(attention_maps.attention(trained, text, most_held(trained)))
    )
    *kind, layer, number = name.split(".")
    maps, names = held.get("".join(kind)) or next(iter(held.values()))
    if number not in names or not 0 < int(layer) <= len(maps):
        return None
    return one_value("".join(kind), int(layer) - 1, names.index(number), maps)


def bytes_of(by_kind: Sequence[attention_maps.Maps]) -> dict[str, Bytes]:
    """The bytes of every map by kind, (L, H + E, T, S), and what the H heads and those beside them are called."""
    found = {}
    for each in by_kind:
        extras = beside(each)
        names = [*(str(number + 1) for number in range(each.maps.shape[1])), *extras]
        found[each.kind] = with_extras(each.maps.numpy(), extras), names
    return found


def token_of(key: Key) -> str:
    """A name for a reading, by which the browser knows what belongs to it."""
    return hashlib.sha256(repr(key).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def exists(trained: Trained, head: str) -> bool:
    """Whether the model has a head of this name."""
    *kind, layer, number = head.split(".")
    shape = trained.run.settings_of("model")
    if kind == [QUERY]:
        kind = []  # as many layers and heads as the content stream
        if not isinstance(trained.model, TwoStreamModel):
            return False
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


def read(key: Key, trained: Trained, text: str) -> tuple[Any, ...]:
    """What the model does with the text: strip, maps as JSON text, sentences, and the head to show first."""
    most = most_held(trained)
    by_kind = attention_maps.attention(trained, text, most)
    long = sum(each.maps.numel() for each in by_kind) > CELLS
    read = by_kind[0].looked
    gaps = ["masked" if piece.id == trained.tokenizer.vocabulary.gap else "" for piece in read]
    if by_kind[0].prefix is not None:
        gaps[by_kind[0].prefix :] = ["written"] * (len(read) - by_kind[0].prefix)
    rows = [row(say("attention.read") if by_kind[-1].kind == "cross" else None, read, gaps)]
    if by_kind[-1].kind == "cross":  # what the decoder writes stands after what the encoder read
        rows.append(row(say("attention.written"), by_kind[-1].looking) | {"from": len(read)})
    strip = {"rows": rows, "aligned": False, "group": GROUP}
    held = bytes_of(by_kind) if long else {}
    if long:
        _held.put(key, held)
    causal = trained.given == "causal"
    maps = [drawn(each, len(read), causal, ready=held[each.kind][0] if long else None) for each in by_kind]
    special = np.array([piece.special for piece in read])
    remarks, first = sentences(trained, text, most), sharpest(by_kind[0].maps.numpy(), special)
    return strip, to_json({"maps": maps, "group": GROUP}), remarks, first


def most_tokens(trained: Trained, cells: int | None = None) -> int:
    """So many tokens' maps are sent at once, or have so many ``cells`` in all."""
    shape = trained.run.settings_of("model")
    kinds = 1 if trained.seq2seq is None else 3
    return max(8, math.isqrt((CELLS if cells is None else cells) // (kinds * shape.depth * shape.heads)))


def most_held(trained: Trained) -> int:
    """So many tokens' maps are kept, to be sent one by one."""
    return most_tokens(trained, HELD)


def drawn(
    maps: attention_maps.Maps,
    written_from: int,
    causal: bool,
    *,
    moved: NDArray[np.float32] | None = None,
    ready: NDArray[np.uint8] | None = None,
) -> dict[str, Any]:
    """One kind of maps as the component draws it, or how far its weights have ``moved``; a sheet of thumbnails where
    the bytes of all are ``ready``. What a decoder writes is counted from ``written_from`` on."""
    special = [place for place, piece in enumerate(maps.looked) if piece.special]
    decoder, cross = maps.kind == "decoder", maps.kind == "cross"
    return attention_value(
        maps.tokens,
        maps.maps.numpy() if moved is None else moved,
        maps.lookers,
        kind=maps.kind,
        special=special,
        causal=decoder or causal,
        rows_from=written_from if decoder or cross else 0,
        cols_from=written_from if decoder else 0,
        places=maps.places,
        prefix=maps.prefix,
        reach=maps.reach,
        signed=moved is not None,
        extras={} if moved is not None else beside(maps),
        sheet=ready is not None,
        ready=ready,
    )


def beside(maps: attention_maps.Maps) -> dict[str, NDArray[np.float32]]:
    """The mean of each layer's heads and, where tokens look at their own text, the rollout up to it; of one head that
    would be the head again."""
    found = {"mean": mean_of_heads(maps.maps).numpy()} if maps.maps.shape[1] > 1 else {}
    return found if maps.kind in ("cross", QUERY) else found | {"rollout": rollout(maps.maps).numpy()}


def sentences(trained: Trained, text: str, most: int) -> list[Any]:
    """What a reader of the maps should know: the direction of reading, what was cut off, what a map is not."""
    ids = inputs.with_special_tokens(trained, text)
    whole = len(ids)
    framed = 0 if trained.left_to_right else 2
    shown = min(most, trained.context) - framed
    looking = ["p", say(f"attention.{sight(trained, ids)}")]
    remarks: list[Any] = [looking, *opening(trained, text), *special_ways(trained)]
    if trained.run.tuning.how == PREFIX:
        remarks.append(["p", say("attention.prefix", n=trained.run.tuning.prefix)])
    if whole > shown:
        why = "attention.cut" if trained.context <= most else "attention.large"
        remarks.append(["p", say(why, n=f"{whole:,}", shown=f"{shown:,}")])
    unknown = int((ids == trained.tokenizer.vocabulary.unknown).sum())
    if unknown:
        remarks.append(["p", say("attention.unknown", n=f"{unknown:,}")])
    return [*remarks, ["note", say("attention.caution")]]


def sight(trained: Trained, ids: NDArray[np.int64]) -> str:
    """Who may look at whom, as the words name it."""
    if trained.seq2seq is not None:
        return "encoder"
    gaps = bool((ids == trained.tokenizer.vocabulary.gap).any())
    if trained.fills_onward and gaps:
        return "blanks"
    streams = isinstance(trained.model, TwoStreamModel) and not trained.left_to_right and gaps
    near = trained.given == "all" and bool(attention_maps.bands(trained))
    return "streams" if streams else "near" if near else trained.given


def opening(trained: Trained, text: str) -> list[Any]:
    """With which tokens a decoder's text begins: nobody wrote them."""
    if trained.seq2seq is None:
        return []
    source = inputs.framed(trained, inputs.with_gaps(trained, text))
    begun = trained.seq2seq.opening(source, trained.tokenizer.vocabulary)
    tokens = " ".join(piece.text for piece in trained.tokenizer.pieces(begun.tolist()))
    return [["note", say("attention.opening", tokens=tokens)]]


def special_ways(trained: Trained) -> list[Any]:
    """What is to be known of attention that is no softmax over all tokens."""
    parts = [part for part in trained.model.modules() if isinstance(part, Attending)]
    said = [["p", say("attention.linear")]] if any(isinstance(part, LinearAttention) for part in parts) else []
    for band in attention_maps.bands(trained)[:1]:  # each layer has the same
        said.append(["p", say("attention.window.first" if band.leading else "attention.window", n=band.reach)])
    return said


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
