"""T5's names in transformers. A T5 reads texts of any length: how long a text it was trained on is n_positions."""

from typing import Any

from lab.exchange.naming import Config, Key, Naming

ENCODER, DECODER = "encoder.blocks.*.", "decoder.blocks.*."
READS, WRITES = "encoder.block.*.layer.", "decoder.block.*.layer."
TABLE = "block.0.layer.0.SelfAttention.relative_attention_bias"


def tied(config: Config) -> bool:
    """Whether the token table is the head, as a T5 has it that does not say. A config that was written lately says
    that all are tied, and by another key whether this one was meant to be."""
    return bool(config.get("scale_decoder_outputs", config.get("tie_word_embeddings") is not False))


def shape(config: Config) -> dict[str, Any]:
    """What is more than one key."""
    writes = config.get("num_decoder_layers")
    knobs = {"tied": tied(config), "decoder_depth": None if writes == config.get("num_layers") else writes}
    head, heads, width = config.get("d_kv", 64), config.get("num_heads", 8), config.get("d_model", 512)
    share = isinstance(heads, int) and isinstance(head, int) and head * heads == width
    return knobs | {"head_width": None if share else head}


NAMING = Naming(
    model="t5",
    kind="t5",
    tokens="T5ForConditionalGeneration",
    names={
        "encoder.embed.tokens": "shared",
        "encoder.distances.table": f"encoder.{TABLE}",
        "decoder.distances.table": f"decoder.{TABLE}",
        ENCODER + "attention.qkv": tuple(READS + f"0.SelfAttention.{part}" for part in "qkv"),
        ENCODER + "attention.out": READS + "0.SelfAttention.o",
        ENCODER + "attention_norm": READS + "0.layer_norm",
        ENCODER + "feed.up": READS + "1.DenseReluDense.wi",
        ENCODER + "feed.down": READS + "1.DenseReluDense.wo",
        ENCODER + "feed_norm": READS + "1.layer_norm",
        DECODER + "attention.qkv": tuple(WRITES + f"0.SelfAttention.{part}" for part in "qkv"),
        DECODER + "attention.out": WRITES + "0.SelfAttention.o",
        DECODER + "attention_norm": WRITES + "0.layer_norm",
        DECODER + "cross.q": WRITES + "1.EncDecAttention.q",
        DECODER + "cross.kv": tuple(WRITES + f"1.EncDecAttention.{part}" for part in "kv"),
        DECODER + "cross.out": WRITES + "1.EncDecAttention.o",
        DECODER + "cross_norm": WRITES + "1.layer_norm",
        DECODER + "feed.up": WRITES + "2.DenseReluDense.wi",
        DECODER + "feed.down": WRITES + "2.DenseReluDense.wo",
        DECODER + "feed_norm": WRITES + "2.layer_norm",
        "encoder.norm": "encoder.final_layer_norm",
        "decoder.norm": "decoder.final_layer_norm",
        "head.out": "lm_head",
    },
    same={f"{part}.weight": "shared.weight" for part in ("encoder.embed_tokens", "decoder.embed_tokens", "lm_head")},
    spare={"lm_head.weight": "shared.weight"},  # as transformers does; the states are not scaled all the same
    ignored=(r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight",),
    sizes={
        "width": Key("d_model", 512),
        "depth": Key("num_layers", 6),
        "decoder_depth": Key("num_decoder_layers", None, usual=lambda s: s.depth),
        "heads": Key("num_heads", 8),
        "head_width": Key("d_kv", 64, usual=lambda s: s.width // s.heads),
        "feed": Key("d_ff", 2048, usual=lambda s: 4 * s.width),
        "context": Key("n_positions", 512),
        "dropout": Key("dropout_rate", 0.1),
        "eps": Key("layer_norm_epsilon", 1e-6),
    },
    vocabulary=Key("vocab_size", 32128),
    fixed={
        "is_encoder_decoder": True,
        "feed_forward_proj": "relu",
        "dense_act_fn": "relu",  # where a config has it, it goes before what the line above says
        "relative_attention_num_buckets": 32,
        "relative_attention_max_distance": 128,
    },
    fits=lambda config: config.get("feed_forward_proj", "relu") == "relu",
    to_shape=shape,
    to_config=lambda s: {"tie_word_embeddings": s.tied},
)
