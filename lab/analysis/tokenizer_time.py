"""Forecast of tokenizer training time, from the time that two beginnings of the text take."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

SHARES = (2**15, 2**17)  # characters of the two beginnings


@dataclass(frozen=True)
class Foretold:
    """Seconds, and on what they rest."""

    seconds: float
    characters: int

    @property
    def en(self) -> str:
        """For people."""
        return f"{self.characters:,} characters to learn from: about {self.seconds:,.0f} s on this machine"

    @property
    def zh(self) -> str:
        """The same in Chinese."""
        return f"共 {self.characters:,} 个字符，在这台机器上大约需要 {self.seconds:,.0f} 秒"


Learn = Callable[[list[str]], Any]


def foretold(learn: Learn, texts: Sequence[str]) -> Foretold:
    """The time that ``learn`` will take for all ``texts``. The two beginnings are learnt from to find out; a text that
    is hardly longer than they are is not tried twice."""
    characters = sum(map(len, texts))
    if characters <= 2 * SHARES[1]:
        return Foretold(_seconds(learn, texts, SHARES[0]) * max(characters / SHARES[0], 1), characters)
    short, long = (_seconds(learn, texts, share) for share in SHARES)
    grows = math.log(max(long / short, 1.0)) / math.log(
        SHARES[1] / SHARES[0]
    )  # 1 where twice the text takes twice as long
    return Foretold(long * (characters / SHARES[1]) ** min(max(grows, 0.5), 1.0), characters)


def _seconds(learn: Learn, texts: Sequence[str], characters: int) -> float:
    beginning = list(_beginning(texts, characters))
    started = time.perf_counter()
    if any(beginning):
        learn(beginning)
    return time.perf_counter() - started


def _beginning(texts: Sequence[str], characters: int) -> Iterator[str]:
    for text in texts:
        if characters <= 0:
            return
        yield text[:characters]
        characters -= len(text)
