"""Weight initialisation (weight initialization, init): the numbers that a model starts from.

The papers draw every weight with a deviation of 0.02, which suits a width of 768; here it grows as a vector narrows,
so that a sum over the width stays as large. And a position table starts from waves instead of noise: neighbours are
alike from the first step. A narrow model learns from both several times sooner, and any table is still within reach.

P positions   W width
"""

from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from lab.layers.attention import Attention, CrossAttention
from lab.layers.blocks import Block, DecoderBlock
from lab.layers.char_cnn import Highway
from lab.layers.heads import OwnHead
from lab.layers.positions import Buckets, Learned

Model = TypeVar("Model", bound=nn.Module)


class Undrawn(TorchFunctionMode):
    """Inside the ``with`` new tensors are left as they are, in this thread alone: where there are no numbers, or others
    will take their place, none need be drawn, and drawing them takes longer than all the rest."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func.__name__ in ("normal_", "uniform_", "trunc_normal_", "kaiming_uniform_"):
            return args[0] if args else kwargs["tensor"]
        return func(*args, **kwargs)


def initialise(model: Model, width: int, *, residual: float = 1.0) -> Model:
    """Give every weight a normal random number, every position its waves, every bias zero, every norm the scale one;
    returns the model.

    ``residual`` scales the last map of each branch of a block, so that a deep sum does not grow with its depth
    (Radford et al. 2019, section 2.3).
    """
    # A sum over W numbers of deviation s has one of s * root(W): to keep it, s grows as W shrinks. At 768 it is 0.02.
    std = 0.02 * (768 / width) ** 0.5
    for part in model.modules():
        if isinstance(part, Block | DecoderBlock):
            part.residual = residual
    initialise_evenly(model, std)
    for part in model.modules():
        if isinstance(part, Learned):
            waves(part.table.weight[part.first :], std)
            nn.init.zeros_(part.table.weight[: part.first])
    return model


def initialise_evenly(model: Model, std: float) -> Model:
    """Give every weight and every position a normal random number of one deviation, every bias zero, every norm the
    scale one, as the papers do; returns the model."""
    for part in model.modules():
        if isinstance(part, nn.Linear | nn.Embedding):
            nn.init.normal_(part.weight, std=std)
        if isinstance(part, nn.Linear) and part.bias is not None:
            nn.init.zeros_(part.bias)
        if isinstance(part, nn.LayerNorm | nn.RMSNorm):
            part.reset_parameters()
    for part in model.modules():
        if isinstance(part, Block | DecoderBlock):
            # The two maps that end the branches of a block are drawn again, smaller where the sum they add to is deep.
            nn.init.normal_(part.attention.out.weight, std=std * part.residual)
            nn.init.normal_(part.feed.down.weight, std=std * part.residual)
    return model


def initialise_recurrent(model: Model) -> Model:
    """Give a recurrent model its numbers; returns the model.

    Zaremba et al. start all from small even numbers. Here tokens are further apart and enter the gates strongly, so
    that the gates have something to decide from the first step; a narrow model then learns many times sooner.
    """
    for part in model.modules():
        if isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, std=0.3)
        if isinstance(part, nn.Linear):
            nn.init.normal_(part.weight, std=part.in_features**-0.5)
        if isinstance(part, nn.Linear) and part.bias is not None:
            nn.init.zeros_(part.bias)
        if isinstance(part, nn.Conv1d):
            nn.init.normal_(part.weight, std=part.weight[0].numel() ** -0.5)
        if isinstance(part, nn.LSTM):
            for name, value in part.named_parameters():
                if name.startswith("bias"):
                    nn.init.zeros_(value)
                elif name.startswith("weight_ih"):
                    nn.init.normal_(value, std=2 * part.input_size**-0.5)
    for part in model.modules():
        if isinstance(part, Highway):
            nn.init.constant_(part.gate.bias, -2)  # it begins by carrying
    return model


@torch.no_grad()
def initialise_seeking(model: Model, width: int, *, tied: bool) -> Model:
    """Give an encoder-decoder that knows places by their distance alone (T5) its numbers; returns the model.

    Beyond ``initialise``, it begins by looking where there is something to be found: heads near by, each with a slope
    of its own (Press et al. 2022 keep such slopes for good), an encoder's by turns to the left and to the right; and
    keys of cross-attention as queries do, so that a token seeks its like and a sentinel itself. Where the head is
    ``tied`` it divides by the root of the width, and the last norm makes up for that. From the authors' start,
    ``initialise_unscaled``, a narrow decoder does not look at its source for thousands of steps.
    """
    initialise(model, width)
    if next(model.parameters()).is_meta:  # a shape without numbers, made to be counted
        return model
    for part in model.modules():
        if isinstance(part, Buckets):
            slopes(part)
        if isinstance(part, CrossAttention):
            part.kv.weight[: len(part.q.weight)] = part.q.weight
    if tied:
        nn.init.constant_(model.get_parameter("decoder.norm.weight"), width**0.5)
    return model


@torch.no_grad()
def slopes(distances: Buckets) -> None:
    """Let every head begin with less for each bucket farther away, and two steps less on one of the sides."""
    table = distances.table.weight  # (buckets, H)
    away = torch.arange(len(table) // (2 if distances.both else 1), dtype=table.dtype, device=table.device)
    for head in range(table.shape[1]):
        if not distances.both:
            table[:, head] = -away * 2.0 ** (-4 * head / table.shape[1])
            continue
        slope = 2.0 ** -(head // 2)
        left, right = table[: len(away), head], table[len(away) :, head]  # the token itself is in the left half
        left.copy_(-away * slope)
        right.copy_(-away * slope)
        (right if head % 2 else left[1:]).sub_(2 * slope)


@torch.no_grad()
def initialise_unscaled(model: Model, std: float) -> Model:
    """Give a model whose scores are not scaled its numbers as T5's authors do; returns the model.

    Token vectors have this deviation; a map has it divided by the root of how many numbers it adds up, so that it keeps
    the size of what it reads; queries are smaller by the root of a head's width, which other models divide their scores
    by (Raffel et al. 2019, in the authors' code, where ``std`` is 1).
    """
    for part in model.modules():
        if isinstance(part, nn.Linear):
            nn.init.normal_(part.weight, std=std * part.in_features**-0.5)
        if isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, std=std)
        if isinstance(part, nn.RMSNorm):
            part.reset_parameters()
    width: int = model.get_parameter("encoder.embed.tokens.weight").shape[1]
    for part in model.modules():
        if isinstance(part, Buckets):
            nn.init.normal_(part.table.weight, std=std * width**-0.5)
        if isinstance(part, OwnHead):
            nn.init.normal_(part.out.weight, std=std * 0.02 * (768 / width) ** 0.5)
        if isinstance(part, Attention):
            part.qkv.weight[: part.heads * part.head_width] *= part.head_width**-0.5
        if isinstance(part, CrossAttention):
            part.q.weight.mul_(part.head_width**-0.5)
    return model


@torch.no_grad()
def waves(table: Tensor, std: float) -> None:
    """Fill a position table (P, W) with sines and cosines of that deviation (Vaswani et al. 2017, section 3.5)."""
    if table.is_meta:  # a shape without numbers, made to be counted
        return
    positions, width = table.shape
    # Waves from one radian a token down to a ten-thousandth: near positions are alike, far ones are not.
    half = (width + 1) // 2
    speeds = 10_000.0 ** (-torch.arange(half, device=table.device) / half)  # (W/2,)
    angles = torch.arange(positions, device=table.device)[:, None] * speeds  # (P, W/2)
    table.copy_(torch.cat([angles.sin(), angles.cos()], dim=1)[:, :width] * (std * 2**0.5))
