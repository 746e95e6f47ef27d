"""A head over the snapshots of a run, one step large, and where one token looks there."""

from typing import Any

from lab.inference.over_training import OverTraining
from lab.ui.components.attention_map import base64_of, coded
from lab.ui.components.drawn import Drawn
from lab.ui.words import say


class Moments(Drawn):
    """Value: what ``moments_value`` gives, or {"empty": text}. The step is part of the address as ``moment``."""

    script = "over_training"


def moments_value(found: OverTraining, layer: int, head: int, **more: Any) -> dict[str, Any]:
    """Of a head, counted from 0, over M steps: {"steps": M numbers, "name": text, "lookers": [T texts], "tokens": [S
    texts], "maps": base64 of M * T * S bytes, "names": [L texts], "looks": base64 of M * L * S bytes, "looker": number}
    with bytes as ``attention_value`` has them; ``more`` holds its ``special``, ``causal``, ``rows_from`` and
    ``cols_from``, and the ``group``."""
    return {
        "steps": found.steps,
        "name": say("components.head", layer=layer + 1, head=head + 1),
        "lookers": found.last.lookers,
        "tokens": found.last.tokens,
        "maps": base64_of(coded(found.maps.numpy(), False)),
        "layers": found.looks.shape[1],
        "names": [say("components.lens.layer", n=n + 1) for n in range(found.looks.shape[1])],
        "looks": base64_of(coded(found.looks.numpy(), False)),
        "looker": found.looker,
        **more,
    }
