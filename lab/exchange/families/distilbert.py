"""DistilBERT's names in transformers, where blocks and sizes are called otherwise than BERT's."""

from lab.exchange.naming import Key, Naming

BLOCK, LAYER = "stack.blocks.*.", "distilbert.transformer.layer.*."

NAMING = Naming(
    model="distilbert",
    kind="distilbert",
    tokens="DistilBertForMaskedLM",
    labels="DistilBertForSequenceClassification",
    tag_head="classifier",
    span_class="QuestionAnswering",
    base="distilbert.",
    names={
        "stack.embed.tokens": "distilbert.embeddings.word_embeddings",
        "stack.embed.positions.table": "distilbert.embeddings.position_embeddings",
        "stack.embed.norm": "distilbert.embeddings.LayerNorm",
        BLOCK + "attention.qkv": tuple(LAYER + f"attention.{part}_lin" for part in ("q", "k", "v")),
        BLOCK + "attention.out": LAYER + "attention.out_lin",
        BLOCK + "attention_norm": LAYER + "sa_layer_norm",
        BLOCK + "feed.up": LAYER + "ffn.lin1",
        BLOCK + "feed.down": LAYER + "ffn.lin2",
        BLOCK + "feed_norm": LAYER + "output_layer_norm",
        "head.dense": "vocab_transform",
        "head.norm": "vocab_layer_norm",
        "head.bias": "vocab_projector.bias",
        "head.out": "vocab_projector",
        "sequence.pooler.dense": "pre_classifier",
        "sequence.out": "classifier",
    },
    same={"vocab_projector.weight": "distilbert.embeddings.word_embeddings.weight"},
    sizes={
        "width": Key("dim", 768),
        "depth": Key("n_layers", 6),
        "heads": Key("n_heads", 12),
        "feed": Key("hidden_dim", 3072, usual=lambda s: 4 * s.width),
        "context": Key("max_position_embeddings", 512),
        "dropout": Key(("dropout", "attention_dropout", "seq_classif_dropout"), 0.1),
        "tied": Key("tie_word_embeddings", True),
    },
    vocabulary=Key("vocab_size", 30522),
    fixed={"activation": "gelu"},
)
