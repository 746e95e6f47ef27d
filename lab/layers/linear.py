"""Linear attention: queries and keys as positive features, whose products need no softmax (Katharopoulos et al. 2020).

The product of queries and keys is never made: keys and values are multiplied first and summed up, over all tokens or,
from left to right, as a running sum. A text twice as long takes twice the time, and one that is written token by token
needs no more than the sum. As in the paper, nothing is scaled; and what is never made cannot be dropped out.

B batch   T tokens that look   S tokens looked at   H heads   G heads of keys and values   K head width   N chunks
C tokens of a chunk
"""

import torch
from torch import Tensor
from torch.nn import functional

from lab.layers.attention import Attention, for_all, joined
from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask, full_mask

CHUNK = 64  # tokens that look at each other directly, and at all before them through the sum


class LinearAttention(Attention):
    """Attention without a softmax. Any table but "all" and "causal" takes the whole map, as watching does."""

    takes_prefix = False  # its sums have no place in front
    takes_places = False

    def look(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask, past: KeysValues | None) -> Tensor:
        if past is None or self.watch.watched:  # a map needs all keys
            return super().look(q, k, v, mask, past)
        k, v = for_all(q, k, v)  # (B, H, T, K)
        if mask.table is not None:  # the beginning, which is read as the table says and then written on
            past.sum_up(features(k).mT @ _counted(v), q.shape[2])
            return self.gather(q, k, v, mask)
        x, sums = running(features(q), features(k), _counted(v), past.sums)
        past.sum_up(sums, q.shape[2])
        return joined(_mean(x))  # (B, T, H * K)

    def _mapped(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> Tensor:
        assert mask.bias is None, "features have no scores to which a bias could be added"
        k, v = for_all(q, k, v)  # (B, H, S, K)
        products = features(q) @ features(k).mT  # (B, H, T, S)
        table = full_mask(mask, q.shape[2], k.shape[2], q.device)
        if table is not None:
            products = products.masked_fill(~table, 0)
        return self.watch(products / products.sum(-1, keepdim=True)) @ v  # (B, H, T, K)

    def _fused(self, q: Tensor, k: Tensor, v: Tensor, mask: AttentionMask) -> Tensor:
        if mask.table is not None or mask.bias is not None:
            return self._mapped(q, k, v, mask)
        k, v = for_all(q, k, v)  # (B, H, S, K)
        q, k, v = features(q), features(k), _counted(v)
        seen = k if mask.real is None else k * mask.real[:, None, :, None]  # nobody looks at padding
        x = running(q, seen, v)[0] if mask.causal else q @ (seen.mT @ v)  # (B, H, T, K + 1)
        if mask.real is not None:
            x = x + (q * (k - seen)).sum(-1, keepdim=True) * v  # but for padding at itself
        return _mean(x)  # (B, H, T, K)


def features(x: Tensor) -> Tensor:
    """elu(x) + 1, in a form that rounds no small feature to zero."""
    return functional.relu(x) + x.clamp(max=0).exp()


def running(q: Tensor, k: Tensor, v: Tensor, sums: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The sum over s up to t of (q_t k_s) v_s, which begins with ``sums`` (B, H, K, ·) of tokens before; and the sum
    behind the last token. Within a chunk products are made and cut to a triangle, of all chunks before only the sum is
    looked at."""
    t, width = q.shape[2], min(CHUNK, q.shape[2])
    q, k, v = (functional.pad(x, (0, 0, 0, -t % width)).unflatten(2, (-1, width)) for x in (q, k, v))  # (B, H, N, C, ·)
    each = k.mT @ v  # (B, H, N, K, ·)
    first = torch.zeros_like(each[:, :, 0]) if sums is None else sums
    so_far = torch.cat([first[:, :, None], each], 2).cumsum(2)  # (B, H, N + 1, K, ·)
    x = (q @ k.mT).tril() @ v + q @ so_far[:, :, :-1]  # (B, H, N, C, ·)
    return x.flatten(2, 3)[:, :, :t], so_far[:, :, -1]


def _counted(v: Tensor) -> Tensor:
    """Values with a one behind them, so that a weighted sum holds the sum of the weights, too: (B, H, S, K + 1)."""
    return functional.pad(v, (0, 1), value=1.0)


def _mean(x: Tensor) -> Tensor:
    return x[..., :-1] / x[..., -1:]
