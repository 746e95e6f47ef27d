"""Asking a trained model: fill the gaps of a sentence, continue or answer a text, look at its attention.

B batch   T tokens that look   S tokens looked at   V vocabulary   L layers   H heads
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lab.batch import Batch, Exercise, Output, Writing, collate
from lab.catalog import OBJECTIVES, SAMPLERS, TASKS
from lab.engine import frames
from lab.engine.model import Trained
from lab.engine.watch import attends, watching
from lab.layers.cache import Cache
from lab.noise import Dice
from lab.settings import SettingsError
from lab.vocab import END, MASK, Piece

Chain = Sequence[tuple[str, dict[str, Any]]]  # samplers by name with their settings, in the order of application


@dataclass(frozen=True)
class Guess:
    """A token that a model holds likely; or a few of them, of which ``id`` is the first."""

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
    """The attention maps of every layer and head on one text: the row looks at the column.

    An encoder-decoder has three kinds: its "encoder" and its "decoder" look at themselves, and in "cross" the
    decoder's tokens, the ``lookers``, look at the encoder's. A single stack has one kind, "".
    """

    maps: Tensor  # (L, H, T, S)
    kind: str
    looked: list[Piece]  # S tokens looked at
    looking: list[Piece]  # T tokens that look

    @property
    def tokens(self) -> list[str]:
        """The texts of those looked at: of the columns."""
        return [piece.text for piece in self.looked]

    @property
    def lookers(self) -> list[str]:
        """The texts of those that look: of the rows."""
        return [piece.text for piece in self.looking]


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
    logits[:, _unsayable(trained)] = -torch.inf
    return [_best(trained, row.softmax(-1), best) for row in logits]


def judge(trained: Trained, exercise: Exercise) -> list[float]:
    """The probability of each answer about a pair of sentences, in the order of the objective's answers."""
    if trained.run.pair is None:
        raise SettingsError("this model was not asked about pairs of sentences", "这个模型没有学过句对目标")
    with torch.no_grad():
        output: Output = trained.model(collate(exercise).to(trained.device))
    assert output.sequence is not None
    return [float(share) for share in output.sequence[0].float().softmax(-1)]


def continuation(trained: Trained, prompt: str) -> "Continuation | Reply":
    """Ready to continue ``prompt`` token by token; or, where the model learnt to write answers, to answer it."""
    if trained.writing is not None:
        return Reply(trained, trained.writing, framed(trained, with_gaps(trained, prompt)))
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
    return grown(trained, ids, len(ids))


def grown(trained: Trained, ids: np.ndarray, given: int) -> "Continuation":
    """A text that has grown to ``ids`` (T,) from the ``given`` first of them, ready to grow on."""
    return Prefixed(trained, ids, given) if trained.given == "all" else Continuation(trained, ids)


class Continuation:
    """A text that grows to the right. It keeps keys and values, so that a token costs one position, not all."""

    room = 10**9  # how many more tokens it can take

    def __init__(self, trained: Trained, ids: np.ndarray) -> None:
        self._trained = trained
        self.end = trained.tokenizer.vocabulary.end
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
        found[_unsayable(self._trained)] = -torch.inf
        return found

    def add(self, token: int) -> None:
        """Append a token."""
        self.ids.append(token)


class Prefixed(Continuation):
    """A text that grows behind a beginning that sees itself whole. What was read would have to be kept for each way of
    looking: it is read anew for every token."""

    def __init__(self, trained: Trained, ids: np.ndarray, given: int) -> None:
        super().__init__(trained, ids)
        self._given = given

    def logits(self) -> Tensor:
        """The logits of the next token: (V,). What has no text of its own can never be drawn, save the end."""
        gone = dropped(len(self.ids), self._trained.context)
        shown = torch.tensor([self.ids[gone:]], device=self._trained.device)
        place = torch.arange(shown.shape[1], device=shown.device)
        visible = (place < self._given - gone) | (place <= place[:, None])  # (T, T)
        with torch.no_grad():
            found: Tensor = self._trained.model(Batch(shown=shown, visible=visible, asked=place[-1:])).tokens[0]
        found = found.float().cpu()
        found[_unsayable(self._trained)] = -torch.inf
        return found


