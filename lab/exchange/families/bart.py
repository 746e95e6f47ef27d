"""BART's names in transformers. A file may hold a bias for each token, which is no parameter, or leave it out: zero."""

from typing import Any

from lab.exchange.naming import Config, Key, Naming, short
from lab.exchange.parts import Made, Source
from lab.settings import SettingsError

BIAS = Made(  # (1, V) there, (V,) here
    of=("final_logits_bias",), here=lambda parts, _: parts[0].flatten(), there=lambda tensor, _: [tensor[None]]
)


def stack(name: str) -> dict[str, Source]:
    """What the two stacks have in common."""
    block, layer = f"{name}.blocks.*.", f"model.{name}.layers.*."
    return {
        f"{name}.embed.positions.table": f"model.{name}.embed_positions",
        f"{name}.embed.norm": f"model.{name}.layernorm_embedding",
        block + "attention.qkv": tuple(layer + f"self_attn.{part}_proj" for part in "qkv"),
        block + "attention.out": layer + "self_attn.out_proj",
        block + "attention_norm": layer + "self_attn_layer_norm",
        block + "feed.up": layer + "fc1",
        block + "feed.down": layer + "fc2",
        block + "feed_norm": layer + "final_layer_norm",
    }


def shape(config: Config) -> dict[str, Any]:
    """The decoder's blocks, where they are not as many as the encoder's. Raises SettingsError where the two stacks
    differ in another size."""
    for key in (key for key in NAMING.sizes.values() if len(key.names) == 2):
        encoder, decoder = key.names
        one, other = config.get(encoder, key.default), config.get(decoder, key.default)
        if one != other:
            raise SettingsError(
                f"the config has {encoder} {short(one)} and {decoder} {short(other)}; here both are the same",
                f"配置中 {encoder} 为 {short(one)} 而 {decoder} 为 {short(other)}；本实验室要求两者相同",
            )
    depth = config.get("decoder_layers", 12)
    return {"decoder_depth": None if depth == config.get("encoder_layers", 12) else depth}


TABLES = {f"model.{name}.embed_tokens.weight": "model.shared.weight" for name in ("encoder", "decoder")}
BLOCK, LAYER = "decoder.blocks.*.", "model.decoder.layers.*."

NAMING = Naming(
    model="bart",
    kind="bart",
    tokens="BartForConditionalGeneration",
    labels="BartForSequenceClassification",
    span_class="QuestionAnswering",
    base="model.",
    names={
        "encoder.embed.tokens": "model.shared",
        **stack("encoder"),
        **stack("decoder"),
        BLOCK + "cross.q": LAYER + "encoder_attn.q_proj",
        BLOCK + "cross.kv": tuple(LAYER + f"encoder_attn.{part}_proj" for part in "kv"),
        BLOCK + "cross.out": LAYER + "encoder_attn.out_proj",
        BLOCK + "cross_norm": LAYER + "encoder_attn_layer_norm",
        "head.bias": BIAS,
        "head.out": "lm_head",
        "sequence.pooler.dense": "classification_head.dense",
        "sequence.out": "classification_head.out_proj",
    },
    same={"lm_head.weight": "model.shared.weight", **TABLES},
    again=TABLES,  # by the same word of a config transformers takes these apart, too
    ignored=(r"(model\.)?(encoder|decoder)\.version",),
    sizes={
        "width": Key("d_model", 1024),
        "depth": Key("encoder_layers", 12),
        "decoder_depth": Key("decoder_layers", 12, usual=lambda s: s.depth),
        "heads": Key(("encoder_attention_heads", "decoder_attention_heads"), 16),
        "feed": Key(("encoder_ffn_dim", "decoder_ffn_dim"), 4096, usual=lambda s: 4 * s.width),
        "context": Key("max_position_embeddings", 1024),
        "dropout": Key("dropout", 0.1),
        "tied": Key("tie_word_embeddings", True),
    },
    vocabulary=Key("vocab_size", 50265),
    fixed={"is_encoder_decoder": True, "activation_function": "gelu", "scale_embedding": False},
    to_shape=shape,
    to_config=lambda s: {"forced_eos_token_id": None},
)
