"""Asking a trained model: what stands in the gaps of a text, what class it has, what its pinned sentence becomes.

V vocabulary   N asked positions
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lab.batch import Exercise, Output, collate
from lab.engine.growing import GREEDY, Blanks, Reply, Written, continuation, generate, unsayable, written
from lab.engine.model import Trained
from lab.engine.showing import framed, labelled, reading, with_gaps
from lab.settings import SettingsError
from lab.vocab import MASK


@dataclass(frozen=True)
class Guess:
    """A token that a model holds likely; or a few of them, of which ``id`` is the first."""

    id: int
    token: str
    probability: float


def fill(trained: Trained, text: str, best: int = 5) -> list[list[Guess]]:
    """The ``best`` guesses for each [MASK] of the text, in order. Raises SettingsError where there is none."""
    if trained.left_to_right:
        raise SettingsError(
            "this model was trained to continue a text: ask it to generate instead of to fill gaps",
            "这个模型学的是续写：请用“生成”，而不是填空",
        )
    if trained.writing is not None:
        return _written_gaps(trained, text)
    ids = framed(trained, with_gaps(trained, text))
    gaps = np.flatnonzero(ids == trained.tokenizer.vocabulary.mask)
    if not len(gaps):
        raise SettingsError(f"there is no {MASK} in the text", f"文本中没有 {MASK}")
    if trained.fills_onward:
        blanks = Blanks(trained, ids)
        return [[_phrase(trained, blanks.fill())] for _ in gaps]
    exercise = reading(trained, ids)
    asked = np.zeros_like(exercise.asked)
    asked[0, gaps] = True
    logits = _logits(trained, replace(exercise, asked=asked))  # (gaps, V)
    logits[:, list(trained.tokenizer.vocabulary.specials.values())] = -torch.inf
    return [_best(trained, row.softmax(-1), best) for row in logits]


def gaps_within(trained: Trained, text: str) -> int:
    """How many gaps of the text the model gets to read: the others are behind its context. Neighbours are one gap to a
    model that writes."""
    ids, mask = with_gaps(trained, text), trained.tokenizer.vocabulary.mask
    if trained.writing is None:
        return int((framed(trained, ids) == mask).sum())
    gaps = ids[: trained.context - 2] == mask
    return int(gaps[:1].sum() + (gaps[1:] & ~gaps[:-1]).sum())


def answers(trained: Trained, exercise: Exercise, best: int = 5) -> list[list[Guess]]:
    """The ``best`` guesses at each asked position of an exercise with one row, in order."""
    if not exercise.asked.any():
        return []
    with torch.no_grad():
        logits: Tensor = trained.model(collate(exercise).to(trained.device)).tokens.float().cpu()  # (N, V)
    logits[:, unsayable(trained)] = -torch.inf
    return [_best(trained, row.softmax(-1), best) for row in logits]


def judge(trained: Trained, exercise: Exercise) -> list[float]:
    """The probability of each answer about a pair of sentences, in the order of the objective's answers."""
    if trained.run.pair is None:
        raise SettingsError("this model was not asked about pairs of sentences", "这个模型没有学过句对目标")
    with torch.no_grad():
        output: Output = trained.model(collate(exercise).to(trained.device))
    assert output.sequence is not None
    return [float(share) for share in output.sequence[0].float().softmax(-1)]


def _written_gaps(trained: Trained, text: str) -> list[list[Guess]]:
    """What the model writes in the place of each gap, the likeliest token at each step."""
    if MASK not in text:
        raise SettingsError(f"there is no {MASK} in the text", f"文本中没有 {MASK}")
    vocabulary, writing = trained.tokenizer.vocabulary, trained.writing
    assert writing is not None
    source = framed(trained, with_gaps(trained, text))
    said = [*written(trained, Reply(trained, writing, source), GREEDY, trained.context)]
    answer = np.array([each.id for each in said], dtype=np.int64)
    return [
        [_phrase(trained, [said[place] for place in places])] for places in writing.gaps(source, answer, vocabulary)
    ]


def _phrase(trained: Trained, said: Sequence[Written]) -> Guess:
    """Several tokens as one guess, as likely as all of them together."""
    ids = [each.id for each in said]
    chance = math.exp(sum(each.logprob for each in said)) if said else 0.0
    return Guess(ids[0] if ids else -1, trained.tokenizer.decode(ids), chance)


def classify(trained: Trained, text: str) -> list[Guess]:
    """The classes of a fine-tuned model with their probabilities, the likeliest first."""
    if not trained.labels:
        raise SettingsError("this run was not fine-tuned to classify", "这个训练没有经过分类微调")
    exercise = labelled(trained, trained.tokenizer.encode(text))
    with torch.no_grad():
        probabilities = trained.model(collate(exercise).to(trained.device)).sequence[0].float().softmax(-1)
    order = probabilities.argsort(descending=True)
    return [Guess(int(i), trained.labels[int(i)], float(probabilities[i])) for i in order]


def pinned_guesses(trained: Trained) -> dict[str, Any]:
    """What the model makes of the run's pinned sentence: guesses for its gaps, or its most likely continuation."""
    pinned = trained.run.pinned
    if not pinned or trained.run.task:
        return {}
    if not trained.left_to_right:
        if MASK not in pinned:
            return {}
        return {"gaps": [[[g.token, round(g.probability, 4)] for g in gap] for gap in fill(trained, pinned)]}
    following = continuation(trained, pinned).logits().softmax(-1)
    written = "".join(token.token for token in generate(trained, pinned, GREEDY, tokens=24))
    return {"next": [[g.token, round(g.probability, 4)] for g in _best(trained, following, 5)], "text": written}


def _logits(trained: Trained, exercise: Exercise) -> Tensor:
    with torch.no_grad():
        found: Tensor = trained.model(collate(exercise).to(trained.device)).tokens.float().cpu()
    return found


def _best(trained: Trained, probabilities: Tensor, count: int) -> list[Guess]:
    values, ids = probabilities.topk(min(count, len(probabilities)))
    pieces = trained.tokenizer.pieces(ids.tolist())
    return [Guess(p.id, p.text, float(v)) for p, v in zip(pieces, values, strict=True)]
