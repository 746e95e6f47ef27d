"""Tokenizers of many vocabulary sizes from one training: the first merges of a large one are a smaller tokenizer."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

import tokenizers

from lab.catalog import TOKENIZERS
from lab.tokenizer import Tokenizer
from lab.vocabulary import SPECIALS

INSIDE = "##"


def ascending(make: Callable[[int], Tokenizer], sizes: Iterable[int]) -> Iterator[Tokenizer]:
    """The tokenizers of these sizes, the smallest first, up to the one that the text has no more tokens for."""
    for size in sorted(sizes):
        tokenizer = make(size)
        yield tokenizer
        if tokenizer.vocabulary.size < size:
            return


def nested(kind: str, texts: Iterable[str], sizes: Sequence[int]) -> Iterator[Tokenizer]:
    """The tokenizers of these sizes, of a kind that learns token after token, from one training of the largest.

    Sizes with no room for the whole alphabet have a smaller one, and are trained by themselves.
    """
    read = list(texts)
    largest = _trained(kind, read, max(sizes))
    alphabet = letters(largest)

    def make(size: int) -> Tokenizer:
        if size < alphabet:
            return _trained(kind, read, size)
        return truncated(largest, size) if size < largest.vocabulary.size else largest

    return ascending(make, sizes)


def _trained(kind: str, texts: Sequence[str], size: int) -> Tokenizer:
    entry = TOKENIZERS[kind]
    tokenizer: Tokenizer = entry.build(texts, entry.settings.load({"vocabulary": size}))
    return tokenizer


def letters(tokenizer: Tokenizer) -> int:
    """How many tokens stand before the first merged one: the special ones and the letters."""
    vocab = sorted(tokenizer.inner.get_vocab().items(), key=lambda item: item[1])
    return next((i for token, i in vocab if i >= len(SPECIALS) and len(token.removeprefix(INSIDE)) > 1), len(vocab))


def truncated(tokenizer: Tokenizer, size: int) -> Tokenizer:
    """The tokenizer with its first ``size`` tokens and the merges that make them."""
    document = json.loads(tokenizer.inner.to_str())
    model = document["model"]
    model["vocab"] = {token: i for token, i in model["vocab"].items() if i < size}
    if "merges" in model:
        made = ["".join(pair) for pair in model["merges"]]
        last = next((token for token, i in model["vocab"].items() if i == size - 1), "")
        model["merges"] = model["merges"][: made.index(last) + 1 if last in made else 0]
    return Tokenizer(tokenizers.Tokenizer.from_str(json.dumps(document)), tokenizer.kind)
