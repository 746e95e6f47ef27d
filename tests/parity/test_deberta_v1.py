"""Our DeBERTa without its mask decoder computes what DeBERTa in transformers computes, which has none.

The reference normalises in single precision, whatever the model's: hence the tolerance in double precision.
"""

import pytest
import torch
from oracle import (
    CLOSE,
    CONTEXT,
    DEPTH,
    FEED,
    HEADS,
    MAPS_CLOSE,
    VOCABULARY,
    WIDTH,
    Parity,
    Side,
    compare,
    gaps,
    labels,
    randomise,
    real,
    translated,
)
from torch import Tensor, nn

from lab.batch import Batch
from lab.engine.exchange.families.deberta_v1 import NAMING
from lab.models.deberta_v1 import DebertaV1Shape, deberta_v1

transformers = pytest.importorskip("transformers")

WITHIN, MAPS = {**CLOSE, torch.float64: 5e-6}, {**MAPS_CLOSE, torch.float64: 1e-6}


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMING.names, shape())


def config(**more: object) -> "transformers.DebertaConfig":
    return transformers.DebertaConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        num_hidden_layers=DEPTH,
        num_attention_heads=HEADS,
        intermediate_size=FEED,
        max_position_embeddings=CONTEXT,
        type_vocab_size=0,
        layer_norm_eps=1e-7,
        relative_attention=True,
        position_biased_input=False,
        pos_att_type=["c2p", "p2c"],
        legacy=False,
        **more,
    )


def answer(model: nn.Module, batch: Batch) -> Side:
    out = model(
        input_ids=batch.shown,
        attention_mask=batch.real.long(),
        labels=labels(batch),
        output_hidden_states=True,
        output_attentions=True,
    )
    return Side(out.hidden_states, out.attentions, out.logits.flatten(0, 1)[batch.asked], out.loss)


def shape(**more: bool) -> DebertaV1Shape:
    return DebertaV1Shape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT, **more)


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(request: pytest.FixtureRequest) -> Parity:
    ours = deberta_v1(shape(plain=True), VOCABULARY)
    return compare(
        ours, transformers.DebertaForMaskedLM(config()), gaps(), answer, renamed, request.param, WITHIN, MAPS
    )


def test_every_hidden_state_agrees(parity: Parity) -> None:
    parity.hidden_states_agree()


def test_every_attention_map_agrees(parity: Parity) -> None:
    parity.attention_maps_agree()


def test_token_logits_agree(parity: Parity) -> None:
    parity.logits_agree()


def test_the_loss_agrees(parity: Parity) -> None:
    parity.losses_agree()


def test_the_gradient_of_every_parameter_agrees(parity: Parity) -> None:
    parity.gradients_agree()


def test_the_classifier_agrees(parity: Parity) -> None:
    theirs = transformers.DebertaForSequenceClassification(config(num_labels=3)).eval()
    randomise(theirs)
    ours = deberta_v1(shape(plain=True), VOCABULARY, classes=3).eval()
    ours.load_state_dict(renamed(dict(theirs.named_parameters())), strict=False)
    batch = gaps()
    wanted = theirs(input_ids=batch.shown, attention_mask=real().long()).logits
    torch.testing.assert_close(ours(batch).sequence, wanted, rtol=0, atol=1e-5)
