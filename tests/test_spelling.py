"""Bytes that are part of a character are shown with it, and nowhere does a replacement character stand for them."""

import pytest

from lab.spelling import broken, spelling, spellings, text_of
from lab.tokenizer import Piece


def pieces(*parts: bytes) -> list[Piece]:
    return [Piece(number, part.decode("utf-8", "replace"), part, False) for number, part in enumerate(parts)]


CLS = Piece(9, "[CLS]", b"", True)


@pytest.mark.parametrize(
    ("parts", "spelt"),
    [
        ([b"\xe8\x83", b"\x8c"], ["‹E8 83›背", "‹8C›背"]),  # 背 in two tokens
        ([b"a", b" \xe8", b"\x83", b"\x8c", b"b"], ["a", "‹20 E8›背", "‹83›背", "‹8C›背", "b"]),
        ([b"\xe8\x83", b"b", b"\x8c"], ["‹E8 83›", "b", "‹8C›"]),  # nothing whole
        ([b"\xf0\x9f", b"\x98\x80\xe8", b"\x83\x8c"], ["‹F0 9F›😀", "‹98 80 E8›😀背", "‹83 8C›背"]),
        (["\ufffd".encode()], ["\ufffd"]),  # somebody typed the replacement character itself
        ([], []),
    ],
)
def test_neighbours_that_spell_a_character_are_followed_by_it(parts: list[bytes], spelt: list[str]) -> None:
    assert spellings(pieces(*parts)) == spelt


def test_a_token_by_itself_is_its_text_or_its_bytes() -> None:
    half, whole = pieces(b"\xe8\x83", "背".encode())
    assert [spelling(each) for each in (half, whole, CLS)] == ["‹E8 83›", "背", "[CLS]"]
    assert [broken(each) for each in (half, whole, CLS)] == [True, False, False]


def test_a_text_keeps_what_is_no_character_as_bytes_and_loses_only_an_unfinished_end() -> None:
    row = [CLS, *pieces(b"a\x83", b"b\xe8\x83")]
    assert text_of(row) == "[CLS]a‹83›b‹E8›‹83›"
    assert text_of(row, unfinished=True) == "[CLS]a‹83›b"
    assert text_of(pieces(b"\xe8\x83", b"\x8c")) == "背"