class Reply:
    """An answer to what an encoder has read, once. It is asked and grows as a Continuation does."""

    def __init__(self, trained: Trained, writing: Writing, source: np.ndarray) -> None:
        self._trained = trained
        self.source = source
        self.end = trained.tokenizer.vocabulary.role(writing.end)
        self.ids = [int(i) for i in writing.opening(source, trained.tokenizer.vocabulary)]
        self.opening = len(self.ids)
        self._cache = Cache()

    @property
    def room(self) -> int:
        """How many more tokens it can take: what the decoder has before it writes counts, too."""
        return self._trained.context - len(self.ids) + 1

    def logits(self) -> Tensor:
        """The logits of the next token: (V,). What cannot stand in an answer can never be drawn."""
        device, fresh = self._trained.device, self.ids[self._cache.length :]
        source = torch.from_numpy(self.source)[None].to(device)
        last = torch.tensor([len(fresh) - 1], device=device)
        batch = Batch(shown=torch.tensor([fresh], device=device), visible="causal", source=source, asked=last)
        with torch.no_grad():
            found: Tensor = self._trained.model(batch, self._cache).tokens[0].float().cpu()
        found[_unsayable(self._trained)] = -torch.inf
        return found

    def add(self, token: int) -> None:
        """Append a token."""
        self.ids.append(token)


class Blanks:
    """The gaps of a text that the model sees whole, filled one after another, each knowing those before it. A gap is
    asked and grows as a Continuation does."""

    def __init__(self, trained: Trained, text: np.ndarray) -> None:
        self._trained, self._text = trained, text
        objective = OBJECTIVES[trained.run.objective]
        self._filling = objective.extra["filling"]
        self.end = trained.tokenizer.vocabulary.role(objective.extra["end"])
        self._said: list[list[int]] = []
        self._cache = Cache()

    @property
    def room(self) -> int:
        """How many more tokens the gap can take: all gaps share the context with the text."""
        return self._trained.context - self._exercise().shown.shape[1] + 1

    def fill(self) -> list[Written]:
        """What the model writes in the next gap, the likeliest token at each step."""
        self._said.append([])
        return [*_written(self._trained, self, [("greedy", {})], self._trained.context)]

    def logits(self) -> Tensor:
        """The logits of the next token: (V,). What cannot stand in a gap can never be drawn."""
        read = self._cache.length
        batch = collate(self._exercise())
        assert batch.places is not None and batch.asked is not None
        if read:  # all that was read may be seen, and what was written since goes on from it
            shown, places = batch.shown[:, read:], batch.places[:, read:]
            batch = Batch(shown=shown, places=places, visible="causal", asked=batch.asked - read)
        with torch.no_grad():
            found: Tensor = self._trained.model(batch.to(self._trained.device), self._cache).tokens[0].float().cpu()
        found[_unsayable(self._trained)] = -torch.inf
        return found

    def add(self, token: int) -> None:
        """Append a token to the gap."""
        self._said[-1].append(token)

    def _exercise(self) -> Exercise:
        said = [np.array(each, dtype=np.int64) for each in self._said]
        found: Exercise = self._filling(self._text, said, self._trained.tokenizer.vocabulary)
        return found


def _unsayable(trained: Trained) -> list[int]:
    """The special tokens that the model never says: all but the end, and the marks of its objective. In an imported
    tokenizer one token may have several roles."""
    vocabulary, writing = trained.tokenizer.vocabulary, trained.writing
    end = OBJECTIVES[trained.run.objective].extra.get("end", END)
    sayable = (end,) if writing is None else (writing.end, *writing.says)
    said = {vocabulary.specials[name] for name in sayable if name in vocabulary.specials}
    return [number for number in {*vocabulary.specials.values()} if number not in said]


