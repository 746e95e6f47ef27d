"""XLNet's names in transformers, where maps lie by head, the other way round, and without the ending ``weight``.

W width   H heads   K head width
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from lab.exchange.naming import Config, Key, Naming, must_share
from lab.exchange.parts import Made

BLOCK, LAYER = "stack.blocks.*.", "transformer.layer.*."


def _to_heads(*names: str) -> Made:
    """Maps from the width to the heads: (W, H, K) there, (H K, W) here, on top of each other."""

    def here(parts: Sequence[Tensor], s: Any) -> Tensor:
        return torch.cat([part.flatten(1).T for part in parts])

    def there(tensor: Tensor, s: Any) -> Sequence[Tensor]:
        return [part.T.unflatten(1, (s.heads, -1)) for part in tensor.chunk(len(names))]

    return Made(of=names, here=here, there=there)


FROM_HEADS = Made(  # (W, H, K) there, (W, H K) here
    of=(LAYER + "rel_attn.o",),
    here=lambda parts, s: parts[0].flatten(1),
    there=lambda tensor, s: [tensor.unflatten(1, (s.heads, -1))],
)
SEGMENTS = Made(  # (2, H, K) there, (2, H K) here
    of=(LAYER + "rel_attn.seg_embed",),
    here=lambda parts, s: parts[0].flatten(1),
    there=lambda tensor, s: [tensor.unflatten(1, (s.heads, -1))],
)
QUERY = Made(  # (1, 1, W) there, (1, W) here
    of=("transformer.mask_emb",),
    here=lambda parts, s: parts[0].flatten(1),
    there=lambda tensor, s: [tensor[None]],
)

LONGEST = "context"  # an XLNet reads texts of any length: how long a text the lab trained it on


def _shape(config: Config) -> dict[str, Any]:
    must_share(config, "d_head", "d_model", "n_head")
    return {"context": config.get(LONGEST, 512), "memory": config.get("mem_len") or 0}


NAMING = Naming(
    model="xlnet",
    kind="xlnet",
    tokens="XLNetLMHeadModel",
    labels="XLNetForSequenceClassification",
    tag_head="classifier",
    span_class="QuestionAnsweringSimple",
    padding="left",
    base="transformer.",
    names={
        "stack.embed.tokens": "transformer.word_embedding",
        "stack.embed.query.weight": QUERY,
        BLOCK + "attention.q.weight": _to_heads(LAYER + "rel_attn.q"),
        BLOCK + "attention.kv.weight": _to_heads(LAYER + "rel_attn.k", LAYER + "rel_attn.v"),
        BLOCK + "attention.distance.weight": _to_heads(LAYER + "rel_attn.r"),
        BLOCK + "attention.segments.weight": SEGMENTS,
        BLOCK + "attention.token_bias": LAYER + "rel_attn.r_w_bias",
        BLOCK + "attention.distance_bias": LAYER + "rel_attn.r_r_bias",
        BLOCK + "attention.segment_bias": LAYER + "rel_attn.r_s_bias",
        BLOCK + "attention.out.weight": FROM_HEADS,
        BLOCK + "attention_norm": LAYER + "rel_attn.layer_norm",
        BLOCK + "feed.up": LAYER + "ff.layer_1",
        BLOCK + "feed.down": LAYER + "ff.layer_2",
        BLOCK + "feed_norm": LAYER + "ff.layer_norm",
        "head": "lm_loss",
        "head.out": "lm_loss",
        "sequence.pooler.dense": "sequence_summary.summary",
        "sequence.out": "logits_proj",
    },
    same={"lm_loss.weight": "transformer.word_embedding.weight"},
    sizes={
        "width": Key("d_model", 1024),
        "depth": Key("n_layer", 24),
        "heads": Key("n_head", 16),
        "feed": Key("d_inner", 4096, usual=lambda s: 4 * s.width),
        "dropout": Key(("dropout", "summary_last_dropout"), 0.1),
        "eps": Key("layer_norm_eps", 1e-12),
        "tied": Key("tie_word_embeddings", True),
    },
    vocabulary=Key("vocab_size", 32000),
    fixed={
        "ff_activation": "gelu",
        "attn_type": "bi",
        "bi_data": False,
        "clamp_len": -1,
        "same_length": False,
        "untie_r": True,
        "summary_type": "last",
        "summary_use_proj": True,
        "summary_activation": "tanh",
    },
    to_shape=_shape,
    to_config=lambda s: {"mem_len": s.memory or None, "d_head": s.width // s.heads, LONGEST: s.context},
)
