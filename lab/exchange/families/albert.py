"""ALBERT's names in transformers."""

from typing import Any

from lab.exchange.naming import Config, Key, Naming, short
from lab.settings import SettingsError

BLOCK, LAYER = "stack.blocks.*.", "albert.encoder.albert_layer_groups.*.albert_layers.0."


def _shape(config: Config) -> dict[str, Any]:
    groups, depth = config.get("num_hidden_groups", 1), config.get("num_hidden_layers", 12)
    if groups not in (1, depth):
        raise SettingsError(
            f"the config has num_hidden_groups {short(groups)}; in the lab all blocks share, or none",
            f"配置中 num_hidden_groups 为 {short(groups)}；本实验室只支持全部共享或完全不共享",
        )
    return {"sharing": "all" if groups == 1 else "none"}


NAMING = Naming(
    model="albert",
    kind="albert",
    tokens="AlbertForMaskedLM",
    pair="AlbertForPreTraining",
    labels="AlbertForSequenceClassification",
    tag_head="classifier",
    span_class="QuestionAnswering",
    base="albert.",
    names={
        "stack.embed.tokens": "albert.embeddings.word_embeddings",
        "stack.embed.segments": "albert.embeddings.token_type_embeddings",
        "stack.embed.positions.table": "albert.embeddings.position_embeddings",
        "stack.embed.norm": "albert.embeddings.LayerNorm",
        "stack.embed.project": "albert.encoder.embedding_hidden_mapping_in",
        BLOCK + "attention.qkv": tuple(LAYER + f"attention.{part}" for part in ("query", "key", "value")),
        BLOCK + "attention.out": LAYER + "attention.dense",
        BLOCK + "attention_norm": LAYER + "attention.LayerNorm",
        BLOCK + "feed.up": LAYER + "ffn",
        BLOCK + "feed.down": LAYER + "ffn_output",
        BLOCK + "feed_norm": LAYER + "full_layer_layer_norm",
        "head.dense": "predictions.dense",
        "head.norm": "predictions.LayerNorm",
        "head.bias": "predictions.bias",
        "head.out": "predictions.decoder",
        "sequence.pooler.dense": "albert.pooler",
        "sequence.out": "sop_classifier.classifier",
    },
    label_names={"sequence.out": "classifier"},
    same={
        "predictions.decoder.weight": "albert.embeddings.word_embeddings.weight",
        "predictions.decoder.bias": "predictions.bias",
    },
    again={"predictions.bias": "predictions.decoder.bias"},
    spare={"predictions.decoder.bias": "predictions.bias"},
    sizes={
        "width": Key("hidden_size", 4096),
        "depth": Key("num_hidden_layers", 12),
        "heads": Key("num_attention_heads", 64),
        "embedding_width": Key("embedding_size", 128),
        "feed": Key("intermediate_size", 16384, usual=lambda s: 4 * s.width),
        "context": Key("max_position_embeddings", 512),
        "dropout": Key(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.0),
        "eps": Key("layer_norm_eps", 1e-12),
        "segments": Key("type_vocab_size", 2),
        "tied": Key("tie_word_embeddings", True),
        "activation": Key("hidden_act", "gelu_new", {"gelu": "gelu", "gelu_tanh": "gelu_new"}),
    },
    vocabulary=Key("vocab_size", 30000),
    fixed={"inner_group_num": 1},
    to_shape=_shape,
    to_config=lambda s: {"num_hidden_groups": s.depth if s.sharing == "none" else 1},
    hindrance=lambda s: (
        None
        if s.sharing in ("all", "none")
        else (
            f"ALBERT in transformers cannot share {s.sharing} alone",
            f"transformers 中的 ALBERT 不能只共享 {s.sharing}",
        )
    ),
)
