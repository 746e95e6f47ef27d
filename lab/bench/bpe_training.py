"""Learning BPE merges: our readable trainer beside one that counts all pairs anew after each merge.

Both get the same words and their counts, in one process and by turns, so that only the learning is timed, in seconds of
the processor. A ratio is given only if both learn the same merges with the same counts. The library's trainer stands
beside them.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import tokenizers
from tokenizers import models, pre_tokenizers, trainers

from lab.catalog import BENCHMARKS, CORPORA
from lab.settings import Settings, SettingsError, knob
from lab.tokenizers.parts.cutting import WORDS, counted, tidy
from lab.tokenizers.parts.merging import Merging, merged

Step = tuple[str, str, int]  # left, right, how often they were neighbours


@dataclass(frozen=True, kw_only=True)
class BpeTraining(Settings):
    """How much is learnt, and how often."""

    merges: int = knob(1000, "Merges to learn", "学习的合并次数", low=1, high=50_000)
    rounds: int = knob(1, "Times that each is timed", "每种计时的次数", low=1, high=100)


@BENCHMARKS.add(
    "bpe_training",
    title="Learning BPE merges",
    zh=("学习 BPE 合并", "可读的训练器与每次合并后重新统计全部字对的写法相比。"),
    settings=BpeTraining,
    order=9,
)
def bpe_training(
    corpus: tuple[str, dict[str, Any]], s: BpeTraining, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """How fast merges are learnt if only what changes is counted, beside counting all pairs after every merge."""
    entry = CORPORA[corpus[0]]
    texts = tidy(document.text for document in entry.build(entry.settings.load(corpus[1])))
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.Split(WORDS, "isolated")
    words = counted(inner, texts)
    alphabet = sorted(set().union(*words))
    seconds: dict[str, list[float]] = {"ours": [], "naive": [], "library": []}
    learnt: dict[str, list[Step]] = {}
    arms: dict[str, Callable[[], list[Step]]] = {
        "ours": lambda: indexed(words, alphabet, s.merges),
        "naive": lambda: recounted(words, alphabet, s.merges),
    }
    for turn in range(s.rounds):
        for name, arm in arms.items():
            started = time.process_time()
            learnt[name] = arm()
            seconds[name].append(time.process_time() - started)
            say(f"{name}: {len(learnt[name])} merges in {seconds[name][-1]:.2f} s")
        seconds["library"].append(_library(inner, texts, len(alphabet) + s.merges))
        say(f"library, cutting of the text included: {seconds['library'][turn]:.2f} s")
    return judged(seconds, learnt, len(words), s)


def indexed(words: Counter[str], alphabet: Sequence[str], merges: int) -> list[Step]:
    """Ours: only the pairs beside a merged one are counted anew."""
    merging = Merging([(list(word), times) for word, times in words.items()], alphabet)
    return [(step.left, step.right, step.count) for step in islice(merging, merges)]


def recounted(words: Counter[str], alphabet: Sequence[str], merges: int) -> list[Step]:
    """Naive: all pairs of all words are counted after every merge."""
    ids = {letter: number for number, letter in enumerate(alphabet)}
    cut = [(list(word), times) for word, times in words.items()]
    steps: list[Step] = []
    while len(steps) < merges:
        pairs: Counter[tuple[str, str]] = Counter()
        for tokens, times in cut:
            for pair in pairwise(tokens):
                pairs[pair] += times
        best = min(pairs, key=lambda pair: (-pairs[pair], ids[pair[0]], ids[pair[1]]), default=None)
        if best is None or pairs[best] < 2:
            break
        steps.append((*best, pairs[best]))
        token = best[0] + best[1]
        ids.setdefault(token, len(ids))
        cut = [(merged(tokens, best, token), times) for tokens, times in cut]
    return steps


def judged(
    seconds: dict[str, list[float]], learnt: dict[str, list[Step]], words: int, s: BpeTraining
) -> tuple[dict[str, Any], list[str]]:
    """The figures, and what to say of them."""
    if not learnt["ours"] and not learnt["naive"]:
        raise SettingsError("the corpus has no pair that occurs twice", "语料中没有出现两次的字对")
    agree = learnt["ours"] == learnt["naive"]
    least = {name: min(each) for name, each in seconds.items()}
    ratio = least["naive"] / least["ours"] if agree else None
    document = {
        "benchmark": "bpe_training",
        "words": words,
        "merges": len(learnt["ours"]),
        "agree": agree,
        "seconds": {name: round(second, 4) for name, second in least.items()},
        "ratio": None if ratio is None else round(ratio, 1),
        "settings": s.dump(),
    }
    verdict = (
        "they learn different merges: no ratio" if ratio is None else f"{ratio:.0f} times as fast as counting anew"
    )
    times = f"ours {least['ours']:.2f} s, naive {least['naive']:.2f} s, library {least['library']:.2f} s"
    return document, [f"{len(learnt['ours']):,} merges of {words:,} different words: {times}", verdict]


def _library(inner: tokenizers.Tokenizer, texts: Sequence[str], vocabulary: int) -> float:
    started = time.process_time()
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, min_frequency=2, show_progress=False)
    inner.train_from_iterator(texts, trainer)
    return time.process_time() - started
