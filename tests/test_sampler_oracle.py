"""The samplers beside the processors of transformers, on random logits and alone or one after another; and by hand."""

import math
import random
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers.generation import logits_process as theirs

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.inference.sampler_chain import Chain, apply_samplers

V, ROWS = 60, 300

PROCESSORS: dict[str, tuple[dict[str, Any], Any]] = {
    "temperature": ({"temperature": 0.7}, theirs.TemperatureLogitsWarper(0.7)),
    "top_k": ({"k": 7}, theirs.TopKLogitsWarper(7)),
    "top_p": ({"p": 0.8}, theirs.TopPLogitsWarper(0.8)),
    "min_p": ({"p": 0.1}, theirs.MinPLogitsWarper(0.1)),
    "typical": ({"p": 0.6}, theirs.TypicalLogitsWarper(0.6)),
    "epsilon": ({"epsilon": 0.02}, theirs.EpsilonLogitsWarper(0.02)),
    "eta": ({"epsilon": 0.05}, theirs.EtaLogitsWarper(0.05)),
    "repetition_penalty": ({"penalty": 1.3}, theirs.RepetitionPenaltyLogitsProcessor(1.3)),
    "no_repeat_ngram": ({"n": 2}, theirs.NoRepeatNGramLogitsProcessor(2)),
}
CHAINS = [
    ["repetition_penalty", "no_repeat_ngram", "temperature", "top_k", "top_p"],
    ["temperature", "min_p", "typical"],
    ["no_repeat_ngram", "temperature", "epsilon", "eta"],
]


def cases() -> tuple[Tensor, Tensor]:
    """Logits (ROWS, V) of many shapes, some impossible, and the text before them (ROWS, 12)."""
    dice = torch.Generator().manual_seed(0)
    logits = torch.randn(ROWS, V, generator=dice) * torch.linspace(0.1, 6, ROWS)[:, None]
    impossible = torch.rand(ROWS, V, generator=dice) < 0.2
    return logits.masked_fill(impossible, -torch.inf), torch.randint(0, 9, (ROWS, 12), generator=dice)


@pytest.mark.parametrize("names", [*([name] for name in PROCESSORS), *CHAINS], ids="+".join)
def test_samplers_leave_what_the_processors_of_transformers_leave(names: list[str]) -> None:
    logits, ids = cases()
    expected = logits
    for name in names:
        expected = PROCESSORS[name][1](ids, expected)
    chain: Chain = [(name, PROCESSORS[name][0]) for name in names]
    ours = torch.stack(
        [apply_samplers(row, chain, SoFar(text.tolist())) for row, text in zip(logits, ids, strict=True)]
    )
    assert torch.allclose(ours, expected.softmax(-1), atol=1e-6)


def after(name: str, values: dict[str, Any], logits: Tensor, so_far: SoFar) -> list[float]:
    """The logits after one sampler."""
    entry = SAMPLERS[name]
    changed: list[float] = entry.applied(logits, entry.settings.load(values), so_far).tolist()
    return changed


def test_penalties_worked_by_hand() -> None:
    logits, text = torch.tensor([2.0, -2.0, 1.0, 0.0]), SoFar((2, 0, 1, 1), given=1)
    assert after("repetition_penalty", {"penalty": 2.0}, logits, text) == [1.0, -4.0, 0.5, 0.0]
    assert after("presence_penalty", {"penalty": 0.5}, logits, text) == [1.5, -2.5, 1.0, 0.0]
    assert after("frequency_penalty", {"penalty": 0.5}, logits, text) == [1.5, -3.0, 1.0, 0.0]
    assert after("frequency_penalty", {"penalty": 0.5}, logits, SoFar()) == logits.tolist()


def test_no_sequence_comes_twice_unless_there_is_nothing_else() -> None:
    logits, cut = torch.zeros(3), -math.inf
    assert after("no_repeat_ngram", {"n": 2}, logits, SoFar((0, 1, 0))) == [0, cut, 0]
    assert after("no_repeat_ngram", {"n": 1}, logits, SoFar((0, 1))) == [cut, cut, 0]
    assert after("no_repeat_ngram", {"n": 5}, logits, SoFar((0, 1, 0))) == [0, 0, 0]
    assert after("no_repeat_ngram", {"n": 1}, logits, SoFar((0, 1, 2))) == [0, 0, 0]


