"""Byte spelling of tokens: GPT-2's printable alphabet, WordPiece's ##, SentencePiece's ▁."""

import json
import re
from collections.abc import Callable
from typing import Any

import tokenizers

_BYTE = re.compile(r"<0x[0-9A-F]{2}>")


def bytes_of(inner: tokenizers.Tokenizer) -> Callable[[str], bytes]:
    """What turns a token as the library writes it into the UTF-8 bytes that it stands for.

    The lab's own tokenizers write bytes or characters. Imported ones may mark what goes on with a word (WordPiece),
    what ends one (GPT-1), or write a blank as "▁" and a rare byte as "<0x0A>" (SentencePiece). Words that were added to
    a vocabulary are written as they stand in a text; only WordPiece has a blank before them, too.
    """
    steps = _steps(json.loads(inner.decoder.__getstate__())) if inner.decoder else []
    kinds = {step["type"]: step for step in steps}
    spelt = _spelling(kinds)
    added = set() if "WordPiece" in kinds else {token.content for token in inner.get_added_tokens_decoder().values()}
    return lambda token: token.encode() if token in added else spelt(token)


def _spelling(kinds: dict[str, dict[str, Any]]) -> Callable[[str], bytes]:
    """The same of the tokens of a model whose decoder has steps of these ``kinds``."""
    if "ByteLevel" in kinds:
        return lambda token: b"".join(
            bytes([BYTES[character]]) if character in BYTES else character.encode("utf-8", "replace")
            for character in token
        )
    if "WordPiece" in kinds:
        inside = kinds["WordPiece"]["prefix"]
        return lambda token: (token.removeprefix(inside) if token.startswith(inside) else " " + token).encode()
    if "BPEDecoder" in kinds:
        last = kinds["BPEDecoder"]["suffix"]
        return lambda token: (token.removesuffix(last) + " " * token.endswith(last)).encode()
    if kinds.keys() & {"Metaspace", "ByteFallback"}:
        return lambda token: (
            bytes([int(token[3:-1], 16)]) if _BYTE.fullmatch(token) else token.replace("▁", " ").encode()
        )
    return lambda token: token.encode("utf-8", "replace")


def opens_blank(inner: tokenizers.Tokenizer) -> bool:
    """Whether the first word, too, is spelt with a blank before it, that no text has: WordPiece, most of
    SentencePiece's."""
    steps = _steps(json.loads(inner.decoder.__getstate__())) if inner.decoder else []
    return any(
        step["type"] == "WordPiece" or (step["type"] == "Metaspace" and step.get("prepend_scheme") != "never")
        for step in steps
    )


def _steps(decoder: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of a decoder, those inside others too."""
    return [decoder] + [step for part in decoder.get("decoders", []) for step in _steps(part)]


def _byte_alphabet() -> dict[str, int]:
    """The printable character that GPT-2's byte-level BPE writes for each byte, read backwards."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + n): byte for n, byte in enumerate(others)}


BYTES = _byte_alphabet()
LETTERS = {byte: letter for letter, byte in BYTES.items()}
