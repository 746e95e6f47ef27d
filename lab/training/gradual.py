"""Gradual unfreezing with layer-wise (discriminative) learning rates (Howard and Ruder 2018, sections 3.2 and 3.3).

A new head begins with the top block alone. In each further part of the run one more block thaws, from the top down, and
in the last the embeddings do; each learns 2.6 times as slowly as what lies above it. What has not thawed has gradients
all the same, which nobody takes: a step costs as much as if everything moved.
"""

import re
from collections.abc import Iterable

from torch.optim import Optimizer

SLOWER = 2.6
_PLACE = re.compile(r"(stack|encoder|decoder)\.(?:blocks\.(\d+)\.|(norm)\.|)")


def levels(names: Iterable[str]) -> dict[str, int]:
    """How far below the head each parameter lies: 0 for a head, 1 for the top block and the norm behind it, and so on
    down to the embeddings. The blocks of an encoder lie below those of its decoder."""
    places = {name: match for name in names if (match := _PLACE.match(name))}
    blocks = {(match[1] != "encoder", int(match[2])) for match in places.values() if match[2]}
    downwards = {block: number for number, block in enumerate(sorted(blocks, reverse=True), start=1)}
    top = {decodes: max(block for block in blocks if block[0] is decodes) for decodes, _ in blocks}

    def level(match: re.Match[str]) -> int:
        decodes = match[1] != "encoder"
        if match[2]:
            return downwards[decodes, int(match[2])]
        return downwards[top[decodes]] if match[3] else len(downwards) + 1

    return {name: level(match) for name, match in places.items()}


def thaw(optimizer: Optimizer, progress: float) -> None:
    """Slow each level down, and take the gradients from those whose part of the run has not come."""
    deepest = max(group["level"] for group in optimizer.param_groups)
    for group in optimizer.param_groups:
        group["lr"] *= SLOWER ** -group["level"]
        if group["level"] > 1 + int(progress * deepest + 1e-9):
            for parameter in group["params"]:
                parameter.grad = None
