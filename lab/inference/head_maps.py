"""The linear maps of one head: which weights make its queries, keys and values, and which take up what it gathers.

W width   K head width   H heads   G heads of keys and values
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from lab.layers.attention import Attending, Attention, CrossAttention
from lab.layers.disentangled import OwnPlaces, SharedPlaces
from lab.layers.relative import RelativeAttention


@dataclass(frozen=True, kw_only=True)
class HeadMap:
    """x @ weight.T + bias; what is biased otherwise, or not at all, has zeros."""

    weight: Tensor  # (K, W); of the output (W, K)
    bias: Tensor  # (K,); of the output (W,)

    def __call__(self, x: Tensor) -> Tensor:
        """``x`` (..., W)."""
        return x @ self.weight.mT + self.bias


def query_key_value(part: Attending, head: int, heads: int) -> tuple[HeadMap, HeadMap, HeadMap]:
    """Of a head, counted from 0, of so many ``heads``. Neighbours may share their keys and values."""
    weight, bias, groups = _together(part, heads)
    width = len(weight) // (heads + 2 * groups)
    shared = head * groups // heads
    rows = [at * width for at in (head, heads + shared, heads + groups + shared)]
    q, k, v = (HeadMap(weight=weight[row : row + width], bias=bias[row : row + width]) for row in rows)
    return q, k, v


def output(part: Attending, head: int, heads: int) -> HeadMap:
    """The columns of the output projection that this head feeds; their bias is that of all heads together."""
    weight, bias = part.out.weight, part.out.bias
    width = weight.shape[1] // heads
    none = weight.new_zeros(len(weight))
    return HeadMap(weight=weight[:, head * width : (head + 1) * width], bias=none if bias is None else bias)


def _together(part: Attending, heads: int) -> tuple[Tensor, Tensor, int]:
    """The weights of all queries, keys and values under one another, their biases, and G."""
    if isinstance(part, Attention):
        return part.qkv.weight, _bias(part.qkv.bias, part.qkv.weight), part.kv_heads
    if isinstance(part, OwnPlaces):
        none = torch.zeros_like(part.query_bias)
        return part.qkv.weight, torch.cat([part.query_bias, none, part.value_bias]), heads
    if isinstance(part, SharedPlaces):
        return part.qkv.weight, part.qkv.bias, heads
    assert isinstance(part, CrossAttention | RelativeAttention), f"no maps of {type(part).__name__} are named"
    weight = torch.cat([part.q.weight, part.kv.weight])
    if isinstance(part, RelativeAttention):  # its queries meet keys with a bias of each head
        return weight, torch.cat([part.token_bias.flatten(), weight.new_zeros(len(part.kv.weight))]), heads
    return weight, torch.cat([_bias(part.q.bias, part.q.weight), _bias(part.kv.bias, part.kv.weight)]), heads


def _bias(bias: Tensor | None, weight: Tensor) -> Tensor:
    return weight.new_zeros(len(weight)) if bias is None else bias
