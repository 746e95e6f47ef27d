"""Mistral's names in transformers: LLaMA's, and a window."""

from dataclasses import replace
from typing import Any

from lab.exchange.families.llama import NAMING as LLAMA
from lab.exchange.families.llama import rotations, shape
from lab.exchange.naming import Config, short
from lab.settings import SettingsError


def _shape(config: Config) -> dict[str, Any]:
    knobs = shape(config) | {"window": config.get("sliding_window", 4096)}
    if "rope_scaling" in knobs:
        rope = rotations(config)
        kind = short(rope.get("rope_type", rope.get("type")))
        raise SettingsError(
            f"the config asks for RoPE scaling of the kind {kind}; the lab's Mistral has none",
            f"配置要求 {kind} 类 RoPE 缩放，而本实验室的 Mistral 没有缩放",
        )
    return knobs


def _config(s: Any) -> dict[str, Any]:
    rope = {"rope_type": "default", "rope_theta": s.theta}
    head = s.head_width or s.width // s.heads
    return {
        "num_key_value_heads": s.kv_heads or s.heads,
        "head_dim": head,
        "rope_parameters": rope,
        "sliding_window": s.window,
    }


NAMING = replace(
    LLAMA,
    model="mistral",
    kind="mistral",
    tokens="MistralForCausalLM",
    labels="MistralForSequenceClassification",
    sizes={name: key for name, key in LLAMA.sizes.items() if name != "bias"},
    fixed={"hidden_act": "silu"},
    fits=lambda config: config.get("sliding_window", 4096) is not None,
    to_shape=_shape,
    to_config=_config,
    suits=lambda s: True,
)
