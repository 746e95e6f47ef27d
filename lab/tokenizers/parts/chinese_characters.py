"""The common Chinese characters, and the merges of byte pairs that spell each of them as one token."""

from collections.abc import Iterable
from functools import cache

import tokenizers
from tokenizers import normalizers

HAN = tokenizers.Regex(r"\p{Han}")
_OTHERS = normalizers.Replace(HAN, "")
# The first level of the standard GB 2312 (1980): the 3,755 characters in common use, rows 16 to 55.
COMMON = "".join(
    bytes([row, cell]).decode("gb2312")
    for row in range(0xB0, 0xD8)
    for cell in range(0xA1, 0xFF)
    if (row, cell) < (0xD7, 0xFA)
)


def chinese_of(characters: Iterable[str]) -> set[str]:
    """Those of the characters that are Chinese."""
    whole = "".join(characters).encode("utf-8", "ignore").decode()  # lone surrogates are none, and cannot be asked of
    return {*whole} - {*_OTHERS.normalize_str(whole)}


def spelling(characters: Iterable[str]) -> list[tuple[bytes, bytes]]:
    """The merges that make one token of each character, in order: its bytes are joined from the left."""
    merges: dict[tuple[bytes, bytes], None] = {}
    for character in characters:
        spelt = character.encode()
        merges |= {(spelt[:end], spelt[end : end + 1]): None for end in range(1, len(spelt))}
    return list(merges)


@cache
def common() -> tuple[tuple[bytes, bytes], ...]:
    """The same of the common characters; how many they are is asked each time that settings are read."""
    return (*spelling(COMMON),)
