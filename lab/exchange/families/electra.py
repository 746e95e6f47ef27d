"""ELECTRA's names in transformers: the class is the discriminator, and its file may hold the generator beside it.

Published checkpoints are one half each. A run of the lab has both; its generator stands under names that transformers
passes over, and its width in the config, so that the lab finds it again.
"""

from typing import Any

from lab.exchange.naming import RECIPE, Config, Key, Naming
from lab.exchange.parts import Source, as_made, stacked

BLOCK, LAYER = "stack.blocks.*.", "electra.encoder.layer.*."
GENERATOR = "generator_width"
BODY: dict[str, Source] = {
    "stack.embed.tokens": "electra.embeddings.word_embeddings",
    "stack.embed.segments": "electra.embeddings.token_type_embeddings",
    "stack.embed.positions.table": "electra.embeddings.position_embeddings",
    "stack.embed.norm": "electra.embeddings.LayerNorm",
    "stack.embed.project": "electra.embeddings_project",
    BLOCK + "attention.qkv": tuple(LAYER + f"attention.self.{part}" for part in ("query", "key", "value")),
    BLOCK + "attention.out": LAYER + "attention.output.dense",
    BLOCK + "attention_norm": LAYER + "attention.output.LayerNorm",
    BLOCK + "feed.up": LAYER + "intermediate.dense",
    BLOCK + "feed.down": LAYER + "output.dense",
    BLOCK + "feed_norm": LAYER + "output.LayerNorm",
    "sequence.pooler.dense": "classifier.dense",
    "sequence.out": "classifier.out_proj",
}
FILLS: dict[str, Source] = {
    "head.dense": "generator_predictions.dense",
    "head.norm": "generator_predictions.LayerNorm",
    "head.bias": "generator_lm_head.bias",
    "head.out": "generator_lm_head",
}
BESIDE: dict[str, Source] = {
    f"generator.{mine}": stacked(*(f"generator.{name}" for name in as_made(theirs).of))
    for mine, theirs in (BODY | FILLS).items()
    if not mine.startswith("sequence.")
}


FIXED = {"hidden_act": "gelu", "position_embedding_type": "absolute"}


def fills(config: Config) -> bool:
    """Whether a config is that of a class with the generator's head."""
    return any(name in str(config.get("architectures")) for name in ("ElectraForMaskedLM", "ElectraForCausalLM"))


def shape(config: Config) -> dict[str, Any]:
    """The tables' width; those as wide as the model need no projection."""
    embedding_width = config.get("embedding_size", 128)
    return {"wide": True} if embedding_width == config.get("hidden_size", 256) else {"embedding_width": embedding_width}


def table(s: Any) -> dict[str, Any]:
    """And back."""
    return {"embedding_size": s.width if s.wide else s.embedding_width}


def projected(s: Any) -> tuple[str, str] | None:
    """transformers leaves the projection out wherever it would be square."""
    if s.wide or s.embedding_width != s.width:
        return None
    return (
        "ELECTRA in transformers has no projection where its tables are as wide as the model",
        "当词表与模型同宽时，transformers 中的 ELECTRA 没有投影层",
    )


def _half(config: Config) -> dict[str, Any]:
    width = config.get(GENERATOR) if config.get(RECIPE) == "electra" else None
    return {"half": "both", "generator": width} if width is not None else {"half": "discriminator"}


NAMING = Naming(
    model="electra",
    kind="electra",
    tokens="ElectraForPreTraining",
    labels="ElectraForSequenceClassification",
    tag_head="classifier",
    span_class="QuestionAnswering",
    base="electra.",
    names={
        **BODY,
        "head.dense": "discriminator_predictions.dense",
        "head.out": "discriminator_predictions.dense_prediction",
        **BESIDE,
    },
    sizes={
        "width": Key("hidden_size", 256),
        "depth": Key("num_hidden_layers", 12),
        "heads": Key("num_attention_heads", 4),
        "feed": Key("intermediate_size", 1024, usual=lambda s: 4 * s.width),
        "context": Key("max_position_embeddings", 512),
        "dropout": Key(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.1),
        "eps": Key("layer_norm_eps", 1e-12),
        "segments": Key("type_vocab_size", 2),
        "tied": Key("tie_word_embeddings", True),
    },
    vocabulary=Key("vocab_size", 30522),
    fixed={**FIXED, "is_decoder": False},
    fits=lambda config: not fills(config),
    suits=lambda s: s.half != "generator",
    to_shape=lambda config: shape(config) | _half(config),
    to_config=lambda s: table(s) | ({GENERATOR: s.generator} if s.half == "both" else {}),
    hindrance=projected,
)
