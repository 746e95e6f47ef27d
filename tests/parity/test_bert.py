"""Our BERT, and MacBERT that has its body, compute what BERT in transformers computes."""

from collections.abc import Callable

import pytest
import torch
from oracle import (
    CONTEXT,
    DEPTH,
    FEED,
    HEADS,
    VOCABULARY,
    WIDTH,
    Parity,
    Side,
    compare,
    gaps,
    key_bias,
    labels,
    translated,
)
from torch import Tensor, nn

from lab.batch import Batch
from lab.engine.exchange.families.bert import NAMING
from lab.layers.stacks import OneStack
from lab.models.bert import BertShape, bert
from lab.models.macbert import macbert

transformers = pytest.importorskip("transformers")


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMING.names)


def answer(model: nn.Module, batch: Batch) -> Side:
    out = model(
        input_ids=batch.shown,
        attention_mask=batch.real,
        token_type_ids=batch.segments,
        labels=labels(batch),
        next_sentence_label=batch.label,
        output_hidden_states=True,
        output_attentions=True,
    )
    tokens = out.prediction_logits.flatten(0, 1)[batch.asked]
    return Side(out.hidden_states, out.attentions, tokens, out.loss, out.seq_relationship_logits)


@pytest.fixture(scope="module", params=[bert, macbert], ids=["bert", "macbert"])
def build(request: pytest.FixtureRequest) -> Callable[..., OneStack]:
    return request.param


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(request: pytest.FixtureRequest, build: Callable[..., OneStack]) -> Parity:
    config = transformers.BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        num_hidden_layers=DEPTH,
        num_attention_heads=HEADS,
        intermediate_size=FEED,
        max_position_embeddings=CONTEXT,
        attn_implementation="eager",
    )
    ours = build(BertShape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT), VOCABULARY)
    return compare(ours, transformers.BertForPreTraining(config), gaps(), answer, renamed, request.param)


def test_every_hidden_state_agrees(parity: Parity) -> None:
    parity.hidden_states_agree()


def test_every_attention_map_agrees(parity: Parity) -> None:
    parity.attention_maps_agree()


def test_token_and_pair_logits_agree(parity: Parity) -> None:
    parity.logits_agree()


def test_the_loss_agrees(parity: Parity) -> None:
    parity.losses_agree()


def test_the_gradient_of_every_parameter_agrees(parity: Parity) -> None:
    parity.gradients_agree()


def test_the_key_bias_is_where_it_belongs(parity: Parity) -> None:
    theirs = dict(parity.theirs.named_parameters())
    for n in range(DEPTH):
        assert torch.equal(key_bias(parity.ours, n), theirs[f"bert.encoder.layer.{n}.attention.self.key.bias"])
        assert key_bias(parity.ours, n).abs().max() > 0.01
