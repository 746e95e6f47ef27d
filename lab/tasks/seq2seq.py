"""Sequence to sequence: a text is read and another written, its translation, its summary or the name of its class.

An encoder-decoder reads the text as its objective taught it to (Raffel et al. 2019, section 2.4). A decoder goes on
from the text and a [SEP] (Radford et al. 2019, section 3.6), and GLM fills a blank at its end (Du et al. 2021, section
2.3). Of all three only the target is asked. mBART begins to write from the language of the source, whatever that of the
target is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import TASKS
from lab.examples import Example, Prediction, Unit
from lab.settings import Settings, knob
from lab.tasks.metrics.bleu import corpus_bleu
from lab.tasks.metrics.chrf import corpus_chrf
from lab.tasks.metrics.rouge import rouge_l
from lab.tasks.metrics.squad import exact_match
from lab.tasks.parts.losses import of_targets
from lab.tasks.parts.reader import Reader

Ids = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Seq2SeqSettings(Settings):
    """How much is written."""

    longest: int = knob(64, "Longest target in tokens", "目标文本的最大词元数", low=1, high=4096)


def room(s: Seq2SeqSettings, context: int) -> int:
    """The most tokens of a target: no more than half of a context that it shares with its source."""
    return min(s.longest, context // 2)


def source_of(text: str, s: Seq2SeqSettings, reader: Reader) -> Ids:
    """What stands before the target, or what the encoder reads: (S,)."""
    ids, words = reader.ids(text), reader.vocabulary
    seq2seq = reader.objective.seq2seq(reader.objective_settings)
    if seq2seq is not None:
        return seq2seq.read(ids[: reader.context - 2], words)
    mark = words.mask if reader.objective.decoding.filling else words.separate
    return np.append(ids[: reader.context - room(s, reader.context) - 2], mark)


def measure(predictions: Sequence[Prediction], examples: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """BLEU and chrF (0 to 100) of the corpus, the mean of ROUGE-L, and how often a target was met exactly."""
    texts, references = [example.text for example in predictions], [example.targets for example in examples]
    pairs = [*zip(texts, references, strict=True)]
    return {
        "bleu": round(corpus_bleu(texts, references), 4),
        "chrf": round(corpus_chrf(texts, references), 4),
        "rouge_l": round(float(np.mean([rouge_l(*example) for example in pairs])), 6),
        "exact_match": round(float(np.mean([exact_match(*example) for example in pairs])), 6),
    }


def yardsticks(learnt: Sequence[Example], checked: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """chrF of whoever copies the source, and of whoever always writes the commonest target of training."""
    targets, times = np.unique([each.targets[0] for each in learnt], return_counts=True)
    always = [Prediction(text=str(targets[times.argmax()]))] * len(checked)
    copied = [Prediction(text=each.text) for each in checked]
    return {
        "copy": measure(copied, checked, labels)["chrf"],
        "commonest": measure(always, checked, labels)["chrf"],
    }


@TASKS.add(
    "seq2seq",
    title="Sequence to sequence",
    zh=("序列到序列", "读一段文字，写出另一段：翻译、摘要，或类别的名称。"),
    paper="Sutskever et al. 2014; Raffel et al. 2019, section 2.4; Lewis et al. 2019, section 3",
    settings=Seq2SeqSettings,
    traits={"writes"},
    otherwise=(frozenset({"causal", "pools"}),),
    order=7,
    holds=("text", "targets"),
    columns={
        "text": ("text", "source", "document", "article", "en", "原文", "文本"),
        "targets": ("target", "targets", "summary", "summaries", "zh", "label", "译文", "摘要", "目标"),
    },
    names=False,
    head="tokens",
    outputs=lambda classes: 0,
    loss=of_targets,
    predict=None,
    measure=measure,
    yardsticks=yardsticks,
    score="chrf",
)
def seq2seq(example: Example, s: Seq2SeqSettings, reader: Reader) -> list[Unit]:
    """Reads one text and writes another: a translation, a summary, the name of a class."""
    source, words = source_of(example.text, s, reader), reader.vocabulary
    target = reader.ids(example.targets[0])[: room(s, reader.context)]
    decoding, asked_as = reader.objective.decoding, reader.objective.seq2seq(reader.objective_settings)
    if asked_as is not None:
        opening = asked_as.opening(source, words)
        target = target[: reader.context - len(opening)]
        return [Unit(exercise=_answer(source, opening, target, words.role(asked_as.end)))]
    if decoding.filling is not None:
        exercise: Exercise = decoding.filling(source, [target], words)
        assert exercise.positions is not None
        return [Unit(exercise=replace(exercise, asked=exercise.positions[:, :, 1] > 0))]
    return [Unit(exercise=onward(source, target, words.end, whole=reader.visible == "all"))]


def _answer(source: Ids, opening: Ids, target: Ids, end: int) -> Exercise:
    """The decoder has its opening and the target so far, and is asked for what comes next."""
    shown = np.concatenate([opening, target])[None]
    return _following(shown, len(opening) - 1, end, source=source[None], visible="causal")


def onward(source: Ids, target: Ids, end: int, *, whole: bool) -> Exercise:
    """The text goes on with the target; where the beginning is seen ``whole``, its tokens look at each other."""
    shown = np.concatenate([source, target])[None]
    place = np.arange(shown.shape[1])
    given = (place < len(source)) | (place <= place[:, None])  # (T, T)
    return _following(shown, len(source) - 1, end, visible=given if whole else "causal")


def _following(shown: Ids, first: int, end: int, **more: Any) -> Exercise:
    """Asked is, from the token ``first`` on, which one comes next, and in the end that there is no more."""
    answers = np.append(shown[:, 1:], [[end]], axis=1)
    asked = np.arange(shown.shape[1])[None] >= first
    return Exercise(shown=shown, asked=asked, answers=answers, following=True, **more)
