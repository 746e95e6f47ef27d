"""DeBERTa v3's names in transformers: those of version 2 without the convolution. No class there has a detecting head.

A published file is the discriminator, whose head has its authors' names, which transformers passes over. A run of the
lab has the generator beside it, and what the discriminator adds to the table that they share.
"""

import re
from dataclasses import replace
from typing import Any

from lab.exchange.families.deberta_v2 import DISTANCES, same_distances
from lab.exchange.families.deberta_v2 import NAMING as VERSION_2
from lab.exchange.naming import RECIPE, Config
from lab.exchange.parts import Source, as_made, stacked

GENERATOR, TABLE = "generator_layers", "deberta.embeddings.word_embeddings"
BODY = {mine: source for mine, source in VERSION_2.names.items() if not mine.startswith(("head.", "late."))}
BODY = {mine: source for mine, source in BODY.items() if ".conv" not in mine}
FILLS = {mine: source for mine, source in VERSION_2.names.items() if mine.startswith("head.")}
BESIDE: dict[str, Source] = {
    f"generator.{mine}": stacked(*(f"generator.{name}" for name in as_made(theirs).of))
    for mine, theirs in (BODY | FILLS | {"late.table": VERSION_2.names["late.table"]}).items()
    if not mine.startswith("sequence.")
}


def fits(config: Config, *, fills: bool) -> bool:
    """Whether a config is that of version 3, and of a class with a head that fills gaps or of one without."""
    return not config.get("conv_kernel_size") and ("ForMaskedLM" in str(config.get("architectures"))) == fills


def _shape(config: Config) -> dict[str, Any]:
    same_distances(config)
    depth = config.get(GENERATOR) if config.get(RECIPE) == "deberta_v3" else None
    return {"half": "both", "generator_depth": depth} if depth is not None else {"half": "discriminator"}


NAMING = replace(
    VERSION_2,
    model="deberta_v3",
    tokens="DebertaV2Model",
    names={
        **BODY,
        "head.dense": "mask_predictions.dense",
        "head.norm": "mask_predictions.LayerNorm",
        "head.out": "mask_predictions.classifier",
        "stack.embed.tokens.base": f"generator.{TABLE}",
        "stack.embed.tokens.own": f"{TABLE}._weight",
        **BESIDE,
    },
    sums={f"{TABLE}.weight": ("stack.embed.tokens.base.weight", "stack.embed.tokens.own")},
    same={},
    ignored=(*VERSION_2.ignored, r"lm_predictions\..*", re.escape(TABLE) + r"\.weight"),
    fixed={key: value for key, value in VERSION_2.fixed.items() if not key.startswith("conv_")},
    fits=lambda config: fits(config, fills=False),
    suits=lambda s: s.half != "generator",
    to_shape=_shape,
    to_config=lambda s: DISTANCES | ({GENERATOR: s.generator_depth} if s.half == "both" else {}),
    tokens_remark=lambda s: None,
)
