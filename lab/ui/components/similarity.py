"""Similarities of the same things with one another, as a square of signed numbers: several squares to choose from."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.ui.components.drawn import Drawn


class Similarity(Drawn):
    """Value: {"names": [N texts], "squares": [square, ...], "each": {"places": [place, ...], "tokens": [text, ...],
    "data": base64 of M * N * N numbers}, "group": name, "view": key}, or {"empty": text}. ``each``, which may be left
    out, has a square for every token of the strips of that group: the one that is pointed at is shown.

    Which square is chosen is part of the address under the key ``view``.
    """

    script = "similarity"


def square(name: Any, numbers: NDArray[Any], below: Sequence[Any] = ()) -> dict[str, Any]:
    """A square (N, N) of numbers from -1 to 1; ``below`` is a name and N more numbers, for a row of its own."""
    title, more = below or (None, np.zeros(0))
    return {"name": name, "data": signed(numbers), "below": title, "more": signed(np.asarray(more))}


def signed(numbers: NDArray[Any]) -> str:
    """Numbers from -1 to 1 as base64 of two bytes each, 32,767 times the number: two decimals of it are shown, of which
    one byte would get the last one wrong."""
    whole = np.round(32_767 * np.clip(np.nan_to_num(numbers), -1, 1)).astype("<i2")
    return base64.b64encode(np.ascontiguousarray(whole).tobytes()).decode()
