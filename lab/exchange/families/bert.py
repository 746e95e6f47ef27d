"""BERT's names in transformers."""

from lab.exchange.naming import Key, Naming

BLOCK, LAYER = "stack.blocks.*.", "bert.encoder.layer.*."

NAMING = Naming(
    model="bert",
    kind="bert",
    tokens="BertForMaskedLM",
    pair="BertForPreTraining",
    labels="BertForSequenceClassification",
    tag_head="classifier",
    span_class="QuestionAnswering",
    onward="BertLMHeadModel",
    base="bert.",
    names={
        "stack.embed.tokens": "bert.embeddings.word_embeddings",
        "stack.embed.segments": "bert.embeddings.token_type_embeddings",
        "stack.embed.positions.table": "bert.embeddings.position_embeddings",
        "stack.embed.norm": "bert.embeddings.LayerNorm",
        BLOCK + "attention.qkv": tuple(LAYER + f"attention.self.{part}" for part in ("query", "key", "value")),
        BLOCK + "attention.out": LAYER + "attention.output.dense",
        BLOCK + "attention_norm": LAYER + "attention.output.LayerNorm",
        BLOCK + "feed.up": LAYER + "intermediate.dense",
        BLOCK + "feed.down": LAYER + "output.dense",
        BLOCK + "feed_norm": LAYER + "output.LayerNorm",
        "head.dense": "cls.predictions.transform.dense",
        "head.norm": "cls.predictions.transform.LayerNorm",
        "head.bias": "cls.predictions.bias",
        "head.out": "cls.predictions.decoder",
        "sequence.pooler.dense": "bert.pooler.dense",
        "sequence.out": "cls.seq_relationship",
    },
    label_names={"sequence.out": "classifier"},
    same={
        "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
    again={"cls.predictions.bias": "cls.predictions.decoder.bias"},
    spare={"cls.predictions.decoder.bias": "cls.predictions.bias"},
    sizes={
        "width": Key("hidden_size", 768),
        "depth": Key("num_hidden_layers", 12),
        "heads": Key("num_attention_heads", 12),
        "feed": Key("intermediate_size", 3072, usual=lambda s: 4 * s.width),
        "context": Key("max_position_embeddings", 512),
        "dropout": Key(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.1),
        "eps": Key("layer_norm_eps", 1e-12),
        "segments": Key("type_vocab_size", 2),
        "tied": Key("tie_word_embeddings", True),
    },
    vocabulary=Key("vocab_size", 30522),
    fixed={"hidden_act": "gelu", "position_embedding_type": "absolute"},
)
