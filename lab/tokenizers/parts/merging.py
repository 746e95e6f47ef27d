"""Byte-pair encoding in one screen: merge the most frequent pair of neighbours, count again, and so on.

Most of a text stays as it is when one pair is merged. So the pairs are counted once; after a merge only those beside it
are counted anew, in the words that hold it. A queue keeps the most frequent pair in front: a pair is put in again when
its count rises, and one whose count has fallen since is put back at its true place when it comes up.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add
from typing import Any

Token = Any  # whatever can be joined: bytes, or strings
TIES = ("smallest", "greatest")  # among equally frequent pairs: the smaller ids first, or the greater tokens


@dataclass(frozen=True)
class Merge:
    """One step of learning: these two became one."""

    left: Token
    right: Token
    token: Token
    count: int  # how often the two were neighbours
    words: int  # how many different words the merge changed


class Merging:
    """Words as lists of tokens, getting shorter merge by merge.

    ``words`` are the tokens of each word and how often it occurs, ``alphabet`` all first tokens in the order of their
    ids. A pair that occurs fewer than ``least`` times is not merged. ``join`` says what two tokens become.
    """

    def __init__(
        self,
        words: Iterable[tuple[Sequence[Token], int]],
        alphabet: Iterable[Token],
        *,
        ties: str = "smallest",
        least: int = 2,
        join: Callable[[Token, Token], Token] = add,
    ) -> None:
        given = [(list(tokens), times) for tokens, times in words]
        self.words = [tokens for tokens, _ in given]
        self.pairs: Counter[tuple[Token, Token]] = Counter()
        self.ids: dict[Token, int] = {token: number for number, token in enumerate(alphabet)}
        self._times = [times for _, times in given]
        self._where: dict[Hashable, set[int]] = defaultdict(set)
        self._ties, self._least, self._join = ties, least, join
        for number in range(len(given)):
            self._count(number)
        self._queue = [self._place(pair) for pair in self.pairs]
        heapq.heapify(self._queue)

    def __iter__(self) -> Iterator[Merge]:
        """The merges, one by one, until no pair is frequent enough."""
        while self._queue:
            minus, _, pair = heapq.heappop(self._queue)
            count = self.pairs[pair]
            if count == -minus and count >= self._least:
                yield self._merge(pair, count)
            elif self._least <= count < -minus:
                heapq.heappush(self._queue, self._place(pair))

    def front(self, n: int) -> list[tuple[tuple[Token, Token], int]]:
        """The ``n`` pairs that come first now, with their counts."""
        often = (pair for pair, count in self.pairs.items() if count >= self._least)
        return [(pair, self.pairs[pair]) for pair in heapq.nsmallest(n, often, key=self._place)]

    def _merge(self, pair: tuple[Token, Token], count: int) -> Merge:
        token = self._join(*pair)
        self.ids.setdefault(token, len(self.ids))
        risen: set[tuple[Token, Token]] = set()
        changed = sum(self._shorten(number, pair, token, risen) for number in self._where.pop(pair))
        for each in risen:
            heapq.heappush(self._queue, self._place(each))
        return Merge(*pair, token, count, changed)

    def _shorten(self, number: int, pair: tuple[Token, Token], token: Token, risen: set[tuple[Token, Token]]) -> bool:
        """Merge a pair in one word, and count anew what stands beside it; False if another merge has taken it apart."""
        left, right = pair
        tokens, pairs, times = self.words[number], self.pairs, self._times[number]
        before, last, at = len(tokens), len(tokens) - 1, 0
        while at < last:
            if tokens[at] == left and tokens[at + 1] == right:
                tokens[at : at + 2] = [token]
                pairs[pair] -= times
                last -= 1
                for old, new in self._beside(tokens, at, pair):
                    pairs[old] -= times
                    pairs[new] += times
                    self._where[new].add(number)
                    risen.add(new)
            at += 1
        return len(tokens) < before

    @staticmethod
    def _beside(tokens: Sequence[Token], at: int, pair: tuple[Token, Token]) -> Iterator[tuple[Any, Any]]:
        """The pairs that a merge ends, and those that begin in their place."""
        if at > 0:
            yield (tokens[at - 1], pair[0]), (tokens[at - 1], tokens[at])
        if at + 1 < len(tokens):
            yield (pair[1], tokens[at + 1]), (tokens[at], tokens[at + 1])

    def _count(self, number: int) -> None:
        """Add the pairs of a word."""
        for pair in pairwise(self.words[number]):
            self.pairs[pair] += self._times[number]
            self._where[pair].add(number)

    def _place(self, pair: tuple[Token, Token]) -> tuple[int, Any, tuple[Token, Token]]:
        """What the queue is sorted by: the count, and then what the rule for ties says."""
        rank = (self.ids[pair[0]], self.ids[pair[1]]) if self._ties == "smallest" else _Falling(pair)
        return -self.pairs[pair], rank, pair


class _Falling(tuple[Token, Token]):
    """A pair that is sorted from the greatest to the smallest."""

    __lt__ = tuple.__gt__


def merged(tokens: Sequence[Token], pair: tuple[Token, Token], token: Token) -> list[Token]:
    """The tokens with each ``pair`` as one ``token``, from left to right."""
    left, right = pair
    joined: list[Token] = []
    at, last = 0, len(tokens) - 1
    while at <= last:
        whole = tokens[at] == left and at < last and tokens[at + 1] == right
        joined.append(token if whole else tokens[at])
        at += 1 + whole
    return joined


def encode(tokens: Sequence[Token], ranks: Mapping[tuple[Token, Token], int]) -> list[Token]:
    """A word as a learnt tokenizer writes it: of all pairs in it the one learnt first is merged, again and again.

    ``ranks`` are the merges and when each was learnt.
    """
    spelt = list(tokens)
    while mergeable := [pair for pair in pairwise(spelt) if pair in ranks]:
        pair = min(mergeable, key=lambda candidate: ranks[candidate])
        spelt = merged(spelt, pair, add(*pair))
    return spelt
