"""What one search may take: the keys and values of its hypotheses within bounds, its time, and none twice.

Thirty visitors may have the same fold open. Searches take turns by themselves (lab/serve/places.py), so that it is
enough that none of them holds a place for long.
"""

import time
from collections.abc import Iterator
from typing import TypeVar

from lab.inference.model import Trained
from lab.settings import SettingsError
from lab.ui.shell.lru import Kept

CACHED = 2**27  # numbers in the keys and values of all hypotheses together: half a gigabyte
SECONDS = 10.0  # after which a search that can be stopped is stopped

found = Kept(64)  # searches by what was asked: those who ask for the same find it
T = TypeVar("T")


def bearable(trained: Trained, texts: int, tokens: int) -> None:
    """Raises SettingsError where so many texts of so many tokens each would be too much to keep by this model."""
    shape = trained.run.settings_of("model")
    each = 2 * (shape.decoder_depth or shape.depth) * shape.width * min(tokens, trained.context)
    if texts * each > CACHED:
        most = CACHED // (texts * 2 * (shape.decoder_depth or shape.depth) * shape.width)
        raise SettingsError(
            f"{texts} texts side by side may have {most:,} tokens each with this model, and these would have "
            f"{tokens:,}: shorten the text, or search with fewer candidates or beams",
            f"用这个模型同时搜索 {texts} 段文本时，每段最多 {most:,} 个词元，而现在有 {tokens:,} 个："
            "请缩短文本，或减少候选数或束数",
        )


def in_time(values: Iterator[T]) -> tuple[list[T], bool]:
    """The values that come within the time, and whether time was up before they were over."""
    until, came = time.monotonic() + SECONDS, list[T]()
    for value in values:
        if time.monotonic() > until and came:
            return came, True
        came.append(value)
    return came, False
