"""Attention mask: the table of who may look at whom, or, of a model without attention, of which tokens are pairs."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.ui.components.drawn import Drawn


class MaskTable(Drawn):
    """Value: {"tokens": [texts], "see": base64 of n * n bytes 0 or 1, "kinds": [kinds], "group": name, "title": text,
    "pairs": whether cells are pairs of tokens}; the last four may be absent."""

    script = "mask_table"


def mask_value(tokens: Sequence[str], table: NDArray[np.bool_], group: str = "", **more: Any) -> dict[str, Any]:
    """The table (T, T), whose cell (t, s) says whether t may look at s, as a component's value."""
    assert table.shape == (len(tokens), len(tokens))
    see = base64.b64encode(table.astype(np.uint8).tobytes()).decode()
    return {"tokens": list(tokens), "see": see, **({"group": group} if group else {}), **more}
