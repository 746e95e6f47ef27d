"""Decoding: a model makes a text longer token by token, to its right, in answer to another, or inside its gaps.

T tokens   V vocabulary
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
import torch
from torch import Tensor

from lab.asking import Seq2Seq
from lab.batch import Batch, Exercise, collate
from lab.catalog import OBJECTIVES
from lab.entries import SoFar
from lab.inference.inputs import framed, with_gaps
from lab.inference.model import Trained
from lab.inference.sampler_chain import Chain, apply_samplers, draw, keeps_state, states_after
from lab.layers.kv_cache import Cache
from lab.noise import Dice
from lab.settings import SettingsError
from lab.vocabulary import BEGIN

GREEDY: Chain = [("greedy", {})]  # the likeliest token at each step


@dataclass(frozen=True)
class SampledToken:
    """A token that was drawn, with its log-probability in nats under the model, before any sampler."""

    id: int
    token: str
    logprob: float


def continuation(trained: Trained, prompt: str) -> "Continuation | Reply":
    """Ready to continue ``prompt`` token by token; or, where the model learnt to write answers, to answer it."""
    if trained.seq2seq is not None:
        return Reply(trained, trained.seq2seq, framed(trained, with_gaps(trained, prompt)))
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
    begun = np.array([*(trained.opens if len(ids) else trained.start), *ids], dtype=np.int64)
    return grown(trained, begun, len(begun))


def grown(trained: Trained, ids: np.ndarray, given: int) -> "Continuation":
    """A text that has grown to ``ids`` (T,) from the ``given`` first of them, ready to grow on."""
    return (Prefixed if trained.given == "all" else Continuation)(trained, ids, given)


class Growing(ABC):
    """A text that grows token by token. ``ids`` are its tokens so far, ``ends`` the tokens at which it is over."""

    ids: list[int]
    ends: Collection[int]
    states: Mapping[str, float] = MappingProxyType({})  # what samplers have kept since it began to grow

    @property
    def room(self) -> int:
        """How many more tokens it can take."""
        return 10**9

    @property
    def so_far(self) -> SoFar:
        """What samplers that look back see."""
        return SoFar(self.ids, 0, self.states)

    @abstractmethod
    def next_logits(self) -> Tensor:
        """The logits of the next token: (V,)."""

    def add(self, token: int) -> None:
        """Append a token."""
        self.ids.append(token)


class Decoding(Growing):
    """A text that a model makes grow."""

    def __init__(self, trained: Trained) -> None:
        self._trained = trained
        self.cache = Cache()

    @abstractmethod
    def asked(self) -> tuple[Batch, Cache | None]:
        """What the model is to read now, of which the last token's next one is asked, and what it has read before."""

    def next_logits(self) -> Tensor:
        """The logits of the next token: (V,)."""
        return self.answered(*self.asked())[0]

    def answered(self, batch: Batch, cache: Cache | None) -> Tensor:
        """What the model says to a batch: (B, V). What cannot stand there can never be drawn. Raises SettingsError if a
        logit is no number or infinite, as where weights have grown beyond all bounds."""
        with torch.inference_mode():
            logits: Tensor = self._trained.model(batch.to(self._trained.device), cache).tokens.float().cpu()
            logits[:, self._suppressed] = -torch.inf
        if not logits.amax(-1).isfinite().all():  # NaN is the largest
            raise SettingsError(
                "the model's logits are not numbers (NaN): nothing can be drawn from them",
                "模型给出的 logit 是 NaN（不是数），无法从中抽取",
            )
        return logits

    @cached_property
    def _suppressed(self) -> list[int]:
        return suppressed(self._trained)


