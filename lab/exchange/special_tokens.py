"""Special tokens of a stranger's tokenizer: parsed in the sandbox, and found by what they are for."""

import json
import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import tokenizers
from tokenizers import pre_tokenizers

from lab.exchange.growth import bounded
from lab.exchange.headers import TOKENIZER, VOCABULARY
from lab.settings import SettingsError
from lab.vocabulary import BEGIN, BOS, END, MASK, PAD, SEPARATE, SPECIALS, UNKNOWN

# How the roles are called elsewhere, the commonest first; and where a config says it by number.
CALLED = {
    PAD: ("[PAD]", "<pad>", "<|pad|>", "<|finetune_right_pad_id|>"),
    UNKNOWN: ("[UNK]", "<unk>"),
    BEGIN: ("[CLS]", "<cls>", "<s>", "<bos>", "<|begin_of_text|>", "[gMASK]"),
    SEPARATE: ("[SEP]", "<sep>", "</s>"),
    MASK: ("[MASK]", "<mask>", "<extra_id_0>"),
    END: ("[END]", "<eod>", "</s>", "<eos>", "<|endoftext|>", "<|end_of_text|>", "[EOS]"),
}
# Marks of objectives, which are no roles of the lab's own.
MARKS = {"[SOP]": "<|startofpiece|>", "[EOP]": "<|endofpiece|>"}
NUMBERED = {
    PAD: ("pad_token_id",),
    BEGIN: ("cls_token_id", "bos_token_id"),
    SEPARATE: ("sep_token_id",),
    MASK: ("mask_token_id",),
    END: ("eos_token_id",),
}
# The roles whose tokens an encoder-decoder's config names by number, as generate() in transformers goes by it.
ANSWERS = {PAD: "pad_token_id", BEGIN: "bos_token_id", SEPARATE: "eos_token_id", END: "eos_token_id"}
# What stands in for a role that a tokenizer does not have. Nothing can stand in for a mask.
STAND_IN = {PAD: (END, SEPARATE, UNKNOWN), END: (SEPARATE, PAD), BEGIN: (END,), SEPARATE: (END,)}
# Texts that a sound tokenizer reads without ado.
PROBES = ("", "The cat sat on the mat.", "猫坐在垫子上。", "naïve 🧩 \x00\t\n  x", "aA1 ." * 400)


def parse(path: str, config: dict[str, Any], goes_on: bool = False) -> dict[str, Any]:
    """What a child makes of a tokenizer.json: the ``tokenizer`` written anew, its ``size``, and its ``roles`` for a
    model with this ``config``, which ``goes_on`` with a text or does not."""
    return checked(lambda: tokenizers.Tokenizer.from_file(path), config, TOKENIZER, goes_on)


def checked(
    made: Callable[[], tokenizers.Tokenizer], config: dict[str, Any], name: str, goes_on: bool = False
) -> dict[str, Any]:
    """The same of a tokenizer that is yet to be ``made`` of the file ``name``."""
    try:
        inner = made()
        _distinct(inner, name)
        bounded(json.loads(inner.to_str()), name)
        inner.no_padding()
        inner.no_truncation()
        inner = unspoken(inner, config)
        inner.encode_special_tokens = True
        for probe in PROBES:
            inner.decode(inner.encode(probe, add_special_tokens=False).ids)
    except (MemoryError, SettingsError):
        raise
    except BaseException:  # a panic of the library is no Exception
        raise SettingsError(
            f"{name} is damaged, or of a kind that the tokenizers library cannot read",
            f"{name} 已损坏，或不是 tokenizers 库能读取的类型",
        ) from None
    vocab = inner.get_vocab()
    size = max(vocab.values(), default=-1) + 1
    return {"tokenizer": inner.to_str(), "size": size, "roles": roles_of(inner, config, goes_on)}


def _distinct(inner: tokenizers.Tokenizer, name: str) -> None:
    """Raises SettingsError where two tokens have one id, of which chance would choose one, or where an id is so high
    that the table of all of them would hold little else than gaps."""
    numbers = sorted(inner.get_vocab(with_added_tokens=False).values())
    twice = next((one for one, other in pairwise(numbers) if one == other), None)
    if twice is not None:
        raise SettingsError(f"two tokens of {name} have the id {twice}", f"{name} 中有两个词元的编号都是 {twice}")
    highest = max(inner.get_vocab().values(), default=0)
    if highest >= VOCABULARY:
        raise SettingsError(
            f"a token of {name} has the id {highest:,}: at most {VOCABULARY:,} tokens are read",
            f"{name} 中有词元的编号为 {highest:,}：最多读取 {VOCABULARY:,} 个词元",
        )


