"""Attention of every layer and head, one head large."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.ui.components.drawn import Drawn


class AttentionMap(Drawn):
    """Value: {"maps": [attention_value, ...], "group": name}.

    A model with two stacks has several maps, each with its ``kind``. ``kind``, ``layer`` and ``head`` of the value
    choose what is large at first. Fires ``pick`` with kind, layer and head.
    """

    script = "attention_map"
    fires = ("pick",)


def attention_value(
    tokens: Sequence[str], maps: NDArray[Any], lookers: Sequence[str] | None = None, **more: Any
) -> dict[str, Any]:
    """Probabilities (L, H, T, S), rows summing to one, as a part of a component's value: {"kind": name, "tokens":
    [texts looked at], "lookers": [texts that look], "layers": L, "heads": H, "data": base64 of L * H * T * S bytes}.

    A byte is 255 times the square root of the probability. ``special`` lists the places of special tokens among those
    looked at and ``causal`` says that nobody sees what comes later. ``rows_from`` and ``cols_from`` say which positions
    of the strips of the same group the first row and the first column are.
    """
    lookers = tokens if lookers is None else lookers
    layers, heads, t, s = maps.shape
    assert (t, s) == (len(lookers), len(tokens))
    coded = np.round(255 * np.sqrt(np.clip(maps, 0, 1))).astype(np.uint8)
    data = base64.b64encode(coded.tobytes()).decode()
    said = {"tokens": list(tokens), "lookers": list(lookers), "layers": layers, "heads": heads, "data": data}
    return {"kind": "", "special": [], "causal": False, "rows_from": 0, "cols_from": 0, **said, **more}
