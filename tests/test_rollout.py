"""Rollout: whom a token draws on through all layers, worked out by hand and by walking every path."""

import itertools

import numpy as np
import pytest
import torch

from lab.inference.rollout import mean_of_heads, rollout


def test_two_layers_by_hand() -> None:
    """The second token looks at the first with one of two heads, in both layers."""
    one = [[[1.0, 0], [1, 0]], [[1, 0], [0, 1]]]  # heads 1 and 2: their mean for the second token is 1/2 and 1/2
    maps = torch.tensor([one, one])
    assert mean_of_heads(maps)[0].tolist() == [[1, 0], [0.5, 0.5]]
    assert rollout(maps)[0].tolist() == [[1, 0], [0.25, 0.75]]
    assert rollout(maps)[1].tolist() == [[1, 0], [0.25 + 0.75 * 0.25, 0.75 * 0.75]]


def test_it_is_the_sum_over_all_paths() -> None:
    maps = torch.from_numpy(np.random.default_rng(0).dirichlet(np.ones(4), (3, 2, 4)))
    step = (maps.mean(1) + torch.eye(4)) / 2
    for start, end in itertools.product(range(4), repeat=2):
        paths = sum(
            float(step[2, start, a] * step[1, a, b] * step[0, b, end]) for a, b in itertools.product(range(4), repeat=2)
        )
        assert float(rollout(maps)[2, start, end]) == pytest.approx(paths, abs=1e-12)


def test_shares_stay_shares_and_the_future_stays_unseen() -> None:
    causal = torch.rand(5, 3, 6, 6).tril()
    causal = causal / causal.sum(-1, keepdim=True)
    through = rollout(causal)
    assert torch.allclose(through.sum(-1), torch.ones(5, 6)) and (through.triu(1) == 0).all()
    assert torch.equal(rollout(torch.eye(3).expand(4, 2, 3, 3))[3], torch.eye(3))