class Continuation(Decoding):
    """A text that grows to the right. It keeps keys and values, so that a token costs one position, not all."""

    def __init__(self, trained: Trained, ids: np.ndarray, given: int) -> None:
        super().__init__(trained)
        self.ends = trained.tokenizer.vocabulary.ends
        self.ids = [int(i) for i in ids]
        self._given = given
        opens = trained.opens
        self._opens = len(opens) if self.ids[: len(opens)] == opens else 0
        self._dropped = 0  # tokens behind what opens the text that the cache no longer holds

    @property
    def so_far(self) -> SoFar:
        return SoFar(self.ids, self._given, self.states)

    @property
    def gone(self) -> int:
        """How many tokens behind what opens the text are no longer read."""
        return dropped(len(self.ids), self._trained.lookback, self._given, self._opens)

    @property
    def read(self) -> list[int]:
        """The tokens that are read."""
        return [*self.ids[: self._opens], *self.ids[self._opens + self.gone :]]

    def asked(self) -> tuple[Batch, Cache | None]:
        if self.gone != self._dropped:
            self._dropped, self.cache = self.gone, Cache()  # positions are absolute: what is left is read anew from 0
        fresh = self.read[self.cache.length :]
        last = torch.tensor([len(fresh) - 1])
        return Batch(shown=torch.tensor([fresh]), visible="causal", asked=last), self.cache


class Prefixed(Continuation):
    """A text that grows behind a beginning that sees itself whole. What was read would have to be kept for each way of
    looking: it is read anew for every token."""

    def asked(self) -> tuple[Batch, Cache | None]:
        shown = torch.tensor([self.read])
        place = torch.arange(shown.shape[1])
        visible = (place < self._given - self.gone) | (place <= place[:, None])  # (T, T)
        return Batch(shown=shown, visible=visible, asked=place[-1:]), None


class Reply(Decoding):
    """An answer to what an encoder has read, once."""

    def __init__(self, trained: Trained, seq2seq: Seq2Seq, source: np.ndarray) -> None:
        super().__init__(trained)
        self.source = source
        self.ends = {trained.tokenizer.vocabulary.role(seq2seq.end)}
        self.ids = [int(i) for i in seq2seq.opening(source, trained.tokenizer.vocabulary)]
        self.opening = len(self.ids)

    @property
    def so_far(self) -> SoFar:
        return SoFar(self.ids, self.opening, self.states)

    @property
    def room(self) -> int:
        """How many more tokens it can take: what the decoder has before it writes counts, too."""
        return self._trained.context - len(self.ids) + 1

    def asked(self) -> tuple[Batch, Cache | None]:
        fresh = self.ids[self.cache.length :]
        source, last = torch.from_numpy(self.source)[None], torch.tensor([len(fresh) - 1])
        return Batch(shown=torch.tensor([fresh]), visible="causal", source=source, asked=last), self.cache


class Blanks(Decoding):
    """The gaps of a text that the model sees whole, filled one after another, each knowing those before it."""

    def __init__(self, trained: Trained, text: np.ndarray) -> None:
        super().__init__(trained)
        decoding = OBJECTIVES[trained.run.objective].decoding
        assert decoding.filling is not None, "an objective without gaps that are written"
        self._text, self._filling = text, decoding.filling
        self.ends = {trained.tokenizer.vocabulary.role(decoding.end)}
        self._filled: list[list[int]] = []  # gap by gap; ``ids`` are those of the last

    @property
    def room(self) -> int:
        """How many more tokens the gap can take: all gaps share the context with the text."""
        return self._trained.context - self._exercise().shown.shape[1] + 1

    def ahead(self) -> Tensor | None:
        """The logits of the first token of the next gap: (V,). None where there is no room for any."""
        other = Blanks(self._trained, self._text)
        other._filled = [[*ids] for ids in self._filled]
        other.begin()
        return other.next_logits() if other.room > 0 else None

    def fill(self, longest: int | None = None) -> list[SampledToken]:
        """What the model writes in the next gap, the likeliest token at each step, at most ``longest`` tokens."""
        self.begin()
        return [*decode(self._trained, self, GREEDY, longest or self._trained.context)]

    def begin(self) -> None:
        """Begin with the next gap."""
        self.ids = []
        self._filled.append(self.ids)

    def asked(self) -> tuple[Batch, Cache | None]:
        read = self.cache.length
        batch = collate(self._exercise())
        assert batch.positions is not None and batch.asked is not None
        if read:  # all that was read may be seen, and what was written since goes on from it
            shown, places = batch.shown[:, read:], batch.positions[:, read:]
            batch = Batch(shown=shown, positions=places, visible="causal", asked=batch.asked - read)
        return batch, self.cache

    def _exercise(self) -> Exercise:
        filled = [np.array(ids, dtype=np.int64) for ids in self._filled]
        return self._filling(self._text, filled, self._trained.tokenizer.vocabulary)


