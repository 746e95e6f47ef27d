"""Our recipes compute what their classes in transformers compute: every row of the table keeps these promises."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from oracle import (
    LENGTHS,
    TOKENS,
    VOCABULARY,
    close,
    copy_into,
    key_bias,
    next_tokens,
    randomise,
    rows,
    step_by_step,
)
from torch import Tensor
from twins import TWINS, pair, reads

from lab.batch import Batch
from lab.layers.stacks import OneStack

in_both_precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
CAUSAL = [name for name, twin in TWINS.items() if twin.shown is next_tokens]


@in_both_precisions
@pytest.mark.parametrize("name", TWINS)
def test_every_hidden_state_agrees(name: str, dtype: torch.dtype) -> None:
    pair(name, dtype).hidden_states_agree()


@in_both_precisions
@pytest.mark.parametrize("name", TWINS)
def test_every_attention_map_agrees(name: str, dtype: torch.dtype) -> None:
    pair(name, dtype).attention_maps_agree()


@in_both_precisions
@pytest.mark.parametrize("name", TWINS)
def test_token_and_pair_logits_agree(name: str, dtype: torch.dtype) -> None:
    pair(name, dtype).logits_agree()


@in_both_precisions
@pytest.mark.parametrize("name", TWINS)
def test_the_loss_agrees(name: str, dtype: torch.dtype) -> None:
    pair(name, dtype).losses_agree()


@in_both_precisions
@pytest.mark.parametrize("name", TWINS)
def test_the_gradient_of_every_parameter_agrees(name: str, dtype: torch.dtype) -> None:
    pair(name, dtype).gradients_agree()


@in_both_precisions
@pytest.mark.parametrize("name", [name for name, twin in TWINS.items() if twin.key_bias])
def test_the_key_bias_is_where_it_belongs(name: str, dtype: torch.dtype) -> None:
    parity = pair(name, dtype)
    theirs = dict(parity.theirs.named_parameters())
    for n in range(len(parity.ours.stack.blocks)):
        bias = theirs[TWINS[name].key_bias.format(n)]
        width = len(key_bias(parity.ours, n))
        wanted = bias[width : 2 * width] if len(bias) == 3 * width else bias
        assert torch.equal(key_bias(parity.ours, n), wanted)
        assert wanted.abs().max() > 0.01


@in_both_precisions
@pytest.mark.parametrize("first", [1, 4])
@pytest.mark.parametrize("name", CAUSAL)
def test_logits_read_token_by_token_agree(name: str, first: int, dtype: torch.dtype) -> None:
    parity, within = pair(name, dtype), TWINS[name].within
    full = rows()[[0, 2]]  # the rows without padding
    cached = step_by_step(parity.ours, full, first)
    with torch.inference_mode():
        theirs = parity.theirs(full).logits[:, first - 1 :]
        at_once = parity.ours(Batch(shown=full, visible="causal", asked=torch.arange(full.numel()))).tokens
    close(cached, theirs, within)
    close(cached, at_once.view(2, TOKENS, VOCABULARY)[:, first - 1 :], within)


@in_both_precisions
@pytest.mark.parametrize("name", ["gpt", "gpt1"])
def test_the_most_likely_continuation_agrees(name: str, dtype: torch.dtype) -> None:
    prompt, length = rows()[:1, :4], 12
    reference: Any = pair(name, dtype).theirs
    wanted = reference.generate(
        prompt, attention_mask=torch.ones_like(prompt), max_length=length, do_sample=False, eos_token_id=None
    )
    assert torch.equal(greedy(pair(name, dtype).ours, prompt, length), wanted)


def greedy(model: OneStack, ids: Tensor, length: int) -> Tensor:
    while ids.shape[1] < length:
        best = step_by_step(model, ids, 3)[:, -1].argmax(-1, keepdim=True)  # (1, 1)
        ids = torch.cat([ids, best], 1)
    return ids


@torch.no_grad()
@pytest.mark.parametrize("name", [name for name, twin in TWINS.items() if twin.labels])
def test_the_classifier_agrees(name: str) -> None:
    """Where the recipe reads from left to right, a label is read off the last real token."""
    twin = TWINS[name]
    theirs, ours = twin.theirs(twin.labels, num_labels=4).eval(), twin.ours(classes=4).eval()
    randomise(theirs)
    known = replace(twin, names={**twin.names, **twin.label_names}).renamed(dict(theirs.named_parameters()))
    head = {path: value for path, value in ours.named_parameters() if path.startswith("head.")}  # theirs has none
    copy_into(ours, head | known)
    batch = replace(twin.shown(), asked=None, answers=None, label=None)
    assert LENGTHS[1] < TOKENS
    close(ours(batch).sequence, theirs(**reads(batch)).logits, twin.within)
