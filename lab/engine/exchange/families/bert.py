"""BERT's names in transformers."""

from typing import Any

from lab.engine.exchange.naming import Config, Key, Naming, short
from lab.engine.exchange.parts import Made
from lab.settings import SettingsError

BLOCK, LAYER = "stack.blocks.*.", "bert.encoder.layer.*."
SEGMENTS = Made(  # a text here is of two segments: of a longer table, the others are never read
    of=("bert.embeddings.token_type_embeddings",),
    here=lambda parts, _: parts[0][:2],
    there=lambda table, _: [table],
)


def _two_segments(config: Config) -> dict[str, Any]:
    """Raises SettingsError where there are fewer than two; there are no settings beyond the keys."""
    count = config.get("type_vocab_size", 2)
    if not isinstance(count, int) or count < 2:
        raise SettingsError(
            f"the config has type_vocab_size {short(count)}; the lab's BERT knows two sentences apart",
            f"配置中 type_vocab_size 为 {short(count)}，而本程序的 BERT 区分两个句子",
        )
    return {}


def _more_segments(config: Config) -> tuple[str, str] | None:
    count = config.get("type_vocab_size", 2)
    if count == 2:
        return None
    return (
        f"of the files' {count} segments the first two are kept: a text here has no more",
        f"文件中有 {count} 个句段，只保留前两个：这里的文本至多两段",
    )


NAMING = Naming(
    model="bert",
    kind="bert",
    tokens="BertForMaskedLM",
    pair="BertForPreTraining",
    labels="BertForSequenceClassification",
    onward="BertLMHeadModel",
    base="bert.",
    names={
        "stack.embed.tokens": "bert.embeddings.word_embeddings",
        "stack.embed.segments": SEGMENTS,
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
        "sequence.pooler.dense": "bert.pooler.dense",
        "sequence.out": "cls.seq_relationship",
    },
    label_names={"sequence.out": "classifier"},
    same={
        "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
    sizes={
        "width": Key("hidden_size", 768),
        "depth": Key("num_hidden_layers", 12),
        "heads": Key("num_attention_heads", 12),
        "feed": Key("intermediate_size", 3072, usual=lambda s: 4 * s.width),
        "context": Key("max_position_embeddings", 512),
        "eps": Key("layer_norm_eps", 1e-12),
        "dropout": Key(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.1),
    },
    vocabulary=Key("vocab_size", 30522),
    fixed={
        "hidden_act": "gelu",
        "position_embedding_type": "absolute",
    },
    to_shape=_two_segments,
    to_config=lambda s: {"type_vocab_size": 2},
    doubt=_more_segments,
)
