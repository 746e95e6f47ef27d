"""Asking a trained model: fill the gaps of a sentence, continue a text, look at its attention.

B batch   T tokens   V vocabulary   L layers   H heads
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lab.batch import Batch, Exercise, Output, Visible, collate
from lab.catalog import OBJECTIVES, SAMPLERS, TASKS
from lab.engine import data
from lab.engine.model import Trained
from lab.engine.watch import attends, watching
from lab.layers.cache import Cache
from lab.noise import Dice
from lab.settings import SettingsError
from lab.vocab import MASK

Chain = Sequence[tuple[str, dict[str, Any]]]  # samplers by name with their settings, in the order of application


@dataclass(frozen=True)
class Guess:
    """A token that a model holds likely."""

    id: int
    token: str
    probability: float


@dataclass(frozen=True)
class Written:
    """A token that was drawn, with its log-probability in nats under the model, before any sampler."""

    id: int
    token: str
    logprob: float


@dataclass(frozen=True)
class Maps:
    """The attention maps of every layer and head on one text: the row looks at the column."""

    tokens: list[str]
    maps: Tensor  # (L, H, T, T)


def fill(trained: Trained, text: str, best: int = 5) -> list[list[Guess]]:
    """The ``best`` guesses for each [MASK] of the text, in order. Raises SettingsError where there is none."""
    if trained.left_to_right:
        raise SettingsError(
            "this model was trained to continue a text: ask it to generate instead of to fill gaps",
            "这个模型学的是续写：请用“生成”，而不是填空",
        )
    ids = framed(trained, with_gaps(trained, text))
    gaps = np.flatnonzero(ids == trained.tokenizer.vocabulary.mask)
    if not len(gaps):
        raise SettingsError(f"there is no {MASK} in the text", f"文本中没有 {MASK}")
    exercise = reading(trained, ids)
    asked = np.zeros_like(exercise.asked)
    asked[0, gaps] = True
    logits = _logits(trained, replace(exercise, asked=asked))  # (gaps, V)
    logits[:, list(trained.tokenizer.vocabulary.specials.values())] = -torch.inf
    return [_best(trained, row.softmax(-1), best) for row in logits]


def answers(trained: Trained, exercise: Exercise, best: int = 5) -> list[list[Guess]]:
    """The ``best`` guesses at each asked position of an exercise with one row, in order."""
    if not exercise.asked.any():
        return []
    vocabulary = trained.tokenizer.vocabulary
    with torch.no_grad():
        logits: Tensor = trained.model(collate(exercise).to(trained.device)).tokens.float().cpu()  # (N, V)
    logits[:, [i for name, i in vocabulary.specials.items() if i != vocabulary.end]] = -torch.inf
    return [_best(trained, row.softmax(-1), best) for row in logits]


def judge(trained: Trained, exercise: Exercise) -> list[float]:
    """The probability of each answer about a pair of sentences, in the order of the objective's answers."""
    if trained.run.pair is None:
        raise SettingsError("this model was not asked about pairs of sentences", "这个模型没有学过句对目标")
    with torch.no_grad():
        output: Output = trained.model(collate(exercise).to(trained.device))
    assert output.sequence is not None
    return [float(share) for share in output.sequence[0].float().softmax(-1)]


def continuation(trained: Trained, prompt: str) -> "Continuation":
    """Ready to continue ``prompt`` token by token."""
    if not trained.left_to_right:
        raise SettingsError(
            "this model was trained to fill gaps, not to continue a text: choose a run with a left-to-right objective",
            "这个模型学的是填空，不会续写：请选择用从左到右目标训练的模型",
        )
    ids = trained.tokenizer.encode(prompt)
    if len(ids) and (ids == trained.tokenizer.vocabulary.unknown).all():
        raise SettingsError(
            "the model knows none of these characters: begin the text with others",
            "模型不认识这些字符：请换一个开头",
        )
    if not len(ids):
        ids = np.array([trained.tokenizer.vocabulary.end], dtype=np.int64)  # what stands before every document
    return Continuation(trained, ids)


class Continuation:
    """A text that grows to the right. It keeps keys and values, so that a token costs one position, not all."""

    def __init__(self, trained: Trained, ids: np.ndarray) -> None:
        self._trained = trained
        self.ids = [int(i) for i in ids]
        self._cache: Cache | None = None
        self._dropped = 0  # tokens at the front that the cache no longer holds

    def logits(self) -> Tensor:
        """The logits of the next token: (V,). What has no text of its own can never be drawn, save the end."""
        gone = dropped(len(self.ids), self._trained.context)
        if self._cache is None or gone != self._dropped:
            self._dropped, self._cache = gone, Cache()  # positions are absolute: what is left is read anew from 0
        fresh = self.ids[self._dropped + self._cache.length :]
        shown = torch.tensor([fresh], device=self._trained.device)
        batch = Batch(shown=shown, visible="causal", asked=torch.tensor([len(fresh) - 1], device=shown.device))
        with torch.no_grad():
            found: Tensor = self._trained.model(batch, self._cache).tokens[0].float().cpu()
        vocabulary = self._trained.tokenizer.vocabulary
        found[[i for name, i in vocabulary.specials.items() if i != vocabulary.end]] = -torch.inf
        return found

    def add(self, token: int) -> None:
        """Append a token."""
        self.ids.append(token)