def dropped(length: int, context: int) -> int:
    """How many tokens at the front of a growing text are no longer read: none while it fits the context; whenever the
    context is full, all but its later half."""
    if length <= context:
        return 0
    step = context + 1 - context // 2
    return step * ((length - context - 1) // step + 1)


def generate(trained: Trained, prompt: str, chain: Chain, tokens: int = 50, seed: int = 0) -> Iterator[Written]:
    """Continue or answer ``prompt`` by at most ``tokens`` tokens, up to the end of the text. One uniform number is
    drawn per token, so that with one seed different samplers are given the same luck."""
    yield from _written(trained, continuation(trained, prompt), chain, tokens, seed)


def _written(
    trained: Trained, text: Continuation | Reply | Blanks, chain: Chain, tokens: int, seed: int = 0
) -> Iterator[Written]:
    dice = Dice(seed)
    for _ in range(min(tokens, text.room)):
        logits = text.logits()
        drawn = draw(kept(logits, chain), dice.one())
        if drawn == text.end:
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


def attention(trained: Trained, text: str, longest: int | None = None) -> list[Maps]:
    """Every kind of maps that the model draws of ``text``, cut to its context, and to ``longest`` tokens where that is
    less. A decoder reads the answer that the model itself writes, the likeliest token at each step."""
    if not attends(trained.model):
        raise SettingsError(
            "this model has no attention: choose one that looks back at single tokens",
            "这个模型没有注意力：请选择会回看各个词元的模型",
        )
    ids = framed(trained, with_gaps(trained, text), longest)
    if not len(ids):
        raise SettingsError("type some text first", "请先输入文本")
    answer = ids if trained.writing is None else reply(trained, ids, min(longest or trained.context, trained.context))
    if trained.writing is None:
        exercise = reading(trained, ids)
        batch = collate(replace(exercise, asked=np.zeros_like(exercise.asked)))
    else:
        batch = Batch(shown=torch.from_numpy(answer)[None], source=torch.from_numpy(ids)[None], visible="causal")
    with torch.no_grad(), watching(trained.model) as seen:
        trained.model(batch.to(trained.device))
    read, written = (trained.tokenizer.pieces(each) for each in (ids, answer))
    return [
        Maps(
            torch.stack([each[0] for each, of in zip(seen.maps, seen.kinds, strict=True) if of == kind]).float().cpu(),
            kind,
            written if kind == "decoder" else read,
            read if kind in ("", "encoder") else written,
        )
        for kind in dict.fromkeys(seen.kinds)
    ]


def reply(trained: Trained, source: np.ndarray, longest: int) -> np.ndarray:
    """What the decoder has before it and what it then writes, the likeliest token at each step: (T,), up to
    ``longest``."""
    assert trained.writing is not None
    text = Reply(trained, trained.writing, source)
    for _ in _written(trained, text, [("greedy", {})], longest - len(text.ids)):
        pass
    return np.array(text.ids, dtype=np.int64)


def _written_gaps(trained: Trained, text: str) -> list[list[Guess]]:
    """What the model writes in the place of each gap, the likeliest token at each step."""
    if MASK not in text:
        raise SettingsError(f"there is no {MASK} in the text", f"文本中没有 {MASK}")
    vocabulary, writing = trained.tokenizer.vocabulary, trained.writing
    assert writing is not None
    source = framed(trained, with_gaps(trained, text))
    said = [*_written(trained, Reply(trained, writing, source), [("greedy", {})], trained.context)]
    answer = np.array([each.id for each in said], dtype=np.int64)
    return [
        [_phrase(trained, [said[place] for place in places])] for places in writing.gaps(source, answer, vocabulary)
    ]


def _phrase(trained: Trained, said: Sequence[Written]) -> Guess:
    """Several tokens as one guess, as likely as all of them together."""
    ids = [each.id for each in said]
    chance = math.exp(sum(each.logprob for each in said)) if said else 0.0
    return Guess(ids[0] if ids else -1, trained.tokenizer.decode(ids), chance)


def with_gaps(trained: Trained, text: str) -> np.ndarray:
    """The ids of a text in which [MASK] stands for a gap: (T,). Where words take along the blank before them, so does
    a gap: in training, the model never saw a blank and then a mask."""
    if trained.tokenizer.joins_blanks:
        text = text.replace(" " + MASK, MASK)
    return trained.tokenizer.encode_with_gaps(text)


def framed(trained: Trained, ids: np.ndarray, longest: int | None = None) -> np.ndarray:
    """The ids as the model's objective shows them, cut to its context or to ``longest`` where that is less: (T,)."""
    vocabulary, most = trained.tokenizer.vocabulary, min(trained.context, longest or trained.context)
    if trained.writing is not None:
        return trained.writing.read(ids[: most - 2], vocabulary)
    if trained.fills_onward:  # what is written stands in the same context
        most = min(most, OBJECTIVES[trained.run.objective].extra["room"](most, trained.run.settings_of("objective")))
    frame = OBJECTIVES[trained.run.objective].extra["frame"]
    return frames.framed(ids[: most - frames.FRAMES[frame]], frame, vocabulary)


def reading(trained: Trained, ids: np.ndarray) -> Exercise:
    """How the model is shown a framed text (T,) whose gaps, where it has any, are to be filled: one row."""
    vocabulary, rows = trained.tokenizer.vocabulary, ids[None]
    objective = OBJECTIVES[trained.run.objective]
    if "reading" in objective.extra:
        found: Exercise = objective.extra["reading"](rows, vocabulary)
        return found
    return Exercise(shown=rows, asked=rows == vocabulary.mask, answers=rows, visible=trained.given)


def classify(trained: Trained, text: str) -> list[Guess]:
    """The classes of a fine-tuned model with their probabilities, the likeliest first."""
    if not trained.labels:
        raise SettingsError("this run was not fine-tuned to classify", "这个训练没有经过分类微调")
    task = TASKS[trained.run.task or "classify"]
    ids = [trained.tokenizer.encode(text)]
    frame = OBJECTIVES[trained.run.objective].extra["frame"]
    exercise, _ = task.build(ids, task.settings(), trained.tokenizer.vocabulary, trained.context, trained.given, frame)
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
