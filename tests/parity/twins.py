"""Our recipes of one stack that transformers has too: the same small sizes for ours and for theirs, a row each.

What all rows promise is in test_twins.py; what only one of them has is in a file of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import glm_reference
import pytest
import torch
from oracle import (
    CLOSE,
    CONTEXT,
    DEPTH,
    FEED,
    HEADS,
    ISLANDS,
    MAPS_CLOSE,
    MAPS_ISLANDS,
    NARROW,
    VOCABULARY,
    WIDTH,
    Parity,
    Side,
    compare,
    gaps,
    labels,
    next_tokens,
    translated,
)
from torch import Tensor, nn

from lab.batch import Batch
from lab.catalog import MODELS
from lab.exchange.families import (
    albert,
    bert,
    deberta_v1,
    deberta_v2,
    deberta_v3_generator,
    distilbert,
    electra_generator,
    glm4,
    gpt,
    gpt1,
    llama,
    longformer,
    roberta,
)
from lab.exchange.parts import Source

transformers = pytest.importorskip("transformers")

# The sizes, in our words and in those of three generations of configurations.
SIZES = {"width": WIDTH, "depth": DEPTH, "heads": HEADS, "feed": FEED, "context": CONTEXT}
BERT_SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": WIDTH,
    "num_hidden_layers": DEPTH,
    "num_attention_heads": HEADS,
    "intermediate_size": FEED,
    "max_position_embeddings": CONTEXT,
}
GPT_SIZES = {
    "vocab_size": VOCABULARY,
    "n_embd": WIDTH,
    "n_layer": DEPTH,
    "n_head": HEADS,
    "n_positions": CONTEXT,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "pad_token_id": 0,
}
# Heads in groups need another width.
GROUPS, REACH, EPS = 2, 6, 1e-5
WIDE = SIZES | {"width": 32, "heads": 4}
WIDE_BERT_SIZES = BERT_SIZES | {"hidden_size": 32, "num_attention_heads": 4, "pad_token_id": 0}


@dataclass(frozen=True, kw_only=True)
class Twin:
    """A recipe of ours and its class in transformers, and what both are shown."""

    recipe: str
    kind: str | type[nn.Module]  # the class in transformers that predicts tokens
    labels: str = ""  # the one that names a label
    names: Mapping[str, Source]  # our names to theirs
    label_names: Mapping[str, Source] = field(default_factory=dict)
    shape: Mapping[str, Any] = field(default_factory=lambda: SIZES)
    config: Mapping[str, Any] = field(default_factory=lambda: BERT_SIZES)
    shown: Callable[[], Any] = gaps
    pair: tuple[str, str] | None = None  # how they call the question about a pair, and the answer
    asked: Callable[[nn.Module, Batch], Side] | None = None  # where they are not asked as the others are
    idle: str = ""  # what stands in the names of theirs that their class for tokens holds and never uses
    key_bias: str = ""  # their bias of the keys, or of queries, keys and values; {} is a block's number
    within: Mapping[torch.dtype, float] = field(default_factory=lambda: CLOSE)
    maps_within: Mapping[torch.dtype, float] = field(default_factory=lambda: MAPS_CLOSE)

    def ours(self, **classes: int) -> Any:
        entry = MODELS[self.recipe]
        return entry.build(entry.settings(**self.shape), VOCABULARY, **classes)

    def theirs(self, kind: str | type[nn.Module] = "", **more: Any) -> Any:
        kind = kind or self.kind
        made: Any = getattr(transformers, kind) if isinstance(kind, str) else kind
        return made(made.config_class(attn_implementation="eager", **{**self.config, **more}))

    def renamed(self, theirs: dict[str, Tensor]) -> dict[str, Tensor]:
        return translated(theirs, self.names, MODELS[self.recipe].settings(**self.shape))

    def answer(self, model: nn.Module, batch: Batch) -> Side:
        """What theirs says of the batch."""
        if self.asked:
            return self.asked(model, batch)
        assert batch.real is not None
        causal = batch.visible == "causal"  # then their loss moves the labels back by one
        given = {"labels": labels(batch).roll(1, dims=1), "use_cache": False} if causal else {"labels": labels(batch)}
        if self.pair:
            given[self.pair[0]] = batch.label
        out = model(**reads(batch), **given, output_hidden_states=True, output_attentions=True)
        tokens = (out.prediction_logits if self.pair else out.logits).flatten(0, 1)[batch.asked]
        return Side(out.hidden_states, out.attentions, tokens, out.loss, out[self.pair[1]] if self.pair else None)


def reads(batch: Batch) -> dict[str, Tensor]:
    """The batch as their models read it."""
    assert batch.real is not None
    segments = {} if batch.segments is None else {"token_type_ids": batch.segments}
    return {"input_ids": batch.shown, "attention_mask": batch.real.long(), **segments}


def plain() -> Batch:
    return replace(gaps(), segments=None, label=None)


def padded_with_one() -> Batch:
    """Rows that hold no padding but at their ends, as RoBERTa's tokenizer writes it."""
    batch = plain()
    assert batch.real is not None
    return replace(batch, shown=torch.where(batch.real, batch.shown.clamp_min(2), 1))


