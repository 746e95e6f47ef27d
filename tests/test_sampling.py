"""Texts that are sampled together are those that would be written one after the other."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import finished, steps

from lab.catalog import SAMPLERS
from lab.cli.main import main
from lab.entries import SoFar
from lab.inference.decoding import continuation, generate
from lab.inference.model import Trained, load
from lab.inference.sampler_chain import Chain, draw, draw_each
from lab.inference.sampling import Together, sample
from lab.runs import checkpoint
from lab.samplers.greedy import greedy
from lab.settings import Settings, SettingsError

WARM: Chain = [("temperature", {"temperature": 1.3})]
LOOKING_BACK: Chain = [("frequency_penalty", {"penalty": 2.0}), ("no_repeat_ngram", {"n": 2}), ("greedy", {})]
FAMILIES: list[tuple[str, dict[str, Any]]] = [
    ("gpt", {}),
    ("linear_transformer", {}),
    ("lstm", {}),
    ("t5", {}),
    ("gpt", {"objective": "prefix_lm"}),
]


@pytest.fixture(scope="module", params=FAMILIES, ids=lambda family: family[0] + "".join(family[1].values()))
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    model, others = request.param
    return load(finished(tmp_path_factory.mktemp("run"), model=model, training=steps(3), **others))


def test_texts_sampled_together_are_those_sampled_one_by_one(trained: Trained) -> None:
    chains: list[Chain] = [WARM, WARM, [("top_k", {"k": 3})], [("greedy", {})], WARM, LOOKING_BACK]
    seeds = [0, 1, 1, 0, 7, 0]
    together = sample(trained, "The town", chains, seeds, 3 * trained.context)  # beyond the context, where it moves
    for written, chain, seed in zip(together, chains, seeds, strict=True):
        alone = [*generate(trained, "The town", chain, 3 * trained.context, seed)]
        assert [token.id for token in written] == [token.id for token in alone]
        assert [token.logprob for token in written] == pytest.approx([token.logprob for token in alone], abs=1e-3)


def test_logits_that_are_no_numbers_are_one_sentence(trained: Trained) -> None:
    broken = copy.deepcopy(trained)
    with torch.no_grad():
        next(broken.model.parameters()).fill_(torch.nan)
    for chain in ([], [("greedy", {})], [("top_p", {"p": 0.9})]):
        with pytest.raises(SettingsError, match="logits are not numbers"):
            sample(broken, "The town", [chain] * 2, [0, 1], 4)
        with pytest.raises(SettingsError, match="logits are not numbers"):
            [*generate(broken, "The town", chain, 4)]


@pytest.mark.parametrize("number", [torch.nan, torch.inf])
def test_a_run_whose_weights_are_no_numbers_is_one_sentence(number: float, tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", model="gpt", training=steps(1))
    state, _ = checkpoint.load(folder.path / "checkpoints")
    assert state is not None
    next(iter(state.weights.values())).view(-1)[0] = number
    checkpoint.save(folder.path / "checkpoints", replace(state, step=2))
    with pytest.raises(SettingsError, match="not finite numbers"):
        load(folder)


def test_a_text_that_has_ended_leaves_the_others_as_they_are(trained: Trained) -> None:
    texts = Together(continuation(trained, "The"), 3)
    token = int(texts.next_logits()[0].argmax())
    [end] = texts.ends
    other = token if token != end else end + 1
    texts.add([other, end, other])
    assert texts.growing == [0, 2]
    first, last = texts.next_logits()
    assert torch.allclose(first.nan_to_num(neginf=0), last.nan_to_num(neginf=0), atol=1e-4)
    texts.add([end, end])
    assert texts.growing == []


def test_drawing_looks_at_few_tokens_and_says_the_same_as_at_all() -> None:
    dice = torch.Generator().manual_seed(0)
    for width, spread in ((3, 1.0), (64, 0.0), (65, 0.0), (300, 0.1), (2000, 5.0)):
        probabilities = (torch.randn(20, width, generator=dice) * spread).round(decimals=1).softmax(-1)
        uniforms = torch.rand(20, generator=dice, dtype=torch.float64)
        ordered, ids = probabilities.double().sort(descending=True, stable=True)
        goals = (uniforms * probabilities.double().sum(-1))[:, None]
        expected = ids.gather(-1, torch.searchsorted(ordered.cumsum(-1), goals, right=True).clamp(max=width - 1))
        assert draw_each(probabilities, uniforms).tolist() == expected[:, 0].tolist()
        assert draw(probabilities[0], float(uniforms[0])) == int(expected[0])


@pytest.mark.parametrize("name", SAMPLERS.names())
def test_a_sampler_takes_each_text_by_itself(name: str) -> None:
    entry = SAMPLERS[name]
    logits = torch.randn(4, 90, generator=torch.Generator().manual_seed(0)).round(decimals=1)
    text = SoFar((5, 6, 5, 6, 5), 1)
    at_once = entry.applied(logits, entry.settings(), text)
    assert torch.equal(at_once, torch.stack([entry.applied(own, entry.settings(), text) for own in logits]))
    assert greedy(logits, Settings()).isfinite().sum() == 4


def test_the_command_line_writes_several_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finished(tmp_path / "run", model="gpt", training=steps(3))
    words = ["generate", "--run", str(tmp_path / "run"), "--prompt", "The", "--tokens", "5", "--json"]
    assert main([*words, "--samples", "3", "--seed", "4"]) == 0
    several = json.loads(capsys.readouterr().out)["samples"]
    for seed, written in zip((4, 5, 6), several, strict=True):
        assert main([*words, "--seed", str(seed)]) == 0
        assert json.loads(capsys.readouterr().out)["tokens"] == written["tokens"]
    assert main([*words, "--samples", "0"]) == 2
