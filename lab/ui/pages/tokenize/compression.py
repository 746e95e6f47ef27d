"""Vocabulary size sweeps on the Tokenize page: a corpus's cost in tokens, for every kind of tokenizer."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from lab.analysis.cost import Cost, example, step_cost
from lab.analysis.forecast import pace
from lab.analysis.vocabulary_sweep import SIZES
from lab.catalog import MODELS, TOKENIZERS
from lab.serve import curves
from lab.ui.words import pair, say, titled

MODEL = "gpt"  # reads from left to right: every token pays for a choice among the whole vocabulary


def known(corpus: str, values: dict[str, Any], title: Any, size: int) -> dict[str, Any]:
    """A value for Compression: what is known without training anything, and a button where that is not all."""
    by_kind = {kind: curves.at_hand(corpus, values, kind) for kind in TOKENIZERS.names()}
    have = [curve for curve in by_kind.values() if curve]
    asked = {} if len(have) == len(by_kind) else {"ask": say("tokenize.curves.draw", corpus=title)}
    return {**_value(have, title), "at": size, **asked}


def drawn(corpus: str, values: dict[str, Any], title: Any) -> Iterator[dict[str, Any]]:
    """The curves kind by kind, and before the first of them how long that will take."""
    yield {**_value([], title), "note": say("tokenize.curves.asking")}
    seconds = curves.wait(corpus, values)
    have: list[dict[str, Any]] = []
    for kind in TOKENIZERS:
        note = say(
            "tokenize.curves.busy",
            n=len(have) + 1,
            all=len(TOKENIZERS.names()),
            kind=titled(kind),
            seconds=f"{max(seconds, 1):,.0f}",
        )
        yield {**_value(have, title), "note": note}
        have.append(curves.curve(corpus, values, kind.name))
    yield _value(have, title)


def _value(have: list[dict[str, Any]], title: Any) -> dict[str, Any]:
    kinds = [
        {
            "name": curve["kind"],
            "title": pair(TOKENIZERS[curve["kind"]].title, TOKENIZERS[curve["kind"]].title_zh),
            "points": curve["points"],
            "ends": _end(curve),
        }
        for curve in have
    ]
    held = f"{have[0]['held']:,}" if have else ""
    on = say("tokenize.curves.on", corpus=title, n=f"{have[0]['characters']:,}", held=held) if have else ""
    return {"sizes": list(SIZES), "kinds": kinds, "model": model() if have else None, "on": on}


def _end(curve: dict[str, Any]) -> Any:
    """Why a curve goes no further."""
    kind = TOKENIZERS[curve["kind"]]
    if not curve["ends"]:
        return ""
    return say(
        f"tokenize.curves.end.{kind.ends}",
        kind=titled(kind),
        n=f"{curve['points'][-1][0]:,}",
    )


def model() -> dict[str, Any]:
    """A small model around the tokenizer: its parameters and the operations of a step for each token read, both of
    which grow by so much with each token of the vocabulary; and the operations that this machine does in a second."""
    (few, less), (many, more) = ((n, _cost(n)) for n in (SIZES[0], SIZES[-1]))
    entry = MODELS[MODEL]
    shape = entry.settings()
    run = example(MODEL, {}, shape.context)
    cost = step_cost(run, SIZES[5])
    seconds, measured = pace(run, cost)

    def line(low: float, high: float) -> list[float]:
        slope = (high - low) / (many - few)
        return [low - slope * few, slope]

    sizes = {"depth": shape.depth, "width": shape.width, "context": shape.context}
    return {
        "width": shape.width,
        "parameters": line(less.parameters, more.parameters),
        "operations": line(less.per_token, more.per_token),
        "rate": (cost.forward + cost.backward) / seconds,
        "note": say("tokenize.curves.model." + ("measured" if measured else "guessed"), model=entry.title, **sizes),
    }


@lru_cache(maxsize=8)
def _cost(vocabulary: int) -> Cost:
    return step_cost(example(MODEL, {}, MODELS[MODEL].settings().context), vocabulary)
