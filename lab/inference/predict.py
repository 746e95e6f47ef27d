"""Predictions of a trained model: what stands in gaps, what class a text has, what becomes of its pinned sentence.

V vocabulary   N asked positions
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.batch import Exercise, Output, collate
from lab.catalog import MODELS
from lab.inference.decoding import GREEDY, Blanks, Reply, SampledToken, continuation, decode, generate, suppressed
from lab.inference.inputs import framed, labelled, reading, with_gaps
from lab.inference.model import Trained
from lab.inference.neighbours import near_words
from lab.layers.discriminator import Discriminator
from lab.noise import Dice
from lab.padding import padded
from lab.settings import SettingsError
from lab.spelling import spelling, spellings, text_of
from lab.vocabulary import MASK

LONGEST_GAP, PINNED_GAP = 32, 16  # tokens that a model writes into a gap: when asked, and while it learns


@dataclass(frozen=True)
class Guess:
    """A token that a model holds likely; or a few of them, of which ``id`` is the first. One that only ``begins`` an
    answer is as likely as the answers that begin so are together."""

    id: int
    token: str
    probability: float
    begins: bool = False


def fill(trained: Trained, text: str, best: int = 5, longest: int | None = None) -> list[list[Guess]]:
    """The ``best`` guesses for each [MASK] of the text, in order. A model that writes into gaps gives what it writes
    there, in about ``longest`` tokens at most, and then in what other ways it may begin. Raises SettingsError where
    there is no [MASK], or none that the model reads."""
    if trained.left_to_right:
        raise SettingsError(
            "this model was trained to continue a text: ask it to generate instead of to fill gaps",
            "这个模型学的是续写：请用“生成”，而不是填空",
        )
    if MASK not in text:
        raise SettingsError(f"there is no {MASK} in the text", f"文本中没有 {MASK}")
    if not gaps_of(trained, text)[1]:
        raise SettingsError(
            f"every {MASK} of the text is behind the {trained.context} tokens that the model reads",
            f"文本中的 {MASK} 都在模型能读的 {trained.context} 个词元之后",
        )
    ids = framed(trained, with_gaps(trained, text))
    if trained.seq2seq is not None:
        return written(trained, ids, best, longest)
    gaps = np.flatnonzero(ids == trained.tokenizer.vocabulary.gap)
    if trained.fills_onward:
        blanks, special = Blanks(trained, ids), trained.tokenizer.vocabulary.specials.values()
        return [_ways(trained, blanks.ahead(), blanks.fill(longest), best, special) for _ in gaps]
    exercise = reading(trained, ids)
    asked = np.zeros_like(exercise.asked)
    asked[0, gaps] = True
    logits = _logits(trained, replace(exercise, asked=asked))  # (gaps, V)
    logits[:, list(trained.tokenizer.vocabulary.specials.values())] = -torch.inf
    return [_best(trained, row.softmax(-1), best) for row in logits]


def written(
    trained: Trained, source: NDArray[np.int64], best: int = 5, longest: int | None = None
) -> list[list[Guess]]:
    """What a model that writes answers puts in the place of each gap of a ``source`` (S,), in order, and the ways in
    which it may begin. Where its answer leaves out a gap, it is asked how it would begin there."""
    seq2seq, vocabulary = trained.seq2seq, trained.tokenizer.vocabulary
    assert seq2seq is not None, "a model that does not write answers"
    reply = Reply(trained, seq2seq, source)
    opening, count = reply.ids[: reply.opening], len(seq2seq.gaps(source, source[:0], vocabulary))
    most = trained.context if longest is None else longest * (1 + count)
    others = {*map(vocabulary.role, seq2seq.says)} - {*source.tolist()}  # T5 goes on to spans for which nobody asks
    answered = [*takewhile(lambda token: token.id not in others, decode(trained, reply, GREEDY, most))]
    gaps = seq2seq.gaps(source, np.array([token.id for token in answered], dtype=np.int64), vocabulary)
    if not gaps:
        return []
    room = trained.context - len(opening)
    begun = [[*opening, *gap.before[: room - 1], *gap.before[room - 1 :][-1:]] for gap in gaps]
    phrases = [[answered[at] for at in gap.place] for gap in gaps]
    each = zip(_ahead(reply, begun), phrases, gaps, strict=True)
    return [_ways(trained, ahead, phrase, best, gap.leaves) for ahead, phrase, gap in each]


def gaps_of(trained: Trained, text: str) -> tuple[int, int]:
    """How many gaps the text has, and how many of them the model gets to read: the others are behind its context.
    Neighbours are one gap to a model that writes."""
    ids, gap = with_gaps(trained, text), trained.tokenizer.vocabulary.gap
    read = framed(trained, ids) if trained.seq2seq is None else ids[: trained.context - 2]
    all_gaps, read_gaps = ids == gap, read == gap
    if trained.seq2seq is not None:
        for gaps in (all_gaps, read_gaps):
            gaps[1:] &= ~gaps[:-1].copy()  # of neighbours the first
    return int(all_gaps.sum()), int(read_gaps.sum())


def answers(trained: Trained, exercise: Exercise, best: int = 5) -> list[list[Guess]]:
    """The ``best`` guesses at each asked position of an exercise with one row, in order."""
    if not exercise.asked.any():
        return []
    logits = _logits(trained, exercise)  # (N, V)
    logits[:, suppressed(trained)] = -torch.inf
    return [_best(trained, row.softmax(-1), best) for row in logits]


def drawn(trained: Trained, exercise: Exercise, seed: int) -> NDArray[np.int64]:
    """A token for each asked position, drawn from what the model says there, as ELECTRA's generator does: (N,)."""
    if not exercise.asked.any():
        return np.zeros(0, dtype=np.int64)
    logits = _logits(trained, exercise)  # (N, V)
    logits[:, list(trained.tokenizer.vocabulary.specials.values())] = -torch.inf
    sums = logits.double().softmax(-1).cumsum(-1).numpy()
    draws = Dice(seed, 1).random(len(sums))[0] * sums[:, -1]  # row 1: the exercise has been row 0
    return np.array([np.searchsorted(row, draw, side="right") for row, draw in zip(sums, draws, strict=True)])


