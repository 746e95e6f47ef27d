"""Our DeBERTa v2 without its mask decoder computes what DeBERTa v2 in transformers computes, convolution and all.

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
from lab.engine.exchange.families.deberta_v2 import NAMING
from lab.layers.disentangled import log_buckets
from lab.models.deberta_v2 import DebertaV2Shape, deberta_v2

transformers = pytest.importorskip("transformers")
modeling = pytest.importorskip("transformers.models.deberta_v2.modeling_deberta_v2")

WITHIN, MAPS = {**CLOSE, torch.float64: 1e-7}, {**MAPS_CLOSE, torch.float64: 1e-7}
BUCKETS = 8


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMING.names, shape())


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
        conv_kernel_size=3,
        conv_act="gelu",
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


def shape(**more: bool) -> DebertaV2Shape:
    return DebertaV2Shape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT, buckets=BUCKETS, **more)


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(request: pytest.FixtureRequest) -> Parity:
    ours = deberta_v2(shape(plain=True), VOCABULARY)
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


@pytest.mark.parametrize(("buckets", "context"), [(8, 20), (64, 128), (64, 512), (256, 512), (256, 1024)])
def test_every_distance_falls_into_the_same_bucket(buckets: int, context: int) -> None:
    distances = torch.arange(1 - context, context)
    theirs = modeling.make_log_bucket_position(distances, buckets, context).long()
    assert torch.equal(log_buckets(distances, buckets // 2, context), theirs)


def test_the_mask_decoder_agrees_with_their_last_layer_asked_by_other_queries(parity: Parity) -> None:
    theirs, encoder = parity.theirs, parity.theirs.deberta.encoder
    dtype = next(theirs.parameters()).dtype
    ours = deberta_v2(shape(), VOCABULARY).to(dtype).eval()
    ours.load_state_dict(parity.ours.state_dict(), strict=False)
    row = Batch(shown=parity.batch.shown[:1], asked=torch.arange(parity.batch.shown.shape[1]))
    read = theirs.deberta(input_ids=row.shown, output_hidden_states=True).hidden_states[-2]
    everybody = torch.ones(1, 1, read.shape[1], read.shape[1])
    queries = read + ours.late.table.weight[: read.shape[1]]
    for _ in range(2):
        queries, _ = encoder.layer[-1](
            read,
            everybody,
            query_states=queries,
            relative_pos=encoder.get_rel_pos(read),
            rel_embeddings=encoder.get_rel_embedding(),
        )
    wanted = theirs.lm_predictions(queries, theirs.deberta.embeddings.word_embeddings)
    torch.testing.assert_close(ours(row).tokens, wanted[0], rtol=0, atol=WITHIN[dtype])


def test_the_classifier_agrees() -> None:
    theirs = transformers.DebertaV2ForSequenceClassification(config(num_labels=3)).eval()
    randomise(theirs)
    ours = deberta_v2(shape(plain=True), VOCABULARY, classes=3).eval()
    ours.load_state_dict(renamed(dict(theirs.named_parameters())), strict=False)
    batch = replace(gaps(), asked=None)
    wanted = theirs(input_ids=batch.shown, attention_mask=real().long()).logits
    torch.testing.assert_close(ours(batch).sequence, wanted, rtol=0, atol=1e-5)
