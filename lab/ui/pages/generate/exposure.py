"""Exposure bias on the Generate page: what a model writes behind its own words and what people wrote, by the surprise
of a judge along the way."""

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

from lab.inference.exposure_bias import Begun, Bits, Surprise, begun, continuations, surprise
from lab.inference.sampler_chain import Chain
from lab.serve.limits import limits, within
from lab.ui.pages.generate.judge import judge_of, name_of
from lab.ui.pages.generate.made_of import made_of
from lab.ui.pages.generate.real_texts import stories, tongue
from lab.ui.pages.generate.samplers import chain_of
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.inputs import whole_seed
from lab.ui.words import say

STORIES, CONTINUED, EACH, TOKENS = 64, 16, 3, 72  # texts; those that are gone on with, how often, and how far
CHARACTERS = {"en": 60, "zh": 20}  # that both begin with
WINDOW = 24  # bytes: eight Chinese characters
REACHED = 0.5  # of the texts: a point stands for so many at least, not only for those that went far
SECONDS = 40.0  # after which no other text is gone on with
COLOURS = ("original", "predicted", "replaced")
WAYS = ("real", "pure", "on")


def nothing(why: Any) -> dict[str, Any]:
    """A picture without lines, and why."""
    return {"series": [], "empty": why, "dials": False, "height": 320}


def compare(run: str, judge: str, text: str, own: str, seed: float, *values: Any) -> Iterator[Values]:
    """The picture, which grows text by text."""
    within(text, limits().prompt)
    within(own, limits().prompt)
    trained = visitor.writer(run)
    if trained is None:
        yield {"picture": nothing(say("generate.no_runs")), "said": []}
        return
    judging = judge_of(judge, run)
    texts = real(own, text) if judging else []
    if judging is None or not texts:
        why = "generate.judge.cannot" if judging is None else "generate.exposure.short"
        yield {"picture": nothing(say(why)), "said": []}
        return
    bits: dict[str, list[Bits]] = {"real": surprise(judging, texts), "pure": [], "on": []}
    chains: dict[str, Chain] = {"pure": [], "on": chain_of(values)}
    until, chosen, done = time.monotonic() + SECONDS, texts[:CONTINUED], 0
    seed = whole_seed(seed)
    of = made_of(run, say("generate.exposure.beginnings"), seed, values)
    written = {way: continuations(trained, chosen, chain, EACH, TOKENS, seed) for way, chain in chains.items()}
    while done < len(chosen) and (not done or time.monotonic() < until):
        for way, each in written.items():
            bits[way] += surprise(judging, [Begun(chosen[done].prompt, rest) for rest in next(each)])
        done += 1
        yield {"picture": picture(bits, name_of(judge, run)), "said": [*said(bits, done, len(chosen)), *of]}


def real(own: str, text: str) -> list[Begun]:
    """The visitor's own texts, a line each; or stories in the language of the prompt."""
    language = tongue(own or text)
    lines = [line.strip() for line in own.splitlines()][:STORIES] if own.strip() else stories(STORIES, language)
    return [one for one in (begun(line, CHARACTERS[language]) for line in lines) if one]


def picture(bits: dict[str, list[Bits]], judge: Any) -> dict[str, Any]:
    """The value of a Curve: bits per byte over the distance from the words that all begin with."""
    series, far = [], max(len(text) for way in WAYS[1:] for text in bits[way])
    for way, colour in zip(WAYS, COLOURS, strict=True):
        along = Surprise.of([text[:far] for text in bits[way]], WINDOW)
        kept = [at for at, count in enumerate(along.texts.tolist()) if count >= REACHED * len(bits[way])]
        error = [0.0 if math.isnan(each) else each for each in along.error.tolist()]
        series.append(
            {
                "name": say(f"generate.exposure.{way}"),
                "colour": colour,
                "dots": True,
                "x": [(at + 1) * WINDOW for at in kept],
                "y": [round(float(along.mean[at]), 4) for at in kept],
                "low": [round(float(along.mean[at]) - error[at], 4) for at in kept],
                "high": [round(float(along.mean[at]) + error[at], 4) for at in kept],
            }
        )
    axes = {"x": say("generate.exposure.x"), "y": say("generate.exposure.y", judge=judge), "low": 0}
    return nothing("") | {"series": series, "legend": True, **axes}


def said(bits: dict[str, list[Bits]], done: int, of: int) -> list[Any]:
    """The sentence below the picture."""
    means = {way: mean(texts) for way, texts in bits.items()}
    if any(math.isnan(each) for each in means.values()):
        return []
    numbers = {way: f"{each:.2f}" for way, each in means.items()}
    return [
        ["p", say("generate.exposure.said", n=done, of=of, texts=len(bits["real"]), **numbers)],
        ["note", say("generate.exposure.not_so")],
    ]


def mean(texts: Sequence[Bits]) -> float:
    """Bits per byte of all texts together."""
    count = sum(map(len, texts))
    return sum(float(bits.sum()) for bits in texts) / count if count else math.nan
