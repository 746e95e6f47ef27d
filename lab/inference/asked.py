"""What a model answers about a text that it is shown: the token in the first gap, the next token, or the class; of a
discriminator whether its generator's token there was replaced.

T tokens   V vocabulary   C classes
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.batch import Batch, collate
from lab.inference.decoding import Blanks, Reply, grown
from lab.inference.model import Trained
from lab.inference.shown import exercise_of
from lab.layers.discriminator import Discriminator
from lab.settings import SettingsError
from lab.spelling import spelling


@dataclass(frozen=True, kw_only=True)
class Asked:
    """An answer: what is asked ("gap", "last" for the last token, which the model sees, "next", "class" or "replaced"),
    where in the text if it is asked at one place, and the probabilities of all that it may be."""

    what: str
    probabilities: Tensor  # (V,), (C,), or (2,): original or replaced
    place: int | None = None

    def divergence(self, other: "Asked") -> float:
        """The Kullback-Leibler divergence of the ``other`` answer from this one, in nats."""
        p, q = self.probabilities.double(), other.probabilities.double()
        some = p > 0
        nats = float((p[some] * (p[some].log() - q[some].clamp(min=1e-300).log())).sum())
        return max(0.0, nats)  # rounding may leave it just below


def ask(trained: Trained, ids: NDArray[np.int64], place: int | None = None) -> Asked:
    """What the model answers about framed ids (T,), at ``place`` instead of the first gap, or the last token. Raises
    SettingsError where it is asked nothing that has one answer about the whole, or not at that place."""
    if trained.run.task is not None:
        return _class_of(trained, ids)
    gaps = np.flatnonzero(ids == trained.tokenizer.vocabulary.gap)
    if trained.seq2seq is not None:
        text = Reply(trained, trained.seq2seq, ids)
        mark = gap_mark(trained, ids)
        if mark is not None and mark not in text.ids:  # what stands in the first gap follows its mark
            text.add(mark)
        return Asked(what="next", probabilities=text.next_logits().softmax(-1))
    if trained.left_to_right:
        return Asked(what="next", probabilities=grown(trained, ids, len(ids)).next_logits().softmax(-1))
    if trained.fills_onward:  # the first gap before all others
        ahead = Blanks(trained, ids).ahead() if len(gaps) and place in (None, gaps[0]) else None
        if ahead is None:
            raise no_gap()
        return Asked(what="gap", probabilities=ahead.softmax(-1), place=int(gaps[0]))
    return _token_at(trained, ids, gaps, place)


def gap_mark(trained: Trained, read: NDArray[np.int64]) -> int | None:
    """The token that stands for the first gap in what an encoder has ``read`` (S,), and behind which a decoder writes
    what is in it; None where there is none."""
    says = trained.seq2seq.says if trained.seq2seq is not None else ()
    mark = trained.tokenizer.vocabulary.role(says[0]) if says else None
    return mark if mark is not None and (read == mark).any() else None


def _token_at(trained: Trained, ids: NDArray[np.int64], gaps: NDArray[np.int64], place: int | None) -> Asked:
    """The token at a place: in the first gap; without one the last token."""
    vocabulary = trained.tokenizer.vocabulary
    exercise = exercise_of(trained, ids)
    ordinary = np.flatnonzero(~vocabulary.is_special(ids))
    if not len(gaps) and (exercise.order is not None or not len(ordinary)):
        raise no_gap()
    place = int(gaps[0] if len(gaps) else ordinary[-1]) if place is None else place
    asked = np.zeros_like(exercise.asked)
    asked[0, gaps if isinstance(trained.model, Discriminator) else place] = True
    batch = collate(replace(exercise, asked=asked)).to(trained.device)
    if isinstance(trained.model, Discriminator):
        return _replaced(trained.model, batch, place)
    with torch.no_grad():
        logits: Tensor = trained.model(batch).tokens[0].float().cpu()  # (V,)
    logits[list(vocabulary.specials.values())] = -torch.inf
    return Asked(what="gap" if place in gaps else "last", probabilities=logits.softmax(-1), place=place)


def guessed(model: Discriminator, batch: Batch) -> Batch:
    """The batch with the generator's likeliest tokens at the asked places, where there is a generator."""
    if model.generator is None or batch.asked is None:
        return batch
    shown = batch.shown.clone()
    with torch.no_grad():
        shown[0, batch.asked] = model(batch).tokens.argmax(-1)
    return replace(batch, shown=shown)


def _replaced(model: Discriminator, batch: Batch, place: int) -> Asked:
    """Whether the generator's likeliest token in the gap, or the token that stands there, was replaced."""
    with torch.no_grad():
        share = model.head(model.stack(guessed(model, batch)))[0, place].float().cpu().sigmoid()
    return Asked(what="replaced", probabilities=torch.stack([1 - share, share]), place=place)


def _class_of(trained: Trained, ids: NDArray[np.int64]) -> Asked:
    """The class of a text."""
    exercise = exercise_of(trained, ids)
    batch = collate(replace(exercise, asked=np.zeros_like(exercise.asked)))
    if trained.run.task != "classify":
        raise SettingsError(
            "this run answers with more than one class: only its maps are compared",
            "这个训练的回答不是单个类别：这里只比较注意力图",
        )
    with torch.no_grad():
        logits: Tensor = trained.model(batch.to(trained.device)).sequence[0].float().cpu()  # (C,)
    return Asked(what="class", probabilities=logits.softmax(-1))


def names(trained: Trained, what: str, chosen: list[int]) -> list[str]:
    """How some of the answers of this kind, by their numbers, are spelt: a token, a class, "original" or "replaced"."""
    if what == "replaced":
        return [("original", "replaced")[number] for number in chosen]
    if what == "class":
        return [trained.labels[number] for number in chosen]
    return [spelling(piece) for piece in trained.tokenizer.pieces(chosen)]


def no_gap() -> SettingsError:
    return SettingsError(
        "put a [MASK] into the text: this model answers about gaps", "请在文本中放一个 [MASK]：这个模型回答的是空缺"
    )
