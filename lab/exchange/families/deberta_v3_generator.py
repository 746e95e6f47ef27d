"""The names of DeBERTa v3's generator in transformers, where it is a class with a head that fills gaps."""

from dataclasses import replace
from typing import Any

from lab.exchange.families.deberta_v2 import DISTANCES, same_distances
from lab.exchange.families.deberta_v2 import NAMING as VERSION_2
from lab.exchange.families.deberta_v3 import BODY, FILLS, fits
from lab.exchange.families.deberta_v3 import NAMING as DISCRIMINATOR
from lab.exchange.naming import Config


def _shape(config: Config) -> dict[str, Any]:
    same_distances(config)
    return {"half": "generator"}


NAMING = replace(
    DISCRIMINATOR,
    tokens="DebertaV2ForMaskedLM",
    labels="",
    objective="mlm",
    names=BODY | FILLS,
    sums={},
    same=VERSION_2.same,
    ignored=VERSION_2.ignored,
    fits=lambda config: fits(config, fills=True),
    suits=lambda s: s.half == "generator",
    to_shape=_shape,
    to_config=lambda s: DISTANCES,
)
