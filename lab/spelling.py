"""Display text of tokens: as text; where their bytes are no whole characters, as bytes with the character
that they are part of behind them."""

from collections.abc import Sequence
from itertools import groupby

from lab.tokenizer import Piece


def broken(piece: Piece) -> bool:
    """Whether the token's bytes are no whole characters."""
    return "\ufffd" in piece.text and piece.text.encode() != piece.bytes


def spelling(piece: Piece, character: str = "") -> str:
    """A token by itself: its text, or its bytes as ‹E8 83› and the ``character`` that they are part of."""
    return f"‹{piece.bytes.hex(' ').upper()}›{character}" if broken(piece) else piece.text


def spellings(pieces: Sequence[Piece]) -> list[str]:
    """Tokens in a row, of which neighbours may spell a character together: ‹E8 83›背, ‹8C›背."""
    texts: list[str] = []
    for parts, group in groupby(pieces, broken):
        row = [*group]
        texts += [*map(spelling, row, _characters(row))] if parts else [piece.text for piece in row]
    return texts


def text_of(pieces: Sequence[Piece], *, unfinished: bool = False) -> str:
    """The text of tokens in a row; bytes that make no character appear as bytes. Of an ``unfinished`` text, the bytes
    of a last character that is not whole yet are left out."""
    raw = b"".join(piece.text.encode() if piece.special else piece.bytes for piece in pieces)
    text = raw.decode("utf-8", "surrogateescape")
    return (text.rstrip(_ESCAPED) if unfinished else text).translate(_BYTES)


def _characters(row: Sequence[Piece]) -> list[str]:
    """Which characters the bytes of each token are part of."""
    at, spans = 0, []
    for character in b"".join(piece.bytes for piece in row).decode("utf-8", "surrogateescape"):
        size = len(character.encode("utf-8", "surrogateescape"))
        if character not in _ESCAPED:
            spans.append((at, at + size, character))
        at += size
    texts, at = [], 0
    for piece in row:
        end = at + len(piece.bytes)
        texts.append("".join(character for first, last, character in spans if first < end and last > at).strip())
        at = end
    return texts


_ESCAPED = "".join(chr(0xDC00 + byte) for byte in range(0x80, 0x100))  # as Python writes bytes that are no text
_BYTES = {ord(each): f"‹{ord(each) - 0xDC00:02X}›" for each in _ESCAPED}