def dropped(length: int, context: int) -> int:
    """How many tokens at the front of a growing text are no longer read: none while it fits the context; whenever the
    context is full, all but its later half."""
    if length <= context:
        return 0
    step = context + 1 - context // 2
    return step * ((length - context - 1) // step + 1)


def generate(trained: Trained, prompt: str, chain: Chain, tokens: int = 50, seed: int = 0) -> Iterator[Written]:
    """Continue ``prompt`` by at most ``tokens`` tokens, up to the end of the text. One uniform number is drawn per
    token, so that with one seed different samplers are given the same luck."""
    text, dice = continuation(trained, prompt), Dice(seed)
    for _ in range(tokens):
        logits = text.logits()
        drawn = draw(kept(logits, chain), dice.one())
        if drawn == trained.tokenizer.vocabulary.end:
            return
        logprob = float(logits.log_softmax(-1)[drawn])
        text.add(drawn)
        yield Written(drawn, trained.tokenizer.pieces([drawn])[0].text, logprob)


def kept(logits: Tensor, chain: Chain) -> Tensor:
    """The probabilities after the samplers, 0 where they cut off: (V,)."""
    for name, values in chain:
        entry = SAMPLERS[name]
        logits = entry.build(logits, entry.settings.load(values))
    return logits.softmax(-1)


def draw(probabilities: Tensor, luck: float) -> int:
    """The token at which the probabilities, laid end to end from the likeliest down, pass ``luck`` in [0, 1)."""
    ordered, ids = probabilities.double().sort(descending=True, stable=True)
    place = int(torch.searchsorted(ordered.cumsum(-1), luck * float(ordered.sum()), right=True))
    return int(ids[min(place, int((ordered > 0).sum()) - 1)])


def attention(trained: Trained, text: str, longest: int | None = None) -> Maps:
    """Who looks at whom in ``text``, cut to the model's context, and to ``longest`` tokens where that is less."""
    if not attends(trained.model):
        raise SettingsError(
            "this model has no attention: choose one that looks back at single tokens",
            "这个模型没有注意力：请选择会回看各个词元的模型",
        )
    ids = framed(trained, with_gaps(trained, text), longest)
    if not len(ids):
        raise SettingsError("type some text first", "请先输入文本")
    exercise = reading(trained, ids)
    read = collate(replace(exercise, asked=np.zeros_like(exercise.asked)))
    with torch.no_grad(), watching(trained.model) as seen:
        trained.model(read.to(trained.device))
    tokens = [piece.text for piece in trained.tokenizer.pieces(ids)]
    return Maps(tokens, torch.stack([each[0] for each in seen.maps]).float().cpu())


def with_gaps(trained: Trained, text: str) -> np.ndarray:
    """The ids of a text in which [MASK] stands for a gap: (T,). Where words take along the blank before them, so does
    a gap: in training, the model never saw a blank and then a mask."""
    if trained.tokenizer.joins_blanks:
        text = text.replace(" " + MASK, MASK)
    return trained.tokenizer.encode_with_gaps(text)


def framed(trained: Trained, ids: np.ndarray, longest: int | None = None) -> np.ndarray:
    """The ids as the model's objective shows them, cut to its context or to ``longest`` where that is less: (T,)."""
    vocabulary, most = trained.tokenizer.vocabulary, min(trained.context, longest or trained.context)
    frame = OBJECTIVES[trained.run.objective].extra["frame"]
    return data.framed(ids[: most - data.FRAMES[frame]], frame, vocabulary)


def reading(trained: Trained, ids: np.ndarray) -> Exercise:
    """How the model is shown a framed text (T,) whose gaps, where it has any, are to be filled: one row."""
    vocabulary, rows = trained.tokenizer.vocabulary, ids[None]
    objective = OBJECTIVES[trained.run.objective]
    if "reading" in objective.extra:
        found: Exercise = objective.extra["reading"](rows, vocabulary)
        return found
    visible: Visible = "causal" if trained.left_to_right else "all"
    return Exercise(shown=rows, asked=rows == vocabulary.mask, answers=rows, visible=visible)


def classify(trained: Trained, text: str) -> list[Guess]:
    """The classes of a fine-tuned model with their probabilities, the likeliest first."""
    if not trained.labels:
        raise SettingsError("this run was not fine-tuned to classify", "这个训练没有经过分类微调")
    task = TASKS[trained.run.task or "classify"]
    visible = "causal" if trained.left_to_right else "all"
    ids = [trained.tokenizer.encode(text)]
    frame = OBJECTIVES[trained.run.objective].extra["frame"]
    exercise, _ = task.build(ids, task.settings(), trained.tokenizer.vocabulary, trained.context, visible, frame)
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
    written = "".join(token.token for token in generate(trained, pinned, [("greedy", {})], tokens=24))
    return {"next": [[g.token, round(g.probability, 4)] for g in _best(trained, following, 5)], "text": written}


def _logits(trained: Trained, exercise: Exercise) -> Tensor:
    with torch.no_grad():
        found: Tensor = trained.model(collate(exercise).to(trained.device)).tokens.float().cpu()
    return found


def _best(trained: Trained, probabilities: Tensor, count: int) -> list[Guess]:
    values, ids = probabilities.topk(min(count, len(probabilities)))
    pieces = trained.tokenizer.pieces(ids.tolist())
    return [Guess(p.id, p.text, float(v)) for p, v in zip(pieces, values, strict=True)]
