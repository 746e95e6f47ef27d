"""Our ChatGLM and GLM-4 compute what Glm and Glm4 in transformers compute, at once and token by token."""

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
from lab.engine.exchange.families.glm4 import NAMING  # ChatGLM's names, and those of two norms more
from lab.models.chatglm import ChatGlmShape, chatglm
from lab.models.glm4 import Glm4Shape, glm4

transformers = pytest.importorskip("transformers")

WIDTH, HEADS, GROUPS = 32, 4, 2
SIZES: dict[str, Any] = {"width": WIDTH, "depth": DEPTH, "heads": HEADS, "feed": FEED, "context": CONTEXT}
YARN: dict[str, Any] = {"slowing": "yarn", "stretch": 3.0, "stretched_from": 8}
SLOWED = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 3.0, "original_max_position_embeddings": 8}
KINDS: dict[str, tuple[Any, Any, dict[str, Any]]] = {  # our recipe, our shape, its name and what differs
    "chatglm2": (chatglm, ChatGlmShape(**SIZES), {"name": "Glm", "rms_norm_eps": 1e-5}),
    "glm-4-9b": (chatglm, ChatGlmShape(**SIZES, eps=1.5625e-7), {"name": "Glm", "rms_norm_eps": 1.5625e-7}),
    "other numbers": (  # whole heads turn, and are slowed for long texts; the head is tied
        chatglm,
        ChatGlmShape(**SIZES, tied=True, head_width=12, turned=1.0, bias=False, **YARN),
        {"name": "Glm", "rms_norm_eps": 1e-5, "tie_word_embeddings": True, "head_dim": 12, "attention_bias": False}
        | {"rope_parameters": SLOWED | {"partial_rotary_factor": 1.0}},
    ),
    "glm-4-0414": (glm4, Glm4Shape(**SIZES), {"name": "Glm4", "rms_norm_eps": 1e-5, "attention_bias": False}),
    "glm-4-biased": (
        glm4,
        Glm4Shape(**SIZES, bias=True),
        {"name": "Glm4", "rms_norm_eps": 1e-5, "attention_bias": True},
    ),
}


def reference(kind: str, head: str, **more: Any) -> Any:
    usual = {
        "vocab_size": VOCABULARY,
        "max_position_embeddings": CONTEXT,
        "hidden_size": WIDTH,
        "num_hidden_layers": DEPTH,
        "num_attention_heads": HEADS,
        "num_key_value_heads": GROUPS,
        "head_dim": WIDTH // HEADS,
        "intermediate_size": FEED,
        "attention_bias": True,
        "pad_token_id": 0,
        "eos_token_id": 0,
        "attn_implementation": "eager",
    }
    own = dict(KINDS[kind][2])
    name = own.pop("name")
    return getattr(transformers, name + head)(getattr(transformers, name + "Config")(**{**usual, **own, **more}))


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    return translated(theirs, NAMING.names, Glm4Shape(**SIZES))


@pytest.fixture(scope="module", params=[*KINDS])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(kind: str, request: pytest.FixtureRequest) -> Parity:
    recipe, shape, _ = KINDS[kind]
    theirs = reference(kind, "ForCausalLM")
    return compare(
        recipe(shape, VOCABULARY), theirs, next_tokens(), next_answers, renamed, request.param, ISLANDS, MAPS_ISLANDS
    )


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


@pytest.mark.parametrize("kind", ["chatglm2", "glm-4-0414"], scope="function")
def test_a_label_is_read_off_the_last_real_token(kind: str) -> None:
    recipe, shape, _ = KINDS[kind]
    theirs = reference(kind, "ForSequenceClassification", num_labels=4)
    randomise(theirs)
    ours = recipe(shape, VOCABULARY, classes=4)
    known = renamed(dict(theirs.named_parameters()))
    copy_into(ours, known | {"head.out.weight": ours.head.out.weight})  # its classifier has no head for tokens
    wanted = theirs.eval()(rows(), attention_mask=real()).logits
    got = ours.eval()(Batch(shown=rows(), real=real(), visible="causal")).sequence
    close(got, wanted, ISLANDS)
