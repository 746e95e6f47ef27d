"""Sampling: several texts from one prompt, which grow together. One pass of the model serves them all.

B texts that still grow   T tokens   V vocabulary
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

import torch
from torch import Tensor

from lab.batch import Batch
from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.inference.decoding import Decoding, SampledToken, continuation
from lab.inference.model import Trained
from lab.inference.sampler_chain import Chain, apply_samplers, draw_each, keeps_state, states_after
from lab.noise import Dice


def sample(
    trained: Trained, prompt: str, chains: Sequence[Chain], seeds: Sequence[int], tokens: int = 50
) -> list[list[SampledToken]]:
    """Continue or answer ``prompt`` once with each chain of samplers and its seed. The texts are those that
    ``generate`` writes one after the other."""
    texts = Together(continuation(trained, prompt), len(chains))
    most = max(0, min(tokens, texts.room))
    uniforms = torch.stack([torch.from_numpy(Dice(seed).random(most)[0]) for seed in seeds])  # (all, T)
    written: list[list[SampledToken]] = [[] for _ in chains]
    for at in range(most):
        if not texts.growing:
            break
        logits = texts.next_logits()  # (B, V)
        own, so_far = [chains[n] for n in texts.growing], texts.so_far
        probabilities = _sampled(logits, own, so_far)
        drawn = draw_each(probabilities, uniforms[texts.growing, at])  # (B,)
        logprobs = logits.log_softmax(-1).gather(-1, drawn[:, None])[:, 0].tolist()
        pieces = trained.tokenizer.pieces(drawn.tolist())
        for n, piece, logprob in zip(texts.growing, pieces, logprobs, strict=True):
            if piece.id not in texts.ends:
                written[n].append(SampledToken(piece.id, piece.text, logprob))
        kept = zip(logits, own, so_far, drawn.tolist(), strict=True)
        states = [states_after(*each) for each in kept] if any(map(keeps_state, own)) else None
        texts.add(drawn.tolist(), states)
    return written


class Together:
    """Texts that begin alike and grow by one token each at a time, until they end. ``growing`` are the numbers of those
    that have not; they share the keys and values that the model keeps."""

    def __init__(self, first: Decoding, count: int) -> None:
        self.ends, self.room = first.ends, first.room
        self.growing = [*range(count)]
        self._texts = [first]

    @property
    def so_far(self) -> list[SoFar]:
        """What each text that grows holds."""
        own = [text.so_far for text in self._texts]
        return own if len(own) == len(self.growing) else own * len(self.growing)

    def next_logits(self) -> Tensor:
        """The logits of the next token of each text that grows: (B, V)."""
        if len(self._texts) < len(self.growing):  # all of them read the same, once
            return self._texts[0].next_logits().expand(len(self.growing), -1)
        asked = [text.asked() for text in self._texts]
        cache = self._texts[0].cache
        for text in self._texts:
            text.cache = cache
        return self._texts[0].answered(_stacked([batch for batch, _ in asked]), asked[0][1])

    def add(self, tokens: Sequence[int], states: Sequence[Mapping[str, float]] | None = None) -> None:
        """Append a token to each text that grows, with what samplers keep of it; those to which it is the end grow no
        more."""
        if len(self._texts) < len(self.growing):
            self._texts = [_twin(self._texts[0]) for _ in self.growing]
            self._keep(torch.zeros(len(tokens), dtype=torch.int64))
        alive = [row for row, token in enumerate(tokens) if token not in self.ends]
        for row in alive:
            self._texts[row].add(tokens[row])
            if states is not None:
                self._texts[row].states = states[row]
        if len(alive) < len(tokens):
            self._texts = [self._texts[row] for row in alive]
            self.growing = [self.growing[row] for row in alive]
            self._keep(torch.tensor(alive, dtype=torch.int64))

    def branch(self, rows: Sequence[int], tokens: Sequence[int]) -> None:
        """Go on from the texts in these rows, of which some may be named twice, each with a token of its own."""
        self._texts = [_twin(self._texts[row]) for row in rows]
        self.growing = [*range(len(rows))]
        self._keep(torch.tensor(rows, dtype=torch.int64))
        for text, token in zip(self._texts, tokens, strict=True):
            text.add(token)

    def select(self, rows: Sequence[int]) -> None:
        """Go on with the texts in these rows alone."""
        self._texts = [self._texts[row] for row in rows]
        self.growing = [*range(len(rows))]
        self._keep(torch.tensor(rows, dtype=torch.int64))

    def _keep(self, rows: Tensor) -> None:
        if self._texts:
            self._texts[0].cache.select(rows)


def _twin(text: Decoding) -> Decoding:
    """The same text, to grow otherwise."""
    twin = copy(text)
    twin.ids = [*text.ids]
    return twin


def _sampled(logits: Tensor, chains: Sequence[Chain], so_far: Sequence[SoFar]) -> Tensor:
    """The probabilities (B, V) after each text's own samplers."""
    apart = any(SAMPLERS[name].looks_back for name, _ in chains[0]) or keeps_state(chains[0])
    if all(chain == chains[0] for chain in chains) and not apart:
        return apply_samplers(logits, chains[0], so_far[0])
    return torch.stack([apply_samplers(*own) for own in zip(logits, chains, so_far, strict=True)])


def _stacked(batches: Sequence[Batch]) -> Batch:
    """One batch of texts that are equally long."""
    first = batches[0]
    t = first.shown.shape[1]
    asked = [batch.asked + row * t for row, batch in enumerate(batches) if batch.asked is not None]
    source = None if first.source is None else first.source.expand(len(batches), -1)  # all answer the same
    return replace(first, shown=torch.cat([batch.shown for batch in batches]), asked=torch.cat(asked), source=source)
