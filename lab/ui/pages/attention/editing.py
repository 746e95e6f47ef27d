"""Edit and watch: what a change of the heads or of the text does to the answer and to every attention map."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.inference.ablation import Change, changed, skipped
from lab.inference.asked import Asked, gap_mark, names
from lab.inference.edits import Reading, altered, followed, masked, reading_of, rewritten, swapped
from lab.inference.inputs import framed, with_special_tokens
from lab.inference.model import Trained
from lab.inference.shown import Shown, shown
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.ui.components.drawn import to_json
from lab.ui.pages.attention.heads import Head, content, named
from lab.ui.pages.attention.maps import GROUP, drawn, most_tokens
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import likely, nats, probability
from lab.ui.shell.lru import Kept
from lab.ui.words import complaint, say

EDITS = ("scale", "edge", "skip", "mask", "swap", "write")
WHERE = ("head", "layer", "all")
LOCKED = r"(?:\d{1,4}\.\d{0,4})?"  # the token that is locked on the page and the one it looks at, over both strips
CELLS = 1_000_000  # in all maps of differences together: what is sent at once
BEST = 6  # answers shown of either reading
ROUNDING = 1e-6  # nats by which an answer may move where nothing was changed

Ids = NDArray[np.int64]

_read = Kept(8)  # what is shown, and how the model reads it as it is, by model and text


class Edit(NamedTuple):
    """What the visitor chose."""

    what: str
    where: str
    factor: float
    locked: str
    other: str


def edit(run: str, text: str, head: str, *chosen: Any) -> Values:
    """The answers before and after, the maps of what moved, and what is to be said about it."""
    asked = Edit(*chosen)
    for each in (text, asked.other or ""):
        within(each, limits().prompt)
    if not run or not head:
        return _nothing(say("attention.no_runs" if not run else "attention.waiting"))
    try:
        return _watched(visitor.trained(run), run, text, head, asked)
    except SettingsError as error:
        return _nothing(complaint(error))


def _nothing(why: dict[str, Any]) -> Values:
    return {"said": [["p", why]], "answers": {"bars": [], "unit": "percent"}, "moved": None}


def _watched(trained: Trained, run: str, text: str, name: str, asked: Edit) -> Values:
    head, most = content(named(trained, name)), most_tokens(trained, CELLS)
    seen, before = _read.get((run, trained.step, text), partial(_as_it_is, trained, text, most))
    how, ids, said = _of(trained, seen, head, asked, most)
    # Another text is asked for its own first gap; in this one the same gap is asked for, wherever it is now.
    place = None if ids is None or asked.what == "write" else followed(seen.text, ids, before.answer)
    after = altered(trained, seen, how, ids, place)
    answers = _comparable(before, after)
    return {
        "said": [["p", said], *_answer_said(trained, seen, answers), *_cut(trained, text, seen)],
        "answers": _bars(trained, answers),
        "moved": _maps(trained, before, after, head, len(seen.read)),
    }


def _as_it_is(trained: Trained, text: str, most: int) -> tuple[Shown, Reading]:
    seen = shown(trained, text, most)
    return seen, reading_of(trained, seen)


def _of(
    trained: Trained, seen: Shown, head: Head, asked: Edit, most: int
) -> tuple[Callable[[], AbstractContextManager[None]], Ids | None, Any]:
    """How the model is altered, what it reads instead, and the sentence that says so."""
    here = {"layer": head.layer + 1, "head": head.number + 1}
    layer = None if asked.where == "all" else head.layer
    number = head.number if asked.where == "head" else None
    if asked.what == "skip":
        return partial(skipped, trained.model, head.kind, head.layer), None, say("attention.did.skip", **here)
    if asked.what == "scale":
        factor = min(2.0, max(0.0, float(asked.factor or 0)))
        change = Change(kind=head.kind, layer=layer, head=number, factor=factor)
        said = say(f"attention.did.scale.{asked.where}", factor=f"{factor:g}", **here)
        return partial(changed, trained.model, change), None, said
    if asked.what == "write":
        return nullcontext, rewritten(trained, asked.other, most), say("attention.did.write")
    row, col = _locked(asked.locked)
    if asked.what == "edge":
        edge = _edge(head.kind, row, col, seen)
        change = Change(kind=head.kind, layer=layer, head=number, edge=edge)
        texts = [
            trained.tokenizer.pieces([ids[at]])[0].text for ids, at in zip(_sides(head.kind, seen), edge, strict=True)
        ]
        data = {"from": f"“{texts[0]}”", "to": f"“{texts[1]}”"}
        return partial(changed, trained.model, change), None, say(f"attention.did.edge.{asked.where}", **data, **here)
    place = _within(row, len(seen.text))
    token = f"“{trained.tokenizer.pieces([seen.text[place]])[0].text}”"
    if asked.what == "mask":
        ids = masked(trained, seen.text, place)
        mark = trained.tokenizer.pieces([ids[place]])[0].text
        return nullcontext, ids, say("attention.did.mask", token=token, mark=mark)
    two = _within(place + 1 if col is None or col == place else col, len(seen.text))
    with_what = f"“{trained.tokenizer.pieces([seen.text[two]])[0].text}”"
    return nullcontext, swapped(seen.text, place, two), say("attention.did.swap", token=token, other=with_what)


def _locked(locked: str) -> tuple[int, int | None]:
    """The token that is locked, and the one that it looks at where a cell is."""
    row, _, col = (locked or "").partition(".")
    if not row:
        raise SettingsError(
            "click a token above, or a cell of the map", "请先在上方点选一个词元，或注意力图中的一个格子"
        )
    return int(row), int(col) if col else None


def _edge(kind: str, row: int, col: int | None, seen: Shown) -> tuple[int, int]:
    """Who looks at whom, counted within their texts: what is written stands behind what is read."""
    if col is None:
        raise SettingsError(
            "click a cell of the map: its row may then not look at its column",
            "请点选注意力图中的一个格子：该行将不能看该列",
        )
    looking, looked = _sides(kind, seen)
    read = len(seen.read)
    row, col = row - (read if kind in ("decoder", "cross") else 0), col - (read if kind == "decoder" else 0)
    return _within(row, len(looking)), _within(col, len(looked))


def _sides(kind: str, seen: Shown) -> tuple[Ids, Ids]:
    return seen.written if kind in ("decoder", "cross") else seen.read, seen.written if kind == "decoder" else seen.read


def _within(place: int, count: int) -> int:
    if not 0 <= place < count:
        raise SettingsError("choose a token of the text that is shown", "请选择所显示文本中的词元")
    return place


def _cut(trained: Trained, text: str, seen: Shown) -> list[Any]:
    """That less of a long text is read here than above."""
    whole = len(framed(trained, with_special_tokens(trained, text)))
    return [["note", say("attention.first", n=len(seen.text), all=whole)]] if whole > len(seen.text) else []


def _comparable(before: Reading, after: Reading) -> tuple[Asked, Asked] | None:
    """Both answers, where they are to the same question."""
    one, two = before.answer, after.answer
    if one is None or two is None or (one.what != two.what and (one.place is None or one.place != two.place)):
        return None
    return one, two


def _answer_said(trained: Trained, seen: Shown, answers: tuple[Asked, Asked] | None) -> list[Any]:
    if answers is None:
        return [["note", say("attention.no_answer")]]
    before, after = answers
    moved = before.divergence(after)
    shift = "∞" if math.isinf(moved) or moved > 100 else nats(moved if moved > ROUNDING else 0)
    return [["note", _what_it_is(trained, seen.text, before)], ["note", say("attention.moved", nats=shift)]]


def _what_it_is(trained: Trained, text: Ids, answer: Asked) -> dict[str, Any]:
    """What is asked of the text as it is."""
    mark = gap_mark(trained, text) if answer.what == "next" else None
    if mark is not None:
        return say("attention.answer.span", mark=trained.tokenizer.pieces([mark])[0].text)
    seen = answer.place is not None and text[answer.place] != trained.tokenizer.vocabulary.gap
    return say(
        "attention.answer.replaced.last" if answer.what == "replaced" and seen else f"attention.answer.{answer.what}"
    )


def _bars(trained: Trained, answers: tuple[Asked, Asked] | None) -> dict[str, Any]:
    """The likeliest answers of both readings: the bar after, the mark before."""
    if answers is None:
        return {"bars": [], "unit": "percent"}
    asked, was, now = answers[0], answers[0].probabilities, answers[1].probabilities
    few = min(BEST, len(was))
    order = dict.fromkeys([*was.topk(few).indices.tolist(), *now.topk(few).indices.tolist()])
    chosen = sorted(order, key=lambda number: -float(max(was[number], now[number])))
    bars = [
        {
            "name": _name(asked, name),
            "token": asked.what not in ("class", "replaced"),
            "value": probability(now[number]),
            "expected": probability(was[number]),
            "said": say("attention.was", was=likely(float(was[number])), now=likely(float(now[number]))),
        }
        for number, name in zip(chosen, names(trained, asked.what, chosen), strict=True)
    ]
    return {"bars": bars, "unit": "percent", "wide": True, "max": 1}


def _name(asked: Asked, name: str) -> Any:
    return say(f"attention.{name}") if asked.what == "replaced" else name


def _maps(trained: Trained, before: Reading, after: Reading, head: Head, read: int) -> str:
    """How much each weight moved, as the component draws it."""
    kinds = [
        drawn(maps, read, trained.given == "causal", moved=moved.numpy())
        for maps, moved in zip(before.maps, before.moved(after), strict=True)
    ]
    return to_json({"maps": kinds, "group": GROUP, "kind": head.kind, "layer": head.layer, "head": head.number})
