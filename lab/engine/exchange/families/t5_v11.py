"""T5 1.1's names in transformers: a gate in the feed-forward part, and an own head."""

from dataclasses import replace

from lab.engine.exchange.families.t5 import DECODER, ENCODER, READS, WRITES, shape, tied
from lab.engine.exchange.families.t5 import NAMING as T5

NAMING = replace(
    T5,
    model="t5_v11",
    names={
        **T5.names,
        ENCODER + "feed.gate": READS + "1.DenseReluDense.wi_0",
        ENCODER + "feed.up": READS + "1.DenseReluDense.wi_1",
        DECODER + "feed.gate": WRITES + "2.DenseReluDense.wi_0",
        DECODER + "feed.up": WRITES + "2.DenseReluDense.wi_1",
        "head.out": "lm_head",
    },
    same={name: first for name, first in T5.same.items() if name != "lm_head.weight"},
    spare={"lm_head.weight": "shared.weight"},  # as transformers does; the states are not scaled all the same
    fixed={**T5.fixed, "feed_forward_proj": "gated-gelu"},
    fits=lambda config: config.get("feed_forward_proj") == "gated-gelu",
    to_shape=lambda config: {**shape(config, scaled=tied(config)), "tied": tied(config)},
    to_config=lambda s: {"tie_word_embeddings": s.tied},
)
