"""NSP beside SOP: what a classifier makes of either that knows nothing of order.

N pairs   V vocabulary   F features
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

import gradio as gr
import numpy as np
from numpy.typing import NDArray

from lab.batch import Pair
from lab.catalog import OBJECTIVES
from lab.corpora.town_stories import document
from lab.data.stream import sentences_of
from lab.entries import ObjectiveEntry
from lab.noise import Dice
from lab.tokenizer import Tokenizer
from lab.ui.components.shortcut import Shortcut
from lab.ui.exercise.shipped import tokenizer
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import head, seed_of, told
from lab.ui.words import pair, say, titled, word

PAIRS, LEARNT = 1200, 300  # pairs of each kind, those learnt from; the rest are for checking
SOURCES = ("en", "zh", "own")  # the town's stories in one of its languages, or the visitor's text
PASSAGE, LEAST = 5, 10  # sentences of a passage, and passages that a text must have
LONGEST = 125  # tokens of both parts
EXAMPLES = 3
RARE, OFTEN = 0.05, 0.2  # the shares of parts that a rare word has at the most, and one that is not worth a mark

Floats = NDArray[np.floating]
Passages = tuple[tuple[NDArray[np.int64], ...], ...]


def suits(objective: ObjectiveEntry) -> bool:
    """Whether an objective asks about a pair of texts."""
    return objective.stage == "pair"


def view(text: str, objective: ObjectiveEntry, source: str = "en", seed: int = 0) -> dict[str, Any]:
    """Both objectives on the same passages, each with what the classifier reached and its first verdicts."""
    source = source if source in SOURCES else "en"
    own = head(text) if source == "own" else ""
    texts = passages(source, seed, own)
    about = {"seed": seed, "source": source}
    if len(texts) < LEAST:
        return about | {
            "sides": [],
            "note": [say("desks.shortcut.few", n=len(texts), least=LEAST, sentences=LEAST * PASSAGE)],
        }
    sides = compared(source, seed, own)
    note = say("desks.shortcut.note", learnt=LEARNT, checked=PAIRS - LEARNT)
    more = say("desks.shortcut.note.own", n=len(texts)) if source == "own" else say("desks.shortcut.note.town")
    return about | {"sides": sides, "note": [note, more]}


@lru_cache(maxsize=8)  # a class asks for the same stories thirty times
def compared(source: str, seed: int, text: str) -> list[dict[str, Any]]:
    """Both objectives on the same passages."""
    return [side(name, *measured(name, passages(source, seed, text), seed)) for name in ("nsp", "sop")]


# ---- the pairs


@lru_cache(maxsize=4)
def passages(source: str, seed: int, text: str) -> Passages:
    """Passages as sentences of ids, each with two or more: the town's stories, or the text. That falls into its
    paragraphs, or into so many sentences each where it has too few."""
    its_tokenizer = tokenizer(OBJECTIVES["nsp"])
    if source != "own":
        stories = [document(seed, number, "zh" if source == "zh" else "en").text for number in range(PAIRS)]
        return tuple(tuple(its_tokenizer.encode_all(sentences_of(story))) for story in stories)
    parts = [[line for line in sentences_of(part) if line.strip()] for part in text.split("\n\n")]
    paragraphs = [its_tokenizer.encode_all(part) for part in parts]
    if sum(len(paragraph) > 1 for paragraph in paragraphs) < LEAST:
        every = [sentence for paragraph in paragraphs for sentence in paragraph]
        paragraphs = [every[at : at + PASSAGE] for at in range(0, len(every), PASSAGE)]
    return tuple(tuple(paragraph) for paragraph in paragraphs if len(paragraph) > 1)


def pairs(name: str, passages: Passages, seed: int) -> list[Pair]:
    """The pairs to learn from, of the first half of the passages, and then those to check on, of the second, as the
    objective itself draws them."""
    objective, half = OBJECTIVES[name], len(passages) // 2

    def drawn(number: int) -> Pair:
        dice = Dice(seed, number)
        part = passages[:half] if number < LEARNT else passages[half:]
        own = (number if number < LEARNT else number - LEARNT) % len(part)

        def other() -> Sequence[NDArray[np.int64]]:
            stranger = part[(own + 1 + int(dice.one() * (len(part) - 1))) % len(part)]
            return stranger[int(dice.one() * len(stranger)) :]

        drawn_pair: Pair = objective.build(part[own], other, LONGEST, objective.settings(), dice)
        return drawn_pair

    return [drawn(number) for number in range(PAIRS)]


# ---- the classifier


def bags(examples: Sequence[Pair], vocabulary: int) -> tuple[Floats, Floats]:
    """Which words stand in the first part and in the second: (N, V) each."""
    bag = np.zeros((2, len(examples), vocabulary), dtype=np.float32)
    for number, item in enumerate(examples):
        bag[0, number, item.first] = bag[1, number, item.second] = 1
    return bag[0], bag[1]


def shared(first: Floats, second: Floats, common: Floats) -> Floats:
    """Four numbers about the words that both parts have, the same if the parts change places: (N, 4). ``common`` (V,)
    is the share of parts that have a word; a rarer word counts more."""
    both, weight, rare = first * second, -np.log(common), common < RARE
    least = np.minimum(first @ weight, second @ weight)
    apart = np.abs(first - second) @ rare
    return np.column_stack([both @ weight / np.maximum(least, 1), both @ rare, both.sum(1) / 10, apart / 3])


def fitted(x: Floats, y: Floats, steps: int = 100, decay: float = 0.01) -> Floats:
    """Logistic regression by Adam: the weights (F,) of the features ``x`` (N, F) for the answers ``y`` (N,)."""
    nothing: Floats = np.zeros((3, x.shape[1]), dtype=np.float32)
    w, mean, square = nothing
    for step in range(1, steps + 1):
        slope = x.T @ (1 / (1 + np.exp(-x @ w)) - y) / len(y) + decay * w
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        w -= 0.05 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return w


@dataclass(frozen=True)
class Verdicts:
    """What one classifier says about the pairs that it has not learnt from: the chance of the second answer."""

    reads: str
    chances: Floats  # (N,)


def measured(name: str, passages: Passages, seed: int) -> tuple[list[Pair], list[Verdicts], Floats]:
    """The pairs to check on, and what two classifiers say: one that reads what is shared, one that also reads which
    words stand in which part."""
    all_pairs = pairs(name, passages, seed)
    answers = np.array([item.answer for item in all_pairs], dtype=np.float32)
    first, second = bags(all_pairs, tokenizer(OBJECTIVES["nsp"]).vocabulary.size)
    often = first[:LEARNT].sum(0) + second[:LEARNT].sum(0)
    common = (often + 1) / (2 * LEARNT + 1)
    overlap = shared(first, second, common)
    seen = often >= 5
    verdicts = []
    for reads, features in (("shared", overlap), ("words", np.hstack([overlap, first[:, seen], second[:, seen]]))):
        x = np.column_stack([features, np.ones(PAIRS)]).astype(np.float32)
        w = fitted(x[:LEARNT], answers[:LEARNT])
        verdicts.append(Verdicts(reads, 1 / (1 + np.exp(-x[LEARNT:] @ w))))
    return all_pairs[LEARNT:], verdicts, common


# ---- what is shown


def side(name: str, shown: Sequence[Pair], verdicts: Sequence[Verdicts], common: Floats) -> dict[str, Any]:
    """One objective: how often each classifier was right, with two standard errors, beside always saying the same."""
    objective, answers = OBJECTIVES[name], np.array([item.answer for item in shown])
    names = [pair(*answer) for answer in objective.answers]
    chance = max(answers.mean(), 1 - answers.mean())
    readers = []
    for reader in verdicts:
        right = float(((reader.chances > 0.5) == answers).mean())
        spread = 2 * float(np.sqrt(right * (1 - right) / len(answers)))
        readers.append(
            {"name": say(f"desks.shortcut.{reader.reads}"), "right": round(right, 4), "spread": round(spread, 4)}
        )
    return {
        "name": titled(objective),
        "asks": pair(objective.summary, objective.summary_zh),
        "readers": readers,
        "chance": round(float(chance), 4),
        "examples": [example(shown[i], float(verdicts[0].chances[i]), names, common < OFTEN) for i in range(EXAMPLES)],
    }


def example(item: Pair, chance: float, names: Sequence[Any], telling: NDArray[np.bool_]) -> dict[str, Any]:
    """One pair, marked where both parts share ``telling`` words, with its answer and the first classifier's verdict."""
    its_tokenizer, both = tokenizer(OBJECTIVES["nsp"]), np.intersect1d(item.first, item.second)
    both = both[telling[both]]
    verdict = int(chance > 0.5)
    return {
        "parts": [written(part, both, its_tokenizer) for part in (item.first, item.second)],
        "truth": names[item.answer],
        "said": names[verdict],
        "right": verdict == item.answer,
        "sure": round(max(chance, 1 - chance), 3),
    }


def written(ids: NDArray[np.int64], both: NDArray[np.int64], tokenizer: Tokenizer) -> list[list[Any]]:
    """A part as stretches of text, each with whether its words stand in both parts."""
    marked = [piece.id in both and any(letter.isalpha() for letter in piece.text) for piece in tokenizer.pieces(ids)]
    runs = groupby(zip(ids.tolist(), marked, strict=True), key=lambda token: token[1])
    return [[tokenizer.decode([number for number, _ in run]), mark] for mark, run in runs]


def again(text: str, event: gr.EventData) -> dict[str, Any]:
    """Other pairs, or those of another source."""
    return view(text, OBJECTIVES["nsp"], str(told(event, "source")), seed_of(told(event, "seed")))


def made(frame: Frame, text: Any) -> Shortcut:
    """The desk, empty."""
    beside = Shortcut(label=word("desks.shortcut.title"), elem_id="shortcut")
    frame.listen(beside.roll, again, text, beside, trigger_mode="always_last")
    return beside
