"""Extractive question answering: the span of a text that answers a question, or that there is none.

The head scores each token as the first and as the last one of the answer (Devlin et al. 2018, section 4.2). A long text
is read in windows that overlap; in one without the answer both point at the token that sums up the row, [CLS] or, where
the model reads from left to right, the last one. There is said to be no answer where every window would rather point
there than at its best span (section 4.3). XLNet reads the question behind the text.

A short context makes many windows, of which few have the answer: a model that learnt from all of them would long learn
no more than to say nothing. It learns from as many without the answer as with it, which BERT's own code does not need.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.catalog import TASKS
from lab.entries import Scores
from lab.examples import Example, Prediction, Unit, trimmed
from lab.settings import Settings, knob
from lab.tasks.metrics.squad import exact_match, overlap_f1
from lab.tasks.parts.losses import of_answers
from lab.tasks.parts.reader import Reader, framed, shown, windows


@dataclass(frozen=True, kw_only=True)
class Questions(Settings):
    """How a long text is read, and how long an answer may be."""

    stride: float = knob(
        0.5,
        "Step from window to window, as a share of its room",
        "窗口步长占窗口容量的比例",
        low=0.1,
        high=1.0,
        step=0.1,
    )
    longest: int = knob(30, "Longest answer in tokens", "答案的最大词元数", low=1, high=512)
    question: int = knob(64, "Longest question in tokens", "问题的最大词元数", low=1, high=512)


def predict(
    example: Example, units: Sequence[Unit], scores: Sequence[Scores], labels: Sequence[str], s: Questions
) -> Prediction:
    """The best span of all windows, as likely as its first and last token are together."""
    best, silent = (-np.inf, Prediction()), (np.inf, 0.0)
    for unit, table in zip(units, scores, strict=True):
        assert unit.spans is not None
        logits = table[: len(unit.spans)].astype(np.float64)  # (T, 2)
        chances = logits - np.log(np.exp(logits - logits.max(0)).sum(0)) - logits.max(0)
        first, last, score = best_span(logits, unit.spans[:, 0] >= 0, s.longest)
        silent = min(silent, (float(logits[unit.rest].sum()), float(np.exp(chances[unit.rest].sum()))))
        if score > best[0]:
            start, end = trimmed(example.text, int(unit.spans[first, 0]), int(unit.spans[last, 1]))
            likely = float(np.exp(chances[first, 0] + chances[last, 1]))
            best = score, Prediction(answer=(start, end), text=example.text[start:end], score=likely)
    return Prediction(score=silent[1]) if silent[0] > best[0] else best[1]


def best_span(logits: NDArray[np.float64], inside: NDArray[np.bool_], longest: int) -> tuple[int, int, float]:
    """The first and the last token of the span with the highest sum of both scores, and that sum. ``logits`` are
    (T, 2); a span has no token outside ``inside`` (T,) at its ends, and no more tokens than ``longest``."""
    place = np.arange(len(logits))
    apart = place - place[:, None]  # (T, T): from first to last
    allowed = (apart >= 0) & (apart < longest) & inside & inside[:, None]
    sums = np.where(allowed, logits[:, :1] + logits[:, 1], -np.inf)
    first, last = np.unravel_index(sums.argmax(), sums.shape)
    return int(first), int(last), float(sums[first, last])


def learnt(units: Sequence[Unit]) -> list[Unit]:
    """The windows with the answer, and as many of those without, or one, spread evenly over the text."""
    silent = [unit for unit in units if unit.answer == (unit.rest, unit.rest)]
    telling = [unit for unit in units if unit.answer != (unit.rest, unit.rest)]
    most = min(max(1, len(telling)), len(silent))
    return telling + [silent[(2 * number + 1) * len(silent) // (2 * most)] for number in range(most)]


def measure(predictions: Sequence[Prediction], examples: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """Exact match and F1 with SQuAD's normalisation."""
    texts = [[example.text[start:end] for start, end in example.answers] for example in examples]
    pairs = [(guess.text, answers) for guess, answers in zip(predictions, texts, strict=True)]
    exact, overlap = (np.mean([score(*pair) for pair in pairs]) for score in (exact_match, overlap_f1))
    return {"exact_match": round(float(exact), 6), "f1": round(float(overlap), 6)}


def yardsticks(learnt: Sequence[Example], checked: Sequence[Example], labels: Sequence[str]) -> dict[str, float]:
    """F1 of always saying nothing, and of always answering with the whole text."""
    whole = [Prediction(text=example.text) for example in checked]
    return {
        "silent": measure([Prediction()] * len(checked), checked, labels)["f1"],
        "whole_text": measure(whole, checked, labels)["f1"],
    }


@TASKS.add(
    "questions",
    title="Extractive question answering",
    zh=("抽取式问答", "在文字中找出回答问题的片段，或指出没有答案；长文分窗口阅读。"),
    paper="Devlin et al. 2018, sections 4.2 and 4.3; Rajpurkar et al. 2018",
    settings=Questions,
    traits={"states"},
    order=4,
    holds=("text", "pair", "answers"),
    columns={
        "text": ("context", "text", "文章", "段落", "原文", "文本"),
        "pair": ("question", "pair", "问题"),
        "answers": ("answers", "answer", "label", "答案"),
    },
    names=False,
    head="each",
    outputs=lambda classes: 2,
    loss=of_answers,
    predict=predict,
    measure=measure,
    yardsticks=yardsticks,
    score="f1",
    several=True,
    learnt=learnt,
)
def questions(example: Example, s: Questions, reader: Reader) -> list[Unit]:
    """Finds the span of a text that answers a question, or says that there is none."""
    ids, spans = reader.spans(example.text)
    question = reader.ids(example.pair)[: min(s.question, (reader.context - 3) // 2)]
    room = reader.context - 3 - len(question)
    units = []
    for part in windows(len(ids), room, max(1, int(s.stride * room))):
        framing = framed(ids[part.start : part.stop], reader, question, pair_first=reader.frame != "closed")
        covered = np.full((len(framing.ids), 2), -1, dtype=np.int64)
        covered[framing.text : framing.text + len(part)] = spans[part.start : part.stop]
        answer = next((at for span in example.answers[:1] if (at := located(covered, span))), (framing.rest,) * 2)
        units.append(shown(framing, reader, answer=answer, spans=covered, rest=framing.rest))
    return units


def located(spans: NDArray[np.int64], answer: tuple[int, int]) -> tuple[int, int] | None:
    """The first and the last token of an answer given in characters; None where a part of it is not there."""
    start, end = answer
    touched = np.flatnonzero((spans[:, 1] > start) & (spans[:, 0] < end) & (spans[:, 0] >= 0))
    if not len(touched) or spans[touched[0], 0] > start or spans[touched[-1], 1] < end:
        return None
    return int(touched[0]), int(touched[-1])
