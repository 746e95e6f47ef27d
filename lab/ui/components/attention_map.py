"""Attention of every layer and head, one head large."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.ui.components.drawn import Drawn

THUMBNAIL = 32  # rows and columns of a thumbnail, at most


class AttentionMap(Drawn):
    """Value: {"maps": [attention_value, ...], "group": name}.

    A model with two stacks has several maps, each with its ``kind``. ``kind``, ``layer`` and ``head`` of the value
    choose what is large at first. Of maps that are a ``sheet`` of thumbnails one is sent at a time, as {"one":
    ``one_value``, "of": name}, where the value's own ``of`` must be that name; ``fetch`` asks for one by its name.
    Fires ``pick`` with kind, layer and head, and ``lock`` with "row.col": "row." where a token alone is locked.
    """

    script = "attention_map"
    fires = ("pick", "lock", "fetch")


def attention_value(
    tokens: Sequence[str],
    maps: NDArray[Any],
    lookers: Sequence[str] | None = None,
    signed: bool = False,
    extras: Mapping[str, NDArray[Any]] | None = None,
    sheet: bool = False,
    ready: NDArray[np.uint8] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Probabilities (L, H, T, S), rows summing to one, as a part of a component's value: {"kind": name, "tokens":
    [texts looked at], "lookers": [texts that look], "layers": L, "heads": H, "data": base64 of L * H * T * S bytes}.

    A byte is 255 times the square root of the probability; of ``signed`` differences it is 128 plus 127 times that of
    the size, with its sign. ``special`` lists the places of special tokens among those looked at and ``causal`` says
    that nobody sees what comes later. ``rows_from`` and ``cols_from`` say which positions of the strips of the same
    group the first row and the first column are. ``extras`` (L, T, S) each, by name, stand behind the heads of a layer.
    A ``sheet`` has thumbnails in the maps' stead: of each block of cells the largest. ``ready`` are the bytes of
    ``with_extras``, where they are at hand.
    """
    lookers = tokens if lookers is None else lookers
    layers, heads, t, s = maps.shape
    assert (t, s) == (len(lookers), len(tokens))
    beside = extras or {}
    sent = with_extras(maps, beside, signed) if ready is None else ready  # (L, H + E, T, S)
    small = pooled(sent) if sheet else sent
    return {
        "kind": "",
        "tokens": list(tokens),
        "lookers": list(lookers),
        "layers": layers,
        "heads": heads,
        "data": base64_of(small[:, :heads]),
        "extras": [*beside],
        "extra": base64_of(small[:, heads:]),
        "sheet": {"rows": small.shape[2], "cols": small.shape[3]} if sheet else None,
        "signed": signed,
        "special": [],
        "causal": False,
        "rows_from": 0,
        "cols_from": 0,
        **more,
    }


def with_extras(maps: NDArray[Any], extras: Mapping[str, NDArray[Any]], signed: bool = False) -> NDArray[np.uint8]:
    """The bytes of the maps of every layer, and of what stands beside its heads: (L, H + E, T, S)."""
    return np.concatenate([coded(maps, signed), *(coded(each, signed)[:, None] for each in extras.values())], 1)


def one_value(kind: str, layer: int, head: int, all_of_them: NDArray[np.uint8]) -> dict[str, Any]:
    """One whole map; ``head`` counts on through what stands beside the heads."""
    return {"kind": kind, "layer": layer, "head": head, "data": base64_of(all_of_them[layer, head])}


def pooled(maps: NDArray[np.uint8], most: int = THUMBNAIL) -> NDArray[np.uint8]:
    """Maps (..., T, S) of at most so many rows and columns."""
    for axis in (-2, -1):
        count = maps.shape[axis]
        if count > most:
            maps = np.maximum.reduceat(maps, np.arange(most) * count // most, axis=axis)
    return maps


def base64_of(numbers: NDArray[np.uint8]) -> str:
    """Bytes as text."""
    return base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode()


def coded(maps: NDArray[Any], signed: bool) -> NDArray[np.uint8]:
    """Probabilities, or their differences, as bytes."""
    root = np.sign(maps) * np.sqrt(np.clip(np.abs(maps), 0, 1))
    return np.round(128 + 127 * root if signed else 255 * root.clip(0)).astype(np.uint8)