def judge(trained: Trained, exercise: Exercise) -> list[float]:
    """The probability of each answer about a pair of sentences, in the order of the objective's answers."""
    if trained.run.pair is None:
        raise SettingsError(
            "this model has no sentence pair head: it was pretrained without NSP and SOP",
            "这个模型没有句对头：预训练时没有 NSP 或 SOP",
        )
    with torch.no_grad():
        output: Output = trained.model(collate(exercise).to(trained.device))
    assert output.sequence is not None
    return [float(share) for share in output.sequence[0].float().softmax(-1)]


def _ahead(reply: Reply, begun: Sequence[Sequence[int]]) -> Tensor:
    """The logits of what follows in answers to one source that have ``begun`` so, all at once: (answers, V)."""
    rows = [np.array(ids, dtype=np.int64) for ids in begun]
    shown, real = padded(rows, min(reply.ends))
    asked = np.arange(shown.shape[1]) == np.array([[len(ids) - 1] for ids in rows])  # the last of each
    source = np.repeat(reply.source[None], len(rows), 0)
    exercise = Exercise(shown=shown, asked=asked, answers=shown, visible="causal", real=real, source=source)
    return reply.answered(collate(exercise), None)


def _ways(
    trained: Trained, ahead: Tensor | None, answered: Sequence[SampledToken], best: int, leaves: Collection[int]
) -> list[Guess]:
    """What was written into a gap, as likely as all its tokens together, and the other tokens with which it may begin,
    by the logits ``ahead`` of its first (V,). Nothing is as likely as the tokens with which an answer ``leaves`` it
    empty."""
    chances = torch.zeros(trained.tokenizer.vocabulary.size) if ahead is None else ahead.softmax(-1)  # (V,)
    nothing = Guess(-1, "", float(chances[[*leaves]].sum()))
    chances[[*leaves]] = 0
    ids = [token.id for token in answered]
    others = [replace(guess, begins=True) for guess in _best(trained, chances, best + 1) if guess.probability > 0]
    ways = sorted([nothing, *(guess for guess in others if guess.id not in ids[:1])], key=lambda way: -way.probability)
    if not answered:
        return ways[:best]
    likely = math.exp(sum(token.logprob for token in answered))
    return [Guess(ids[0], text_of(trained.tokenizer.pieces(ids)), likely), *ways][:best]