def in_a_band(model: nn.Module, batch: Batch) -> Side:
    """What Longformer's class says, whose maps are a band, with the token itself in the middle."""
    out = model(**reads(batch), labels=labels(batch), output_hidden_states=True, output_attentions=True)
    maps = []
    for band in out.attentions:  # (B, H, T, 2 * half + 1)
        t, half = band.shape[2], band.shape[3] // 2
        wide = band.new_zeros(*band.shape[:3], t + 2 * half)
        places = torch.arange(t)[:, None] + torch.arange(2 * half + 1)  # (T, 2 * half + 1)
        maps.append(wide.scatter(3, places.expand_as(band), band)[..., half : half + t])
    return Side(out.hidden_states, maps, out.logits.flatten(0, 1)[batch.asked], out.loss)


def tied(names: Mapping[str, Source]) -> dict[str, Source]:
    """The names of a model whose head has no table of its own."""
    return {mine: source for mine, source in names.items() if mine != "head.out"}


BERT = Twin(
    recipe="bert",
    kind="BertForPreTraining",
    labels="BertForSequenceClassification",
    names=bert.NAMING.names,
    label_names=bert.NAMING.label_names,
    pair=("next_sentence_label", "seq_relationship_logits"),
    key_bias="bert.encoder.layer.{}.attention.self.key.bias",
)
ALBERT = Twin(
    recipe="albert",
    kind="AlbertForPreTraining",
    labels="AlbertForSequenceClassification",
    names=albert.NAMING.names,
    label_names=albert.NAMING.label_names,
    shape=SIZES | {"embedding_width": NARROW},
    config=BERT_SIZES | {"embedding_size": NARROW, "num_hidden_groups": 1, "hidden_act": "gelu_new"},
    pair=("sentence_order_label", "sop_logits"),
    key_bias="albert.encoder.albert_layer_groups.{}.albert_layers.0.attention.key.bias",
)
DEBERTA_CONFIG = BERT_SIZES | {
    "type_vocab_size": 0,
    "layer_norm_eps": 1e-7,
    "relative_attention": True,
    "position_biased_input": False,
    "pos_att_type": ["p2c", "c2p"],
    "legacy": False,
}
BUCKETS = 8  # so few that far distances share some
DEBERTA = Twin(
    recipe="deberta_v2",
    kind="DebertaV2ForMaskedLM",
    labels="DebertaV2ForSequenceClassification",
    names=deberta_v2.NAMING.names,
    shape=SIZES | {"buckets": BUCKETS, "plain": True},
    config=DEBERTA_CONFIG
    | {"share_att_key": True, "position_buckets": BUCKETS, "norm_rel_ebd": "layer_norm"}
    | {"conv_kernel_size": 3, "conv_act": "gelu"},
    within={**CLOSE, torch.float64: 1e-7},  # theirs takes the root of the scale in single precision
    maps_within={**MAPS_CLOSE, torch.float64: 1e-7},
)
GPT = Twin(
    recipe="gpt",
    kind="GPT2LMHeadModel",
    labels="GPT2ForSequenceClassification",
    names=gpt.NAMING.names,
    config=GPT_SIZES | {"n_inner": FEED},
    shown=next_tokens,
    key_bias="transformer.h.{}.attn.c_attn.bias",
)
LLAMA = Twin(
    recipe="llama",
    kind="LlamaForCausalLM",
    labels="LlamaForSequenceClassification",
    names=llama.NAMING.names,
    shape=WIDE,
    config=WIDE_BERT_SIZES | {"rms_norm_eps": EPS},
    shown=next_tokens,
    within=ISLANDS,
    maps_within=MAPS_ISLANDS,
)
TURNING = {"rope_type": "default", "rope_theta": 1e4}
STRETCHED = {
    "rope_type": "llama3",
    "rope_theta": 5e5,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
SLOWED = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 3.0, "original_max_position_embeddings": 8}
GLM4 = replace(
    LLAMA,
    recipe="glm4",
    kind="Glm4ForCausalLM",
    labels="Glm4ForSequenceClassification",
    names=glm4.NAMING.names,  # ChatGLM's names, and those of two norms more
    config=LLAMA.config | {"num_key_value_heads": GROUPS, "head_dim": 8, "attention_bias": False, "eos_token_id": 0},
)
CHATGLM = replace(
    GLM4,
    recipe="chatglm",
    kind="GlmForCausalLM",
    labels="GlmForSequenceClassification",
    config=GLM4.config | {"attention_bias": True},
)


