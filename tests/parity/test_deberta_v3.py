"""A network of our DeBERTa v3 computes what DeBERTa v2 in transformers computes without a convolution.

The buckets are so few that far distances share some. The reference takes the root of the scale in single precision:
hence the tolerance in double precision.
"""

from dataclasses import replace

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
from lab.models.deberta_v3 import DebertaV3Shape, deberta_v3

transformers = pytest.importorskip("transformers")

WITHIN, MAPS = {**CLOSE, torch.float64: 1e-7}, {**MAPS_CLOSE, torch.float64: 1e-7}
BUCKETS = 8
BLOCK, THEIRS = "stack.blocks.*.", "deberta.encoder.layer.*."
NAMES: dict[str, str | tuple[str, ...]] = {
    "stack.embed.tokens": "deberta.embeddings.word_embeddings",
    "stack.embed.norm": "deberta.embeddings.LayerNorm",
    "stack.blocks.0.attention.distances.table": "deberta.encoder.rel_embeddings",
    "stack.blocks.0.attention.distances.norm": "deberta.encoder.LayerNorm",
    BLOCK + "attention.qkv": tuple(THEIRS + f"attention.self.{part}_proj" for part in ("query", "key", "value")),
    BLOCK + "attention.out": THEIRS + "attention.output.dense",
    BLOCK + "attention_norm": THEIRS + "attention.output.LayerNorm",
    BLOCK + "feed.up": THEIRS + "intermediate.dense",
    BLOCK + "feed.down": THEIRS + "output.dense",
    BLOCK + "feed_norm": THEIRS + "output.LayerNorm",
    "head.dense": "lm_predictions.lm_head.dense",
    "head.norm": "lm_predictions.lm_head.LayerNorm",
    "head.bias": "lm_predictions.lm_head.bias",
}


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMES)


def config(**more: object) -> "transformers.DebertaV2Config":
    return transformers.DebertaV2Config(
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
        pos_att_type=["p2c", "c2p"],
        share_att_key=True,
        position_buckets=BUCKETS,
        norm_rel_ebd="layer_norm",
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


def shape(**more: str) -> DebertaV3Shape:
    return DebertaV3Shape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT, buckets=BUCKETS, **more)


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(request: pytest.FixtureRequest) -> Parity:
    ours = deberta_v3(shape(half="generator"), VOCABULARY)
    theirs = transformers.DebertaV2ForMaskedLM(config())
    return compare(ours, theirs, gaps(), answer, renamed, request.param, WITHIN, MAPS)


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


def test_the_classifier_agrees() -> None:
    theirs = transformers.DebertaV2ForSequenceClassification(config(num_labels=3)).eval()
    randomise(theirs)
    ours = deberta_v3(shape(half="generator"), VOCABULARY, classes=3).eval()
    names = {mine: source for mine, source in NAMES.items() if not mine.startswith("head.")}
    names |= {"sequence.pooler.dense": "pooler.dense", "sequence.out": "classifier"}
    ours.load_state_dict(translated(dict(theirs.named_parameters()), names), strict=False)
    batch = replace(gaps(), asked=None)
    wanted = theirs(input_ids=batch.shown, attention_mask=real().long()).logits
    torch.testing.assert_close(ours(batch).sequence, wanted, rtol=0, atol=1e-5)
