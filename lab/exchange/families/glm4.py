"""The names of GLM-4 (0414) in transformers: those of ChatGLM, with two more norms."""

from dataclasses import replace

from lab.exchange.families.chatglm import BLOCK, LAYER
from lab.exchange.families.chatglm import NAMING as CHATGLM
from lab.exchange.naming import Key

NAMING = replace(
    CHATGLM,
    model="glm4",
    kind="glm4",
    tokens="Glm4ForCausalLM",
    labels="Glm4ForSequenceClassification",
    names={
        **CHATGLM.names,
        BLOCK + "attention_end_norm": LAYER + "post_self_attn_layernorm",
        BLOCK + "feed_end_norm": LAYER + "post_mlp_layernorm",
    },
    sizes={**CHATGLM.sizes, "bias": Key("attention_bias", True)},
)
