"""Our BART and mBART compute what theirs in transformers do, and sort texts as they do."""

from typing import Any

import pytest
import torch
from oracle import CONTEXT, DEPTH, FEED, HEADS, VOCABULARY, WIDTH, close, copy_into, randomise, translated
from torch import Tensor, nn
from two_stacks import (
    SOURCE,
    Parity,
    cached_and_uncached_agree,
    compare,
    read,
    shifted,
    sources,
    the_source_is_read_once,
)

from lab.batch import Batch
from lab.engine.exchange.families.bart import NAMING as BART
from lab.engine.exchange.families.mbart import NAMING as MBART
from lab.layers.stacks import TwoStacks
from lab.models.bart import BartShape, bart
from lab.models.mbart import MbartShape, mbart

transformers = pytest.importorskip("transformers")

NAMINGS = {naming.model: naming for naming in (BART, MBART)}

END = 2
SHOWN = shifted(END)
SIZES = {"width": WIDTH, "depth": DEPTH, "heads": HEADS, "feed": FEED, "context": 2 * CONTEXT}


def ours(name: str, classes: int = 0) -> TwoStacks:
    if name == "bart":
        return bart(BartShape(**SIZES), VOCABULARY, classes)
    return mbart(MbartShape(**SIZES), VOCABULARY, classes)


def theirs(name: str, head: str = "ConditionalGeneration", **more: Any) -> nn.Module:
    family = {"bart": "Bart", "mbart": "MBart"}[name]
    config = getattr(transformers, f"{family}Config")(
        vocab_size=VOCABULARY,
        d_model=WIDTH,
        encoder_layers=DEPTH,
        decoder_layers=DEPTH,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=FEED,
        decoder_ffn_dim=FEED,
        max_position_embeddings=2 * CONTEXT,
        scale_embedding=name == "mbart",
        attn_implementation="eager",
        **more,
    )
    model: nn.Module = getattr(transformers, f"{family}For{head}")(config)
    return model


def pair(name: str, dtype: torch.dtype) -> Parity:
    def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
        return translated(theirs, NAMINGS[name].names)

    return compare(ours(name), theirs(name), SHOWN, renamed, dtype)


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


@pytest.mark.parametrize("part", ["encoder.blocks.0.attention.qkv", "decoder.blocks.1.attention.qkv"])
def test_the_key_bias_is_where_it_belongs(parity: Parity, part: str) -> None:
    stack, block = part.split(".")[0], part.split(".")[2]
    theirs = parity.theirs.get_parameter(f"model.{stack}.layers.{block}.self_attn.k_proj.bias")
    ours = parity.ours.get_parameter(part + ".bias")[WIDTH : 2 * WIDTH]
    assert torch.equal(ours, theirs) and theirs.abs().max() > 0.01


def test_a_text_is_sorted_by_the_end_of_what_the_decoder_read_of_it(name: str) -> None:
    sorting = theirs(name, "SequenceClassification", num_labels=4).eval()
    randomise(sorting)
    mine = ours(name, classes=4).eval()
    copy_into(mine, translated(dict(sorting.named_parameters()), NAMINGS[name].names))
    shown = sources()
    shown[torch.arange(3), read().sum(1) - 1] = END  # each text ends in the token that sums it up
    wanted = sorting(shown, attention_mask=read().long()).logits
    got = mine(Batch(shown=shown, real=read())).sequence
    assert read().sum(1).min() < SOURCE
    close(got, wanted, {torch.float32: 1e-5})