def changed(twin: Twin, shape: Mapping[str, Any], config: Mapping[str, Any], **more: Any) -> Twin:
    """The twin in other settings, ours and theirs."""
    return replace(twin, shape={**twin.shape, **shape}, config={**twin.config, **config}, **more)


def grouped(shape: Mapping[str, Any], rope: Mapping[str, Any] = TURNING, **config: Any) -> Twin:
    """A LLaMA whose heads share keys and values in groups."""
    theirs = {"num_key_value_heads": GROUPS, "rope_parameters": rope, **config}
    return changed(LLAMA, {"kv_heads": GROUPS, **shape}, theirs)


TWINS = {
    "bert": BERT,
    "macbert": replace(BERT, recipe="macbert"),
    "albert": ALBERT,
    "albert-gelu": changed(ALBERT, {"activation": "gelu"}, {"hidden_act": "gelu"}),
    "albert-unshared": changed(ALBERT, {"sharing": "none"}, {"num_hidden_groups": DEPTH}),
    "roberta": Twin(
        recipe="roberta",
        kind="RobertaForMaskedLM",
        labels="RobertaForSequenceClassification",
        names=roberta.NAMING.names,
        shape=SIZES | {"pad": 1},
        config=BERT_SIZES
        | {"max_position_embeddings": CONTEXT + 2, "type_vocab_size": 1, "layer_norm_eps": 1e-5, "pad_token_id": 1},
        shown=padded_with_one,
        key_bias="roberta.encoder.layer.{}.attention.self.key.bias",
    ),
    "longformer": Twin(  # its window reaches a token from all padding, as Mistral's
        recipe="longformer",
        kind="LongformerForMaskedLM",
        labels="LongformerForSequenceClassification",
        names=longformer.NAMING.names,
        label_names=longformer.NAMING.label_names,
        shape=SIZES | {"pad": 1, "window": 16},
        config=BERT_SIZES
        | {"max_position_embeddings": CONTEXT + 2, "type_vocab_size": 1, "layer_norm_eps": 1e-5, "pad_token_id": 1}
        | {"attention_window": 16},
        shown=padded_with_one,
        asked=in_a_band,
        key_bias="longformer.encoder.layer.{}.attention.self.key.bias",
        idle="_global",
        within=ISLANDS,  # theirs takes the softmax in single precision
        maps_within=MAPS_ISLANDS,
    ),
    "distilbert": Twin(
        recipe="distilbert",
        kind="DistilBertForMaskedLM",
        labels="DistilBertForSequenceClassification",
        names=tied(distilbert.NAMING.names),
        config={
            "vocab_size": VOCABULARY,
            "dim": WIDTH,
            "n_layers": DEPTH,
            "n_heads": HEADS,
            "hidden_dim": FEED,
            "max_position_embeddings": CONTEXT,
        },
        shown=plain,
        key_bias="distilbert.transformer.layer.{}.attention.k_lin.bias",
    ),
    "electra-generator": Twin(
        recipe="electra",
        kind="ElectraForMaskedLM",
        names=tied(electra_generator.NAMING.names),
        shape=SIZES | {"embedding_width": NARROW, "half": "generator"},
        config=BERT_SIZES | {"embedding_size": NARROW},
        key_bias="electra.encoder.layer.{}.attention.self.key.bias",
    ),
    "deberta_v1": replace(
        DEBERTA,
        recipe="deberta_v1",
        kind="DebertaForMaskedLM",
        labels="DebertaForSequenceClassification",
        names=deberta_v1.NAMING.names,
        shape=SIZES | {"plain": True},
        config=DEBERTA_CONFIG,
        within={**CLOSE, torch.float64: 5e-6},  # theirs normalises in single precision
        maps_within={**MAPS_CLOSE, torch.float64: 1e-6},
    ),
    "deberta_v2": DEBERTA,
    "deberta_v3-generator": replace(
        DEBERTA,
        recipe="deberta_v3",
        names=deberta_v3_generator.NAMING.names,
        shape=SIZES | {"buckets": BUCKETS, "half": "generator"},
        config={name: value for name, value in DEBERTA.config.items() if not name.startswith("conv_")},
    ),
    "gpt": GPT,
    "gpt1": replace(
        GPT,
        recipe="gpt1",
        kind="OpenAIGPTLMHeadModel",
        labels="OpenAIGPTForSequenceClassification",
        names=gpt1.NAMING.names,
        shape={name: size for name, size in SIZES.items() if name != "feed"},
        config=GPT_SIZES,
    ),
    "glm": replace(
        GPT,
        recipe="glm",
        kind=glm_reference.Reference,
        labels="",
        names=glm_reference.NAMES,
        config=GPT.config | {"n_positions": CONTEXT + 1},
        shown=glm_reference.infilling,
        asked=glm_reference.answer,
    ),
    "llama1": changed(LLAMA, {"eps": 1e-6}, {"rms_norm_eps": 1e-6, "rope_parameters": TURNING}),
    "llama2": grouped({}),
    "llama3": grouped({"theta": 5e5}, TURNING | {"rope_theta": 5e5}),
    "llama3.1": grouped({"theta": 5e5, "rope_scale": 8.0, "original_context": 16}, STRETCHED),
    "llama3.2": grouped({"tied": True}, tie_word_embeddings=True),
    "mistral": replace(  # its window reaches a token from all padding: else theirs is not a number in double precision
        grouped({"window": REACH}, sliding_window=REACH),
        recipe="mistral",
        kind="MistralForCausalLM",
        labels="MistralForSequenceClassification",
    ),
    "chatglm2": CHATGLM,
    "glm-4-9b": changed(CHATGLM, {"eps": 1.5625e-7}, {"rms_norm_eps": 1.5625e-7}),
    "chatglm-slowed": changed(  # whole heads turn, and are slowed for long texts; the head is tied
        CHATGLM,
        {"tied": True, "head_width": 12, "rotary_share": 1.0, "bias": False}
        | {"rope_scaling": "yarn", "rope_scale": 3.0, "original_context": 8},
        {"tie_word_embeddings": True, "head_dim": 12, "attention_bias": False}
        | {"rope_parameters": SLOWED | {"partial_rotary_factor": 1.0}},
    ),
    "glm-4-0414": GLM4,
    "glm-4-biased": changed(GLM4, {"bias": True}, {"attention_bias": True}),
}


@cache
@torch.enable_grad()  # all tests share it, whoever asks first
def pair(name: str, dtype: torch.dtype) -> Parity:
    """Both models of a row with the same parameters, and what they made of the same batch."""
    twin = TWINS[name]
    return compare(
        twin.ours(),
        twin.theirs(),
        twin.shown(),
        twin.answer,
        twin.renamed,
        dtype,
        twin.within,
        twin.maps_within,
        twin.idle,
    )
