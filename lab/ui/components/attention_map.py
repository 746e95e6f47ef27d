"""Attention of every layer and head, one head large."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.ui.components.drawn import Drawn


class AttentionMap(Drawn):
    """Value: {"tokens": [texts], "layers": L, "heads": H, "data": base64 of L * H * T * T bytes, "group": name}.

    A byte is 255 times the square root of the probability. ``layer`` and ``head`` choose the large one at first;
    ``special`` lists the places of special tokens and ``causal`` says that nobody sees what comes later. Fires ``pick``
    with layer and head.
    """

    script = "attention_map"
    fires = ("pick",)


def attention_value(tokens: Sequence[str], maps: NDArray[Any], group: str = "", **more: Any) -> dict[str, Any]:
    """Probabilities (L, H, T, T), rows summing to one, as a component's value."""
    layers, heads, t, s = maps.shape
    assert t == s == len(tokens)
    coded = np.round(255 * np.sqrt(np.clip(maps, 0, 1))).astype(np.uint8)
    data = base64.b64encode(coded.tobytes()).decode()
    value = {"tokens": list(tokens), "layers": layers, "heads": heads, "data": data, **more}
    return {**value, "group": group} if group else value
