"""A sum of vectors in two dimensions: its parts as arrows that add up.

N sums   W width
"""

from collections.abc import Mapping

import numpy as np

from lab.analysis.sense_map import Vectors, principal_axes


def sum_plane(parts: Mapping[str, Vectors]) -> tuple[dict[str, Vectors], tuple[float, float]]:
    """The parts (N, W) of each sum, by name, as arrows (N, 2) on the two principal components of all of them and of
    their sums together; and the share of that variance which each component has. Nothing is centred, so that the arrows
    of a sum add up to its own."""
    whole = np.sum([*parts.values()], axis=0)
    axes, shares = principal_axes(np.concatenate([*parts.values(), whole]))
    return {name: part @ axes.T for name, part in parts.items()}, shares
