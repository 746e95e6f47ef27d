"""What the browser needs to work out the next token's distribution by itself when a sampler is turned.

V vocabulary
"""

import base64
from typing import Any

from torch import Tensor

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.inference.model import Trained
from lab.spelling import spelling
from lab.ui.shell.lru import Kept
from lab.ui.words import titled

LARGEST = 2**15  # tokens of a vocabulary whose logits travel; with a larger one the server works it out each time
LONGEST = 4096  # tokens of a text that travel with them

_names = Kept(8)  # the spelling of every token, by model


def known(key: str, knows: str, trained: Trained, logits: Tensor, uniform: float, so_far: SoFar) -> dict[str, Any]:
    """The logits (V,) as float32, the text before them and the uniform number; and how the tokens of the model ``key``
    are spelt, unless the browser ``knows`` those of this model. Nothing where that is too much to send."""
    if len(logits) > LARGEST or len(so_far.ids) > LONGEST:
        return {}
    sent = {
        "of": key,
        "logits": base64.b64encode(logits.float().numpy().astype("<f4").tobytes()).decode(),
        "ids": [*so_far.ids],
        "given": so_far.given,
        "uniform": uniform,
    }
    names = {} if knows == key else {"names": _names.get(key, lambda: names_of(trained))}
    return {"known": sent | names}


def names_of(trained: Trained) -> list[str | None]:
    """Every token as it is spelt; nothing for special tokens."""
    pieces = trained.tokenizer.pieces(range(trained.tokenizer.vocabulary.size))
    return [None if piece.special else spelling(piece) for piece in pieces]


def controls() -> list[dict[str, Any]]:
    """The samplers as the page's controls send them, with the bounds of their knobs."""
    return [
        {
            "name": entry.name,
            "title": titled(entry),
            "knobs": [
                {
                    "name": name,
                    "low": item.metadata["knob"].low,
                    "high": item.metadata["knob"].high,
                    "whole": isinstance(item.default, int),
                }
                for name, item in entry.settings.knobs().items()
            ],
        }
        for entry in SAMPLERS
    ]
