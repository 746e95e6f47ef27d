"""Exposure bias: a model learns behind people's words and writes behind its own. What it writes is held against what
people wrote, by how far either is from the words that both begin with.

P prompts   B bytes   N windows
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.inference.model import Trained
from lab.inference.sampler_chain import Chain
from lab.inference.sampling import sample
from lab.inference.scoring import bits_behind
from lab.spelling import text_of

Bits = NDArray[np.float64]


@dataclass(frozen=True)
class Begun:
    """A text of people's, cut in two."""

    prompt: str
    rest: str


@dataclass(frozen=True, kw_only=True)
class Surprise:
    """The judge's surprise at texts in bits per byte, window by window: the mean over those that reach so far, and its
    standard error, which is not a number where it is one text only."""

    mean: Bits  # (N,)
    error: Bits  # (N,)
    texts: NDArray[np.int64]  # (N,)

    @classmethod
    def of(cls, texts: Sequence[Bits], window: int) -> "Surprise":
        """Of the bits of each byte of the texts, (B,) each; a window is so many bytes, and only whole ones count."""
        windows = [bits[: len(bits) // window * window].reshape(-1, window).mean(1) for bits in texts]
        table = np.full((len(texts), max(map(len, windows), default=0)), np.nan)
        for row, values in zip(table, windows, strict=True):
            row[: len(values)] = values
        count = np.isfinite(table).sum(0)
        mean = np.nansum(table, 0) / np.maximum(count, 1)
        spread = np.nansum((table - mean) ** 2 * np.isfinite(table), 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.sqrt(spread / (count - 1) / count)
        return cls(mean=mean, error=error, texts=count)


def begun(text: str, characters: int) -> Begun | None:
    """A text cut behind so many characters or at the end of the word that they cut through: no blank stands before the
    cut, for a word takes along the blank before it. None where too little is left."""
    cut = characters
    while cut < len(text) and text[cut - 1].isascii() and text[cut - 1].isalnum() and text[cut].isalnum():
        cut += 1
    cut = len(text[:cut].rstrip())
    return Begun(text[:cut], text[cut:]) if cut and len(text) >= cut + characters else None


def continuations(
    trained: Trained, texts: Sequence[Begun], chain: Chain, copies: int, tokens: int, seed: int = 0
) -> Iterator[list[str]]:
    """What the model writes itself behind each beginning, in so many ``copies``, at most so many tokens."""
    for number, one in enumerate(texts):
        seeds = range(seed + copies * number, seed + copies * (number + 1))
        drawn = sample(trained, one.prompt, [chain] * copies, [*seeds], tokens)
        yield [text_of(trained.tokenizer.pieces([token.id for token in text]), unfinished=True) for text in drawn]


def surprise(judge: Trained, texts: Sequence[Begun]) -> list[Bits]:
    """The judge's surprise at each text behind its beginning, byte by byte: (B,) each."""
    return [bits_behind(judge, one.prompt, one.rest) for one in texts]
