"""The names of GLM as its authors published it. transformers has no class for it: they are only read.

Queries, keys and values are one tensor. Their class takes gelu as defined; training, and the lab, its tanh form.
"""

from lab.exchange.naming import Key, Naming

BLOCK, LAYER = "stack.blocks.*.", "glm.transformer.layers.*."

NAMING = Naming(
    model="glm",
    kind="glm",
    tokens="GLMForConditionalGeneration",
    base="glm.",
    written=False,
    names={
        "stack.embed.tokens": "glm.word_embeddings",
        "stack.embed.positions.text.table": "glm.transformer.position_embeddings",
        "stack.embed.positions.blank.table": "glm.transformer.block_position_embeddings",
        BLOCK + "attention.qkv": LAYER + "attention.query_key_value",
        BLOCK + "attention.out": LAYER + "attention.dense",
        BLOCK + "attention_norm": LAYER + "input_layernorm",
        BLOCK + "feed.up": LAYER + "mlp.dense_h_to_4h",
        BLOCK + "feed.down": LAYER + "mlp.dense_4h_to_h",
        BLOCK + "feed_norm": LAYER + "post_attention_layernorm",
        "stack.norm": "glm.transformer.final_layernorm",
    },
    sizes={
        "width": Key("hidden_size", 1024),
        "depth": Key("num_layers", 24),
        "heads": Key("num_attention_heads", 16),
        "context": Key("max_sequence_length", 512),
        "dropout": Key(("output_dropout_prob", "attention_dropout_prob", "embedding_dropout_prob"), 0.1),
    },
    vocabulary=Key("vocab_size", 30592),
    fixed={"block_position_encoding": True, "relative_encoding": False},
    hindrance=lambda s: (
        None
        if s.feed in (None, 4 * s.width)
        else (
            "GLM as published has a feed-forward width of 4 times the width, and no other",
            "已发布的 GLM 的前馈层宽度只能是宽度的 4 倍",
        )
    ),
    fits=lambda config: "block_position_encoding" in config,
)
