"""Mistral's names in transformers: LLaMA's, with attention in a window where there is one."""

from dataclasses import replace
from typing import Any

from lab.exchange.families.llama import NAMING as LLAMA
from lab.exchange.families.llama import config, shape
from lab.exchange.naming import Config


def _shape(config: Config) -> dict[str, Any]:
    window = config.get("sliding_window", 4096)
    return shape(config) | ({} if window is None else {"attention": "window", "window": window})


NAMING = replace(
    LLAMA,
    kind="mistral",
    tokens="MistralForCausalLM",
    labels="MistralForSequenceClassification",
    sizes={name: key for name, key in LLAMA.sizes.items() if name != "bias"},
    fixed={"hidden_act": "silu"},
    windows=True,
    to_shape=_shape,
    to_config=lambda s: config(s) | {"sliding_window": s.window},
    suits=lambda s: s.attention == "window" and s.bias == "none",
)
