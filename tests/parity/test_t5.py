"""T5's buckets of distances, and the two ways of version 1.1 to have a head."""

from dataclasses import replace

import pytest
import torch
from oracle import copy_into, randomise
from twins import changed, tied
from two_stacks import compare
from writers import WRITERS

from lab.layers.positions import Buckets

transformers = pytest.importorskip("transformers")

V11 = WRITERS["t5_v11"]


@pytest.mark.parametrize("both", [True, False])
def test_distances_fall_into_the_buckets_of_the_published_code(both: bool) -> None:
    distances = torch.arange(-400, 401)
    published = transformers.models.t5.modeling_t5.T5Attention._relative_position_bucket
    wanted = published(distances, bidirectional=both, num_buckets=32, max_distance=128)
    got = Buckets(1, both=both).bucket(distances)
    assert torch.equal(got, wanted) and got.unique().numel() == (32 - both if both else 32)


def test_a_model_that_transformers_tied_by_itself_is_not_the_published_one() -> None:
    model = transformers.T5ForConditionalGeneration(V11.theirs().config)
    assert model.lm_head.weight is model.shared.weight
    with pytest.raises(AssertionError):
        randomise(model)
        copy_into(V11.ours(), V11.renamed(dict(model.named_parameters())))


def test_a_version_1_1_that_its_config_ties_agrees_too() -> None:
    config = V11.theirs().config
    config.scale_decoder_outputs = True  # what transformers keeps of a config that says it is tied
    mine = replace(changed(V11, {"tied": True}, {}), names=tied(V11.names))
    theirs = transformers.T5ForConditionalGeneration(config)
    compare(mine.ours(), theirs, mine.shown(), mine.renamed, torch.float64, mine.within).logits_agree()
