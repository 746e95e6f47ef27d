"""Decoding step by step on the Generate page: the tokens that a model writes, each beside its alternatives.

V vocabulary
"""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lab.entries import SoFar
from lab.inference import decoding
from lab.inference.model import Trained
from lab.inference.sampler_chain import Chain
from lab.noise import Dice
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.spelling import spelling
from lab.ui.pages.generate.in_browser import known
from lab.ui.pages.generate.next_token import next_token
from lab.ui.pages.generate.samplers import chain_of, flag
from lab.ui.pages.generate.states import States
from lab.ui.pages.generate.typed import generate_command
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import probability
from lab.ui.shell.inputs import tail, whole_seed
from lab.ui.shell.lru import Kept
from lab.ui.words import in_language, language_now, say
from lab.vocabulary import MASK

AT_ONCE = 64  # tokens that one request may ask for
OTHERS = 7  # alternatives to a token that was written
SURE = 0.6  # a model that gives its first choice more than this is not in doubt
PROMPT = 400  # characters of the prompt that are shown before what was written

_logits = Kept(600)  # of the next token, by model and text


@dataclass(frozen=True)
class Wish:
    """What the browser asks for: the text so far beyond the prompt, of which it knows ``have`` tokens already."""

    ids: tuple[int, ...]
    have: int
    count: int
    number: int
    doubt: bool  # stop where the model is in doubt, which is where a draw is worth watching
    picked: bool = False  # whether the visitor chose one of its tokens
    paints: bool = False  # whether the browser works out the next token's distribution by itself
    logits: bool = False  # whether it wants to, from now on
    knows: str = ""  # the model of which it knows how the tokens are spelt


def write(request: str, run: str, text: str, seed: float, *values: Any) -> Values:
    """More of the text, the bars of the next token, its draw, what is to be said, and the command."""
    within(text, limits().prompt)
    trained = visitor.writer(run)
    if trained is None:
        return {}
    wish, chain, seed = wish_of(request, trained.tokenizer.vocabulary.size), chain_of(values), whole_seed(seed)
    if wish.paints and wish.count == 0 and wish.have == len(wish.ids):
        line = command(run, text, chain, seed, len(wish.ids) or AT_ONCE, wish.picked)
        return {"command": {"command": line}, "feedback": None}
    prompt = tuple(decoding.continuation(trained, text).ids)
    uniforms = Dice(seed).random(limits().generated + 1)[0]
    logits_at = Following(run, trained, prompt)
    text_so_far = Remembered(logits_at, prompt, [*wish.ids], trained.tokenizer.vocabulary.ends)
    states = States((run, trained.step, prompt), chain, text_so_far)
    text_so_far.states = states.before([*wish.ids])
    most = max(0, min(wish.count, limits().generated - len(wish.ids)))
    drawn = [*decoding.decode(trained, text_so_far, chain, most, seed, written=len(wish.ids))]
    ids, ended = text_so_far.ids, len(drawn) < most
    while wish.doubt and not ended and len(ids) > wish.count // 2 and logits_at(ids).softmax(-1).max() > SURE:
        ids.pop()
    tokens = [token(trained, logits_at(ids[:at]), ids[at], uniforms[at]) for at in range(wish.have, len(ids))]
    for at in range(wish.have, min(len(wish.ids), len(ids))):
        tokens[at - wish.have]["picked"] = True  # sent without having been told: the visitor's own choice
    written = {
        "number": wish.number,
        "from": wish.have,
        "prompt": tail(text, PROMPT),
        "tokens": tokens,
        "ended": ended,
        "limit": limits().generated,
        "even": math.log(trained.tokenizer.vocabulary.size),
    }
    at = len(ids)
    text_so_far.states = states.before(ids)
    following = trained, logits_at(ids), float(uniforms[at]), text_so_far.so_far
    bars, drawing = next_token(*following[:2], chain, *following[2:])
    bars |= known(f"{run}@{trained.step}", wish.knows, *following) if wish.logits else {}
    same = wish.count == 0 and 0 < wish.have == at  # only the samplers were turned
    return {
        **({} if same else {"writing": written}),
        "bars": bars | {"number": wish.number},
        "draw": drawing | {"number": wish.number},
        "feedback": states.picture(ids),
        "remarks": remarks(trained, text, len(prompt)),
        "command": {"command": command(run, text, chain, seed, at or AT_ONCE, wish.picked)},
    }