def suppressed(trained: Trained) -> list[int]:
    """The special tokens that the model never says: all but the end, and the marks of its objective. In an imported
    tokenizer one token may have several roles."""
    vocabulary, seq2seq = trained.tokenizer.vocabulary, trained.seq2seq
    end = OBJECTIVES[trained.run.objective].decoding.end
    sayable = (end,) if seq2seq is None else (seq2seq.end, *seq2seq.says)
    allowed = {vocabulary.specials[name] for name in sayable if name in vocabulary.specials}
    allowed |= vocabulary.ends if trained.left_to_right else frozenset()
    if trained.opening and BEGIN in vocabulary.specials:  # not forced there, it is for the model to say
        allowed.add(vocabulary.begin)
    return [number for number in {*vocabulary.specials.values()} if number not in allowed]


def dropped(length: int, context: int, given: int = 0, opens: int = 0) -> int:
    """How many tokens at the front of a growing text are not read: of those that were ``given`` what does not fit into
    the context, as where transformers cuts them; and whenever the context is full, all but its later half. The special
    tokens with which a text ``opens`` stay, as they do where a tokenizer of transformers cuts a text."""
    length, context, given = length - opens, context - opens, given - opens
    unread = max(0, given - context)
    if length - unread <= context:
        return unread
    step = context + 1 - context // 2
    return unread + step * ((length - unread - context - 1) // step + 1)


def generate(trained: Trained, prompt: str, chain: Chain, tokens: int = 50, seed: int = 0) -> Iterator[SampledToken]:
    """Continue or answer ``prompt`` by at most ``tokens`` tokens, up to the end of the text. One uniform number is
    drawn per token, so that with one seed different samplers are given the same uniform numbers."""
    yield from decode(trained, continuation(trained, prompt), chain, tokens, seed)


def decode(
    trained: Trained, text: Growing, chain: Chain, tokens: int, seed: int = 0, written: int = 0
) -> Iterator[SampledToken]:
    """The decoding loop: a text grows by at most ``tokens`` tokens and as many as it has room for, up to its end. The
    seed's first ``written`` uniform numbers are passed over: so many tokens were drawn with them before."""
    most = max(0, min(tokens, text.room))
    for uniform in Dice(seed).random(written + most)[0, written:].tolist():
        logits = text.next_logits()
        drawn = draw(apply_samplers(logits, chain, text.so_far), uniform)
        if drawn in text.ends:
            return
        logprob = float(logits.log_softmax(-1)[drawn])
        if keeps_state(chain):
            text.states = states_after(logits, chain, text.so_far, drawn)
        text.add(drawn)
        yield SampledToken(drawn, trained.tokenizer.pieces([drawn])[0].text, logprob)


def reply(trained: Trained, source: np.ndarray, longest: int) -> np.ndarray:
    """What the decoder has before it and what it then writes, the likeliest token at each step: (T,), up to
    ``longest``."""
    assert trained.seq2seq is not None
    text = Reply(trained, trained.seq2seq, source)
    for _ in decode(trained, text, GREEDY, longest - len(text.ids)):
        pass
    return np.array(text.ids, dtype=np.int64)
