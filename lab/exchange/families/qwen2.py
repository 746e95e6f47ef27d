"""Qwen2's names in transformers: LLaMA's, with biases of queries, keys and values."""

from dataclasses import replace

from lab.exchange.families.llama import NAMING as LLAMA
from lab.exchange.families.llama import shape

NAMING = replace(
    LLAMA,
    kind="qwen2",
    tokens="Qwen2ForCausalLM",
    labels="Qwen2ForSequenceClassification",
    sizes={name: key for name, key in LLAMA.sizes.items() if name != "bias"},
    fixed={"hidden_act": "silu", "use_sliding_window": False},
    to_shape=lambda config: shape(config) | {"bias": "qkv"},
    suits=lambda s: s.bias == "qkv",
    remark=lambda s: (
        "AutoTokenizer of transformers 5 reads a Qwen2's tokenizer as byte-level BPE: load any other kind, such as "
        "unigram, with PreTrainedTokenizerFast",
        "transformers 5 的 AutoTokenizer 把 Qwen2 的分词器一律当作字节级 BPE：其他种类（如 unigram）"
        "请用 PreTrainedTokenizerFast 载入",
    ),
)
