"""Sentence vectors with nothing trained: a text's hidden states, averaged over its tokens (mean pooling), or the one of
the token that sums it up: [CLS], or the last token where there is none. Two texts are as alike as the cosine of their
vectors says (Reimers and Gurevych 2019, section 4.1).

L layers   T tokens   W width
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from lab.batch import collate
from lab.catalog import OBJECTIVES, TASKS
from lab.data.reading import Parts
from lab.examples import Example
from lab.inference.hidden_states import states_of
from lab.inference.inputs import around, framed, reading
from lab.inference.model import Trained
from lab.settings import SettingsError
from lab.tasks.metrics.correlation import spearman

POOLED = ("mean", "cls")

Cosines = NDArray[np.float64]


def sentence_vectors(trained: Trained, text: str) -> list[Tensor]:
    """The vectors of a text, mean and [CLS]: (2, W) of the embedding, then of every block; of a model that is nothing
    but a table of vectors, those of the table. What exceeds the context is cut off. Raises SettingsError where a model
    reads with one stack and writes with another."""
    ids = framed(trained, trained.tokenizer.encode(text))
    if not len(ids):
        raise SettingsError("the text has no tokens", "这段文字没有词元")
    exercise = reading(trained, ids)
    batch = collate(replace(exercise, asked=np.zeros_like(exercise.asked)))
    states = [state[0] for state in states_of(trained, batch)]  # each (T, W)
    if not states:
        raise SettingsError("this model only counts: it has no vectors", "这个模型只计数，没有向量")
    before, behind = (len(part) for part in around(trained))
    own = slice(before, max(len(ids) - behind, before + 1))
    cls = 0 if OBJECTIVES[trained.run.objective].frame == "bounded" else -1
    return [torch.stack([state[own].mean(0), state[cls]]) for state in states]


def cosines(trained: Trained, examples: Sequence[Example]) -> Cosines:
    """The cosine of the two texts of each example, by the mean of the states and by [CLS], layer by layer: (2, L + 1,
    examples). Raises SettingsError as ``sentence_vectors`` does."""
    vectors = cache(lambda text: sentence_vectors(trained, text))
    alike = [_alike(vectors(example.text), vectors(example.pair)) for example in examples]  # (examples, L + 1, 2)
    return np.array(alike).transpose(2, 1, 0)


def spearman_by_layer(found: Cosines, truth: Sequence[float]) -> dict[str, list[float]]:
    """Spearman's correlation of cosines and truth, of the embedding, then of every block."""
    return {
        name: [round(spearman(layer.tolist(), truth), 6) for layer in layers]
        for name, layers in zip(POOLED, found, strict=True)
    }


def measured_by_embedding(trained: Trained, parts: Parts) -> dict[str, Any]:
    """Spearman's correlation of cosines and truth on the validation examples of semantic textual similarity: of the
    last states, ``by_layer`` of all; beside them what others reach who have not read the texts."""
    by_layer = spearman_by_layer(cosines(trained, parts.valid), [example.value for example in parts.valid])
    return {
        **{f"spearman_{name}": by_layer[name][-1] for name in POOLED},
        "texts": len(parts.valid),
        "by_layer": by_layer,
        "baselines": TASKS["similarity"].yardsticks(parts.train, parts.valid, ()),
    }


def _alike(one: Sequence[Tensor], other: Sequence[Tensor]) -> list[list[float]]:
    """The cosines of two texts' vectors: (L + 1, 2)."""
    return [functional.cosine_similarity(*pair, dim=-1).tolist() for pair in zip(one, other, strict=True)]
