"""Our LLaMA computes what the four generations of LLaMA in transformers compute, at once and token by token.

With a window it is Mistral."""

from typing import Any

import pytest
import torch
from oracle import (
    CONTEXT,
    DEPTH,
    FEED,
    ISLANDS,
    MAPS_ISLANDS,
    VOCABULARY,
    Parity,
    close,
    compare,
    copy_into,
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
from lab.engine.exchange.families.llama import NAMING
from lab.models.llama import LlamaShape, llama

transformers = pytest.importorskip("transformers")

WIDTH, HEADS, GROUPS = 32, 4, 2
REACH = 6  # of a window: in double precision, theirs is not a number where padding sees no token
TURNING = {"rope_type": "default", "rope_theta": 1e4}
STRETCHED = {
    "rope_type": "llama3",
    "rope_theta": 5e5,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # what differs in our shape, and in its configuration
    "llama1": ({"eps": 1e-6}, {"rms_norm_eps": 1e-6, "rope_parameters": TURNING}),
    "llama2": ({"groups": GROUPS}, {"num_key_value_heads": GROUPS, "rope_parameters": TURNING}),
    "llama3": (
        {"groups": GROUPS, "theta": 5e5},
        {"num_key_value_heads": GROUPS, "rope_parameters": TURNING | {"rope_theta": 5e5}},
    ),
    "llama3.1": (
        {"groups": GROUPS, "theta": 5e5, "stretch": 8.0, "stretched_from": 16},
        {"num_key_value_heads": GROUPS, "rope_parameters": STRETCHED},
    ),
    "llama3.2": (
        {"groups": GROUPS, "tied": True},
        {"num_key_value_heads": GROUPS, "rope_parameters": TURNING, "tie_word_embeddings": True},
    ),
    "mistral": (
        {"groups": GROUPS, "attention": "window", "window": REACH},
        {"num_key_value_heads": GROUPS, "rope_parameters": TURNING, "sliding_window": REACH},
    ),
}


def shape(kind: str) -> LlamaShape:
    return LlamaShape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT, **KINDS[kind][0])


def config(kind: str, **more: int) -> Any:
    usual = {
        "vocab_size": VOCABULARY,
        "max_position_embeddings": CONTEXT,
        "hidden_size": WIDTH,
        "num_hidden_layers": DEPTH,
        "num_attention_heads": HEADS,
        "intermediate_size": FEED,
        "rms_norm_eps": 1e-5,
        "pad_token_id": 0,
        "attn_implementation": "eager",
    }
    made = transformers.MistralConfig if kind == "mistral" else transformers.LlamaConfig
    return made(**{**usual, **KINDS[kind][1], **more})


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMING.names, shape("llama1"))


@pytest.fixture(scope="module", params=[*KINDS])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(kind: str, request: pytest.FixtureRequest) -> Parity:
    made = transformers.MistralForCausalLM if kind == "mistral" else transformers.LlamaForCausalLM
    theirs = made(config(kind))
    ours = llama(shape(kind), VOCABULARY)
    return compare(ours, theirs, next_tokens(), next_answers, renamed, request.param, ISLANDS, MAPS_ISLANDS)


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


@pytest.mark.parametrize("first", [1, 4])
def test_logits_read_token_by_token_agree(parity: Parity, first: int) -> None:
    full = rows()[[0, 2]]  # the rows without padding
    cached = step_by_step(parity.ours, full, first)
    with torch.inference_mode():
        theirs = parity.theirs(full).logits[:, first - 1 :]
        at_once = parity.ours(Batch(shown=full, visible="causal", asked=torch.arange(full.numel()))).tokens
    close(cached, theirs, ISLANDS)
    close(cached, at_once.view(2, -1, VOCABULARY)[:, first - 1 :], ISLANDS)


def test_a_label_is_read_off_the_last_real_token() -> None:
    theirs = transformers.LlamaForSequenceClassification(config("llama2", num_labels=4))
    randomise(theirs)
    ours = llama(shape("llama3.2"), VOCABULARY, classes=4)  # the same body; neither has a head for tokens
    copy_into(ours, renamed(dict(theirs.named_parameters())))
    wanted = theirs.eval()(rows(), attention_mask=real()).logits
    got = ours.eval()(Batch(shown=rows(), real=real(), visible="causal")).sequence
    close(got, wanted, ISLANDS)
