"""One attention head, step by step: matrices, the formula with one cell's numbers filled in, and its terms."""

import base64
from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from lab.inference.head_maps import HeadMap
from lab.inference.head_steps import HeadSteps
from lab.ui.components.drawn import Drawn

TERMS = 3  # rows of a map's weights that are sent: so many terms of a sum are written out
# What a column stands for: a place in a head, or a token looked at.
HEAD = ("q", "k", "v", "turned_q", "turned_k", "feature_q", "feature_k", "mixed")
PAIRS = ("products", "scaled", "bias", "biased", "c2p", "with_c2p", "p2c", "with_p2c", "masked", "weights")
LOOKED = ("k", "v", "turned_k", "feature_k", "source")  # a row for each token looked at


class HeadWalk(Drawn):
    """Value: what ``steps_value`` gives, or {"empty": text}. The step is part of the address as ``walk``."""

    script = "head_steps"


def steps_value(walk: HeadSteps, head: int, asked: int, prefix: Sequence[str], **more: Any) -> dict[str, Any]:
    """The steps of a ``head``, counted from 0, as the component's value; ``asked`` is the token that is meant at first,
    and ``prefix`` names the learned places in front of the text. Numbers are base64 of 32-bit floats.

    ``group`` of ``more`` is that of the strips that light up together, ``rows_from`` the place of the first looker,
    ``mask`` the name of an attention mask that is not the model's own.
    """
    return {
        "lookers": walk.lookers,
        "looked": [*prefix, *walk.looked],
        "prefix": walk.prefix,
        "behind": [name for name in LOOKED if walk.prefix and name in walk.matrices and name != "source"],
        "steps": [{"name": step.name, "takes": step.takes, "makes": step.makes} for step in walk.steps],
        "matrices": {name: matrix_value(name, matrix) for name, matrix in walk.matrices.items()},
        "maps": {name: _map(each) for name, each in walk.maps.items()},
        "norms": {name: _norm(each) for name, each in walk.norms.items()},
        "scale": walk.scale,
        "softmax": "scaled" in walk.matrices,
        "positions": walk.positions,
        "speeds": [] if walk.rotary is None else walk.rotary.speeds.tolist(),
        "longer": 1.0 if walk.rotary is None else walk.rotary.longer,
        "heads": walk.heads,
        "head": head,
        "width": walk.matrices["q"].shape[1],
        "asked": asked,
        "off": walk.off,
        "rows_from": 0,
        **more,
    }


def matrix_value(name: str, matrix: Tensor) -> dict[str, Any]:
    """A matrix and what its rows and columns are: tokens that look ("t") or are looked at ("s"), places in the head
    ("i") or in the width ("j")."""
    over = "i" if name in HEAD else "s" if name in PAIRS else "j"
    rows, cols = matrix.shape
    return {"rows": rows, "cols": cols, "down": "s" if name in LOOKED else "t", "over": over, "data": floats(matrix)}


def floats(numbers: Tensor) -> str:
    """Numbers as base64 of 32-bit floats."""
    return base64.b64encode(numbers.detach().float().cpu().contiguous().numpy().tobytes()).decode()


def _map(made: HeadMap) -> dict[str, Any]:
    """The first rows of x @ weight.T, and the bias."""
    return {
        "weight": floats(made.weight[:, :TERMS].T),
        "cols": made.weight.shape[0],
        "bias": floats(made.bias),
    }


def _norm(norm: nn.Module) -> dict[str, Any]:
    assert isinstance(norm, nn.LayerNorm | nn.RMSNorm)
    bias = norm.bias if isinstance(norm, nn.LayerNorm) else None
    assert norm.eps is not None and norm.weight is not None
    return {
        "kind": "layer" if isinstance(norm, nn.LayerNorm) else "rms",
        "weight": floats(norm.weight),
        "bias": None if bias is None else floats(bias),
        "eps": norm.eps,
    }
