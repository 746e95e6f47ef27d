"""Our encoder-decoders compute what their classes in transformers compute, at once and token by token."""

import pytest
import torch
from oracle import CLOSE, WIDTH, close, copy_into, randomise
from two_stacks import END, SOURCE, cached_and_uncached_agree, read, sources, the_source_is_read_once
from writers import WRITERS, writing

from lab.batch import Batch

in_both_precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
every_writer = pytest.mark.parametrize("name", WRITERS)
the_barts = pytest.mark.parametrize("name", ["bart", "mbart"])


@in_both_precisions
@every_writer
def test_every_hidden_state_of_both_stacks_agrees(name: str, dtype: torch.dtype) -> None:
    writing(name, dtype).hidden_states_agree()


@in_both_precisions
@every_writer
def test_the_maps_of_encoder_decoder_and_between_them_agree(name: str, dtype: torch.dtype) -> None:
    writing(name, dtype).attention_maps_agree()


@in_both_precisions
@every_writer
def test_logits_agree(name: str, dtype: torch.dtype) -> None:
    writing(name, dtype).logits_agree()


@in_both_precisions
@every_writer
def test_the_loss_and_the_gradient_of_every_parameter_agree(name: str, dtype: torch.dtype) -> None:
    writing(name, dtype).losses_and_gradients_agree()


@in_both_precisions
@pytest.mark.parametrize("first", [1, 4])
@every_writer
def test_with_a_cache_and_without_logits_agree(name: str, first: int, dtype: torch.dtype) -> None:
    cached_and_uncached_agree(writing(name, dtype), WRITERS[name].shown(), first)


@every_writer
def test_a_cache_reads_the_source_once_and_follows_the_rows(name: str) -> None:
    the_source_is_read_once(writing(name, torch.float32).ours, WRITERS[name].shown())


@in_both_precisions
@pytest.mark.parametrize(("stack", "block"), [("encoder", 0), ("decoder", 1)])
@the_barts
def test_the_key_bias_is_where_it_belongs(name: str, stack: str, block: int, dtype: torch.dtype) -> None:
    parity = writing(name, dtype)
    theirs = parity.theirs.get_parameter(f"model.{stack}.layers.{block}.self_attn.k_proj.bias")
    ours = parity.ours.get_parameter(f"{stack}.blocks.{block}.attention.qkv.bias")[WIDTH : 2 * WIDTH]
    assert torch.equal(ours, theirs) and theirs.abs().max() > 0.01


@the_barts
def test_a_text_is_sorted_by_the_end_of_what_the_decoder_read_of_it(name: str) -> None:
    twin = WRITERS[name]
    theirs, ours = twin.theirs(twin.labels, num_labels=4).eval(), twin.ours(classes=4).eval()
    randomise(theirs)
    copy_into(ours, twin.renamed(dict(theirs.named_parameters())))
    shown = sources()
    shown[torch.arange(3), read().sum(1) - 1] = END  # each text ends in the token that sums it up
    wanted = theirs(shown, attention_mask=read().long()).logits
    got = ours(Batch(shown=shown, real=read())).sequence
    assert read().sum(1).min() < SOURCE
    close(got, wanted, CLOSE)
