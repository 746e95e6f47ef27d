"""What the Generate page answers: the next token with all that stood beside it, samplers side by side, and gaps filled.

V vocabulary
"""

import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr
import numpy as np
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.inference import decoding, predict
from lab.inference.model import Trained
from lab.noise import Dice
from lab.runs.run import Run
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.spelling import spelling
from lab.ui.shell import visitor
from lab.ui.shell.inputs import seed_of
from lab.ui.shell.lru import Kept
from lab.ui.words import pair, say
from lab.vocabulary import MASK

SPECIMENS = {
    "write": {
        "english": "Maya worked at the bakery as a baker. One morning, she",
        "chinese": "玛雅在面包店当面包师。一天早上，她",
        "other": "",
    },
    "fill": {
        "english": f"Oscar carried a big bag to the {MASK}. He had to wait two hours for the train.",
        "chinese": f"玛雅在面包店当{MASK}。她爱笑，朋友很多。",
        "other": f"Maya {MASK} at the bakery as a baker. She liked to laugh and had many {MASK}.",
    },
}
START = {"temperature": {"temperature": 0.8}}  # the samplers that are on at first, with their settings
AT_ONCE = 64  # tokens that one request may ask for
SHOWN = 14  # bars
OTHERS = 7  # alternatives to a token that was written
STRETCHES = 60  # tokens on the line of the draw
BESIDE = 32  # tokens that each sampler writes beside the others
GUESSES = 8
SURE = 0.6  # a model that gives its first choice more than this is not in doubt
PROMPT = 400  # characters of the prompt that are shown before what was written
SEEDS = 2**31 - 1

_logits = Kept(600)  # of the next token, by model and text


@dataclass(frozen=True)
class Wish:
    """What the browser asks for: the text so far beyond the prompt, of which it knows ``have`` tokens already."""

    ids: tuple[int, ...]
    have: int
    count: int
    number: int
    doubt: bool  # stop where the model is in doubt, which is where a draw is worth watching


# ---- writing


def write(request: str, run: str, text: str, seed: float, *values: Any) -> tuple[Any, ...]:
    """More of the text, the bars of the next token, its draw, what is to be said, and the command."""
    within(text, limits().prompt)
    trained = visitor.trained(run) if run else None
    if trained is None or not trained.left_to_right:
        return (gr.skip(),) * 5
    wish, chain, seed = wish_of(request, trained.tokenizer.vocabulary.size), chain_of(values), seed_of(seed)
    prompt = tuple(decoding.continuation(trained, text).ids)
    lucks = Dice(seed).random(limits().generated + 1)[0]
    logits_at = Following(run, trained, prompt)
    text_so_far = Remembered(logits_at, [*wish.ids], trained.tokenizer.vocabulary.end)
    most = max(0, min(wish.count, limits().generated - len(wish.ids)))
    drawn = [*decoding.decode(trained, text_so_far, chain, most, seed, written=len(wish.ids))]
    ids, ended = text_so_far.ids, len(drawn) < most
    while wish.doubt and not ended and len(ids) > wish.count // 2 and logits_at(ids).softmax(-1).max() > SURE:
        ids.pop()
    tokens = [token(trained, logits_at(ids[:at]), ids[at], lucks[at]) for at in range(wish.have, len(ids))]
    for at in range(wish.have, min(len(wish.ids), len(ids))):
        tokens[at - wish.have]["picked"] = True  # sent without having been told: the visitor's own choice
    written = {
        "number": wish.number,
        "from": wish.have,
        "prompt": tail(text, PROMPT),
        "tokens": tokens,
        "ended": ended,
        "limit": limits().generated,
        "even": round(math.log(trained.tokenizer.vocabulary.size), 3),
    }
    at = len(ids)
    bars, luck = following(trained, logits_at(ids), chain, float(lucks[at]), at)
    line = {"command": command(run, text, chain, seed, at or AT_ONCE)}
    same = wish.count == 0 and 0 < wish.have == at  # only the samplers were turned
    return gr.skip() if same else written, bars, luck, remarks(trained, text, len(prompt)), line


class Remembered(decoding.Growing):
    """The ids behind a prompt, growing by logits that may be known already."""

    def __init__(self, logits_at: "Following", ids: list[int], end: int) -> None:
        self._logits_at, self.ids, self.end = logits_at, ids, end

    def next_logits(self) -> Tensor:
        """The logits of the next token: (V,)."""
        return self._logits_at(self.ids)


class Following:
    """The logits of the token after a prompt and the ids behind it: (V,). The model is asked once for each, and reads
    on from where it was; samplers ask only this."""

    def __init__(self, run: str, trained: Trained, prompt: tuple[int, ...]) -> None:
        self._run, self._trained, self._prompt = run, trained, prompt
        self._text: decoding.Continuation | None = None

    def __call__(self, ids: Sequence[int]) -> Tensor:
        whole = (*self._prompt, *ids)
        found: Tensor = _logits.get((self._run, self._trained.step, whole), lambda: self._ask([*whole]))
        return found

    def _ask(self, whole: list[int]) -> Tensor:
        read = self._text.ids if self._text else whole  # what is asked about must be longer than what was read
        if self._text is None or len(read) >= len(whole) or read != whole[: len(read)]:
            self._text = decoding.grown(self._trained, np.array(whole), len(self._prompt))
        for token in whole[len(self._text.ids) :]:
            self._text.add(token)
        return self._text.next_logits()