class Remembered(decoding.Growing):
    """The ids behind a prompt, growing by logits that may be known already."""

    def __init__(self, logits_at: "Following", prompt: tuple[int, ...], ids: list[int], ends: Collection[int]) -> None:
        self._logits_at, self._prompt, self.ids, self.ends = logits_at, prompt, ids, ends

    @property
    def so_far(self) -> SoFar:
        """What samplers that look back see."""
        return self.holding(self.ids, self.states)

    def holding(self, ids: Sequence[int], states: Mapping[str, float]) -> SoFar:
        """What they see where it holds these."""
        return SoFar((*self._prompt, *ids), len(self._prompt), states)

    def next_logits(self) -> Tensor:
        """The logits of the next token: (V,)."""
        return self.logits_at(self.ids)

    def logits_at(self, ids: Sequence[int]) -> Tensor:
        """The logits of the token behind these: (V,)."""
        return self._logits_at(ids)


class Following:
    """The logits of the token after a prompt and the ids behind it: (V,). The model is asked once for each, and reads
    on from where it was; samplers ask only this."""

    def __init__(self, run: str, trained: Trained, prompt: tuple[int, ...]) -> None:
        self._run, self._trained, self._prompt = run, trained, prompt
        self._text: decoding.Continuation | None = None

    def __call__(self, ids: Sequence[int]) -> Tensor:
        whole = (*self._prompt, *ids)
        logits: Tensor = _logits.get((self._run, self._trained.step, whole), lambda: self._ask([*whole]))
        return logits

    def _ask(self, whole: list[int]) -> Tensor:
        read = self._text.ids if self._text else whole  # what is asked about must be longer than what was read
        if self._text is None or len(read) >= len(whole) or read != whole[: len(read)]:
            self._text = decoding.grown(self._trained, np.array(whole), len(self._prompt))
        for token in whole[len(self._text.ids) :]:
            self._text.add(token)
        return self._text.next_logits()


def token(trained: Trained, logits: Tensor, chosen: int, uniform: float) -> dict[str, Any]:
    """One written token, with what the model held likely in its place."""
    probabilities = logits.softmax(-1)  # (V,)
    top = probabilities.topk(min(OTHERS, len(probabilities)))
    others = [i for i, p in zip(top.indices.tolist(), top.values.tolist(), strict=True) if p > 0]
    piece = trained.tokenizer.pieces([chosen])[0]
    return {
        "id": chosen,
        "text": piece.text,
        "bytes": piece.bytes.hex(),
        "p": probability(probabilities[chosen]),
        "rank": int((probabilities > probabilities[chosen]).sum()) + 1,
        "entropy": round(float(torch.special.entr(probabilities).sum()), 3),
        "uniform": float(uniform),
        "top": [
            [other.id, spelling(other), probability(probabilities[other.id])]
            for other in trained.tokenizer.pieces(others)
            if other.id not in trained.tokenizer.vocabulary.ends
        ],
    }


def remarks(trained: Trained, text: str, length: int) -> list[Any]:
    """What a visitor should know about the prompt."""
    notes: list[Any] = []
    if not text:
        notes.append(["note", say("generate.empty")])
    unknown = int((trained.tokenizer.encode(text) == trained.tokenizer.vocabulary.unknown).sum())
    if unknown:
        notes.append(["note", say("generate.unknown", n=f"{unknown:,}")])
    if MASK in text:
        notes.append(["note", say("generate.spelt", mask=MASK)])
    gone = decoding.dropped(length, trained.lookback, length, len(trained.opens))
    if gone:
        notes.append(["note", say("generate.long", n=f"{length:,}", last=f"{length - gone:,}")])
    return notes


def wish_of(request: str, vocabulary: int) -> Wish:
    """The browser's request, checked; at first there is none, and a text is begun."""
    if not request:
        return Wish((), 0, 24, 0, True, logits=True)
    try:
        asked = json.loads(request)
        ids, have, count, number = (asked[name] for name in ("ids", "have", "count", "number"))
        switches = {name: asked.get(name) is True for name in ("doubt", "picked", "paints", "logits")}
        wish = Wish(tuple(ids), have, count, number, knows=str(asked.get("knows", "")), **switches)
        whole = all(type(n) is int for n in (*wish.ids, wish.have, wish.count, wish.number))
        fits = len(wish.ids) <= limits().generated and 0 <= wish.count <= AT_ONCE
        untold = len(wish.ids) - wish.have
        if whole and fits and wish.have >= 0 <= untold <= AT_ONCE and all(0 <= i < vocabulary for i in wish.ids):
            return wish
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise SettingsError("this text can no longer be continued: start over", "这段文本无法继续：请重新开始")


def command(run: str, text: str, chain: Chain, seed: int, tokens: int, picked: bool) -> str:
    """The command that writes the same; behind it, where the visitor ``picked`` a token, that it draws every one."""
    samplers = " ".join(f"--sampler {flag(name, values)}" for name, values in chain) or "--sampler temperature:1"
    line = generate_command(run, text, f"{samplers} --tokens {tokens} --seed {seed}")
    remark = "  # " + in_language(say("generate.picked"), language_now()) if picked and line else ""
    return line + remark
