"""GPT-2's names in transformers."""

from lab.exchange.naming import Key, Naming
from lab.exchange.parts import turned

BLOCK, LAYER = "stack.blocks.*.", "transformer.h.*."

NAMING = Naming(
    model="gpt",
    kind="gpt2",
    tokens="GPT2LMHeadModel",
    labels="GPT2ForSequenceClassification",
    tag_head="classifier",
    span_class="QuestionAnswering",
    base="transformer.",
    names={
        "stack.embed.tokens": "transformer.wte",
        "stack.embed.positions.table": "transformer.wpe",
        BLOCK + "attention.qkv": turned(LAYER + "attn.c_attn"),
        BLOCK + "attention.out": turned(LAYER + "attn.c_proj"),
        BLOCK + "attention_norm": LAYER + "ln_1",
        BLOCK + "feed.up": turned(LAYER + "mlp.c_fc"),
        BLOCK + "feed.down": turned(LAYER + "mlp.c_proj"),
        BLOCK + "feed_norm": LAYER + "ln_2",
        "stack.norm": "transformer.ln_f",
        "head.out": "lm_head",
        "sequence.out": "score",
    },
    same={"lm_head.weight": "transformer.wte.weight"},
    ignored=(r"(transformer\.)?h\.\d+\.attn\.(bias|masked_bias)",),
    sizes={
        "width": Key("n_embd", 768),
        "depth": Key("n_layer", 12),
        "heads": Key("n_head", 12),
        "feed": Key("n_inner", None),
        "context": Key("n_positions", 1024),
        "dropout": Key(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.1),
        "eps": Key("layer_norm_epsilon", 1e-5),
        "tied": Key("tie_word_embeddings", True),
    },
    vocabulary=Key("vocab_size", 50257),
    fixed={
        "activation_function": "gelu_new",
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "add_cross_attention": False,
    },
)
