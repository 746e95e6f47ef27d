"""DeBERTa v2's names in transformers: as in version 1, but for its maps, its buckets of distances and its convolution.

The convolution's kernel lies as (W, W, 3) there and as one map of three tokens at once, (W, 3 W), here.
"""

from dataclasses import replace
from typing import Any

from torch import Tensor

from lab.exchange.families.deberta_v1 import BLOCK, DECODER, LAYER
from lab.exchange.families.deberta_v1 import NAMING as VERSION_1
from lab.exchange.naming import RECIPE, Config, Key, short
from lab.exchange.parts import Made
from lab.settings import SettingsError

OWN = ("query_bias", "value_bias", "place_query", "place_key")  # what version 1 alone has in its attention
BODY = {
    **{mine: source for mine, source in VERSION_1.names.items() if not mine.endswith(OWN)},
    "stack.blocks.0.attention.distances.norm": "deberta.encoder.LayerNorm",
    BLOCK + "attention.qkv": tuple(LAYER + f"attention.self.{part}_proj" for part in ("query", "key", "value")),
}


def _to_map(kernel: Tensor) -> Tensor:
    return kernel.flatten(1) if kernel.dim() == 3 else kernel


def _to_kernel(map_: Tensor, s: Any) -> Tensor:
    return map_.unflatten(1, (s.width, -1)) if map_.dim() == 2 else map_


DISTANCES: dict[str, Any] = {"pos_att_type": ["p2c", "c2p"], "max_relative_positions": -1, "legacy": False}


def same_distances(config: Config) -> None:
    """Raises SettingsError where a config asks for other kinds of distances than the lab's."""
    asked, longest = config.get("pos_att_type"), config.get("max_relative_positions", -1)
    asked = asked.split("|") if isinstance(asked, str) else asked
    if not isinstance(asked, list) or sorted(map(str, asked)) != ["c2p", "p2c"] or longest not in (-1, 0):
        raise SettingsError(
            f"the config asks for distances {short(asked)} up to {short(longest)}; here: c2p, p2c, up to the context",
            f"配置要求的相对位置为 {short(asked)}，最远 {short(longest)}；本实验室为 c2p 与 p2c，最远到上下文长度",
        )
    if config.get("position_buckets", -1) in (-1, 0):
        raise SettingsError(
            "the config has no position_buckets; from version 2 on the lab's DeBERTa puts distances into buckets",
            "配置没有 position_buckets；本实验室的 DeBERTa 从第二版起把距离分桶",
        )


def shape(config: Config) -> dict[str, Any]:
    """Whether the lab wrote the config of a run with a mask decoder."""
    same_distances(config)
    return {"plain": RECIPE not in config or not config.get(DECODER)}


NAMING = replace(
    VERSION_1,
    model="deberta_v2",
    kind="deberta-v2",
    tokens="DebertaV2ForMaskedLM",
    labels="DebertaV2ForSequenceClassification",
    tag_head="classifier",
    span_class="QuestionAnswering",
    names={
        **BODY,
        "stack.blocks.0.conv.mix": Made(
            of=("deberta.encoder.conv.conv",),
            here=lambda parts, _: _to_map(parts[0]),
            there=lambda tensor, s: [_to_kernel(tensor, s)],
        ),
        "stack.blocks.0.conv_norm": "deberta.encoder.conv.LayerNorm",
    },
    ignored=(*VERSION_1.ignored, r"mask_predictions\..*"),
    sizes={
        **VERSION_1.sizes,
        "width": Key("hidden_size", 1536),
        "depth": Key("num_hidden_layers", 24),
        "heads": Key("num_attention_heads", 24),
        "feed": Key("intermediate_size", 6144, usual=lambda s: 4 * s.width),
        "buckets": Key("position_buckets", -1),
    },
    vocabulary=Key("vocab_size", 128100),
    fixed={
        **VERSION_1.fixed,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "conv_kernel_size": 3,
        "conv_act": "gelu",
    },
    assumed={**VERSION_1.assumed, "share_att_key": False, "norm_rel_ebd": "none", "conv_act": "tanh"},
    fits=lambda config: bool(config.get("conv_kernel_size")),
    to_shape=shape,
    to_config=lambda s: DISTANCES | ({} if s.plain else {DECODER: True}),
)
