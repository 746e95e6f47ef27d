"""Mirostat: cases worked by hand, and the mean surprise that both versions aim at."""

import math

import pytest
import torch

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.inference.sampler_chain import Chain, apply_samplers, draw, states_after
from lab.samplers.mirostat import log_k, zipf
from lab.samplers.parts.surprise import MOST, Feedback, after
from lab.settings import Settings

HALVES = torch.tensor([0.5, 0.25, 0.125, 0.125]).log()  # 1, 2, 3 and 3 bits


def left(name: str, logits: torch.Tensor, mu: float) -> list[int]:
    """The tokens that stay at this bound."""
    found = SAMPLERS[name].applied(logits, Feedback(), SoFar(states={name: mu}))
    return found.isfinite().nonzero().flatten().tolist()


@pytest.mark.parametrize(("mu", "ids"), [(0.5, [0]), (1.5, [0]), (2.01, [0, 1]), (2.9, [0, 1]), (3.01, [0, 1, 2, 3])])
def test_version_2_cuts_what_would_surprise_more_than_mu_bits(mu: float, ids: list[int]) -> None:
    assert left("mirostat_v2", HALVES, mu) == ids


def test_mu_moves_by_the_rate_times_how_far_the_token_missed_tau() -> None:
    s = Feedback(tau=1.5, rate=0.1)
    assert after(2.0, HALVES, s, 1) == pytest.approx(2.0 - 0.1 * (2 - 1.5))
    assert after(2.0, HALVES, s, 0) == pytest.approx(2.0 - 0.1 * (1 - 1.5))
    assert after(2.0, HALVES.index_fill(0, torch.tensor([3]), -torch.inf), s, 3) == pytest.approx(
        2 - 0.1 * (MOST - 1.5)
    )


def test_version_1_finds_zipfs_exponent_and_its_k() -> None:
    """With an exponent of 2 and 4 tokens k is the root of 2 to the power of mu, over 3/4."""
    ordered = (-2.0 * torch.arange(1, 5, dtype=torch.float64).log()).log_softmax(-1)
    assert float(zipf(ordered)) == pytest.approx(2)
    assert float(log_k(ordered, math.log2(3)).exp()) == pytest.approx(2)
    assert left("mirostat", ordered.float(), math.log2(3)) == [0, 1, 2]  # one more, as in the authors' code
    assert left("mirostat", ordered.float(), -20) == [0]
    assert left("mirostat", ordered.float(), 20) == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["mirostat", "mirostat_v2"])
@pytest.mark.parametrize(
    "logits", [torch.zeros(50), torch.full((50,), -torch.inf).index_fill(0, torch.tensor([7]), 0.0), torch.zeros(1)]
)
def test_even_chances_and_a_single_possible_token_are_no_trouble(name: str, logits: torch.Tensor) -> None:
    for mu in (-100.0, 0.0, 3.0, 100.0):
        found = apply_samplers(logits, [(name, {})], SoFar(states={name: mu}))
        assert float(found.sum()) == pytest.approx(1) and not found.isnan().any()


@pytest.mark.parametrize("name", ["mirostat", "mirostat_v2"])
@pytest.mark.parametrize("tau", [3.5, 4.5])
def test_the_mean_surprise_comes_near_tau(name: str, tau: float) -> None:
    dice = torch.Generator().manual_seed(3)
    chain: Chain = [(name, {"tau": tau, "rate": 0.1})]
    own = torch.randn(400, 500, generator=dice) - 1.1 * torch.arange(1, 501).log()  # 6.6 bits if all may be drawn
    uniforms = torch.rand(400, generator=dice).tolist()
    so_far, surprise = SoFar(), []
    for logits, uniform in zip(own, uniforms, strict=True):
        token = draw(apply_samplers(logits, chain, so_far), uniform)
        surprise.append(-float(logits.log_softmax(-1)[token]) / math.log(2))
        so_far = SoFar(states=states_after(logits, chain, so_far, token))
    assert sum(surprise[100:]) / 300 == pytest.approx(tau, abs=0.15)
    assert sum(surprise) / 400 < 6


def test_a_sampler_without_a_state_keeps_nothing() -> None:
    assert states_after(HALVES, [("top_k", {}), ("temperature", {})], SoFar(), 0) == {}
    with pytest.raises(AssertionError, match="keeps nothing"):
        SAMPLERS["top_k"].kept(Settings(), SoFar())
