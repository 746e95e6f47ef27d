"""RoBERTa's names in transformers.

There, the row of padding is the one of padding's id, and the first token has the next. Here they are always rows 1
and 2, as in every published checkpoint; where padding is 0, the table is turned by a row, and its last row is unread.
"""

from typing import Any

from lab.exchange.naming import Config, Key, Naming
from lab.exchange.parts import Made, Source
from lab.settings import SettingsError

BLOCK = "stack.blocks.*."


def names(body: str) -> dict[str, Source]:
    """Our names to theirs, in a family that calls its ``body`` so and all else as RoBERTa does."""
    layer = body + ".encoder.layer.*."
    return {
        "stack.embed.tokens": body + ".embeddings.word_embeddings",
        "stack.embed.segments": body + ".embeddings.token_type_embeddings",
        "stack.embed.positions.table": positions(body),
        "stack.embed.norm": body + ".embeddings.LayerNorm",
        BLOCK + "attention.qkv": tuple(layer + f"attention.self.{part}" for part in ("query", "key", "value")),
        BLOCK + "attention.out": layer + "attention.output.dense",
        BLOCK + "attention_norm": layer + "attention.output.LayerNorm",
        BLOCK + "feed.up": layer + "intermediate.dense",
        BLOCK + "feed.down": layer + "output.dense",
        BLOCK + "feed_norm": layer + "output.LayerNorm",
        "head.dense": "lm_head.dense",
        "head.norm": "lm_head.layer_norm",
        "head.bias": "lm_head.bias",
        "head.out": "lm_head.decoder",
        "sequence.pooler.dense": "classifier.dense",
        "sequence.out": "classifier.out_proj",
    }


def positions(body: str) -> Made:
    """The table of positions, turned."""
    return Made(
        of=(body + ".embeddings.position_embeddings",),
        here=lambda parts, s: parts[0].roll(1 - s.pad, 0),
        there=lambda table, s: [table.roll(s.pad - 1, 0)],
    )


def shape(config: Config) -> dict[str, Any]:
    rows, pad = config.get("max_position_embeddings", 512), config.get("pad_token_id", 1)
    if isinstance(pad, int) and pad not in (0, 1):
        raise SettingsError(
            f"the config has pad_token_id {pad}, behind which this family's positions begin; here it must be 0 or 1",
            f"配置中 pad_token_id 为 {pad}，这一家族的位置从它之后数起；本实验室要求它是 0 或 1",
        )
    return {"pad": pad, "context": rows - 2 if isinstance(rows, int) else rows}


def padding(s: Any) -> tuple[str, str] | None:
    if s.pad in (0, 1):
        return None
    return (
        f"RoBERTa in transformers needs {s.pad} rows before its first position where padding has the id {s.pad}",
        f"填充词元的编号为 {s.pad} 时，transformers 中的 RoBERTa 在首个位置之前还需要 {s.pad} 行",
    )


NAMING = Naming(
    model="roberta",
    kind="roberta",
    tokens="RobertaForMaskedLM",
    labels="RobertaForSequenceClassification",
    tag_head="classifier",
    span_class="QuestionAnswering",
    onward="RobertaForCausalLM",
    onward_remark=(
        "generate() of transformers 5 counts this class's positions from 0 and not from 2: call the model itself",
        "transformers 5 的 generate() 把这个类的位置从 0 而不是从 2 数起：请直接调用模型",
    ),
    base="roberta.",
    names=names("roberta"),
    same={
        "lm_head.weight": "roberta.embeddings.word_embeddings.weight",
        "lm_head.decoder.weight": "roberta.embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    },
    again={"lm_head.bias": "lm_head.decoder.bias"},
    spare={"lm_head.decoder.bias": "lm_head.bias"},
    ignored=(r"(roberta\.)?pooler\..*",),  # of older files: nobody ever trained it
    sizes={
        "width": Key("hidden_size", 768),
        "depth": Key("num_hidden_layers", 12),
        "heads": Key("num_attention_heads", 12),
        "feed": Key("intermediate_size", 3072, usual=lambda s: 4 * s.width),
        "dropout": Key(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.1),
        "eps": Key("layer_norm_eps", 1e-12),
        "segments": Key("type_vocab_size", 2),
        "tied": Key("tie_word_embeddings", True),
    },
    vocabulary=Key("vocab_size", 50265),
    fixed={"hidden_act": "gelu", "position_embedding_type": "absolute"},
    to_shape=shape,
    to_config=lambda s: {"pad_token_id": s.pad, "max_position_embeddings": s.context + 2},
    hindrance=padding,
)
