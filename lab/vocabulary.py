"""A vocabulary: how many token ids there are, which are special tokens, and how each is spelt."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lab.settings import SettingsError
from lab.word_borders import closes, kind, opens

PAD, UNKNOWN, BEGIN, SEPARATE, MASK, END = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[END]")
BOS = "[BOS]"  # what an imported model is told to begin with where its tokenizer puts nothing before a text
_ENDS = re.compile(r"\[END( \d+)?\]")
_STOP = re.compile(r"[.!?…。！？][\"'”’)\]」』）]*$|\n$")
_REACH = 4  # neighbours in the alphabet to each side


@dataclass(frozen=True)
class Cooccurrences:
    """How often two tokens stand near each other in a text: a ``key`` is one id times the vocabulary's size plus the
    other."""

    keys: NDArray[np.int64]  # (P,) ascending
    times: NDArray[np.float64]  # (P,)


@dataclass(frozen=True)
class Vocabulary:
    """How many ids there are, which of them have a meaning of their own, and where words begin.

    ``spelling`` gives the bytes of every id, when somebody first asks; without it each token is a word. ``counts``
    (V,) says how often each stands in the text that a run learns from, ``cooccurrences`` how often two stand near each
    other. ``neighbours`` (V, N) are those that mean about the same, where vectors have been learnt; the rest of a row
    is -1.
    """

    size: int
    specials: dict[str, int]
    spelling: Callable[[], Sequence[bytes]] | None = field(default=None, compare=False, repr=False)
    counts: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)
    cooccurrences: Cooccurrences | None = field(default=None, compare=False, repr=False)
    neighbours: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)

    pad = property(lambda self: self.role(PAD))
    unknown = property(lambda self: self.specials.get(UNKNOWN, -1))  # an imported one may know every character
    begin = property(lambda self: self.role(BEGIN))
    separate = property(lambda self: self.role(SEPARATE))
    mask = property(lambda self: self.role(MASK))
    end = property(lambda self: self.role(END))
    start = property(lambda self: self.role(BOS if BOS in self.specials else END))  # before a text
    gap = property(lambda self: self.specials.get(MASK, -1))  # what marks a gap: no id, where there is no mask

    @property
    def marks(self) -> tuple[int, ...]:
        """The special tokens beyond those that every vocabulary has, in ascending order."""
        roles = {self.specials[name] for name in SPECIALS if name in self.specials}
        return tuple(sorted(set(self.specials.values()) - roles))

    @cached_property
    def ends(self) -> frozenset[int]:
        """What ends a text: [END], and what an imported model may say instead, which is [END 2] and so on."""
        return frozenset(number for name, number in self.specials.items() if _ENDS.fullmatch(name))

    @cached_property
    def ordinary(self) -> NDArray[np.int64]:
        """All ids that stand for text, in ascending order."""
        return np.flatnonzero(~self._special)

    @cached_property
    def _special(self) -> NDArray[np.bool_]:
        table = np.zeros(self.size, dtype=bool)
        table[list(self.specials.values())] = True
        return table

    def words(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of the word that each token belongs to, counted along its row; -1 at special tokens: (B, T).

        A word begins at a blank, at punctuation and at every Chinese token, and it ends at punctuation, too. A blank
        that is a token of its own belongs to the word behind it.
        """
        special = self.is_special(ids)
        opens, closes = (side[ids] | special for side in self._edges)
        begins = opens.copy()
        begins[:, 1:] |= closes[:, :-1]
        return np.where(special, -1, begins.cumsum(axis=1))

    def stops(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Behind which tokens a sentence is over: a full stop in either script, a new line, the end of a text."""
        return self._stops[ids]

    @cached_property
    def _stops(self) -> NDArray[np.bool_]:
        table = np.array([bool(_STOP.search(token.decode("utf-8", "ignore"))) for token in self._spelt])
        table[[self.specials[END]] if END in self.specials else []] = True
        return table

    def spelt(self, ids: NDArray[np.int64]) -> list[bytes]:
        """The bytes of each id, one by one; none for special tokens."""
        spellings = self._spelt
        return [spellings[i] for i in ids.tolist()]

    def script(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """1 at tokens that open with a character of East Asia, -1 at those with a Latin letter, 0 at others."""
        return self._script[ids]

    @cached_property
    def _script(self) -> NDArray[np.int64]:
        opening = [token.strip()[:1] for token in self._spelt]
        return np.array([int(b"\xe3" <= start < b"\xf0") - start.isalpha() for start in opening], dtype=np.int64)

    @cached_property
    def alike(self) -> NDArray[np.int64]:
        """For each id the tokens that are most like it, nearest first, the rest -1: (V, N).

        They are its ``neighbours`` where such are known, else those next to it in the alphabet among the tokens of its
        kind. Two kinds never mix: what begins a word and what goes on with one; letters, digits, punctuation, and
        Chinese of each length. A special token is like no other.
        """
        if self.neighbours is not None:
            return self.neighbours
        neighbours = np.full((self.size, 2 * _REACH), -1, dtype=np.int64)
        order = np.array(sorted(self.ordinary.tolist(), key=lambda i: (self.kinds[i], self._spelt[i])), dtype=np.int64)
        kinds = np.array([self.kinds[i] for i in order])
        for reach in range(1, min(_REACH, len(order) - 1) + 1):
            same = kinds[reach:] == kinds[:-reach]
            left, right = order[:-reach][same], order[reach:][same]
            neighbours[right, 2 * reach - 2], neighbours[left, 2 * reach - 1] = left, right
        return neighbours

    @cached_property
    def _spelt(self) -> Sequence[bytes]:
        return self.spelling() if self.spelling else [i.to_bytes(4, "big") for i in range(self.size)]

    @cached_property
    def _edges(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which ids open a word wherever they stand, and behind which a word is over: two (V,)."""
        if self.spelling is None:
            return np.ones(self.size, dtype=bool), np.ones(self.size, dtype=bool)
        return np.array([opens(token) for token in self._spelt]), np.array([closes(token) for token in self._spelt])

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each token, by ``lab.word_borders``; of words without a spelling all are alike."""
        return ["" if self.spelling is None else kind(token) for token in self._spelt]

    def is_special(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the ids have a meaning of their own; the same shape as ``ids``. The unknown token counts."""
        return self._special[ids]

    def role(self, name: str) -> int:
        """The id of the special token of this name. Raises SettingsError where the tokenizer has none."""
        if name not in self.specials:  # of an imported tokenizer
            raise SettingsError(
                f"this model's tokenizer has no token that serves as {name}",
                f"这个模型的分词器没有可用作 {name} 的词元",
            )
        return self.specials[name]
