"""Our DistilBERT computes what DistilBERT in transformers computes, and so does its head for sentences."""

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
from lab.models.distilbert import DistilbertShape, distilbert

transformers = pytest.importorskip("transformers")

CLASSES = 3
SHAPE = DistilbertShape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT)
BLOCK, THEIRS = "stack.blocks.*.", "distilbert.transformer.layer.*."
BODY: dict[str, str | tuple[str, ...]] = {
    "stack.embed.tokens": "distilbert.embeddings.word_embeddings",
    "stack.embed.positions.table": "distilbert.embeddings.position_embeddings",
    "stack.embed.norm": "distilbert.embeddings.LayerNorm",
    BLOCK + "attention.qkv": tuple(THEIRS + f"attention.{part}_lin" for part in ("q", "k", "v")),
    BLOCK + "attention.out": THEIRS + "attention.out_lin",
    BLOCK + "attention_norm": THEIRS + "sa_layer_norm",
    BLOCK + "feed.up": THEIRS + "ffn.lin1",
    BLOCK + "feed.down": THEIRS + "ffn.lin2",
    BLOCK + "feed_norm": THEIRS + "output_layer_norm",
}
NAMES = BODY | {
    "head.dense": "vocab_transform",
    "head.norm": "vocab_layer_norm",
    "head.bias": "vocab_projector.bias",
}
SENTENCES = BODY | {"sequence.pooler.dense": "pre_classifier", "sequence.out": "classifier"}


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMES)


def text() -> Batch:
    return replace(gaps(), segments=None, label=None)


def config(**more: int) -> object:
    return transformers.DistilBertConfig(
        vocab_size=VOCABULARY,
        dim=WIDTH,
        n_layers=DEPTH,
        n_heads=HEADS,
        hidden_dim=FEED,
        max_position_embeddings=CONTEXT,
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
    theirs = transformers.DistilBertForMaskedLM(config())
    return compare(distilbert(SHAPE, VOCABULARY), theirs, text(), answer, renamed, request.param)


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
        name = f"distilbert.transformer.layer.{n}.attention.k_lin.bias"
        assert torch.equal(key_bias(parity.ours, n), theirs[name])
        assert key_bias(parity.ours, n).abs().max() > 0.01


@torch.no_grad()
def test_the_head_for_sentences_agrees() -> None:
    theirs = transformers.DistilBertForSequenceClassification(config(num_labels=CLASSES)).eval()
    randomise(theirs)
    ours = distilbert(SHAPE, VOCABULARY, CLASSES).eval()
    own = {name: value for name, value in ours.named_parameters() if name.startswith("head.")}
    copy_into(ours, translated(dict(theirs.named_parameters()), SENTENCES) | own)
    logits = theirs(input_ids=text().shown, attention_mask=text().real).logits
    close(ours(text()).sequence, logits, CLOSE)
