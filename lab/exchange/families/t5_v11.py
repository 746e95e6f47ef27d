"""T5 1.1's names in transformers: a gate in the feed-forward part, and an own head."""

from dataclasses import replace

from lab.exchange.families.t5 import DECODER, ENCODER, READS, WRITES
from lab.exchange.families.t5 import NAMING as T5

NAMING = replace(
    T5,
    model="t5_v11",
    names={
        **T5.names,
        ENCODER + "feed.gate": READS + "1.DenseReluDense.wi_0",
        ENCODER + "feed.up": READS + "1.DenseReluDense.wi_1",
        DECODER + "feed.gate": WRITES + "2.DenseReluDense.wi_0",
        DECODER + "feed.up": WRITES + "2.DenseReluDense.wi_1",
    },
    fixed={**T5.fixed, "feed_forward_proj": "gated-gelu", "dense_act_fn": "gelu_new"},
    fits=lambda config: config.get("feed_forward_proj") == "gated-gelu",
)
