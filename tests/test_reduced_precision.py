"""Decoding in reduced precision: nearly the same logits, by weights of a half or a quarter of the bytes."""

import json
from typing import Any

import pytest
import torch
from torch import nn

from lab.batch import Batch
from lab.cli.main import main
from lab.inference.decoding import GREEDY, generate
from lab.inference.model import Trained, build, load
from lab.inference.reduced_precision import FLOAT16, INT8, HalfLinear, Int8Linear, in_precision
from lab.layers.kv_cache import Cache
from lab.runs.finding import find_run
from lab.runs.run import Run

READERS = ("t5", "t5_v11", "bart", "mbart")  # of a source


@pytest.fixture(scope="module")
def town() -> Trained:
    return load(find_run("gpt-town"))


@pytest.mark.parametrize("precision", (FLOAT16, INT8))
@pytest.mark.parametrize("family", ("bart", "mbart", "gpt", "deberta_v1", "deberta_v2", "deberta_v3"))
def test_a_table_of_its_own_and_maps_whose_weights_are_read_can_be_asked(
    family: str, precision: str, town: Trained
) -> None:
    shape = {"tied": False} if family in ("gpt", *READERS) else {}
    objective = "denoising" if family in READERS else "clm"
    run = Run(model=family, shape=shape, objective=objective, seed=1, corpus="town_en", training={"steps": 1})
    trained = Trained(run, build(run, 300, 0).eval(), town.tokenizer)
    source = torch.arange(9)[None] + 20 if family in READERS else None
    for shown in ([[7]], [[7, 8, 9]]):
        last = torch.tensor([len(shown[0]) - 1])
        batch = Batch(shown=torch.tensor(shown), visible="causal", source=source, asked=last)
        with torch.inference_mode():
            own, rounded = trained.model(batch).tokens, in_precision(trained, precision).model(batch).tokens
        assert torch.allclose(own, rounded, atol=5e-2 * own.abs().max().item()) and not torch.equal(own, rounded)


@pytest.mark.parametrize(("precision", "apart"), ((FLOAT16, 3e-3), (INT8, 5e-2)))
@pytest.mark.parametrize("family", ("gpt", "gpt1", "llama", "glm", "lstm", *READERS))
def test_the_logits_differ_by_rounding_alone(family: str, precision: str, apart: float, town: Trained) -> None:
    objective = "denoising" if family in READERS else "clm"
    run = Run(model=family, shape={}, objective=objective, seed=1, corpus="town_en", training={"steps": 1})
    trained = Trained(run, build(run, 300, 0).eval(), town.tokenizer)
    source = torch.arange(9)[None] + 20 if family in READERS else None
    batch = Batch(shown=torch.arange(7)[None] + 30, visible="causal", source=source, asked=torch.tensor([6]))
    with torch.inference_mode():
        own, rounded = trained.model(batch).tokens, in_precision(trained, precision).model(batch).tokens
        assert not torch.equal(own, rounded)
        assert torch.allclose(own, rounded, atol=apart * own.abs().max().item())
        assert torch.equal(own, trained.model(batch).tokens)  # the model itself stays as it was


def test_one_token_is_multiplied_in_half_precision_and_many_in_single() -> None:
    whole = nn.Linear(64, 32)
    half = HalfLinear(whole.weight, whole.bias)
    rows = torch.randn(3, 64)
    assert half.weight.dtype == torch.half and half(rows).dtype == half(rows[:1]).dtype == torch.float
    in_single = nn.functional.linear(rows, whole.weight.half().float(), whole.bias)
    assert torch.equal(half(rows), in_single)
    assert torch.allclose(half(rows[:1]), in_single[:1], atol=5e-3) and not torch.equal(half(rows[:1]), in_single[:1])


@pytest.mark.parametrize("width", (12, 40, 64, 200))  # the product with whole numbers is made for some of them alone
def test_one_token_is_multiplied_in_eight_bits_by_rows_with_scales_of_their_own(width: int) -> None:
    whole = nn.Linear(width, 7)
    whole.weight.data[2] *= 1000
    int8, rows = Int8Linear(whole.weight, whole.bias), torch.randn(3, width)
    many, one = int8(rows), int8(rows[None, :1])
    assert int8.whole.dtype == torch.int8 and one.shape == (1, 1, 7) and many.dtype == one.dtype == torch.float
    scale = whole.weight.detach().abs().amax(1) / 127
    rounded = (whole.weight.detach() / scale[:, None]).round() * scale[:, None]
    assert torch.allclose(many, nn.functional.linear(rows, rounded, whole.bias), rtol=1e-5, atol=1e-5)
    assert ((one[0, 0] - many[0]).abs() <= 0.01 * (rounded.abs() @ rows[0].abs() + many[0].abs())).all()
    assert Int8Linear(whole.weight, None)(rows).allclose(many - whole.bias, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("precision", (FLOAT16, INT8))
def test_a_text_of_the_shipped_gpt_is_written_as_likely_in_reduced_precision(precision: str, town: Trained) -> None:
    rounded = in_precision(town, precision)
    own, few = ([*generate(each, "Mary was a painter.", GREEDY, 12)] for each in (town, rounded))
    assert [token.id for token in own[:4]] == [token.id for token in few[:4]]
    assert own[0].logprob == pytest.approx(few[0].logprob, abs=0.02) and own[0].logprob != few[0].logprob


def test_the_cache_is_kept_in_single_precision(town: Trained) -> None:
    cache, half = Cache(), in_precision(town, FLOAT16)
    batch = Batch(shown=torch.tensor([[7]]), visible="causal", asked=torch.tensor([0]))
    with torch.inference_mode():
        half.model(batch, cache)
    assert cache.length == 1 and half.device == town.device
    assert {part.dtype for part in cache.past(0).held()} == {torch.float}


def test_the_command_line_writes_in_reduced_precision(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["generate", "--run", "gpt-town", "--prompt", "Mary was", "--sampler", "greedy", "--tokens", "4", "--json"]
    documents: list[dict[str, Any]] = []
    for more in ([], ["--precision", "float16"], ["--precision", "int8"]):
        assert main([*words, *more]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0]["tokens"] == documents[1]["tokens"] == documents[2]["tokens"]
    assert documents[0]["logprobs"] != documents[1]["logprobs"] != documents[2]["logprobs"]
