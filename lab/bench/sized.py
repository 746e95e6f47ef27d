"""A family at one of its sizes on a corpus, all else as the lab has it: what benchmarks of the engine train."""

from typing import Any

from lab.catalog import MODELS
from lab.runs.run import Run
from lab.training.run_request import pretraining
from lab.training.sizes import shape


def sized(
    family: str, size: str, corpus: tuple[str, dict[str, Any]], *, steps: int, batch: int, **training: Any
) -> Run:
    """So many steps of so many rows on one thread; ``training`` are further settings of the loop."""
    return pretraining(
        model=family,
        corpus=corpus[0],
        tokenizer=MODELS[family].tokenizer,
        chosen={
            "model": shape(family, size),
            "corpus": corpus[1],
            "tokenizer": {},
            "training": {"steps": steps, "batch": batch, "threads": 1, **training},
        },
    )
