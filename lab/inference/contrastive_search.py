"""Contrastive search: of the few likeliest tokens, take one that the model holds likely and that makes its hidden state
unlike those before it.

K candidates   S tokens so far   T tokens that are read now   W width   V vocabulary
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from lab.inference.decoding import continuation
from lab.inference.model import Trained
from lab.inference.sampling import Together
from lab.layers.stacks import OneStack, Stack, TwoStacks
from lab.layers.watch import looking
from lab.settings import SettingsError


@dataclass(frozen=True)
class Contrasted:
    """A token that might come next."""

    token: int
    probability: float  # the model's, before anything is cut off
    penalty: float  # the degeneration penalty: the highest cosine of its hidden state with one before it
    like: int  # the token to which that belongs, counted from the first that the model still reads
    score: float  # (1 - alpha) probability - alpha penalty


@dataclass(frozen=True)
class Choice:
    """The candidates for one token, the likeliest first, and which of them was taken."""

    candidates: list[Contrasted]
    taken: int

    @property
    def token(self) -> int:
        """The token that was taken."""
        return self.candidates[self.taken].token


def contrastive_search(
    trained: Trained, prompt: str, k: int = 4, alpha: float = 0.6, tokens: int = 50
) -> Iterator[Choice]:
    """Continue or answer ``prompt`` by at most ``tokens`` tokens, up to its end, each that of the ``k`` likeliest with
    the highest (1 - alpha) p(v) - alpha max cos(h(v), h(x)), h being the last layer's hidden states of the candidate v
    and of each token x before it, the prompt's among them. With an ``alpha`` of 0 that is greedy decoding.

    All candidates are read in one pass, with the cache; what the model says behind the one that is taken is known then.
    An answer that fills the context ends one token sooner than by other ways, whose last token is never read.
    Raises SettingsError where a model is no stack of blocks. Source: Su et al. 2022, equation 5.
    """
    stack = stack_of(trained)
    texts = Together(continuation(trained, prompt), 1)
    with hidden_states(stack) as seen:
        logits = texts.next_logits()[0]  # (V,)
    context = functional.normalize(seen[-1].float().cpu(), dim=-1)  # (1, S, W)
    for _ in range(min(tokens, texts.room - 1)):
        probabilities, ids = logits.softmax(-1).topk(min(k, int(logits.isfinite().sum())))  # (K,)
        texts.branch([0] * len(ids), ids.tolist())
        with hidden_states(stack) as seen:
            following = texts.next_logits()  # (K, V)
        states = functional.normalize(seen[-1].float().cpu(), dim=-1)  # (K, T, W)
        if states.shape[1] > 1:  # the context was full, or is read anew each time: so are the states before
            context = states[:, :-1]
        cosines = (context @ states[:, -1, :, None])[..., 0]  # (K, S)
        penalties, like = cosines.max(-1)  # (K,)
        scores = (1 - alpha) * probabilities - alpha * penalties
        taken = int(scores.argmax())
        rows = zip(*(part.tolist() for part in (ids, probabilities, penalties, like, scores)), strict=True)
        choice = Choice([Contrasted(*row) for row in rows], taken)
        yield choice
        if choice.token in texts.ends:
            return
        texts.select([taken])
        logits = following[taken]
        own = context[taken : taken + 1] if len(context) > 1 else context
        context = torch.cat([own, states[taken : taken + 1, -1:]], 1)


def stack_of(trained: Trained) -> Stack:
    """The blocks that write. Raises SettingsError where there are none."""
    model = trained.model
    stack = model.decoder if isinstance(model, TwoStacks) else model.stack if isinstance(model, OneStack) else None
    if isinstance(stack, Stack):
        return stack
    raise SettingsError(
        "contrastive search compares the hidden states of a Transformer's last layer: this model has none",
        "对比搜索要比较 Transformer 最后一层的隐藏状态：这个模型没有",
    )


@contextmanager
def hidden_states(stack: Stack) -> Iterator[list[Tensor]]:
    """Inside the ``with``: those of each layer (B, T, W) as they are worked out, the last after the last norm."""
    seen: list[Tensor] = []
    with looking({stack.watch: seen.append}):
        yield seen