def test_typical_sampling_may_cut_the_likeliest() -> None:
    logits = torch.tensor([0.6, 0.2, 0.2]).log()  # 0.51, 1.61, 1.61 nats, entropy 0.95: the likeliest is nearest
    assert [math.isfinite(x) for x in after("typical", {"p": 0.5}, logits, SoFar())] == [True, False, False]
    logits = torch.tensor([0.4, *[0.06] * 10]).log()  # 0.92 and 2.81 nats, entropy 2.06: the others are nearer
    assert [math.isfinite(x) for x in after("typical", {"p": 0.59}, logits, SoFar())] == [False, *[True] * 10]


def test_top_n_sigma_counts_what_is_possible_and_forgets_the_temperature() -> None:
    logits = torch.tensor([4.0, 2.0, 0.0, -2.0, -math.inf])  # mean 1, deviation sqrt(5) = 2.236
    kept = [[math.isfinite(x) for x in after("top_n_sigma", {"n": n}, logits, SoFar())] for n in (0.0, 0.9, 1.8)]
    assert kept == [[True, *[False] * 4], [True, True, *[False] * 3], [True, True, True, False, False]]
    for factor in (0.1, 10.0):
        hot = after("top_n_sigma", {"n": 0.9}, logits * factor, SoFar())
        assert [math.isfinite(x) for x in hot] == kept[1]


def test_epsilon_keeps_the_likeliest_and_eta_more_where_the_model_is_in_doubt() -> None:
    flat, sharp = torch.zeros(50), torch.tensor([5.0] + [0.0] * 49)
    assert sum(map(math.isfinite, after("epsilon", {"epsilon": 0.1}, sharp, SoFar()))) == 1
    assert sum(map(math.isfinite, after("epsilon", {"epsilon": 0.1}, flat, SoFar()))) == 50  # all are the likeliest
    assert sum(map(math.isfinite, after("eta", {"epsilon": 0.1}, sharp, SoFar()))) == 1
    nearly = flat.clone()
    nearly[0] = 0.1  # probabilities of about 0.02, entropy 3.9: the threshold is 0.0064 and not 0.1
    assert sum(map(math.isfinite, after("epsilon", {"epsilon": 0.1}, nearly, SoFar()))) == 1
    assert sum(map(math.isfinite, after("eta", {"epsilon": 0.1}, nearly, SoFar()))) == 50


# What the settings may be, drawn evenly, their ends among them.
DRAWN: dict[str, tuple[str, tuple[float, ...], Any]] = {
    "temperature": ("temperature", (0.01, 0.3, 1.0, 2.5, 5.0), theirs.TemperatureLogitsWarper),
    "top_k": ("k", (1, 3, 20, V - 1, V, 1000), theirs.TopKLogitsWarper),  # more than there are tokens, too
    "top_p": ("p", (0.01, 0.4, 0.85, 0.999, 1.0), theirs.TopPLogitsWarper),
    "min_p": ("p", (0.001, 0.05, 0.5, 1.0), theirs.MinPLogitsWarper),
    "typical": ("p", (0.01, 0.3, 0.95), theirs.TypicalLogitsWarper),
    "epsilon": ("epsilon", (0.0003, 0.01, 0.3), theirs.EpsilonLogitsWarper),
    "eta": ("epsilon", (0.0003, 0.01, 0.3), theirs.EtaLogitsWarper),
    "repetition_penalty": ("penalty", (1.0, 1.2, 2.0), theirs.RepetitionPenaltyLogitsProcessor),
    "no_repeat_ngram": ("n", (1, 2, 3), theirs.NoRepeatNGramLogitsProcessor),
}


def test_chains_of_any_samplers_in_any_order_leave_what_theirs_leave() -> None:
    """500 chains, 10 logits each."""
    dice, (logits, ids) = random.Random(1), cases()
    for _ in range(500):
        names = dice.sample([*DRAWN], dice.randint(1, 6))
        values = {name: dice.choice(DRAWN[name][1]) for name in names}
        rows = dice.sample(range(ROWS), 10)
        expected = logits[rows]
        for name in names:
            after = DRAWN[name][2](values[name])(ids[rows], expected)
            # Their n-gram processor may forbid every token; ours then leaves what there was.
            expected = after.where(after.isfinite().any(-1, keepdim=True), expected)
        chain: Chain = [(name, {DRAWN[name][0]: values[name]}) for name in names]
        ours = torch.stack([apply_samplers(logits[row], chain, SoFar(ids[row].tolist())) for row in rows])
        assert torch.allclose(ours, expected.softmax(-1), atol=1e-5), chain
