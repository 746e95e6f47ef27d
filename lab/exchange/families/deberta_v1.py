"""DeBERTa's names in transformers, where a map's rows lie head by head as queries, keys and values.

transformers has no mask decoder: its positions stand in the file, and its class predicts from the last block. A
published checkpoint is read without it, too; only a config that the lab wrote says that there was one.
"""

from typing import Any

from lab.exchange.naming import RECIPE, Config, Key, Naming, short
from lab.exchange.parts import Made
from lab.settings import SettingsError

BLOCK, LAYER = "stack.blocks.*.", "deberta.encoder.layer.*."
DECODER = "mask_decoder"

BY_HEAD = Made(
    of=(LAYER + "attention.self.in_proj",),
    here=lambda parts, s: parts[0].unflatten(0, (s.heads, 3, -1)).transpose(0, 1).flatten(0, 2),
    there=lambda map_, s: [map_.unflatten(0, (3, s.heads, -1)).transpose(0, 1).flatten(0, 2)],
)


def _shape(config: Config) -> dict[str, Any]:
    asked, longest = config.get("pos_att_type"), config.get("max_relative_positions", -1)
    asked = asked.split("|") if isinstance(asked, str) else asked
    context = config.get("max_position_embeddings", 512)
    if asked not in (["c2p", "p2c"], ["p2c", "c2p"]) or longest not in (-1, 0, context):
        raise SettingsError(
            f"the config asks for distances {short(asked)} up to {short(longest)}; here: c2p, p2c, up to the context",
            f"配置要求的相对位置为 {short(asked)}，最远 {short(longest)}；本实验室为 c2p 与 p2c，最远到上下文长度",
        )
    return {"plain": config.get(RECIPE) != "deberta_v1" or not config.get(DECODER)}


NAMING = Naming(
    model="deberta_v1",
    kind="deberta",
    tokens="DebertaForMaskedLM",
    labels="DebertaForSequenceClassification",
    tag_head="classifier",
    span_class="QuestionAnswering",
    base="deberta.",
    names={
        "stack.embed.tokens": "deberta.embeddings.word_embeddings",
        "stack.embed.norm": "deberta.embeddings.LayerNorm",
        "late.table": "deberta.embeddings.position_embeddings",
        "stack.blocks.0.attention.distances.table": "deberta.encoder.rel_embeddings",
        BLOCK + "attention.qkv": BY_HEAD,
        BLOCK + "attention.query_bias": LAYER + "attention.self.q_bias",
        BLOCK + "attention.value_bias": LAYER + "attention.self.v_bias",
        BLOCK + "attention.place_query": LAYER + "attention.self.pos_q_proj",
        BLOCK + "attention.place_key": LAYER + "attention.self.pos_proj",
        BLOCK + "attention.out": LAYER + "attention.output.dense",
        BLOCK + "attention_norm": LAYER + "attention.output.LayerNorm",
        BLOCK + "feed.up": LAYER + "intermediate.dense",
        BLOCK + "feed.down": LAYER + "output.dense",
        BLOCK + "feed_norm": LAYER + "output.LayerNorm",
        "head.dense": "lm_predictions.lm_head.dense",
        "head.norm": "lm_predictions.lm_head.LayerNorm",
        "head.bias": "lm_predictions.lm_head.bias",
        "sequence.pooler.dense": "pooler.dense",
        "sequence.out": "classifier",
    },
    same={
        "lm_predictions.lm_head.decoder.weight": "deberta.embeddings.word_embeddings.weight",
        "lm_predictions.lm_head.decoder.bias": "lm_predictions.lm_head.bias",
        "cls.predictions.decoder.weight": "deberta.embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "lm_predictions.lm_head.bias",
    },
    older=(
        (r"^cls\.predictions\.transform\.", "lm_predictions.lm_head."),
        (r"^cls\.predictions\.bias$", "lm_predictions.lm_head.bias"),
    ),
    ignored=(r"(deberta\.)?embeddings\.position_embeddings\.weight",),
    sizes={
        "width": Key("hidden_size", 768),
        "depth": Key("num_hidden_layers", 12),
        "heads": Key("num_attention_heads", 12),
        "feed": Key("intermediate_size", 3072, usual=lambda s: 4 * s.width),
        "context": Key("max_position_embeddings", 512),
        "dropout": Key(("hidden_dropout_prob", "attention_probs_dropout_prob", "pooler_dropout"), 0.1),
        "eps": Key("layer_norm_eps", 1e-7),
    },
    vocabulary=Key("vocab_size", 50265),
    fixed={
        "hidden_act": "gelu",
        "pooler_hidden_act": "gelu",
        "type_vocab_size": 0,
        "relative_attention": True,
        "position_biased_input": False,
    },
    assumed={"relative_attention": False, "position_biased_input": True},
    to_shape=_shape,
    to_config=lambda s: {
        "pos_att_type": ["c2p", "p2c"],
        "max_relative_positions": -1,
        "legacy": False,
        **({} if s.plain else {DECODER: True}),
    },
    tokens_remark=lambda s: (
        None
        if s.plain
        else (
            "the run predicts with a mask decoder, which transformers has not: there, answers will differ",
            "此训练用掩码解码器作答，而 transformers 没有它：那里的答案会不同",
        )
    ),
)
