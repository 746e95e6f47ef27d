"""The samplers: cases worked by hand, ties, extremes, and one after another."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.samplers.greedy import greedy
from lab.samplers.temperature import Temperature, temperature
from lab.samplers.top_k import TopK, top_k
from lab.samplers.top_p import TopP, top_p
from lab.settings import Settings, SettingsError

TEXT = SoFar((3, 4, 3, 4, 3), 2)


def logits_of(*probabilities: float) -> Tensor:
    """Logits whose softmax is these probabilities, moved by a constant as a model's would be."""
    return torch.tensor(probabilities).log() + 3


def kept(logits: Tensor) -> list[int]:
    """The ids that can still be drawn."""
    return torch.isfinite(logits).nonzero().flatten().tolist()


@pytest.mark.parametrize("name", SAMPLERS.names())
def test_a_sampler_leaves_its_argument_and_at_least_one_token(name: str) -> None:
    entry = SAMPLERS[name]
    logits = torch.randn(50, generator=torch.Generator().manual_seed(0))
    before = logits.clone()
    found = entry.applied(logits, entry.settings(), TEXT)
    assert torch.equal(logits, before)
    assert found.shape == logits.shape and found.dtype == logits.dtype
    assert kept(found)


@pytest.mark.parametrize("name", SAMPLERS.names())
def test_the_likeliest_token_stays_the_likeliest(name: str) -> None:
    entry = SAMPLERS[name]
    logits = torch.randn(50, generator=torch.Generator().manual_seed(1))
    best = entry.applied(logits, entry.settings(), SoFar()).argmax()
    assert best == logits.argmax() or name == "typical"  # which may cut the likeliest


@pytest.mark.parametrize("name", SAMPLERS.names())
def test_what_was_cut_off_stays_cut_off(name: str) -> None:
    entry = SAMPLERS[name]
    logits = torch.tensor([1.0, -torch.inf, 3.0, -torch.inf])
    assert set(kept(entry.applied(logits, entry.settings(), SoFar((0, 2, 0))))) <= {0, 2}


def test_greedy_keeps_the_best_with_its_logit() -> None:
    assert greedy(torch.tensor([1.0, 4.0, 2.0]), Settings()).tolist() == [-math.inf, 4.0, -math.inf]


def test_greedy_takes_the_first_of_equals() -> None:
    assert kept(greedy(torch.tensor([1.0] + [4.0] * 300), Settings())) == [1]


def test_temperature_divides() -> None:
    assert temperature(torch.tensor([1.0, 4.0, -2.0]), Temperature(temperature=2)).tolist() == [0.5, 2.0, -1.0]


def test_a_low_temperature_sharpens_and_a_high_one_flattens() -> None:
    logits = logits_of(0.5, 0.3, 0.2)
    best = [temperature(logits, Temperature(temperature=t)).softmax(-1)[0] for t in (0.01, 0.5, 1, 2, 5)]
    assert best == sorted(best, reverse=True)
    assert best[0] == pytest.approx(1)
    assert best[1] == pytest.approx(0.25 / 0.38)  # probabilities squared


@pytest.mark.parametrize(("k", "ids"), [(1, [2]), (2, [0, 2]), (3, [0, 2, 3]), (4, [0, 1, 2, 3]), (1000, [0, 1, 2, 3])])
def test_top_k_keeps_the_k_likeliest(k: int, ids: list[int]) -> None:
    assert kept(top_k(torch.tensor([3.0, 1.0, 4.0, 2.0]), TopK(k=k))) == ids


def test_top_k_keeps_exactly_k_of_equals() -> None:
    assert kept(top_k(torch.zeros(300), TopK(k=40))) == list(range(40))


# The likeliest first: 0.4, 0.3, 0.2, 0.1 and so 0.4, 0.7, 0.9, 1 together.
@pytest.mark.parametrize(
    ("p", "ids"),
    [(0.01, [2]), (0.39, [2]), (0.4, [2]), (0.41, [0, 2]), (0.7, [0, 2]), (0.71, [0, 2, 3]), (0.9, [0, 2, 3])]
    + [(0.91, [0, 1, 2, 3]), (1.0, [0, 1, 2, 3])],
)
def test_top_p_keeps_the_fewest_that_reach_p(p: float, ids: list[int]) -> None:
    assert kept(top_p(logits_of(0.3, 0.1, 0.4, 0.2), TopP(p=p))) == ids


def test_top_p_keeps_the_first_of_equals() -> None:
    assert kept(top_p(torch.zeros(10), TopP(p=0.3))) == [0, 1, 2]


def test_a_p_of_one_keeps_everything_however_unlikely() -> None:
    logits = torch.tensor([0.0, -30.0, -200.0, -1000.0])
    assert torch.equal(top_p(logits, TopP(p=1.0)), logits)


def test_top_p_reaches_p_and_one_token_fewer_does_not() -> None:
    logits = torch.randn(1000, generator=torch.Generator().manual_seed(2)) * 3
    for p in (0.1, 0.5, 0.9, 0.95, 0.99):
        stays = sorted(logits.double().softmax(-1)[kept(top_p(logits, TopP(p=p)))].tolist())
        assert sum(stays) >= p - 1e-6
        assert sum(stays[1:]) < p


def test_samplers_follow_one_another() -> None:
    logits = logits_of(0.4, 0.3, 0.2, 0.1)
    cut = top_k(logits, TopK(k=2))  # 0.4 and 0.3: 4/7 and 3/7 of what is left
    assert kept(top_p(cut, TopP(p=0.57))) == [0]
    assert kept(top_p(cut, TopP(p=0.58))) == [0, 1]
    assert kept(top_p(logits, TopP(p=0.58))) == [0, 1]
    sharp = temperature(logits, Temperature(temperature=0.5))  # 16, 9, 4 and 1 of 30
    assert kept(top_p(sharp, TopP(p=0.8))) == [0, 1]
    assert kept(top_p(logits, TopP(p=0.8))) == [0, 1, 2]
    assert torch.equal(top_k(cut, TopK(k=2)), cut)
    assert kept(greedy(top_p(sharp, TopP(p=0.8)), Settings())) == [0]


@pytest.mark.parametrize(
    ("settings", "values", "sentence"),
    [
        (Temperature, {"temperature": 0}, "temperature 0 is below 0.01"),
        (Temperature, {"temperature": 5.1}, "temperature 5.1 is above 5"),
        (TopK, {"k": 0}, "k 0 is below 1"),
        (TopK, {"k": 1001}, "k 1,001 is above 1,000"),
        (TopK, {"k": 1.5}, "k must be a whole number"),
        (TopP, {"p": 0}, "p 0 is below 0.01"),
        (TopP, {"p": 1.01}, "p 1.01 is above 1"),
    ],
)
def test_what_is_out_of_range_is_refused(settings: type[Settings], values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        settings(**values)
