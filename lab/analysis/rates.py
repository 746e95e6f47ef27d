"""Masking rates: how often an objective does what it says, counted over many draws beside what is expected.

R rolls   T tokens
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.analysis.preview import encoded, pairing
from lab.data.corpus import marked
from lab.data.template import framed
from lab.entries import ObjectiveEntry, Shares
from lab.masking import expected_count
from lab.noise import Dice
from lab.tokenizer import Tokenizer
from lab.vocabulary import Vocabulary


@dataclass(frozen=True)
class Rate:
    """One share, as counted and as expected; chance alone moves it by about ``spread`` (one standard deviation)."""

    # "asked" of the tokens, "missing" from what is read; "masked", "replaced", "swapped" (for a similar or random
    # token) or "kept" of those
    what: str
    nominal: float  # what the settings say
    expected: float | None  # what follows from them for this text, where there is a formula
    observed: float
    spread: float
    count: int  # of how many


def rates(
    text: str,
    objective: ObjectiveEntry,
    tokenizer: Tokenizer,
    values: dict[str, Any] | None = None,
    *,
    seed: int = 0,
    rolls: int = 1000,
    longest: int = 512,
) -> list[Rate]:
    """The rates of ``objective`` on ``text`` over ``rolls`` rolls. Empty where it has none."""
    settings = objective.settings.load(values or {})
    if objective.stage == "pair":
        return _of_pairs(text, objective, settings, tokenizer, seed, rolls, longest)
    tokenizer = marked(tokenizer, objective)
    ids = encoded(tokenizer, text)[: longest - 2]
    if objective.rates.share:
        return [_shared(ids, objective, settings, tokenizer.vocabulary, objective.rates.share(settings))]
    if objective.rates.missing:
        return _missing(ids, objective, settings, tokenizer.vocabulary, seed, rolls)
    if not objective.rates.shares:
        return []
    exercise = objective.build(np.tile(ids, (rolls, 1)), settings, tokenizer.vocabulary, Dice(seed, np.arange(rolls)))
    shares = objective.rates.shares(settings)
    return _of_tokens(ids, exercise.shown, exercise.asked, objective, settings, shares, tokenizer.vocabulary)


def _of_tokens(
    ids: NDArray[np.int64],
    shown: NDArray[np.int64],
    asked: NDArray[np.bool_],
    objective: ObjectiveEntry,
    settings: Any,
    shares: Shares,
    vocabulary: Vocabulary,
) -> list[Rate]:
    """``ids`` (T,), ``shown`` and ``asked`` (R, T)."""
    rolls, total = len(asked), int(asked.sum())
    n = int((~vocabulary.is_special(ids)).sum())
    if not total:
        return []
    own = objective.rates.asked  # a rule of its own for how many
    known = own(ids, settings, vocabulary) if own else expected_count(shares.asked, n)
    mean, spread = (known[0] / n, known[1]) if known else (None, float(asked.sum(1).std()))
    counted = [Rate("asked", shares.asked, mean, total / (n * rolls), spread / n / math.sqrt(rolls), n * rolls)]
    masked = int((asked & (shown == vocabulary.gap)).sum())
    kept = int((asked & (shown == ids)).sum())
    mask, random, similar = shares.masked or 0.0, shares.random or 0.0, shares.similar or 0.0
    itself = random / len(vocabulary.ordinary)  # a random token may be the one that stood there
    other, left = random + similar, 1 - mask - random - similar
    alone = _alone(asked, objective.rates.draws, vocabulary.words(ids[None])[0])
    if shares.masked is not None:
        counted.append(_share("masked", mask, mask, masked, total, alone))
    if shares.random is not None:
        what = "replaced" if shares.similar is None else "swapped"
        counted.append(_share(what, other, other - itself, total - masked - kept, total, alone))
    return [*counted, _share("kept", left, left + itself, kept, total, alone)]


def _alone(asked: NDArray[np.bool_], draws: str, words: NDArray[np.int64]) -> float:
    """How many tokens with a draw each would scatter as much as these, where all of a "word" or "span" share one."""
    if draws == "token":
        return float(asked.sum())
    where = np.pad(asked, ((0, 0), (1, 0)))  # so that nothing goes on from one roll to the next
    opens = where[:, 1:] & ~where[:, :-1]
    if draws == "word":
        opens |= asked & (words != np.concatenate([[-2], words[:-1]]))
    lengths = np.bincount(opens.cumsum()[asked.ravel()])  # of what shares a draw
    return float(lengths.sum() ** 2 / (lengths**2).sum())


def _shared(
    ids: NDArray[np.int64], objective: ObjectiveEntry, settings: Any, vocabulary: Vocabulary, share: float
) -> Rate:
    """Where a fixed share of a row's tokens (T,) is asked, rounded down but at least one, one roll tells how many."""
    exercise = objective.build(ids[None], settings, vocabulary, Dice(0))
    n = max(int((~vocabulary.is_special(ids)).sum()), 1)
    return Rate("asked", share, max(math.floor(n * share + 1e-9), 1) / n, int(exercise.asked.sum()) / n, 0.0, n)


def _missing(
    ids: NDArray[np.int64], objective: ObjectiveEntry, settings: Any, vocabulary: Vocabulary, seed: int, rolls: int
) -> list[Rate]:
    """How much of a text (T,) is not there to be read: in the source, or, where there is none, before what is asked."""
    rows = np.tile(framed(ids, objective.frame, vocabulary), (rolls, 1))
    exercise = objective.build(rows, settings, vocabulary, Dice(seed, np.arange(rolls)))
    read = np.where(exercise.asked, vocabulary.pad, exercise.shown) if exercise.source is None else exercise.source
    n = int((~vocabulary.is_special(ids)).sum())
    if not n:
        return []
    left = (~vocabulary.is_special(read)).sum(1) / n  # (R,)
    assert objective.rates.missing is not None
    expected, spread = objective.rates.missing(ids, settings, vocabulary), float(left.std()) / math.sqrt(rolls)
    return [Rate("missing", settings.share, expected, float(1 - left.mean()), spread, n * rolls)]


def _share(what: str, nominal: float, expected: float, count: int, total: int, alone: float | None = None) -> Rate:
    """A share of ``total``; where some of them share a draw, it scatters as that of ``alone``."""
    nominal, expected = (min(1.0, max(0.0, rate)) for rate in (nominal, expected))
    spread = math.sqrt(expected * (1 - expected) / (alone or total))
    return Rate(what, round(nominal, 9), round(expected, 9), count / total, spread, total)


def _of_pairs(
    text: str, objective: ObjectiveEntry, settings: Any, tokenizer: Tokenizer, seed: int, rolls: int, longest: int
) -> list[Rate]:
    """A text of one sentence always gives the second answer: nothing could follow it."""
    pairs = pairing(text, objective, settings, tokenizer, longest)
    second = sum(pairs.draw(Dice(seed, roll)).answer for roll in range(rolls))
    assert objective.rates.second is not None, "a pair objective says how often its second answer is right"
    nominal = objective.rates.second(settings)
    expected = nominal if len(pairs.own) > 1 else 1.0
    return [
        _share("0", 1 - nominal, 1 - expected, rolls - second, rolls),
        _share("1", nominal, expected, second, rolls),
    ]
