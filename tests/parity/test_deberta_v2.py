"""What our DeBERTa v2 has that its class in transformers leaves out or hides: the mask decoder, and the buckets."""

import pytest
import torch
from twins import TWINS, changed, pair

from lab.batch import Batch
from lab.layers.disentangled import log_buckets

modeling = pytest.importorskip("transformers.models.deberta_v2.modeling_deberta_v2")


@pytest.mark.parametrize(("buckets", "context"), [(8, 20), (64, 128), (64, 512), (256, 512), (256, 1024)])
def test_every_distance_falls_into_the_same_bucket(buckets: int, context: int) -> None:
    distances = torch.arange(1 - context, context)
    theirs = modeling.make_log_bucket_position(distances, buckets, context).long()
    assert torch.equal(log_buckets(distances, buckets // 2, context), theirs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_the_mask_decoder_agrees_with_their_last_layer_asked_by_other_queries(dtype: torch.dtype) -> None:
    parity = pair("deberta_v2", dtype)
    theirs, encoder = parity.theirs, parity.theirs.deberta.encoder
    ours = changed(TWINS["deberta_v2"], {"plain": False}, {}).ours().to(dtype).eval()
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
    torch.testing.assert_close(ours(row).tokens, wanted[0], rtol=0, atol=parity.close[dtype])
