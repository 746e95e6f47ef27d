"""Our ALBERT computes what ALBERT in transformers computes, with both of its activations."""

import pytest
import torch
from oracle import (
    CONTEXT,
    DEPTH,
    FEED,
    HEADS,
    NARROW,
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
from lab.engine.exchange.families.albert import NAMING
from lab.models.albert import AlbertShape, albert

transformers = pytest.importorskip("transformers")

THEIRS = {"gelu": "gelu", "gelu_tanh": "gelu_new"}


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMING.names)


def answer(model: nn.Module, batch: Batch) -> Side:
    out = model(
        input_ids=batch.shown,
        attention_mask=batch.real,
        token_type_ids=batch.segments,
        labels=labels(batch),
        sentence_order_label=batch.label,
        output_hidden_states=True,
        output_attentions=True,
    )
    tokens = out.prediction_logits.flatten(0, 1)[batch.asked]
    return Side(out.hidden_states, out.attentions, tokens, out.loss, out.sop_logits)


def pair(activation: str, dtype: torch.dtype, theirs: str | None = None, share: str = "all") -> Parity:
    config = transformers.AlbertConfig(
        vocab_size=VOCABULARY,
        embedding_size=NARROW,
        hidden_size=WIDTH,
        num_hidden_layers=DEPTH,
        num_hidden_groups=DEPTH if share == "none" else 1,
        num_attention_heads=HEADS,
        intermediate_size=FEED,
        max_position_embeddings=CONTEXT,
        hidden_act=THEIRS[theirs or activation],
        attn_implementation="eager",
    )
    sizes = {"width": WIDTH, "depth": DEPTH, "heads": HEADS, "feed": FEED, "context": CONTEXT, "narrow": NARROW}
    ours = albert(AlbertShape(**sizes, activation=activation, share=share), VOCABULARY)
    return compare(ours, transformers.AlbertForPreTraining(config), gaps(), answer, renamed, dtype)


@pytest.fixture(scope="module", params=list(THEIRS))
def activation(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(request: pytest.FixtureRequest, activation: str) -> Parity:
    return pair(activation, request.param)


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
    assert torch.equal(
        key_bias(parity.ours, 0), theirs["albert.encoder.albert_layer_groups.0.albert_layers.0.attention.key.bias"]
    )
    assert key_bias(parity.ours, 0).abs().max() > 0.01


def test_the_two_activations_can_be_told_apart() -> None:
    crossed = pair("gelu", torch.float32, theirs="gelu_tanh")
    assert (crossed.mine.hidden[-1] - crossed.reference.hidden[-1]).abs().max() > 1e-4


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_sharing_nothing_agrees_with_a_group_for_each_block(dtype: torch.dtype) -> None:
    alone = pair("gelu_tanh", dtype, share="none")
    alone.hidden_states_agree()
    alone.logits_agree()
    alone.gradients_agree()