def classify(trained: Trained, text: str) -> list[Guess]:
    """The classes of a fine-tuned model with their probabilities, the likeliest first."""
    if trained.run.task != "classify":
        raise SettingsError("this run was not fine-tuned to classify", "这个训练没有经过分类微调")
    exercise = labelled(trained, trained.tokenizer.encode(text))
    with torch.no_grad():
        probabilities = trained.model(collate(exercise).to(trained.device)).sequence[0].float().softmax(-1)
    order = probabilities.argsort(descending=True)
    return [Guess(int(i), trained.labels[int(i)], float(probabilities[i])) for i in order]


def suspicions(trained: Trained, text: str, guesses: Sequence[Sequence[Guess]]) -> list[Guess]:
    """Of each token of a text how likely a discriminator holds it for replaced; its gaps are filled with the likeliest
    of the ``guesses``, which are those of the generator beside it."""
    model = trained.model
    if not isinstance(model, Discriminator):
        raise SettingsError("this model has no discriminator", "这个模型没有判别器")
    ids = framed(trained, with_gaps(trained, text))
    ids[ids == trained.tokenizer.vocabulary.mask] = [gap[0].id for gap in guesses]
    batch = collate(replace(reading(trained, ids), asked=np.zeros((1, len(ids)), dtype=bool))).to(trained.device)
    with torch.no_grad():
        shares = model.head(model.stack(batch))[0].float().sigmoid().tolist()  # (T,)
    pieces = trained.tokenizer.pieces(ids)
    rows = zip(pieces, spellings(pieces), shares, strict=True)
    return [Guess(piece.id, text, share) for piece, text, share in rows if not piece.special]


def pinned_guesses(trained: Trained) -> dict[str, Any]:
    """What the model makes of the run's pinned sentence: guesses for its gaps, or its most likely continuation; of a
    discriminator its suspicions, and of static vectors the neighbours of some of the words."""
    pinned = trained.run.pinned
    if not pinned or trained.run.task:
        return {}
    if not trained.left_to_right:
        if MASK not in pinned:
            return {}
        guesses = fill(trained, pinned, longest=PINNED_GAP)
        record: dict[str, Any] = {"gaps": [[*map(_noted, gap)] for gap in guesses]}
        if isinstance(trained.model, Discriminator):
            record["suspected"] = [*map(_noted, suspicions(trained, pinned, guesses))]
        if MODELS[trained.run.model].paradigm == "static":
            record["near"] = [
                [word, [[near.token, round(near.cosine, 4)] for near in nearest]]
                for word, nearest in near_words(trained, pinned).items()
            ]
        return record
    following = continuation(trained, pinned).next_logits().softmax(-1)
    pieces = trained.tokenizer.pieces([token.id for token in generate(trained, pinned, GREEDY, tokens=24)])
    return {"next": [*map(_noted, _best(trained, following, 5))], "text": text_of(pieces, unfinished=True)}


def _noted(guess: Guess) -> list[Any]:
    return [guess.token, round(guess.probability, 4), *[True] * guess.begins]


def _logits(trained: Trained, exercise: Exercise) -> Tensor:
    with torch.no_grad():
        logits: Tensor = trained.model(collate(exercise).to(trained.device)).tokens.float().cpu()
    return logits


def _best(trained: Trained, probabilities: Tensor, count: int) -> list[Guess]:
    values, ids = probabilities.topk(min(count, len(probabilities)))
    pieces = trained.tokenizer.pieces(ids.tolist())
    return [Guess(p.id, spelling(p), float(v)) for p, v in zip(pieces, values, strict=True)]
