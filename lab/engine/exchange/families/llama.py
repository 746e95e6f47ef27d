"""LLaMA's names in transformers, where each number of a head's first half turns with one of the second."""

from typing import Any

from lab.engine.exchange.naming import Config, Key, Naming, must_share, short
from lab.engine.exchange.parts import rotary
from lab.settings import SettingsError

BLOCK, LAYER = "stack.blocks.*.", "model.layers.*."
BANDS = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}  # between which LLaMA 3.1 passes from one speed to the other


def _shape(config: Config) -> dict[str, Any]:
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    rope = rope if isinstance(rope, dict) else {"rope_type": rope}
    kind = rope.get("rope_type", rope.get("type", "default"))
    if not (kind == "default" or (kind == "llama3" and BANDS.items() <= rope.items())):
        raise SettingsError(
            f"the config asks for rotations of the kind {short(kind)}, which the lab's LLaMA has not",
            f"本程序的 LLaMA 不支持配置要求的 {short(kind)} 类旋转",
        )
    must_share(config, "head_dim", "hidden_size", "num_attention_heads")
    heads, groups = config.get("num_attention_heads", 32), config.get("num_key_value_heads")
    theta = rope.get("rope_theta", config.get("rope_theta", 1e4))
    slowed = {"stretch": rope.get("factor"), "stretched_from": rope.get("original_max_position_embeddings")}
    return {
        "groups": None if groups == heads else groups,
        "theta": theta,
        **(slowed if kind == "llama3" else {}),
    }


def _config(s: Any) -> dict[str, Any]:
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": s.theta}
    if s.stretch != 1:
        slowed = {"factor": s.stretch, "original_max_position_embeddings": s.stretched_from}
        rope |= {"rope_type": "llama3", **slowed, **BANDS}
    return {"num_key_value_heads": s.groups or s.heads, "head_dim": s.width // s.heads, "rope_parameters": rope}


NAMING = Naming(
    model="llama",
    kind="llama",
    tokens="LlamaForCausalLM",
    labels="LlamaForSequenceClassification",
    base="model.",
    names={
        "stack.embed.tokens": "model.embed_tokens",
        BLOCK + "attention.qkv": rotary(
            *(LAYER + f"self_attn.{part}_proj" for part in "qkv"),
            head=lambda s: s.width // s.heads,
            groups=lambda s: s.groups or s.heads,
        ),
        BLOCK + "attention.out": LAYER + "self_attn.o_proj",
        BLOCK + "attention_norm": LAYER + "input_layernorm",
        BLOCK + "feed.gate": LAYER + "mlp.gate_proj",
        BLOCK + "feed.up": LAYER + "mlp.up_proj",
        BLOCK + "feed.down": LAYER + "mlp.down_proj",
        BLOCK + "feed_norm": LAYER + "post_attention_layernorm",
        "stack.norm": "model.norm",
        "head.out": "lm_head",
        "sequence.out": "score",
    },
    same={"lm_head.weight": "model.embed_tokens.weight"},
    sizes={
        "width": Key("hidden_size", 4096),
        "depth": Key("num_hidden_layers", 32),
        "heads": Key("num_attention_heads", 32),
        "feed": Key("intermediate_size", 11008, usual=lambda s: 3 * s.width),
        "context": Key("max_position_embeddings", 2048),
        "eps": Key("rms_norm_eps", 1e-6),
        "tied": Key("tie_word_embeddings", False),
    },
    vocabulary=Key("vocab_size", 32000),
    fixed={"hidden_act": "silu", "attention_bias": False, "mlp_bias": False},
    to_shape=_shape,
    to_config=_config,
)
