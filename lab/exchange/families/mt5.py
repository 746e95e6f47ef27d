"""mT5's names in transformers: those of T5 1.1, with a vocabulary of a hundred languages."""

from dataclasses import replace

from lab.exchange.families.t5 import shape
from lab.exchange.families.t5_v11 import NAMING as T5V11
from lab.exchange.naming import Key

NAMING = replace(
    T5V11,
    kind="mt5",
    tokens="MT5ForConditionalGeneration",
    sizes={
        **T5V11.sizes,
        "depth": Key("num_layers", 8),
        "heads": Key("num_heads", 6),
        "feed": Key("d_ff", 1024, usual=lambda s: 4 * s.width),
    },
    vocabulary=Key("vocab_size", 250112),
    assumed={"feed_forward_proj": "gated-gelu"},
    fits=lambda config: config.get("feed_forward_proj", "gated-gelu") == "gated-gelu",
    to_shape=lambda config: {**shape({"num_heads": 6, **config}), "tied": False},  # its class never scales
    written=False,
)
