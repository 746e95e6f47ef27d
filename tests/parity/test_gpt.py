"""Our GPT computes what GPT-2 in transformers computes, at once and token by token."""

from typing import Any

import pytest
import torch
from oracle import (
    CLOSE,
    CONTEXT,
    DEPTH,
    FEED,
    HEADS,
    LENGTHS,
    TOKENS,
    VOCABULARY,
    WIDTH,
    Parity,
    close,
    compare,
    copy_into,
    key_bias,
    next_answers,
    next_tokens,
    randomise,
    real,
    rows,
    step_by_step,
    translated,
)
from torch import Tensor

from lab.batch import Batch
from lab.engine.exchange.families.gpt import NAMING
from lab.layers.stacks import OneStack
from lab.models.gpt import GptShape, gpt

transformers = pytest.importorskip("transformers")

SHAPE = GptShape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT)


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMING.names)


def config(**more: int) -> Any:
    return transformers.GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=CONTEXT,
        n_embd=WIDTH,
        n_layer=DEPTH,
        n_head=HEADS,
        n_inner=FEED,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
        attn_implementation="eager",
        **more,
    )


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(request: pytest.FixtureRequest) -> Parity:
    theirs = transformers.GPT2LMHeadModel(config())
    return compare(gpt(SHAPE, VOCABULARY), theirs, next_tokens(), next_answers, renamed, request.param)


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
        fused = theirs[f"transformer.h.{n}.attn.c_attn.bias"]
        assert torch.equal(key_bias(parity.ours, n), fused[WIDTH : 2 * WIDTH])
        assert key_bias(parity.ours, n).abs().max() > 0.01


@pytest.mark.parametrize("first", [1, 4])
def test_logits_read_token_by_token_agree(parity: Parity, first: int) -> None:
    full = rows()[[0, 2]]  # the rows without padding
    cached = step_by_step(parity.ours, full, first)
    with torch.inference_mode():
        theirs = parity.theirs(full).logits[:, first - 1 :]
        at_once = parity.ours(Batch(shown=full, visible="causal", asked=torch.arange(full.numel()))).tokens
    close(cached, theirs, CLOSE)
    close(cached, at_once.view(2, TOKENS, VOCABULARY)[:, first - 1 :], CLOSE)


def test_the_most_likely_continuation_agrees(parity: Parity) -> None:
    prompt, length = rows()[:1, :4], 12
    reference: Any = parity.theirs
    wanted = reference.generate(
        prompt, attention_mask=torch.ones_like(prompt), max_length=length, do_sample=False, eos_token_id=None
    )
    assert torch.equal(greedy(parity.ours, prompt, length), wanted)


def greedy(model: OneStack, ids: Tensor, length: int) -> Tensor:
    while ids.shape[1] < length:
        best = step_by_step(model, ids, 3)[:, -1].argmax(-1, keepdim=True)  # (1, 1)
        ids = torch.cat([ids, best], 1)
    return ids


def test_a_label_is_read_off_the_last_real_token() -> None:
    theirs = transformers.GPT2ForSequenceClassification(config(num_labels=4))
    randomise(theirs)
    ours = gpt(SHAPE, VOCABULARY, classes=4)
    copy_into(ours, renamed(dict(theirs.named_parameters())))
    shown = rows()
    wanted = theirs.eval()(shown, attention_mask=real()).logits
    got = ours.eval()(Batch(shown=shown, real=real(), visible="causal")).sequence
    assert LENGTHS[1] < TOKENS
    close(got, wanted, CLOSE)
