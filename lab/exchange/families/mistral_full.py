"""Mistral's names in transformers for one that has no window (version 0.2 and later): a LLaMA to the last parameter."""

from dataclasses import replace

from lab.exchange.families.llama import NAMING as LLAMA

NAMING = replace(
    LLAMA,
    kind="mistral",
    tokens="MistralForCausalLM",
    labels="MistralForSequenceClassification",
    sizes={name: key for name, key in LLAMA.sizes.items() if name != "bias"},
    fixed={"hidden_act": "silu"},
    fits=lambda config: config.get("sliding_window", 4096) is None,
    written=False,
)
