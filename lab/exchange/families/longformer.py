"""Longformer's names in transformers: RoBERTa's, a window, and projections of tokens that are global.

Their class for masked tokens has such projections and never uses them: ours has none, and writes those of the window
twice, from which the paper starts them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from lab.exchange.families.roberta import BLOCK, names, shape
from lab.exchange.families.roberta import NAMING as ROBERTA
from lab.exchange.naming import Config, Key, short
from lab.exchange.parts import Made
from lab.settings import SettingsError

PARTS = [f"longformer.encoder.layer.*.attention.self.{part}" for part in ("query", "key", "value")]
OWN = [f"{part}_global" for part in PARTS]
TWICE = Made(
    of=(*PARTS, *OWN),
    here=lambda parts, _: torch.cat(list(parts[: len(PARTS)])),
    there=lambda tensor, _: [*tensor.chunk(len(PARTS)), *tensor.chunk(len(OWN))],
)


def _shape(config: Config) -> dict[str, Any]:
    given = config.get("attention_window", 512)
    windows = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if len({*map(str, windows)}) != 1:
        raise SettingsError(
            f"the config gives its layers windows of several sizes, {short(windows)}; here all have the same",
            f"配置中各层的窗口大小不同：{short(windows)}；本实验室中各层相同",
        )
    return shape(config) | {"window": windows[0]}


def _config(s: Any) -> dict[str, Any]:
    return {"pad_token_id": s.pad, "max_position_embeddings": s.context + 2, "attention_window": s.window}


NAMING = replace(
    ROBERTA,
    model="longformer",
    kind="longformer",
    tokens="LongformerForMaskedLM",
    labels="LongformerForSequenceClassification",
    tag_head="",  # in these classes other tokens are global than here
    span_class="",
    onward="",
    onward_remark=None,
    base="longformer.",
    names=names("longformer") | {BLOCK + "attention.qkv": TWICE},
    label_names={BLOCK + "attention.qkv": tuple(PARTS), BLOCK + "attention.global_qkv": tuple(OWN)},
    same={
        "lm_head.weight": "longformer.embeddings.word_embeddings.weight",
        "lm_head.decoder.weight": "longformer.embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    },
    ignored=(r"(longformer\.)?pooler\..*",),
    vocabulary=Key("vocab_size", 30522),
    fixed={"hidden_act": "gelu"},
    to_shape=_shape,
    to_config=_config,
)