def unspoken(inner: tokenizers.Tokenizer, config: dict[str, Any]) -> tokenizers.Tokenizer:
    """The tokenizer, in which no text spells a special token: a text that holds the letters </s> does not end there.

    Some files do not say of a token with a role that it is special, and some kinds of model have such tokens among the
    pieces of which they make words: those are cut behind their first letter.
    """
    document, numbers = (
        json.loads(inner.to_str()),
        [number for key in NUMBERED.values() for number in _given(config, key)],
    )
    names = {name for group in CALLED.values() for name in group} | {*MARKS.values()}
    for token in document["added_tokens"]:
        token["special"] |= token["content"] in names or token["id"] in numbers
    marked = tokenizers.Tokenizer.from_str(json.dumps(document))
    marked.encode_special_tokens = True
    special = [token["content"] for token in document["added_tokens"] if token["special"] and len(token["content"]) > 1]
    spelt = [name for name in special if marked.token_to_id(name) in marked.encode(name, add_special_tokens=False).ids]
    spelt = [name for name in spelt if name != getattr(marked.model, "unk_token", None)]
    if not spelt:
        return marked
    pattern = "|".join(f"{re.escape(name[0])}(?={re.escape(name[1:])})" for name in spelt)
    cut = pre_tokenizers.Split(tokenizers.Regex(pattern), "merged_with_previous")
    before = marked.pre_tokenizer
    marked.pre_tokenizer = pre_tokenizers.Sequence([before, cut]) if before else cut
    return marked


def _given(config: dict[str, Any], keys: Iterable[str]) -> list[Any]:
    """The numbers that a config has under these keys: one, several or none under each."""
    given = [config.get(key) for key in keys]
    return [number for value in given for number in (value if isinstance(value, list) else [value])]


def roles_of(inner: tokenizers.Tokenizer, config: dict[str, Any], goes_on: bool = False) -> dict[str, str]:
    """Which of a tokenizer's special tokens has which role. Of a model that ``goes_on`` with a text, and of an
    encoder-decoder, the config says by number what begins and ends one: a chat model's turn ends otherwise than the
    texts of its pretraining."""
    special = {token.content: number for number, token in inner.get_added_tokens_decoder().items() if token.special}
    by_number = {number: content for content, number in special.items()}
    roles: dict[str, str] = {}
    for role in SPECIALS:
        called = [name for name in CALLED[role] if name in special]
        numbered = _named(by_number, config, NUMBERED.get(role, ()))
        if called or numbered:
            roles[role] = (called + numbered)[0]
    if goes_on:
        ends = dict.fromkeys(_named(by_number, config, NUMBERED[END]))
        roles |= {f"[END {place}]" if place > 1 else END: name for place, name in enumerate(ends, 1)}
        roles |= dict(zip((BOS,), _named(by_number, config, ("bos_token_id",)), strict=False))
    if config.get("is_encoder_decoder") is True:
        found = {role: _named(by_number, config, (key,)) for role, key in ANSWERS.items()}
        roles |= {role: names[0] for role, names in found.items() if names}
    if UNKNOWN not in roles:
        token = getattr(inner.model, "unk_token", None)
        if isinstance(token, str) and inner.token_to_id(token) is not None:
            roles[UNKNOWN] = token
    return roles | {ours: theirs for ours, theirs in MARKS.items() if theirs in special}


def _named(by_number: dict[int, str], config: dict[str, Any], keys: Iterable[str]) -> list[str]:
    """The special tokens whose numbers a config has under these keys."""
    return [by_number[number] for number in _given(config, keys) if isinstance(number, int) and number in by_number]


def completed(roles: dict[str, str]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The roles with stand-ins for those that are missing, and a sentence about each of these in both languages."""
    whole, notes = dict(roles), []
    for role in SPECIALS:
        if role in roles or role == UNKNOWN:
            continue
        stand_in = next((roles[other] for other in STAND_IN.get(role, ()) if other in roles), None)
        if stand_in is not None:
            whole[role] = stand_in
            notes.append(
                (f"the tokenizer has no {role}: {stand_in} stands in for it", f"分词器没有 {role}：由 {stand_in} 代替")
            )
        elif role == MASK:
            notes.append(
                (
                    "the tokenizer has no [MASK]: the model cannot be asked to fill gaps",
                    "分词器没有 [MASK]：不能用来填空",
                )
            )
        else:
            notes.append(
                (
                    f"the tokenizer has no {role}, and nothing that could stand in for it",
                    f"分词器没有 {role}，也没有可代替的词元",
                )
            )
    return whole, notes
