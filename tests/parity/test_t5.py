"""Our T5, version 1.0 and 1.1, computes what T5 in transformers computes."""

import pytest
import torch
from oracle import DEPTH, FEED, HEADS, VOCABULARY, WIDTH, copy_into, randomise, translated
from torch import Tensor, nn
from two_stacks import (
    Parity,
    cached_and_uncached_agree,
    compare,
    shifted,
    the_source_is_read_once,
)

from lab.engine.exchange.families.t5 import NAMING as T5
from lab.engine.exchange.families.t5_v11 import NAMING as T5_V11
from lab.layers.positions import Buckets
from lab.models.t5 import T5Shape, t5
from lab.models.t5_v11 import T5v11Shape, t5_v11

transformers = pytest.importorskip("transformers")

NAMINGS = {naming.model: naming for naming in (T5, T5_V11)}

HEAD_WIDTH = 10  # the heads together are wider than the model, as in the largest published ones
SHOWN = shifted(0)
CLOSE = {torch.float32: 1e-5, torch.float64: 5e-6}  # their norms work in single precision


def theirs(name: str) -> nn.Module:
    old = name == "t5"
    config = transformers.T5Config(
        vocab_size=VOCABULARY,
        d_model=WIDTH,
        d_kv=HEAD_WIDTH,
        d_ff=FEED,
        num_layers=DEPTH,
        num_heads=HEADS,
        feed_forward_proj="relu" if old else "gated-gelu",
        tie_word_embeddings=old,
        decoder_start_token_id=0,
        attn_implementation="eager",
    )
    model: nn.Module = transformers.T5ForConditionalGeneration(config)
    if not old:  # the class ties the tables of every model that is built from a configuration
        model.lm_head.weight = nn.Parameter(torch.zeros(VOCABULARY, WIDTH))
    return model


def pair(name: str, dtype: torch.dtype) -> Parity:
    sizes = {"width": WIDTH, "depth": DEPTH, "heads": HEADS, "head_width": HEAD_WIDTH, "feed": FEED}
    ours = t5(T5Shape(**sizes), VOCABULARY) if name == "t5" else t5_v11(T5v11Shape(**sizes), VOCABULARY)

    def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
        return translated(theirs, NAMINGS[name].names)

    return compare(ours, theirs(name), SHOWN, renamed, dtype, CLOSE)


@pytest.fixture(scope="module", params=list(NAMINGS))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(request: pytest.FixtureRequest, name: str) -> Parity:
    return pair(name, request.param)


def test_every_hidden_state_of_both_stacks_agrees(parity: Parity) -> None:
    parity.hidden_states_agree()


def test_the_maps_of_encoder_decoder_and_between_them_agree(parity: Parity) -> None:
    parity.attention_maps_agree()


def test_logits_agree(parity: Parity) -> None:
    parity.logits_agree()


def test_the_loss_and_the_gradient_of_every_parameter_agree(parity: Parity) -> None:
    parity.losses_and_gradients_agree()


@pytest.mark.parametrize("first", [1, 4])
def test_with_a_cache_and_without_logits_agree(parity: Parity, first: int) -> None:
    cached_and_uncached_agree(parity, SHOWN, first)


def test_a_cache_reads_the_source_once_and_follows_the_rows(name: str) -> None:
    the_source_is_read_once(pair(name, torch.float32).ours, SHOWN)


@pytest.mark.parametrize("both", [True, False])
def test_distances_fall_into_the_buckets_of_the_published_code(both: bool) -> None:
    distances = torch.arange(-400, 401)
    published = transformers.models.t5.modeling_t5.T5Attention._relative_position_bucket
    wanted = published(distances, bidirectional=both, num_buckets=32, max_distance=128)
    got = Buckets(1, both=both).bucket(distances)
    assert torch.equal(got, wanted) and got.unique().numel() == (32 - both if both else 32)


def test_a_model_that_transformers_tied_by_itself_is_not_the_published_one() -> None:
    tied = transformers.T5ForConditionalGeneration(theirs("t5_v11").config)
    assert tied.lm_head.weight is tied.shared.weight
    with pytest.raises(AssertionError):
        randomise(tied)
        ours = t5_v11(T5v11Shape(width=WIDTH, depth=DEPTH, heads=HEADS, head_width=HEAD_WIDTH, feed=FEED), VOCABULARY)
        copy_into(ours, translated(dict(tied.named_parameters()), T5_V11.names))


def test_a_version_1_1_that_its_config_ties_agrees_too() -> None:
    config = theirs("t5_v11").config
    config.scale_decoder_outputs = True  # what transformers keeps of a config that says it is tied
    sizes = {"width": WIDTH, "depth": DEPTH, "heads": HEADS, "head_width": HEAD_WIDTH, "feed": FEED}
    ours = t5_v11(T5v11Shape(**sizes, tied=True), VOCABULARY)
    names = {name: other for name, other in T5_V11.names.items() if name != "head.out"}
    their = transformers.T5ForConditionalGeneration(config)
    parity = compare(ours, their, SHOWN, lambda given: translated(given, names), torch.float64, CLOSE)
    parity.logits_agree()
