"""Parameter formulas, read off the tensors of a model whose sizes have no common factor.

In such a model each dimension of a tensor tells which size it came from, and a second block tells which tensors come
once for each block. A formula can be worked out where there is no model, as in the visitor's browser.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from lab.analysis.count import TensorFacts, poolers, tensors
from lab.catalog import MODELS

HEADS, HEAD_WIDTH = 241, 4 * 199  # where a head has a width of its own, half of which may turn in pairs
PRIMES = {
    "vocabulary": 10007,
    "width": 64 * 251,
    "embedding_width": 211,
    "feed": 4099,
    "context": 577,
    "inner": HEADS * HEAD_WIDTH,  # of all heads together
    "heads": HEADS,
}
FEW = 2  # rows that a table may have beyond one of the sizes
SHARED = {"heads": 16, "kv_heads": 1}  # where heads of queries share one of keys and values
SHARE = PRIMES["width"] // 64  # what shares of the width are multiples of
KEYS = PRIMES["width"] // 16  # the width of all keys together, a size that follows from others


@dataclass(frozen=True, kw_only=True)
class Term:
    """One tensor, or a share of its rows: ``times`` the product of the ``sizes``, once for each block if ``each``."""

    name: str  # the tensor's path, without the number of its block
    part: str  # embeddings, norms, attention, ffn or heads
    times: int | float  # a share of a size is a fraction
    sizes: tuple[str, ...]
    each: bool
    runs: bool  # whether it works once for each of the ``depth`` steps of a token's way, shared or not

    def value(self, sizes: Mapping[str, int]) -> int:
        """The number of parameters at these sizes; ``depth`` is one of them."""
        return int(self.times * math.prod(sizes[name] for name in self.sizes)) * (sizes["depth"] if self.each else 1)


@cache
def terms(model: str, *, own_feed: bool = False, **chosen: Any) -> tuple[Term, ...]:
    """The model's tensors as terms, in the order of computation. ``own_feed``: the feed-forward width is a size of
    its own, else it follows from the width as the recipe says. ``chosen`` are settings that are no sizes."""
    shape = _primes(model, own_feed) | chosen
    deep = "depth" in MODELS[model].settings.knobs()
    one, two = (_by_path(tensors(model, shape | {"depth": n} if deep else shape, PRIMES["vocabulary"])) for n in (1, 2))
    grouped = "kv_heads" in shape
    return tuple(
        replace(term, times=term.times * len(facts))  # a second network may have a depth of its own
        for path, facts in one.items()
        for term in _terms(path, facts[0], each=len(two[path]) > len(facts), grouped=grouped)
    )


@cache
def pooler_terms(model: str) -> tuple[Term, ...]:
    """The tensors of the pooler that published models of the family carry, pretrained or not."""
    deep = {"depth": 1} if "depth" in MODELS[model].settings.knobs() else {}
    facts = poolers(model, _primes(model, False) | deep, PRIMES["vocabulary"])
    return tuple(term for fact in facts for term in _terms(fact.name, fact, each=False))


def choices_of(model: str, shape: Mapping[str, Any]) -> dict[str, bool | str]:
    """The settings of a shape that are no numbers."""
    knobs = MODELS[model].settings.knobs()
    return {name: value for name, value in shape.items() if isinstance(knobs[name].default, bool | str)}


def work_out(formula: Sequence[Term], sizes: Mapping[str, int | None]) -> dict[str, int]:
    """The number of parameters by part."""
    heads, kv_heads = sizes.get("heads") or 1, sizes.get("kv_heads")
    given = {name: size for name, size in sizes.items() if size is not None}
    given["inner"] = heads * given["head_width"] if given.get("head_width") else given.get("width", 0)
    given["keys"] = given["inner"] * (kv_heads or heads) // heads
    parts = dict.fromkeys((term.part for term in formula), 0)
    for term in formula:
        parts[term.part] += term.value(given)
    return parts


def _by_path(facts: Sequence[TensorFacts]) -> dict[str, list[TensorFacts]]:
    facts_by_path: dict[str, list[TensorFacts]] = {}
    for fact in facts:
        facts_by_path.setdefault(re.sub(r"\.\d+\.", ".", fact.name), []).append(fact)
    return facts_by_path


def _primes(model: str, own_feed: bool) -> dict[str, int]:
    knobs = MODELS[model].settings.knobs()
    heads = SHARED if "kv_heads" in knobs else {"heads": 1}
    heads = {"heads": HEADS, "head_width": HEAD_WIDTH, "kv_heads": 1} if "head_width" in knobs else heads
    primes = {name: prime for name, prime in PRIMES.items() if name in knobs and (name != "feed" or own_feed)}
    return {**primes, **{name: number for name, number in heads.items() if name in knobs}}


def _terms(path: str, fact: TensorFacts, *, each: bool, grouped: bool = False) -> list[Term]:
    """A tensor as one term; as two where a dimension is a size and a few more, like a position table's rows."""
    products: list[tuple[Fraction | int, tuple[str, ...]]] = [(1, ())]
    for dimension in fact.shape:
        products = [
            (times * factor, (*sizes, *size))
            for times, sizes in products
            for factor, size in _factors(dimension, grouped)
        ]
    term = Term(name=path, part=fact.part, times=1, sizes=(), each=each, runs=".blocks." in path)
    return [replace(term, times=_plain(times), sizes=sizes) for times, sizes in products]


def _plain(times: Fraction | int) -> int | float:
    return int(times) if times.denominator == 1 else float(times)


def _factors(dimension: int, grouped: bool) -> list[tuple[Fraction | int, tuple[str, ...]]]:
    """A dimension as a sum of products: a multiple or a share of one size and perhaps a rest that is no size."""
    for name, prime in PRIMES.items():
        times, rest = divmod(dimension, prime)
        if name == "width" and not grouped and dimension % SHARE == 0:
            return [(Fraction(dimension, prime), (name,))]
        if name == "width" and rest and rest % KEYS == 0:
            return [*([(times, (name,))] if times else []), (rest // KEYS, ("keys",))]
        if name == "inner" and grouped and times and rest and rest % HEAD_WIDTH == 0:
            return [(times, (name,)), (rest // HEAD_WIDTH, ("keys",))]
        if times and rest <= FEW:
            return [(times, (name,)), *([(rest, ())] if rest else [])]
    return [(dimension, ())]
