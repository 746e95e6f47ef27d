"""T5's cut of a denoising objective: which tokens are noise, what the encoder reads (inputs), what the decoder writes
(targets). Source: Raffel et al. 2019, section 3.3; the function ``denoise`` of the published code.

B rows   T tokens
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.objectives.parts.encoder_decoder import ended, of_tables
from lab.objectives.parts.sentinels import before, in_place_of
from lab.vocabulary import Vocabulary

Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Noisy:
    """Rows of ids, which of them are ``noise``, and what chance has given for each: (B, T)."""

    ids: Ids
    real: Mask  # False at padding
    noise: Mask
    vocabulary: Vocabulary
    uniforms: NDArray[np.float64]  # in [0, 1)
    others: Ids | None = None  # a random token where it takes the place of noise, -1 where a mask does


Part = Callable[[Noisy], tuple[Ids, Mask]]  # ids, and which of them are kept


def denoise(text: Noisy, inputs: Part, targets: Part) -> Exercise:
    """The exercise to write the targets after the inputs, each with its end; the decoder starts from padding."""
    vocabulary = text.vocabulary
    # The decoder starts from padding, as in T5: no token is spent on a beginning of texts.
    source, target = ended(*inputs(text), vocabulary), ended(*targets(text), vocabulary)
    return of_tables(source, target, [vocabulary.pad] * len(text.ids), vocabulary.pad)


def whole(text: Noisy) -> tuple[Ids, Mask]:
    """The text as it was."""
    return text.ids, text.real


def masked(text: Noisy) -> tuple[Ids, Mask]:
    """A mask for each token of noise, or the random token that takes its place."""
    mask = text.vocabulary.mask
    # As in BERT, some are replaced by a random token and not by the mask.
    instead = mask if text.others is None else np.where(text.others < 0, mask, text.others)
    return np.where(text.noise, instead, text.ids), text.real


def shuffled(text: Noisy) -> tuple[Ids, Mask]:
    """All tokens, in random order."""
    order = np.where(text.real, text.uniforms, 2.0).argsort(1, kind="stable")
    return np.take_along_axis(text.ids, order, 1), np.arange(text.ids.shape[1]) < text.real.sum(1)[:, None]


def without_noise(text: Noisy) -> tuple[Ids, Mask]:
    """What is left when the noise is dropped."""
    return text.ids, text.real & ~text.noise


def noise_alone(text: Noisy) -> tuple[Ids, Mask]:
    """What was dropped."""
    return text.ids, text.noise


def noise_as_sentinels(text: Noisy) -> tuple[Ids, Mask]:
    """A sentinel for each span of noise."""
    return in_place_of(text.noise, text.ids, text.real, text.vocabulary)


def rest_as_sentinels(text: Noisy) -> tuple[Ids, Mask]:
    """A sentinel for each span between the noise, and the noise: as published, where the first token is never noise."""
    return in_place_of(text.real & ~text.noise, text.ids, text.real, text.vocabulary)


def noise_behind_sentinels(text: Noisy) -> tuple[Ids, Mask]:
    """Each span of noise behind its sentinel, wherever the first one begins."""
    return before(text.noise, text.ids, text.vocabulary)
