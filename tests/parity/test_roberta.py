"""Our RoBERTa computes what RoBERTa in transformers computes, and so does its own head for sentences."""

from dataclasses import replace

import pytest
import torch
from oracle import (
    CLOSE,
    CONTEXT,
    DEPTH,
    FEED,
    HEADS,
    VOCABULARY,
    WIDTH,
    Parity,
    Side,
    close,
    compare,
    copy_into,
    gaps,
    key_bias,
    labels,
    randomise,
    translated,
)
from torch import Tensor, nn

from lab.batch import Batch
from lab.engine.exchange.families.roberta import NAMING
from lab.models.roberta import RobertaShape, roberta

transformers = pytest.importorskip("transformers")

PAD, CLASSES = 1, 3
SHAPE = RobertaShape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT, pad=PAD)


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMING.names, SHAPE)


def text() -> Batch:
    """Rows with gaps that hold no padding but at their ends, as its tokenizer writes it."""
    batch = gaps()
    assert batch.real is not None
    shown = torch.where(batch.real, batch.shown.clamp_min(2), PAD)
    return replace(batch, shown=shown, segments=None, label=None)


def config(**more: int) -> object:
    return transformers.RobertaConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        num_hidden_layers=DEPTH,
        num_attention_heads=HEADS,
        intermediate_size=FEED,
        max_position_embeddings=CONTEXT + 2,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        pad_token_id=PAD,
        attn_implementation="eager",
        **more,
    )


def answer(model: nn.Module, batch: Batch) -> Side:
    out = model(
        input_ids=batch.shown,
        attention_mask=batch.real,
        labels=labels(batch),
        output_hidden_states=True,
        output_attentions=True,
    )
    return Side(out.hidden_states, out.attentions, out.logits.flatten(0, 1)[batch.asked], out.loss)


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(request: pytest.FixtureRequest) -> Parity:
    theirs = transformers.RobertaForMaskedLM(config())
    return compare(roberta(SHAPE, VOCABULARY), theirs, text(), answer, renamed, request.param)


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


def test_the_key_bias_is_where_it_belongs(parity: Parity) -> None:
    theirs = dict(parity.theirs.named_parameters())
    for n in range(DEPTH):
        assert torch.equal(key_bias(parity.ours, n), theirs[f"roberta.encoder.layer.{n}.attention.self.key.bias"])
        assert key_bias(parity.ours, n).abs().max() > 0.01


@torch.no_grad()
def test_positions_pass_over_padding_in_the_middle_of_a_text_that_is_looked_at(parity: Parity) -> None:
    shown = parity.batch.shown.clone()
    shown[0, 3] = shown[2, 7] = PAD
    mine = parity.ours(Batch(shown=shown, asked=torch.arange(shown.numel()))).tokens
    close(mine, parity.theirs(input_ids=shown).logits.flatten(0, 1), CLOSE)


@torch.no_grad()
def test_the_head_for_sentences_agrees() -> None:
    theirs = transformers.RobertaForSequenceClassification(config(num_labels=CLASSES)).eval()
    randomise(theirs)
    ours = roberta(SHAPE, VOCABULARY, CLASSES).eval()
    own = {name: value for name, value in ours.named_parameters() if name.startswith("head.")}
    copy_into(ours, translated(dict(theirs.named_parameters()), NAMING.names, SHAPE) | own)
    mine = ours(text()).sequence
    close(mine, theirs(input_ids=text().shown, attention_mask=text().real).logits, CLOSE)
