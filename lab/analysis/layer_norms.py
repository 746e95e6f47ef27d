"""Weights and activations layer by layer, at every snapshot of a run: what grew while it learnt, and where.

M moments   L layers   T tokens   W width
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lab.inference.hidden_states import hidden_states
from lab.inference.model import Trained
from lab.inference.probe import stack_of
from lab.inference.shown import shown


@dataclass(frozen=True, kw_only=True)
class LayerNorms:
    """Of the same text at several steps of one run."""

    steps: list[int]  # M
    weights: Tensor  # (M, L): the root mean square of a layer's weights
    states: Tensor  # (M, L + 1): the mean length of a token's hidden state, the embedding first


def layer_norms(models: Sequence[Trained], text: str, longest: int | None = None) -> LayerNorms:
    """Of the models of a run, in the stack that reads the text. A block that is used for every layer, as in ALBERT, is
    named at each. Raises SettingsError where there are no such layers, or nothing to read."""
    kind = "" if models[-1].seq2seq is None else "encoder"
    states, weights = [], []
    for trained in models:
        hidden, _ = hidden_states(trained, shown(trained, text, longest), kind)  # (L + 1, T, W)
        states.append(hidden.norm(dim=-1).mean(-1))
        blocks = [rms(own_weights(block)) for block in stack_of(trained.model, kind).blocks]
        weights.append(torch.tensor([blocks[layer % len(blocks)] for layer in range(len(hidden) - 1)]))
    steps = [trained.step for trained in models]
    return LayerNorms(steps=steps, weights=torch.stack(weights), states=torch.stack(states))


def own_weights(block: nn.Module) -> list[Tensor]:
    """The parameters of a block without its tables, such as those of relative positions, which all blocks share."""
    parts = [part for part in block.modules() if not isinstance(part, nn.Embedding)]
    return [weight for part in parts for weight in part.parameters(recurse=False)]


def rms(weights: Sequence[Tensor]) -> float:
    """The root mean square of all numbers in several tensors."""
    count = sum(weight.numel() for weight in weights)
    return (sum(float(weight.detach().double().square().sum()) for weight in weights) / max(count, 1)) ** 0.5
