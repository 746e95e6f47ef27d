"""The names of ChatGLM2, ChatGLM3 and GLM-4-9B as their authors published them, with a class of their own.

Queries, keys and values, and the gate with what it weighs, are one tensor each. Only read: what is exported has the
names that transformers gave the same model.
"""

from lab.engine.exchange.naming import Key, Naming
from lab.engine.exchange.parts import piece

BLOCK, LAYER = "stack.blocks.*.", "transformer.encoder.layers.*."

NAMING = Naming(
    model="chatglm",
    kind="chatglm",
    tokens="ChatGLMForConditionalGeneration",
    written=False,
    names={
        "stack.embed.tokens": "transformer.embedding.word_embeddings",
        BLOCK + "attention.qkv": LAYER + "self_attention.query_key_value",
        BLOCK + "attention.out": LAYER + "self_attention.dense",
        BLOCK + "attention_norm": LAYER + "input_layernorm",
        BLOCK + "feed.gate": piece(LAYER + "mlp.dense_h_to_4h", 0),
        BLOCK + "feed.up": piece(LAYER + "mlp.dense_h_to_4h", 1),
        BLOCK + "feed.down": LAYER + "mlp.dense_4h_to_h",
        BLOCK + "feed_norm": LAYER + "post_attention_layernorm",
        "stack.norm": "transformer.encoder.final_layernorm",
        "head.out": "transformer.output_layer",
    },
    sizes={
        "width": Key("hidden_size", 4096),
        "depth": Key("num_layers", 28),
        "heads": Key("num_attention_heads", 32),
        "groups": Key("multi_query_group_num", 2, usual=lambda s: s.heads),
        "feed": Key("ffn_hidden_size", 13696, usual=lambda s: 3 * s.width),
        "context": Key("seq_length", 2048),
        "eps": Key("layernorm_epsilon", 1e-5),
        "bias": Key("add_qkv_bias", True),
    },
    vocabulary=Key("padded_vocab_size", 65024),
    fixed={
        "rmsnorm": True,
        "post_layer_norm": True,
        "add_bias_linear": False,
        "multi_query_attention": True,
        "original_rope": True,
        "apply_residual_connection_post_layernorm": False,
    },
    to_shape=lambda config: {"theta": 1e4 * (config.get("rope_ratio") or 1)},
    to_config=lambda s: {"rope_ratio": s.theta / 1e4, "kv_channels": s.width // s.heads},
)
