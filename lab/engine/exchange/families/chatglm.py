"""The names of ChatGLM2 and 3 and of GLM-4-9B in transformers: its gate and what the gate weighs are one tensor."""

from typing import Any

from lab.engine.exchange.naming import Config, Key, Naming, must_share, short
from lab.engine.exchange.parts import piece, stacked
from lab.settings import SettingsError

BLOCK, LAYER = "stack.blocks.*.", "model.layers.*."


def rows(s: Any) -> tuple[int, int, int]:
    """The numbers of queries, keys and values."""
    keys = (s.groups or s.heads) * (s.width // s.heads)
    return s.width, keys, keys


def shape(config: Config) -> dict[str, Any]:
    """What is more than one key."""
    must_share(config, "head_dim", "hidden_size", "num_attention_heads")
    rope = config.get("rope_parameters") or {}
    rope = rope if isinstance(rope, dict) else {"rope_type": rope}
    share = rope.get("partial_rotary_factor", config.get("partial_rotary_factor", 0.5))
    if rope.get("rope_type", "default") != "default" or share != 0.5:
        raise SettingsError(
            f"the config asks for rotations {short(rope)}; here half of each head is turned, and nothing slowed",
            f"配置要求的旋转为 {short(rope)}；本程序中每个头旋转一半，且不放慢",
        )
    return {"theta": rope.get("rope_theta", config.get("rope_theta", 1e4))}


NAMING = Naming(
    model="chatglm",
    kind="glm",
    tokens="GlmForCausalLM",
    labels="GlmForSequenceClassification",
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
    sizes={
        "width": Key("hidden_size", 4096),
        "depth": Key("num_hidden_layers", 40),
        "heads": Key("num_attention_heads", 32),
        "groups": Key("num_key_value_heads", 2, usual=lambda s: s.heads),
        "feed": Key("intermediate_size", 13696, usual=lambda s: 3 * s.width),
        "context": Key("max_position_embeddings", 131072),
        "eps": Key("rms_norm_eps", 1.5625e-7),
        "bias": Key("attention_bias", True),
    },
    vocabulary=Key("vocab_size", 151552),
    fixed={"hidden_act": "silu", "tie_word_embeddings": False},
    fits=lambda config: "block_position_encoding" not in config,  # which GLM itself has
    to_shape=shape,
    to_config=lambda s: {
        "head_dim": s.width // s.heads,
        "rope_parameters": {"rope_type": "default", "rope_theta": s.theta, "partial_rotary_factor": 0.5},
    },
)
