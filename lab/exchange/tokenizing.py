"""tokenizer_config.json: a tokenizer as transformers reads it, and what stands beside its file."""

import json
from collections.abc import Sequence
from typing import Any

import tokenizers

from lab.tokenizer import Tokenizer
from lab.vocabulary import BEGIN, END, MASK, PAD, SEPARATE, SPECIALS, UNKNOWN

# The names by which transformers knows the roles.
THEIRS = {PAD: "pad", UNKNOWN: "unk", BEGIN: "cls", SEPARATE: "sep", MASK: "mask", END: "eos"}


def config_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """What a tokenizer_config.json says in any case."""
    names = {name: name for name in SPECIALS} | tokenizer.roles
    tokens = {f"{THEIRS[role]}_token": names[role] for role in SPECIALS if role in tokenizer.vocabulary.specials}
    return {"tokenizer_class": "PreTrainedTokenizerFast", **tokens, "clean_up_tokenization_spaces": False}


def for_others(tokenizer: Tokenizer, gaps: Sequence[str] = (MASK,)) -> tokenizers.Tokenizer:
    """The tokenizer, told that a gap takes along the blanks before it wherever a word does, as in the lab. ``gaps`` are
    the special tokens that stand in a text for what is missing."""
    document = json.loads(tokenizer.inner.to_str())
    names = {tokenizer.roles.get(gap, gap) for gap in gaps}
    for token in document["added_tokens"]:
        if token["content"] in names:
            token["lstrip"] = tokenizer.joins_blanks
    return tokenizers.Tokenizer.from_str(json.dumps(document))
