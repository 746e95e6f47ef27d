"""What stands beside a vocabulary: how a text is read, and the tokens that were added, as transformers reads them.

Added tokens stand in tokenizer_config.json; only where it does not speak of them do the older files count.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, processors

from lab.exchange.headers import CONFIG_BYTES, document
from lab.settings import SettingsError

FILES = BESIDE, ADDED, NAMED = "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json"
MOST = 20_000  # tokens beside a vocabulary: each is looked for everywhere in a text, and published files have few
DECODER = "added_tokens_decoder"
SPECIAL = ("extra_special_tokens", "additional_special_tokens")  # lists of them; others are one token each
FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
FRAMED = {"add_bos_token": "bos_token", "add_eos_token": "eos_token"}
END = "<|endoftext|>"  # before and behind a text in transformers' class for GPT-2, unless another is named


@dataclass(frozen=True)
class Beside:
    """What the files say: the ``ways`` of a tokenizer_config.json, and each ``added`` token with its id, as the file
    that is its ``source`` gives it."""

    ways: Mapping[str, Any]
    added: tuple[tuple[int, AddedToken], ...]
    source: str

    @classmethod
    def of(cls, vocabulary: Path) -> "Beside":
        """Of the files that lie in the folder of the ``vocabulary``. Raises SettingsError where one is damaged."""
        ways = _object(vocabulary.with_name(BESIDE))
        if DECODER in ways:
            given, source = ways[DECODER], f"{DECODER} of {BESIDE}"
            pairs = [(number, token) for number, token in given.items()] if isinstance(given, dict) else [("", given)]
            named = _special(ways)
        else:
            given, source = _object(vocabulary.with_name(ADDED)), ADDED
            pairs = [(number, {"content": name}) for name, number in given.items()]
            named = _special(ways) | _special(_object(vocabulary.with_name(NAMED)))
        few(len(pairs), source)
        added = sorted((_added(number, token, named, source) for number, token in pairs), key=lambda pair: pair[0])
        return cls(ways, tuple(added), source)

    def add_to(self, inner: tokenizers.Tokenizer) -> None:
        """Add the tokens. Raises SettingsError where one would get another id than the model knows it by."""
        inner.add_tokens([token for _, token in self.added])
        for number, token in self.added:
            got = inner.token_to_id(token.content)
            if got != number:
                raise SettingsError(
                    f"the token {token.content[:40]!r} has the id {number} in {self.source} and {got} in the "
                    "vocabulary: the ids of added tokens follow the vocabulary's without gaps",
                    f"词元 {token.content[:40]!r} 在 {self.source} 中的编号为 {number}，在词表中为 {got}："
                    "添加的词元应接在词表之后，编号不间断",
                )

    def made(self, kind: str) -> str:
        """The class of transformers for which the files are, by the name that they give, or else by the model's type,
        its ``kind``."""
        return str(self.ways.get("tokenizer_class") or kind).removesuffix("Fast")

    def frame(self, inner: tokenizers.Tokenizer, kind: str) -> None:
        """Put the tokens around a text that GPT-2's class puts there when told to. The other classes frame a text in
        one way only, as their objectives do."""
        before, behind = (
            [_name(self.ways.get(token)) or END] if self.ways.get(told) is True else []
            for told, token in FRAMED.items()
        )
        if self.made(kind) not in ("GPT2Tokenizer", "gpt2") or not before + behind:
            return
        numbers = {name: inner.token_to_id(name) for name in before + behind}
        lacking = next((name for name, number in numbers.items() if number is None), None)
        if lacking is not None:
            raise SettingsError(
                f"{BESIDE} frames every text with {lacking[:40]!r}, which the vocabulary does not have",
                f"{BESIDE} 要求在文本前后加上 {lacking[:40]!r}，而词表中没有它",
            )
        one, other = ([*before, text, *behind] for text in ("$A", "$B:1"))
        inner.post_processor = processors.TemplateProcessing(one, [*one, *other], [*numbers.items()])


def few(added: int, source: str) -> None:
    """Raises SettingsError where a file adds more tokens than any honest one."""
    if added > MOST:
        raise SettingsError(
            f"{source} adds {added:,} tokens to its vocabulary; at most {MOST:,} are taken",
            f"{source} 在词表之外添加了 {added:,} 个词元，最多接受 {MOST:,} 个",
        )


def _object(path: Path) -> dict[str, Any]:
    return document(path, CONFIG_BYTES) if path.exists() else {}


def _special(given: Mapping[str, Any]) -> set[str]:
    """The tokens that a file names as special."""
    lists = [given[key] for key in SPECIAL if isinstance(given.get(key), list)]
    single = [value for key, value in given.items() if key.endswith("_token")]
    return {_name(token) for token in [*single, *(token for each in lists for token in each)]} - {""}


def _name(token: Any) -> str:
    """The letters of a token, which may be written with its flags; "" for anything else."""
    name = token.get("content") if isinstance(token, dict) else token
    return name if isinstance(name, str) else ""


def _added(number: Any, token: Any, named: set[str], source: str) -> tuple[int, AddedToken]:
    digits, name = str(number), _name(token)
    if isinstance(number, bool) or not (digits.isascii() and digits.isdecimal()) or len(digits) > 10 or not name:
        raise SettingsError(f"{source} does not give tokens and their ids", f"{source} 给出的不是词元及其编号")
    flags = {flag: token[flag] for flag in FLAGS if isinstance(token, dict) and isinstance(token.get(flag), bool)}
    flags["special"] = flags.get("special", False) or name in named
    return int(digits), AddedToken(name, **{"normalized": not flags["special"]} | flags)
