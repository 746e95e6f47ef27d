"""The names of ELECTRA's generator in transformers, where it is a class of its own."""

from dataclasses import replace

from lab.engine.exchange.families.electra import BODY, FILLS, shape, table
from lab.engine.exchange.families.electra import NAMING as DISCRIMINATOR

NAMING = replace(
    DISCRIMINATOR,
    tokens="ElectraForMaskedLM",
    labels="",
    objective="mlm",
    names={**BODY, **FILLS},
    same={
        "generator_lm_head.weight": "electra.embeddings.word_embeddings.weight",
        "generator_predictions.bias": "generator_lm_head.bias",
    },
    fits=lambda config: "ElectraForMaskedLM" in str(config.get("architectures")),
    suits=lambda s: s.half == "generator",
    to_shape=lambda config: {**shape(config), "half": "generator"},
    to_config=table,
)
