"""The names of ELECTRA's generator in transformers, where it is a class of its own."""

from dataclasses import replace

from lab.exchange.families.electra import BODY, FILLS, FIXED, fills, shape, table
from lab.exchange.families.electra import NAMING as DISCRIMINATOR

NAMING = replace(
    DISCRIMINATOR,
    tokens="ElectraForMaskedLM",
    labels="",
    onward="ElectraForCausalLM",
    objective="mlm",
    names={**BODY, **FILLS},
    same={
        "generator_lm_head.weight": "electra.embeddings.word_embeddings.weight",
        "generator_predictions.bias": "generator_lm_head.bias",
    },
    fixed=FIXED,
    fits=fills,
    suits=lambda s: s.half == "generator",
    to_shape=lambda config: {**shape(config), "half": "generator"},
    to_config=table,
)