def token(trained: Trained, logits: Tensor, chosen: int, luck: float) -> dict[str, Any]:
    """One written token, with what the model held likely in its place."""
    probabilities = logits.softmax(-1)  # (V,)
    top = probabilities.topk(min(OTHERS, len(probabilities)))
    others = [i for i, p in zip(top.indices.tolist(), top.values.tolist(), strict=True) if p > 0]
    piece = trained.tokenizer.pieces([chosen])[0]
    return {
        "id": chosen,
        "text": piece.text,
        "bytes": piece.bytes.hex(),
        "p": share(probabilities[chosen]),
        "luck": round(float(luck), 4),
        "top": [
            [other.id, spelling(other), share(probabilities[other.id])]
            for other in trained.tokenizer.pieces(others)
            if other.id != trained.tokenizer.vocabulary.end
        ],
    }


def following(
    trained: Trained, logits: Tensor, chain: decoding.Chain, luck: float, place: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The likeliest next tokens with what the samplers cut off, and the draw among those that are left."""
    before, after = logits.softmax(-1), decoding.apply_samplers(logits, chain)  # (V,), (V,)
    drawn = decoding.draw(after, luck)
    order = before.sort(descending=True, stable=True).indices[:SHOWN].tolist()
    shown = order if drawn in order else [*order[:-1], drawn]
    bars = [
        {
            "name": say("generate.end") if piece.special else spelling(piece),
            "token": not piece.special,
            "value": share(after[piece.id] if after[piece.id] > 0 else before[piece.id]),
            "expected": share(before[piece.id]),
            "cut": not bool(after[piece.id] > 0),
            "chosen": piece.id == drawn,
            "key": str(piece.id),
            "note": say("generate.before", p=f"{100 * float(before[piece.id]):.2f}\N{NO-BREAK SPACE}%"),
        }
        for piece in trained.tokenizer.pieces(shown)
    ]
    return {"bars": bars, "unit": "percent"}, lot(trained, before, after, luck, drawn, place)


def lot(trained: Trained, before: Tensor, after: Tensor, luck: float, drawn: int, place: int) -> dict[str, Any]:
    """The tokens that are left, laid end to end as growing.draw lays them, and where the number falls."""
    ordered, ids = after.double().sort(descending=True, stable=True)
    left = int((ordered > 0).sum())
    pieces = trained.tokenizer.pieces(ids[: min(left, STRETCHES)].tolist())
    segments: list[Any] = [
        [say("generate.end") if piece.special else spelling(piece), share(p)]
        for piece, p in zip(pieces, ordered.tolist(), strict=False)
    ]
    chosen = next((i for i, piece in enumerate(pieces) if piece.id == drawn), len(segments))
    if left > STRETCHES:
        segments.append([say("generate.others", n=f"{left - STRETCHES:,}"), share(ordered[STRETCHES:].sum())])
    kept = float(before[after > 0].sum())
    note = say(
        "generate.lot",
        n=place + 1,
        left=f"{left:,}",
        all=f"{int((before > 0).sum()):,}",
        share=f"{100 * kept:.1f}\N{NO-BREAK SPACE}%",
        luck=f"{luck:.3f}",
        token=segments[chosen][0] if chosen == len(pieces) else say("generate.quoted", token=segments[chosen][0]),
    )
    return {"segments": segments, "luck": round(luck, 4), "chosen": chosen, "place": place, "note": note}


def remarks(trained: Trained, text: str, length: int) -> list[Any]:
    """What a visitor should know about the prompt."""
    said: list[Any] = []
    if not text:
        said.append(["note", say("generate.empty")])
    unknown = int((trained.tokenizer.encode(text) == trained.tokenizer.vocabulary.unknown).sum())
    if unknown:
        said.append(["note", say("generate.unknown", n=f"{unknown:,}")])
    gone = decoding.dropped(length, trained.context, length)
    if gone:
        said.append(["note", say("generate.long", n=f"{length:,}", last=f"{length - gone:,}")])
    return said


def beside(run: str, text: str, seed: float, *values: Any) -> dict[str, Any]:
    """What each sampler writes, by itself, with the same luck."""
    within(text, limits().prompt)
    trained = visitor.trained(run) if run else None
    if trained is None or not trained.left_to_right:
        return {"columns": [], "empty": say("generate.no_runs")}
    seed = seed_of(seed)
    columns = []
    for entry, settings in zip(SAMPLERS, settings_of(values), strict=True):
        written = decoding.generate(trained, text, [(entry.name, settings)], BESIDE, seed)
        columns.append(
            {
                "title": pair(entry.title, entry.title_zh),
                "note": " · ".join(f"{name} = {value:g}" for name, value in settings.items())
                or pair(entry.summary, entry.summary_zh),
                "tokens": [
                    {
                        "text": each.token,
                        "bytes": trained.tokenizer.pieces([each.id])[0].bytes.hex(),
                        "p": share(math.exp(each.logprob)),
                    }
                    for each in written
                ],
            }
        )
    lucks = [round(float(luck), 4) for luck in Dice(seed).random(BESIDE)[0]]
    return {"columns": columns, "lucks": lucks, "prompt": tail(text, PROMPT // 10)}


# ---- filling


def fill(run: str, text: str) -> tuple[Any, ...]:
    """The best guesses for each gap, what is to be said, and the command."""
    within(text, limits().prompt)
    trained = visitor.trained(run) if run else None
    if trained is None or trained.left_to_right:
        return (gr.skip(),) * 3
    gaps = text.count(MASK)
    if not gaps:
        return {"gaps": [], "empty": say("generate.no_gap")}, [], {"command": ""}
    reached = predict.gaps_within(trained, text)
    if not reached:
        return {"gaps": [], "empty": say("generate.far", n=trained.context)}, [], {"command": ""}
    guesses = predict.fill(trained, text, GUESSES, predict.LONGEST_GAP)
    value = {
        "gaps": [[[guess.token, share(guess.probability), *[True] * guess.begins] for guess in gap] for gap in guesses],
        "even": 1 / trained.tokenizer.vocabulary.size,
    }
    said = [["note", say("generate.some_far", n=gaps - reached, context=trained.context)]] if reached < gaps else []
    line = f"python -m lab fill --run {run} --text {shlex.quote(text)}" if len(text) <= 2000 else ""
    return value, said, {"command": line}


# ---- which of the two


def turn(run: str, text: str) -> tuple[Any, Any, Any]:
    """Show the half of the page that suits the run, with one of its specimens where one of the other half's stood."""
    kind = kind_of(run)
    other = SPECIMENS["fill" if kind == "write" else "write"]
    at = next((name for name, specimen in other.items() if specimen == text and text), None)
    named = SPECIMENS[kind].get(at, SPECIMENS[kind]["english"]) if at else gr.skip()
    return gr.update(visible=kind == "write"), gr.update(visible=kind == "fill"), named


def kind_of(run: str) -> str:
    """Whether the run writes or fills."""
    return "write" if not run or visitor.trained(run).left_to_right else "fill"


def specimen(name: str, run: str) -> str:
    """A ready example that suits the run."""
    kind = SPECIMENS[kind_of(run)]
    return kind.get(name, kind["other"])


def can_be_asked(run: Run) -> bool:
    """Runs that were fine-tuned to classify can neither write nor fill."""
    return run.task is None


# ---- reading what the browser sent


def wish_of(request: str, vocabulary: int) -> Wish:
    """The browser's request, checked; at first there is none, and a text is begun."""
    if not request:
        return Wish((), 0, 24, 0, True)
    try:
        asked = json.loads(request)
        wish = Wish(tuple(asked["ids"]), asked["have"], asked["count"], asked["number"], asked.get("doubt") is True)
        whole = all(type(n) is int for n in (*wish.ids, wish.have, wish.count, wish.number))
        fits = len(wish.ids) <= limits().generated and 0 <= wish.count <= AT_ONCE
        untold = len(wish.ids) - wish.have
        if whole and fits and wish.have >= 0 <= untold <= AT_ONCE and all(0 <= i < vocabulary for i in wish.ids):
            return wish
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise SettingsError("this text can no longer be continued: start over", "这段文本无法继续：请重新开始")


def chain_of(values: Sequence[Any]) -> decoding.Chain:
    """The samplers that are on, with their settings, in the order of their register."""
    return [
        (entry.name, settings) for entry, on, settings in zip(SAMPLERS, values, settings_of(values), strict=False) if on
    ]


def settings_of(values: Sequence[Any]) -> list[dict[str, Any]]:
    """The settings of every sampler, checked. ``values`` are the switches of all samplers, then all their knobs."""
    rest = iter(values[len(list(SAMPLERS)) :])
    try:
        return [entry.settings.load({name: next(rest) for name in entry.settings.knobs()}).dump() for entry in SAMPLERS]
    except StopIteration:  # fewer values than knobs
        raise SettingsError("a setting of a sampler is missing", "缺少采样器的设置") from None


def command(run: str, text: str, chain: decoding.Chain, seed: int, tokens: int) -> str:
    """The command that writes the same."""
    if len(text) > 2000:
        return ""
    samplers = " ".join(f"--sampler {flag(name, values)}" for name, values in chain) or "--sampler temperature:1"
    prompt = f"--prompt {shlex.quote(text)} " if text else ""
    return f"python -m lab generate --run {run} {prompt}{samplers} --tokens {tokens} --seed {seed}"


def flag(name: str, values: dict[str, Any]) -> str:
    """A sampler as the command line takes it."""
    return ":".join([name, *[",".join(f"{key}={value:g}" for key, value in values.items())]]).rstrip(":")


def tail(text: str, most: int) -> str:
    """The end of a text."""
    return text if len(text) <= most else "…" + text[-most:]


def share(p: Any) -> float:
    """A probability with as many digits as anybody reads."""
    return float(f"{float(p):.5g}")
