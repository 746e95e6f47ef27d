"""Knocking out: a head, a layer or a single look that is changed on the way is one that is changed in the weights."""

import copy
import threading
from dataclasses import replace
from typing import Any

import pytest
import torch
from test_head_steps import FAMILIES, TEXT, kinds, made
from torch import nn

from lab.batch import Batch
from lab.inference import decoding, inputs, predict
from lab.inference.ablation import Change, changed, skipped
from lab.inference.asked import ask, names
from lab.inference.attention_maps import maps_of
from lab.inference.model import Trained
from lab.inference.shown import shown
from lab.layers.discriminator import Discriminator
from lab.layers.enhanced import EnhancedStack
from lab.layers.stacks import Stack
from lab.settings import SettingsError

STACKS = {"": "stack", "encoder": "encoder", "decoder": "decoder", "cross": "decoder"}


def unshared(trained: Trained, kind: str) -> tuple[Any, Stack]:
    """A copy of the model in which no block runs twice, and the stack of a kind of maps."""
    model: Any = copy.deepcopy(trained.model)
    stack = getattr(model, STACKS[kind])
    stack.blocks = nn.ModuleList([copy.deepcopy(block) for _ in range(stack.times) for block in stack.blocks])
    stack.times = 1
    return model, stack


def hidden(model: Any, batch: Batch) -> torch.Tensor:
    """What a model answers at every token; one with two streams in its gaps, a discriminator about every token."""
    asked = torch.arange(batch.shown.numel())
    if batch.order is not None:
        asked = (batch.order[0] == batch.order.max()).nonzero()[:, 0]
    with torch.no_grad():
        if isinstance(model, Discriminator):
            return model.head(model.stack(batch))
        answer: torch.Tensor = model(replace(batch, asked=asked, most=None)).tokens
    return answer


@pytest.mark.parametrize("factor", [0.0, 1.7])
@pytest.mark.parametrize("name", FAMILIES)
def test_a_head_that_is_scaled_is_one_whose_output_weights_are(name: str, factor: float) -> None:
    trained = made(name)
    batch = shown(trained, TEXT).batch
    for kind in kinds(name):
        model, stack = unshared(trained, kind)
        part = stack.blocks[1].cross if kind == "cross" else stack.blocks[1].attention  # type: ignore[union-attr]
        width = part.out.weight.shape[1] // 2
        part.out.weight.data[:, width:] *= factor  # the second of two heads
        with changed(trained.model, Change(kind=kind, layer=1, head=1, factor=factor)):
            seen = hidden(trained.model, batch)
        whole = hidden(trained.model, batch)
        assert torch.allclose(seen, hidden(model, batch), atol=2e-5)
        assert not torch.allclose(seen, whole, atol=1e-4)
        if factor == 0:
            part.out.weight.data.zero_()
            with changed(trained.model, Change(kind=kind, layer=1)):
                assert torch.allclose(hidden(trained.model, batch), hidden(model, batch), atol=2e-5)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("layer", [0, 1])
def test_a_block_that_is_skipped_is_one_that_is_not_there(name: str, layer: int) -> None:
    trained = made(name)
    batch = shown(trained, TEXT).batch
    for kind in kinds(name)[:2]:
        if layer == 1 and isinstance(trained.model, EnhancedStack):
            with pytest.raises(SettingsError, match="mask decoder"), skipped(trained.model, kind, layer):
                pass
            continue
        model, stack = unshared(trained, kind)
        del stack.blocks[layer]
        with skipped(trained.model, kind, layer):
            seen = hidden(trained.model, batch)
        assert torch.allclose(seen, hidden(model, batch), atol=2e-5)


@pytest.mark.parametrize("name", ["bert", "albert", "gpt", "llama", "deberta_v2", "linear_transformer", "mistral"])
def test_a_look_that_is_knocked_out_is_one_that_the_attention_mask_forbids(name: str) -> None:
    trained = made(name)
    asked = shown(trained, TEXT)
    t, s, size = 5, 2, len(asked.read)
    table = torch.ones(size, size, dtype=torch.bool)
    table = table.tril() if asked.batch.visible == "causal" else table
    table[t, s] = False
    with changed(trained.model, Change(edge=(t, s))):
        seen = hidden(trained.model, asked.batch)
        [maps] = maps_of(trained, asked)
    assert torch.allclose(seen, hidden(trained.model, replace(asked.batch, visible=table)), atol=2e-5)
    assert (maps.maps[:, :, t, s] == 0).all() and torch.allclose(maps.maps.sum(-1), torch.ones(1), atol=1e-5)
    with changed(trained.model, Change(layer=0, head=1, edge=(t, s))):
        [maps] = maps_of(trained, asked)
    assert maps.maps[0, 1, t, s] == 0 and maps.maps[0, 0, t, s] > 0 and maps.maps[1, 1, t, s] > 0


def test_a_token_that_would_be_left_alone_and_a_second_stream_get_a_sentence() -> None:
    gpt, xlnet = made("gpt"), made("xlnet")
    with pytest.raises(SettingsError, match="no other token"), changed(gpt.model, Change(edge=(0, 0))):
        maps_of(gpt, shown(gpt, TEXT))
    with pytest.raises(SettingsError, match="second stream"), changed(xlnet.model, Change(edge=(0, 0))):
        pass


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_answers_and_answers_otherwise_without_its_attention(name: str) -> None:
    trained = made(name)
    ids = shown(trained, TEXT).text
    before = ask(trained, ids)
    assert float(before.probabilities.sum()) == pytest.approx(1, abs=1e-5)
    kind = kinds(name)[0]
    with changed(trained.model, Change(kind=kind)):
        after = ask(trained, ids)
    again = ask(trained, ids)
    assert before.divergence(after) > 1e-6 and before.divergence(again) == pytest.approx(0, abs=1e-9)
    assert names(trained, before.what, [int(before.probabilities.argmax())])[0]


def test_a_gap_is_answered_as_where_it_is_filled_and_the_next_token_as_where_it_is_written() -> None:
    for name in ("bert", "xlnet", "roberta"):
        trained = made(name)
        best = predict.fill(trained, "The cat [MASK].", 1)[0][0]
        asked = ask(trained, shown(trained, "The cat [MASK].").read)
        assert (int(asked.probabilities.argmax()), asked.what) == (best.id, "gap")
        assert float(asked.probabilities.max()) == pytest.approx(best.probability, abs=1e-6)
    gpt = made("gpt")
    following = decoding.continuation(gpt, "The cat").next_logits().softmax(-1)
    asked = ask(gpt, shown(gpt, "The cat").read)
    assert torch.allclose(asked.probabilities, following, atol=1e-6) and asked.what == "next"
    bert = made("bert")
    assert ask(bert, inputs.framed(bert, inputs.with_special_tokens(bert, "The cat"))).what == "last"
    with pytest.raises(SettingsError, match="answers about gaps"):
        ask(bert, shown(bert, "").read)


def test_what_one_thread_changes_no_other_sees() -> None:
    trained = made("bert")
    batch = shown(trained, TEXT).batch
    whole, seen = hidden(trained.model, batch), []
    with changed(trained.model, Change(layer=0)):
        other = threading.Thread(target=lambda: seen.append(hidden(trained.model, batch)))
        other.start()
        other.join()
        assert not torch.allclose(hidden(trained.model, batch), whole, atol=1e-4)
    assert torch.equal(seen[0], whole) and torch.equal(hidden(trained.model, batch), whole)
