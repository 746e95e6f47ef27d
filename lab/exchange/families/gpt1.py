"""GPT-1's names in transformers."""

from lab.exchange.naming import Key, Naming
from lab.exchange.parts import turned

BLOCK, LAYER = "stack.blocks.*.", "transformer.h.*."

NAMING = Naming(
    model="gpt1",
    kind="openai-gpt",
    tokens="OpenAIGPTLMHeadModel",
    labels="OpenAIGPTForSequenceClassification",
    base="transformer.",
    names={
        "stack.embed.tokens": "transformer.tokens_embed",
        "stack.embed.positions.table": "transformer.positions_embed",
        BLOCK + "attention.qkv": turned(LAYER + "attn.c_attn"),
        BLOCK + "attention.out": turned(LAYER + "attn.c_proj"),
        BLOCK + "attention_norm": LAYER + "ln_1",
        BLOCK + "feed.up": turned(LAYER + "mlp.c_fc"),
        BLOCK + "feed.down": turned(LAYER + "mlp.c_proj"),
        BLOCK + "feed_norm": LAYER + "ln_2",
        "head.out": "lm_head",
        "sequence.out": "score",
    },
    same={"lm_head.weight": "transformer.tokens_embed.weight"},
    ignored=(r"(transformer\.)?h\.\d+\.attn\.bias",),
    sizes={
        "width": Key("n_embd", 768),
        "depth": Key("n_layer", 12),
        "heads": Key("n_head", 12),
        "context": Key("n_positions", 512),
        "dropout": Key(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.1),
        "eps": Key("layer_norm_epsilon", 1e-5),
        "tied": Key("tie_word_embeddings", True),
    },
    vocabulary=Key("vocab_size", 40478),
    fixed={"afn": "gelu"},
    hindrance=lambda s: (
        None
        if s.feed in (None, 4 * s.width)
        else (
            "GPT-1 in transformers has a feed-forward width of 4 times the width, and no other",
            "transformers 中 GPT-1 的前馈层宽度只能是宽度的 4 倍",
        )
    ),
)
