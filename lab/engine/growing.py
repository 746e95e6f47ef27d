"""A text that a model makes longer, token by token: to its right, in answer to another, or inside its gaps.

T tokens   V vocabulary
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lab.batch import Batch, Exercise, Writing, collate
from lab.catalog import OBJECTIVES, SAMPLERS
from lab.engine.model import Trained
from lab.engine.showing import framed, with_gaps
from lab.layers.cache import Cache
from lab.noise import Dice
from lab.settings import SettingsError

Chain = Sequence[tuple[str, dict[str, Any]]]  # samplers by name with their settings, in the order of application
GREEDY: Chain = [("greedy", {})]  # the likeliest token at each step


@dataclass(frozen=True)
class Written:
    """A token that was drawn, with its log-probability in nats under the model, before any sampler."""

    id: int
    token: str
    logprob: float


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
    return (Prefixed if trained.given == "all" else Continuation)(trained, ids, given)


class Continuation:
    """A text that grows to the right. It keeps keys and values, so that a token costs one position, not all."""

    room = 10**9  # how many more tokens it can take

    def __init__(self, trained: Trained, ids: np.ndarray, given: int) -> None:
        self._trained = trained
        self.end = trained.tokenizer.vocabulary.end
        self.ids = [int(i) for i in ids]
        self._given = given
        self._cache: Cache | None = None
        self._dropped = 0  # tokens at the front that the cache no longer holds

    def logits(self) -> Tensor:
        """The logits of the next token: (V,). What has no text of its own can never be drawn, save the end."""
        gone = dropped(len(self.ids), self._trained.context, self._given)
        if self._cache is None or gone != self._dropped:
            self._dropped, self._cache = gone, Cache()  # positions are absolute: what is left is read anew from 0
        fresh = self.ids[self._dropped + self._cache.length :]
        shown = torch.tensor([fresh], device=self._trained.device)
        batch = Batch(shown=shown, visible="causal", asked=torch.tensor([len(fresh) - 1], device=shown.device))
        with torch.inference_mode():
            found: Tensor = self._trained.model(batch, self._cache).tokens[0].float().cpu()
            found[unsayable(self._trained)] = -torch.inf
        return found

    def add(self, token: int) -> None:
        """Append a token."""
        self.ids.append(token)


class Prefixed(Continuation):
    """A text that grows behind a beginning that sees itself whole. What was read would have to be kept for each way of
    looking: it is read anew for every token."""

    def logits(self) -> Tensor:
        """The logits of the next token: (V,). What has no text of its own can never be drawn, save the end."""
        gone = dropped(len(self.ids), self._trained.context, self._given)
        shown = torch.tensor([self.ids[gone:]], device=self._trained.device)
        place = torch.arange(shown.shape[1], device=shown.device)
        visible = (place < self._given - gone) | (place <= place[:, None])  # (T, T)
        with torch.inference_mode():
            found: Tensor = self._trained.model(Batch(shown=shown, visible=visible, asked=place[-1:])).tokens[0]
            found = found.float().cpu()
            found[unsayable(self._trained)] = -torch.inf
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
        with torch.inference_mode():
            found: Tensor = self._trained.model(batch, self._cache).tokens[0].float().cpu()
            found[unsayable(self._trained)] = -torch.inf
        return found

    def add(self, token: int) -> None:
        """Append a token."""
        self.ids.append(token)


class Blanks:
    """The gaps of a text that the model sees whole, filled one after another, each knowing those before it. A gap is
    asked and grows as a Continuation does."""

    def __init__(self, trained: Trained, text: np.ndarray) -> None:
        self._trained, self._text = trained, text
        decoding = OBJECTIVES[trained.run.objective].decoding
        assert decoding.filling is not None, "an objective without gaps that are written"
        self._filling = decoding.filling
        self.end = trained.tokenizer.vocabulary.role(decoding.end)
        self._said: list[list[int]] = []
        self._cache = Cache()

    @property
    def room(self) -> int:
        """How many more tokens the gap can take: all gaps share the context with the text."""
        return self._trained.context - self._exercise().shown.shape[1] + 1

    def ahead(self) -> Tensor | None:
        """The logits of the first token of the next gap: (V,). None where there is no room for any."""
        other = Blanks(self._trained, self._text)
        other._said = [*([*each] for each in self._said), []]
        return other.logits() if other.room > 0 else None

    def fill(self, longest: int | None = None) -> list[Written]:
        """What the model writes in the next gap, the likeliest token at each step, at most ``longest`` tokens."""
        self._said.append([])
        return [*written(self._trained, self, GREEDY, longest or self._trained.context)]

    def logits(self) -> Tensor:
        """The logits of the next token: (V,). What cannot stand in a gap can never be drawn."""
        read = self._cache.length
        batch = collate(self._exercise())
        assert batch.places is not None and batch.asked is not None
        if read:  # all that was read may be seen, and what was written since goes on from it
            shown, places = batch.shown[:, read:], batch.places[:, read:]
            batch = Batch(shown=shown, places=places, visible="causal", asked=batch.asked - read)
        with torch.inference_mode():
            found: Tensor = self._trained.model(batch.to(self._trained.device), self._cache).tokens[0].float().cpu()
            found[unsayable(self._trained)] = -torch.inf
        return found

    def add(self, token: int) -> None:
        """Append a token to the gap."""
        self._said[-1].append(token)

    def _exercise(self) -> Exercise:
        said = [np.array(each, dtype=np.int64) for each in self._said]
        return self._filling(self._text, said, self._trained.tokenizer.vocabulary)


def unsayable(trained: Trained) -> list[int]:
    """The special tokens that the model never says: all but the end, and the marks of its objective. In an imported
    tokenizer one token may have several roles."""
    vocabulary, writing = trained.tokenizer.vocabulary, trained.writing
    end = OBJECTIVES[trained.run.objective].decoding.end
    sayable = (end,) if writing is None else (writing.end, *writing.says)
    said = {vocabulary.specials[name] for name in sayable if name in vocabulary.specials}
    return [number for number in {*vocabulary.specials.values()} if number not in said]


def dropped(length: int, context: int, given: int = 0) -> int:
    """How many tokens at the front of a growing text are not read: of those that were ``given`` what does not fit into
    the context, as where transformers cuts them; and whenever the context is full, all but its later half."""
    unread = max(0, given - context)
    if length - unread <= context:
        return unread
    step = context + 1 - context // 2
    return unread + step * ((length - unread - context - 1) // step + 1)


def generate(trained: Trained, prompt: str, chain: Chain, tokens: int = 50, seed: int = 0) -> Iterator[Written]:
    """Continue or answer ``prompt`` by at most ``tokens`` tokens, up to the end of the text. One uniform number is
    drawn per token, so that with one seed different samplers are given the same luck."""
    yield from written(trained, continuation(trained, prompt), chain, tokens, seed)


def written(
    trained: Trained, text: Continuation | Reply | Blanks, chain: Chain, tokens: int, seed: int = 0
) -> Iterator[Written]:
    """What a text grows by: at most ``tokens`` tokens and as many as it has room for, up to its end."""
    dice = Dice(seed)
    for _ in range(min(tokens, text.room)):
        logits = text.logits()
        drawn = draw(kept(logits, chain), dice.one())
        if drawn == text.end:
            return
        logprob = float(logits.log_softmax(-1)[drawn])
        text.add(drawn)
        yield Written(drawn, trained.tokenizer.pieces([drawn])[0].text, logprob)


def reply(trained: Trained, source: np.ndarray, longest: int) -> np.ndarray:
    """What the decoder has before it and what it then writes, the likeliest token at each step: (T,), up to
    ``longest``."""
    assert trained.writing is not None
    text = Reply(trained, trained.writing, source)
    for _ in written(trained, text, GREEDY, longest - len(text.ids)):
        pass
    return np.array(text.ids, dtype=np.int64)


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
