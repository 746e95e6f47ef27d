"""Our encoder-decoders that transformers has too: the same small sizes for ours and for theirs, a row each.

What all rows promise is in test_two_stacks.py.
"""

from dataclasses import replace
from functools import cache, partial
from typing import Any

import pytest
import torch
from oracle import CONTEXT, DEPTH, FEED, HEADS, ISLANDS, VOCABULARY, WIDTH
from torch import nn
from twins import SIZES, Twin
from two_stacks import END, Parity, compare, shifted

from lab.exchange.families import bart, mbart, t5, t5_v11

transformers = pytest.importorskip("transformers")

T5_SIZES = {
    "vocab_size": VOCABULARY,
    "d_model": WIDTH,
    "d_kv": 10,  # the heads together are wider than the model, as in the largest published ones
    "d_ff": FEED,
    "num_layers": DEPTH,
    "num_heads": HEADS,
    "decoder_start_token_id": 0,
}
BART_SIZES = {
    "vocab_size": VOCABULARY,
    "d_model": WIDTH,
    "encoder_layers": DEPTH,
    "decoder_layers": DEPTH,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": HEADS,
    "encoder_ffn_dim": FEED,
    "decoder_ffn_dim": FEED,
    "max_position_embeddings": 2 * CONTEXT,
}


class UntiedT5(transformers.T5ForConditionalGeneration):  # type: ignore[misc]
    """Version 1.1 has a head of its own; the class ties the tables of whatever is built from a configuration."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.lm_head.weight = nn.Parameter(torch.zeros(VOCABULARY, WIDTH))


T5 = Twin(
    recipe="t5",
    kind="T5ForConditionalGeneration",
    names=t5.NAMING.names,
    shape={name: size for name, size in SIZES.items() if name != "context"} | {"head_width": 10},
    config=T5_SIZES | {"feed_forward_proj": "relu"},
    shown=partial(shifted, 0),
    within=ISLANDS,
)
BART = Twin(
    recipe="bart",
    kind="BartForConditionalGeneration",
    labels="BartForSequenceClassification",
    names=bart.NAMING.names,
    shape=SIZES | {"context": 2 * CONTEXT},
    config=BART_SIZES,
    shown=partial(shifted, END),
)
WRITERS = {
    "t5": T5,
    "t5_v11": replace(
        T5,
        recipe="t5_v11",
        kind=UntiedT5,
        names=t5_v11.NAMING.names,
        config=T5_SIZES | {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    ),
    "bart": BART,
    "mbart": replace(
        BART,
        recipe="mbart",
        kind="MBartForConditionalGeneration",
        labels="MBartForSequenceClassification",
        names=mbart.NAMING.names,
        config=BART_SIZES | {"scale_embedding": True},
    ),
}


@cache
@torch.enable_grad()  # all tests share it, whoever asks first
def writing(name: str, dtype: torch.dtype) -> Parity:
    """Both models of a row with the same parameters, and what they made of the same sources and answers."""
    twin = WRITERS[name]
    return compare(twin.ours(), twin.theirs(), twin.shown(), twin.renamed, dtype, twin.within)
