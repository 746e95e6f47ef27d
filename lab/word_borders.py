"""Word boundaries, read off the bytes of each token: Chinese has a word at every character."""

_WIDE = "\u2e80"  # from here on come the scripts of East Asia
_LETTERS = (*range(0xC3, 0xE0), 0xE0, 0xE1)  # a character of more bytes that begins with one of these is a letter


def opens(spelt: bytes) -> bool:
    """Whether a token opens a word wherever it stands: not one that goes on with letters, digits or a character."""
    if not spelt or spelt[0] & 0xC0 == 0x80:  # special, or the rest of a character
        return not spelt
    first = spelt.decode("utf-8", "ignore")[:1]
    return _alone(first) if first else spelt[0] not in _LETTERS


def closes(spelt: bytes) -> bool:
    """Whether a word is over behind a token: it ends with punctuation or with a whole Chinese character.

    Blanks alone are no word yet: they belong to what follows.
    """
    if spelt and not spelt.strip(b" "):
        return False
    last = spelt.decode("utf-8", "replace")[-1:]
    return not last or (last != "\ufffd" and _alone(last))


def kind(spelt: bytes) -> str:
    """What a token is made of, whether it opens a word, and how long it is if it is Chinese."""
    text = spelt.decode("utf-8", "ignore").lstrip(" ")
    where = "rest" if not opens(spelt) else "blank" if spelt[:1] == b" " else "first"
    if not text[:1].isalnum():
        return f"{where} {'sign' if text else 'part'}"
    return f"{where} {f'wide {len(text)}' if text >= _WIDE else 'digit' if text[0].isdigit() else 'letter'}"


def _alone(character: str) -> bool:
    """Whether a character belongs to no word but its own: blanks, punctuation, Chinese."""
    return not character.isalnum() or character >= _WIDE
