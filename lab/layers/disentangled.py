"""Disentangled attention: what a token is and how far away it stands are asked about apart (He et al. 2020, section 3).

A score adds three products: of a token's query with another's key, of its query with the key of their distance, and
of the other's key with the query of their distance. The paper has the last product look the distance up from the
other side; the authors' code and transformers look it up from the same, and so does this file.

B batch   T tokens that look   S tokens looked at   D distances   W width   H heads   K head width
"""

from abc import abstractmethod

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.layers.attention import Attending
from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask, rows_of
from lab.layers.partial import taken
from lab.layers.positions import check_length


class Distances(nn.Module):
    """One learned vector for each distance between two tokens, or for each bucket of distances; all blocks share it."""

    def __init__(
        self,
        context: int,
        width: int,
        *,
        buckets: int | None = None,
        norm: nn.Module | None = None,
        dropout: float = 0.0,
    ) -> None:
        """A row for each distance up to ``context``, ahead and behind; or for each of so many ``buckets``."""
        super().__init__()
        self.context = context
        self.buckets = buckets
        self.table = nn.Embedding(2 * (buckets or context), width)
        self.norm = norm or nn.Identity()
        self.dropout = nn.Dropout(dropout)

    def forward(self, t: int, s: int) -> Tensor:
        """The vectors of the distances s, s - 1, ..., -t: (D, W), where the last ``t`` of ``s`` tokens look."""
        check_length(s, self.context)
        distances = torch.arange(s, -t - 1, -1, device=self.table.weight.device)  # (D,)
        if self.buckets is not None:
            distances = log_buckets(distances, self.buckets // 2, self.context)
        half = self.table.num_embeddings // 2
        rows: Tensor = self.table((distances + half).clamp(0, 2 * half - 1))
        return self.dropout(self.norm(rows))


def log_buckets(distances: Tensor, near: int, far: int) -> Tensor:
    """Distances up to ``near`` as they are, those beyond by their logarithm, so that ``far - 1`` falls into bucket
    2 near - 1. In single precision, as in transformers: at a bucket's edge a rounding decides."""
    size = distances.abs()
    share = torch.log(size.clamp(min=near) / near) / torch.tensor((far - 1) / near).log()  # float32
    beyond = torch.ceil(share * (near - 1)) + near
    return torch.where(size <= near, distances, (beyond * distances.sign()).nan_to_num().long())


class Disentangled(Attending):
    """Attention to contents and to distances; how both are projected is left to the two kinds below."""

    takes_places = True

    def __init__(self, width: int, heads: int, distances: Distances, *, dropout: float = 0.0) -> None:
        super().__init__(scale=(3 * width / heads) ** -0.5, dropout=dropout)  # a score is a sum of three
        self.heads = heads
        self.distances = distances
        self.out = nn.Linear(width, width)

    @abstractmethod
    def contents(self, x: Tensor, query: Tensor) -> tuple[Tensor, ...]:
        """Queries (B, T, W) of ``query``, keys and values of ``x``."""

    @abstractmethod
    def places(self, rows: Tensor) -> tuple[Tensor, ...]:
        """Queries and keys of distances: (D, W) each."""

    def forward(
        self, x: Tensor, mask: AttentionMask, past: KeysValues | None = None, query: Tensor | None = None
    ) -> Tensor:
        """``x`` (B, T, W) looks at itself; where there is a ``query`` (B, T, W), this looks at ``x``, whose keys and
        values ``past`` holds already. Where only P tokens look, there are as many queries."""
        only, t = mask.only, x.shape[1]
        if only is not None and query is None:
            query = taken(x, only)  # (B, P, W)
        q, k, v = (self._split(part) for part in self.contents(x, x if query is None else query))  # (B, H, T, K)
        if past is not None:
            k, v = past.extend(k, v) if query is None else past.held()  # (B, H, S, K)
        to_place, from_place = self._by_distance(q, k, t)  # (B, H, T, D), (B, H, S, D)
        if only is not None:
            bias = picked(to_place, from_place, only)  # (B, H, P, S)
            return self.out(self.gather(q, k, v, rows_of(mask, only, t).biased(bias)))  # (B, P, W)
        bias = slid(to_place, k.shape[2]) + slid(from_place, t).mT  # (B, H, T, S)
        return self.out(self.gather(q, k, v, mask.biased(bias)))  # (B, T, W)

    def terms(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """What distances add to the scores of queries (B, H, T, K) with keys (B, H, S, K), scaled as these are:
        content to position and position to content, (B, H, T, S) each."""
        to_place, from_place = self._by_distance(q, k, q.shape[2])
        return slid(to_place, k.shape[2]), slid(from_place, q.shape[2]).mT

    def _by_distance(self, q: Tensor, k: Tensor, t: int) -> tuple[Tensor, Tensor]:
        # As many distances as there are diagonals in the map: T + S, not T * S. Each is scored once and then slid to
        # where it belongs.
        rows = self.distances(t, k.shape[2])  # (D, W)
        place_q, place_k = (self._split(part * (3 * q.shape[-1]) ** -0.5) for part in self.places(rows))  # (H, D, K)
        # Content to position: how much does this token look three to the left? Position to content: how much is that
        # token looked for from there? Position to position would say nothing about the text, and is left out.
        to_place = torch.einsum("bhtk,hdk->bhtd", q, place_k)  # (B, H, T, D)
        from_place = torch.einsum("bhsk,hdk->bhsd", k, place_q.flip(1))  # (B, H, S, D)
        return to_place, from_place

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(-3, -2)


def slid(scores: Tensor, count: int) -> Tensor:
    """Each row moved to the left, the last by one place, the one before it by two and so on; the first ``count``
    columns: from scores by distance (..., R, D) to scores by token (..., R, count). Not a number is copied.

    Going down a row, one and the same token is one farther away.
    """
    rows, distances = scores.shape[-2:]
    return scores.flatten(-2)[..., rows:].unflatten(-1, (rows, distances - 1))[..., :count]


def picked(to_place: Tensor, from_place: Tensor, only: Tensor) -> Tensor:
    """The two sums for those who look alone, at the places ``only`` (B, P), of scores by distance (B, H, P, D) and
    (B, H, T, D): (B, H, P, T)."""
    t, heads = from_place.shape[2], from_place.shape[1]
    # A row of distances begins T ahead: the token at s is T - p + s entries along for who looks from p, and the other
    # way round.
    tokens, places = torch.arange(t, device=only.device), only[:, None, :, None].expand(-1, heads, -1, t)
    ahead = to_place.gather(3, t - places + tokens)  # (B, H, P, T)
    return ahead + from_place.gather(3, t - tokens[:, None] + places.mT).mT


class OwnPlaces(Disentangled):
    """Distances have projections of their own. Keys have no bias, neither those of tokens nor those of distances."""

    def __init__(self, width: int, heads: int, distances: Distances, *, dropout: float = 0.0) -> None:
        super().__init__(width, heads, distances, dropout=dropout)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.query_bias = nn.Parameter(torch.zeros(width))
        self.value_bias = nn.Parameter(torch.zeros(width))
        self.place_query = nn.Linear(width, width)
        self.place_key = nn.Linear(width, width, bias=False)

    def contents(self, x: Tensor, query: Tensor) -> tuple[Tensor, ...]:
        bias = torch.cat([self.query_bias, torch.zeros_like(self.query_bias), self.value_bias])  # (3 W,)
        return _three(x, query, self.qkv.weight, bias)

    def places(self, rows: Tensor) -> tuple[Tensor, ...]:
        return self.place_query(rows), self.place_key(rows)


class SharedPlaces(Disentangled):
    """Distances are projected as tokens are."""

    def __init__(self, width: int, heads: int, distances: Distances, *, dropout: float = 0.0) -> None:
        super().__init__(width, heads, distances, dropout=dropout)
        self.qkv = nn.Linear(width, 3 * width)

    def contents(self, x: Tensor, query: Tensor) -> tuple[Tensor, ...]:
        return _three(x, query, self.qkv.weight, self.qkv.bias)

    def places(self, rows: Tensor) -> tuple[Tensor, ...]:
        both = 2 * rows.shape[-1]
        return functional.linear(rows, self.qkv.weight[:both], self.qkv.bias[:both]).chunk(2, -1)


def _three(x: Tensor, query: Tensor, weight: Tensor, bias: Tensor) -> tuple[Tensor, ...]:
    """Queries, keys and values by one matrix (3 W, W)."""
    if query is x:
        return functional.linear(x, weight, bias).chunk(3, -1)
    width = x.shape[-1]
    kv = functional.linear(x, weight[width:], bias[width:])
    return functional.linear(query, weight[:width], bias[:width]), *kv.chunk(2, -1)
