"""Early exit: what a model would say if it stopped after one of its layers, by its own last norm and its own head.

N places that are asked   T tokens   W width   L layers   V vocabulary, or classes
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lab.batch import Batch, collate
from lab.inference.asked import gap_mark, guessed, no_gap
from lab.inference.decoding import suppressed
from lab.inference.model import Trained
from lab.inference.shown import Shown, exercise_of
from lab.layers.discriminator import Discriminator
from lab.layers.enhanced import EnhancedStack
from lab.layers.partial import by_row
from lab.layers.stacks import OneStack, Stack, TwoStacks
from lab.layers.two_streams import TwoStreamModel, TwoStreams
from lab.layers.watch import Watch, looking
from lab.settings import SettingsError

Ids = NDArray[np.int64]
Say = Callable[[Tensor], Tensor]
NORMS = PRE, POST, QUERY, DECODED = ("pre", "post", "query", "decoded")


@dataclass(frozen=True, kw_only=True)
class Exits:
    """Every place at which a model can be stopped."""

    what: str  # "token" that stands there, the "next" one, whether it was "replaced", or the "class" of the text
    ids: Ids  # (T,): the text whose places are asked
    places: Ids  # (N,): of a "class" none
    meant: int  # which of the places, counted from 0, is asked about where there is one answer
    norm: str  # one of NORMS: what its head reads of a layer
    hidden: list[Tensor]  # L + 1 times, or of a mask decoder L times: as the head is to read it
    say: Say  # the scores (N, V) of one of these

    def scores(self, layer: int) -> Tensor:
        """What a layer says of each place: (N, V); the embedding is layer 0, and -1 is the model's own answer. What
        cannot be said has minus infinity."""
        with torch.no_grad():
            return self.say(self.hidden[layer]).float().cpu()


def exits(trained: Trained, asked: Shown) -> Exits:
    """Where the model can be stopped on what is shown. Raises SettingsError where its layers have no head in common, or
    where it is asked about gaps and there is none."""
    model = trained.model
    if trained.run.task is not None:
        return _of_classes(trained, asked.read)
    if isinstance(model, Discriminator):
        return _of_replaced(trained, model, asked.read)
    batch, ids, places = _asked(trained, asked)
    if not isinstance(model, OneStack | TwoStacks):
        raise _no_head()
    stack = model.decoder if isinstance(model, TwoStacks) else model.stack
    if not isinstance(stack, Stack):
        raise _no_head()
    head, table, mute = model.head, stack.embed.tokens, _mute(trained)
    norm, hidden = _hidden(model, stack, batch)

    def say(x: Tensor) -> Tensor:
        if norm == DECODED:
            assert isinstance(model, EnhancedStack)
            x = model.decoded(x[None], batch)[0]
        scores: Tensor = head(x if norm == QUERY else x[torch.from_numpy(places)], table.weight)
        return scores.index_fill(1, torch.tensor(mute, dtype=torch.int64, device=scores.device), -torch.inf)

    what = "next" if _goes_on(trained) else "token"
    meant = _meant(trained, asked.read, ids, places)
    return Exits(what=what, ids=ids, places=places, meant=meant, norm=norm, hidden=hidden, say=say)


def _meant(trained: Trained, read: Ids, ids: Ids, places: Ids) -> int:
    """Which place has the one answer: the mark of the first gap where a decoder has written it, or else what its answer
    opens with; where the first gap begins, the end of a text that goes on, the first gap, or else the last token that
    is no special one."""
    if trained.seq2seq is not None:
        opened = len(trained.seq2seq.opening(read, trained.tokenizer.vocabulary))
        mark = gap_mark(trained, read)
        return opened if mark is not None and ids[opened : opened + 1].tolist() == [mark] else opened - 1
    if trained.fills_onward:
        return 0
    vocabulary, chosen = trained.tokenizer.vocabulary, ids[places]
    gaps, ordinary = np.flatnonzero(chosen == vocabulary.gap), np.flatnonzero(~vocabulary.is_special(chosen))
    if trained.left_to_right or not len(gaps) + len(ordinary):
        return len(places) - 1
    return int(gaps[0] if len(gaps) else ordinary[-1])


def _asked(trained: Trained, asked: Shown) -> tuple[Batch, Ids, Ids]:
    """The batch that asks all places that can be asked, the text (T,) that they are counted in, and they: (N,)."""
    if trained.fills_onward:
        return _blank(trained, asked)
    if trained.seq2seq is not None:
        ids = asked.written
        return replace(asked.batch, asked=torch.arange(len(ids))).to(trained.device), ids, np.arange(len(ids))
    ids, exercise = asked.read, exercise_of(trained, asked.read)
    every = np.ones(len(ids), dtype=bool)
    if exercise.order is not None:  # a stream that does not see its token answers about gaps
        every = ids == trained.tokenizer.vocabulary.gap
    elif trained.left_to_right and trained.given == "all":  # of what is seen whole, only the end goes on
        every = np.arange(len(ids)) == len(ids) - 1
    if not every.any():
        raise no_gap()
    batch = collate(replace(exercise, asked=np.broadcast_to(every, exercise.asked.shape))).to(trained.device)
    return batch, ids, np.flatnonzero(every)


def _blank(trained: Trained, asked: Shown) -> tuple[Batch, Ids, Ids]:
    """The first gap as the model has written into it, behind the text: each token there asks for the next one."""
    if not asked.behind:
        raise no_gap()
    places = np.arange(len(asked.text), len(asked.read))
    return replace(asked.batch, asked=torch.from_numpy(places)).to(trained.device), asked.read, places


def _hidden(model: nn.Module, stack: Stack, batch: Batch) -> tuple[str, list[Tensor]]:
    """What the head is to read of each layer, and how it comes by that."""
    if isinstance(stack, TwoStreams) and batch.order is not None:
        assert batch.asked is not None
        _, row, slot = by_row(batch.asked, 1, batch.shown.shape[1], batch.most)
        return QUERY, [x[row, slot] for x in _seen(model, stack.query_watch, batch)]
    seen = _seen(model, stack.watch, batch)
    if isinstance(model, EnhancedStack):  # its mask decoder reads what the last block reads
        return DECODED, [x[0] for x in seen[:-1]]
    return _normed(stack, seen)


def _seen(model: nn.Module, watch: Watch, batch: Batch) -> list[Tensor]:
    """What passes there: the embedding, then what comes out of every block."""
    seen: list[Tensor] = []
    with torch.no_grad(), looking({watch: seen.append}):
        model(batch)
    return seen


def _normed(stack: Stack, seen: list[Tensor]) -> tuple[str, list[Tensor]]:
    """The last norm of a pre-norm model is for its last layer: it is applied to every other as well."""
    with torch.no_grad():
        hidden = [*(stack.norm(x)[0] for x in seen[:-1]), seen[-1][0]]
    return POST if isinstance(stack.norm, nn.Identity) else PRE, hidden


def _of_classes(trained: Trained, ids: Ids) -> Exits:
    """The class of the text."""
    model = trained.model
    if trained.run.task != "classify" or not isinstance(model, OneStack | TwoStacks | Discriminator):
        raise SettingsError(
            "this run answers with more than one class: a layer of it has no single answer",
            "这个训练的回答不是单个类别：它的一层没有单一的回答",
        )
    stack, head = model.decoder if isinstance(model, TwoStacks) else model.stack, model.sequence
    assert isinstance(stack, Stack) and head is not None
    exercise = exercise_of(trained, ids)
    batch = collate(replace(exercise, asked=np.zeros_like(exercise.asked))).to(trained.device)
    norm, hidden = _normed(stack, _seen(model, stack.watch, batch))
    causal = batch.visible == "causal" and not isinstance(model, TwoStacks | TwoStreamModel)

    def say(x: Tensor) -> Tensor:
        scores: Tensor = head(x[None], batch.real, causal=causal)
        return scores

    none = np.zeros(0, dtype=np.int64)
    return Exits(what="class", ids=ids, places=none, meant=0, norm=norm, hidden=hidden, say=say)


def _of_replaced(trained: Trained, model: Discriminator, ids: Ids) -> Exits:
    """Whether each token was replaced; in gaps stand the generator's likeliest tokens."""
    exercise = exercise_of(trained, ids)
    batch = collate(replace(exercise, asked=(ids == trained.tokenizer.vocabulary.gap)[None])).to(trained.device)
    batch = guessed(model, batch)
    norm, hidden = _normed(model.stack, _seen(model.stack, model.stack.watch, batch))

    def say(x: Tensor) -> Tensor:
        score: Tensor = model.head(x[None])[0]  # (T,)
        return torch.stack([torch.zeros_like(score), score], -1)  # whose softmax is the sigmoid

    every, meant = np.arange(len(ids)), _meant(trained, ids, ids, np.arange(len(ids)))
    ids = batch.shown[0].cpu().numpy()
    return Exits(what="replaced", ids=ids, places=every, meant=meant, norm=norm, hidden=hidden, say=say)


def _goes_on(trained: Trained) -> bool:
    return trained.left_to_right or trained.fills_onward or trained.seq2seq is not None


def _mute(trained: Trained) -> list[int]:
    """What the model is never asked to say."""
    return suppressed(trained) if _goes_on(trained) else [*{*trained.tokenizer.vocabulary.specials.values()}]


def _no_head() -> SettingsError:
    return SettingsError(
        "this model's head does not read its layers: only a Transformer is looked into here",
        "这个模型的输出头不读取各层：这里只能查看 Transformer",
    )
