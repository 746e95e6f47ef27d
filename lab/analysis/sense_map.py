"""Word senses in two dimensions, and whether the vectors tell them apart.

Principal components (Pearson 1901) show the two directions in which a cloud of vectors spreads most. What they leave
out may still part the senses, so a probe looks at whole vectors: leave-one-out nearest centroid. Each sentence is held
out in turn, the others of each sense are averaged, and the sense whose mean is nearest by angle is named.

N sentences   W width   S senses
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float64]
ALIKE = 1e-6  # cosines that are as near to each other are equal


@dataclass(frozen=True)
class Plane:
    """Points (N, 2) on the two principal components, and the share of the variance that each of them has. Vectors that
    are all the same are one point, without variance."""

    points: Vectors
    shares: tuple[float, float]


def principal_plane(vectors: Vectors) -> Plane:
    """The cloud (N, W) on its two principal components. Each is turned so that its largest number is positive: a sign
    means nothing, and two calls give one picture."""
    axes, shares = principal_axes(vectors)
    return Plane((vectors - vectors.mean(0)) @ axes.T, shares)


def principal_axes(vectors: Vectors) -> tuple[Vectors, tuple[float, float]]:
    """The two principal components of a cloud (N, W) as unit vectors (2, W), and the share of the variance of each.
    Zeros where all vectors are the same."""
    centred = vectors - vectors.mean(0)
    spread = float((centred**2).sum())
    if spread <= ALIKE * max(float((vectors**2).sum()), 1e-30):
        return np.zeros((2, vectors.shape[1])), (0.0, 0.0)
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    axes = np.pad(axes, ((0, max(0, 2 - len(axes))), (0, 0)))[:2]  # (2, W)
    values = np.pad(values, (0, 2))[:2]
    first, second = (float(value**2 / spread) for value in values)
    return axes * np.where(axes[[0, 1], np.abs(axes).argmax(1)] < 0, -1, 1)[:, None], (first, second)


def nearest_sense(vectors: Vectors, senses: Sequence[int], asked: Vectors, usual: Sequence[int] | None = None) -> int:
    """The sense whose mean direction is nearest to a vector (W,) by angle, among ``vectors`` (N, W) with known
    ``senses``; of those that are equally near the one that is commonest in ``usual``, or else in ``senses``."""
    meant = np.asarray(senses)
    whole = np.asarray(senses if usual is None else usual)
    names = np.unique(meant)
    means = np.stack([_unit(vectors[meant == name]).mean(0) for name in names])  # (S, W)
    near = _unit(means) @ _unit(asked[None])[0]
    tied = near >= near.max() - ALIKE
    times = np.array([(whole == name).sum() for name in names])
    return int(names[np.where(tied, times, -1).argmax()])


def leave_one_out(vectors: Vectors, senses: Sequence[int]) -> float | None:
    """The share of sentences whose sense the nearest centroid of all the others names. None where fewer than two
    senses have two sentences each: then there is nothing to tell."""
    meant = np.asarray(senses)
    if sum(times >= 2 for times in np.bincount(meant, minlength=1)) < 2:
        return None
    right = 0
    for number in range(len(meant)):
        others = np.arange(len(meant)) != number
        # Where all are alike, the commonest sense of the others would be wrong each time: the one held out is fewer.
        named = nearest_sense(vectors[others], meant[others].tolist(), vectors[number], senses)
        right += int(named == meant[number])
    return right / len(meant)


def commonest(senses: Sequence[int]) -> float:
    """The share of sentences that are right for whoever always names the commonest sense."""
    return float(np.bincount(np.asarray(senses, dtype=np.int64)).max() / max(len(senses), 1)) if senses else 0.0


def _unit(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)
