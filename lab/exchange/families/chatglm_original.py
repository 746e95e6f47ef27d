"""The names of ChatGLM2, ChatGLM3 and GLM-4-9B as their authors published them, with a class of their own.

Queries, keys and values, and the gate with what it weighs, are one tensor each. Only read: what is exported has the
names that transformers gave the same model.
"""

from typing import Any

from lab.exchange.families.llama import head_width
from lab.exchange.naming import Config, Key, Naming, short
from lab.exchange.parts import piece

BLOCK, LAYER = "stack.blocks.*.", "transformer.encoder.layers.*."


def _divides(config: Config) -> bool:
    """Whether it is ChatGLM2, whose code divides positions by rope_ratio; nothing else in a config tells."""
    return "chatglm2" in str(config.get("_name_or_path")).lower()


def _shape(config: Config) -> dict[str, Any]:
    """A head's width, and the base of the rotations, which ChatGLM3-32k and GLM-4 multiply by rope_ratio."""
    ratio = config.get("rope_ratio") or 1
    knobs = {"head_width": head_width({**config, "head_dim": config.get("kv_channels")})}
    slowed = ratio != 1 and _divides(config)
    return knobs | ({"rope_scaling": "linear", "rope_scale": ratio} if slowed else {"theta": 1e4 * ratio})


def _doubt(config: Config) -> tuple[str, str] | None:
    ratio = config.get("rope_ratio") or 1
    if ratio == 1 or _divides(config):
        return None
    return (
        f"rope_ratio {short(ratio)} multiplies the base of the rotations, as in ChatGLM3-32k and GLM-4; "
        "ChatGLM2-32k divides positions by it: its answers would be wrong here",
        f"rope_ratio {short(ratio)} 按 ChatGLM3-32k 与 GLM-4 的方式乘以旋转的底数；"
        "ChatGLM2-32k 用它来除位置，那样的模型在这里会答错",
    )


NAMING = Naming(
    model="chatglm",
    kind="chatglm",
    tokens="ChatGLMForConditionalGeneration",
    written=False,
    names={
        "stack.embed.tokens": "transformer.embedding.word_embeddings",
        BLOCK + "attention.qkv": LAYER + "self_attention.query_key_value",
        BLOCK + "attention.out": LAYER + "self_attention.dense",
        BLOCK + "attention_norm": LAYER + "input_layernorm",
        BLOCK + "feed.gate": piece(LAYER + "mlp.dense_h_to_4h", 0),
        BLOCK + "feed.up": piece(LAYER + "mlp.dense_h_to_4h", 1),
        BLOCK + "feed.down": LAYER + "mlp.dense_4h_to_h",
        BLOCK + "feed_norm": LAYER + "post_attention_layernorm",
        "stack.norm": "transformer.encoder.final_layernorm",
        "head.out": "transformer.output_layer",
    },
    sizes={
        "width": Key("hidden_size", 4096),
        "depth": Key("num_layers", 28),
        "heads": Key("num_attention_heads", 32),
        "kv_heads": Key("multi_query_group_num", 2, usual=lambda s: s.heads),
        "feed": Key("ffn_hidden_size", 13696, usual=lambda s: 3 * s.width),
        "context": Key("seq_length", 2048),
        "eps": Key("layernorm_epsilon", 1e-5),
        "bias": Key("add_qkv_bias", True),
    },
    vocabulary=Key("padded_vocab_size", 65024),
    fixed={
        "rmsnorm": True,
        "post_layer_norm": True,
        "add_bias_linear": False,
        "multi_query_attention": True,
        "original_rope": True,
        "apply_residual_connection_post_layernorm": False,
    },
    to_shape=_shape,
    doubt=_doubt,
    to_config=lambda s: {"rope_ratio": s.theta / 1e4, "kv_channels": s.head_width or s.width // s.heads},
)
