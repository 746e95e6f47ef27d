"""Generator and discriminator: a small network fills gaps, a larger one says of every token whether it was replaced.

B batch   T tokens   N asked positions   W width   V vocabulary   C classes
"""

from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch, Output
from lab.layers.heads import SequenceHead, TokenHead
from lab.layers.kv_cache import Cache
from lab.layers.stacks import OneStack, Stack
from lab.settings import SettingsError


class Discriminator(nn.Module):
    """The generator answers what is asked. One of its guesses is drawn at each asked place, and the stack reads the
    text with them and is asked about every token (Clark et al. 2020, section 2).

    Nothing flows back through the draw. It comes from torch's random generator in training; in eval mode its seed is
    fixed, so that the guesses stay the same. Without a ``generator`` it reads, but neither fills nor learns.
    """

    def __init__(
        self,
        stack: Stack,
        head: TokenHead,
        sequence: SequenceHead | None = None,
        *,
        generator: OneStack | None = None,
        weight: float,
    ) -> None:
        """``weight`` multiplies the mean loss of a token's being true or not."""
        super().__init__()
        self.stack = stack
        self.head = head
        self.sequence = sequence
        self.each: nn.Module | None = None  # a head for each token, which fine-tuning may set
        self.generator = generator
        self.weight = weight

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        tokens = None if batch.asked is None else self._generator(batch, cache)  # (N, V)
        if tokens is None:
            x = self.stack(batch)  # (B, T, W)
            return Output(sequence=self._label(x, batch), each=None if self.each is None else self.each(x, batch.real))
        if batch.answers is None:
            return Output(tokens=tokens)
        # Replaced is what differs from the truth. A mask that the generator filled rightly counts as true, or the
        # discriminator would learn to find where masks were.
        guessed, replaced = self.fill(batch, tokens)
        x = self.stack(guessed)  # (B, T, W)
        suspected = self.head(x)  # (B, T)
        loss = detection(suspected, replaced, batch.real)
        return Output(
            tokens=tokens,
            sequence=self._label(x, batch),
            parts={"detection": self.weight * loss},
            counts={"detection": replaced.numel() if batch.real is None else batch.real.sum()},
            suspected=suspected,
            replaced=replaced,
        )

    def fill(self, batch: Batch, tokens: Tensor) -> tuple[Batch, Tensor]:
        """The batch with a guess at each answer's place, and where the guess is not the answer: (B, T) bool."""
        assert batch.asked is not None and batch.answers is not None
        place, answers = batch.asked, batch.answers  # (N,) each
        # Drawn and not the likeliest: a generator at its best guess would make the same few mistakes in every epoch.
        guess = self._draw(tokens.detach().float().softmax(-1))  # (N,)
        if batch.following:  # what follows the last token of a row stands in no row
            within = place % batch.shown.shape[1] < batch.shown.shape[1] - 1
            place, answers, guess = place[within] + 1, answers[within], guess[within]
        shown = batch.shown.flatten().index_copy(0, place, guess).view_as(batch.shown)  # (B, T)
        wrong = torch.zeros(shown.numel(), dtype=torch.bool, device=shown.device)
        wrong[place] = guess != answers
        return replace(batch, shown=shown), wrong.view_as(shown)

    def _draw(self, probabilities: Tensor) -> Tensor:
        generator = None if self.training else torch.Generator(probabilities.device).manual_seed(0)
        return torch.multinomial(probabilities, 1, generator=generator)[:, 0]  # (N,)

    def _generator(self, batch: Batch, cache: Cache | None) -> Tensor:
        if self.generator is None:
            raise SettingsError(
                "this is a discriminator alone: it tells true tokens from replaced ones and fills no gaps",
                "这里只有判别器：它分辨词元是否被替换，不会填空",
            )
        tokens: Tensor = self.generator(batch, cache).tokens
        return tokens

    def _label(self, x: Tensor, batch: Batch) -> Tensor | None:
        causal = batch.visible == "causal"
        return None if self.sequence is None else self.sequence(x, batch.real, causal=causal)  # (B, C)


def detection(logits: Tensor, replaced: Tensor, real: Tensor | None) -> Tensor:
    """The mean loss in nats of saying whether each real token was replaced. All are (B, T)."""
    if real is not None:
        logits, replaced = logits[real], replaced[real]
    return functional.binary_cross_entropy_with_logits(logits.float(), replaced.float())
