"""The names of ChatGLM2 and 3 and of GLM-4-9B in transformers: its gate and what the gate weighs are one tensor."""

from typing import Any

from lab.exchange.families import llama
from lab.exchange.naming import Config, Key, Naming
from lab.exchange.parts import piece, stacked

BLOCK, LAYER = "stack.blocks.*.", "model.layers.*."
SHARE = "partial_rotary_factor"


def rows(s: Any) -> tuple[int, int, int]:
    """The numbers of queries, keys and values."""
    head = s.head_width or s.width // s.heads
    keys = (s.kv_heads or s.heads) * head
    return s.heads * head, keys, keys


def shape(config: Config) -> dict[str, Any]:
    """What is more than one key: rotations as LLaMA's, of a part of each head."""
    knobs = llama.shape({"head_dim": 128, **config})
    del knobs["kv_heads"]
    return knobs | {"rotary_share": llama.rotations(config).get(SHARE, config.get(SHARE, 0.5))}


def config(s: Any) -> dict[str, Any]:
    """And back."""
    keys = llama.config(s)
    return keys | {"rope_parameters": keys["rope_parameters"] | {SHARE: s.rotary_share}}


NAMING = Naming(
    model="chatglm",
    kind="glm",
    tokens="GlmForCausalLM",
    labels="GlmForSequenceClassification",
    tag_head="score",
    base="model.",
    names={
        "stack.embed.tokens": "model.embed_tokens",
        BLOCK + "attention.qkv": stacked(*(LAYER + f"self_attn.{part}_proj" for part in "qkv"), rows=rows),
        BLOCK + "attention.out": LAYER + "self_attn.o_proj",
        BLOCK + "attention_norm": LAYER + "input_layernorm",
        BLOCK + "feed.gate": piece(LAYER + "mlp.gate_up_proj", 0),
        BLOCK + "feed.up": piece(LAYER + "mlp.gate_up_proj", 1),
        BLOCK + "feed.down": LAYER + "mlp.down_proj",
        BLOCK + "feed_norm": LAYER + "post_attention_layernorm",
        "stack.norm": "model.norm",
        "head.out": "lm_head",
        "sequence.out": "score",
    },
    same={"lm_head.weight": "model.embed_tokens.weight"},
    sizes={
        "width": Key("hidden_size", 4096),
        "depth": Key("num_hidden_layers", 40),
        "heads": Key("num_attention_heads", 32),
        "kv_heads": Key("num_key_value_heads", 2, usual=lambda s: s.heads),
        "feed": Key("intermediate_size", 13696, usual=lambda s: 3 * s.width),
        "context": Key("max_position_embeddings", 131072),
        "eps": Key("rms_norm_eps", 1.5625e-7),
        "bias": Key("attention_bias", True),
        "tied": Key("tie_word_embeddings", False),
    },
    vocabulary=Key("vocab_size", 151552),
    fixed={"hidden_act": "silu"},
    fits=lambda config: "block_position_encoding" not in config,  # which GLM itself has
    to_shape=shape,
    to_config=config,
    doubt=llama.grows,
)
