"""A text as one stream of ids, and where in it sentences and passages begin.

M tokens of the whole stream   S sentences   P passages
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.batch import Document
from lab.tokenizer import Tokenizer

SENTENCES_PER_PASSAGE = 16
READING = "whole texts in sentences with tokens"  # part of a cache's key: another way of reading has another name
# A sentence opens with the white space before it, as words do. A run of stops is tried once, from its first one on:
# from each anew, ten thousand full stops would take minutes.
_STOPS = r"[.!?…]++[\"'”’)\]]*+(?=\s|$)"
_SENTENCE = re.compile(rf"\s*\S(?:{_STOPS}|.*?(?:(?<![.!?…]){_STOPS}|[。！？…]+[”’」』）]*|(?=\n)|$))|\s+$", re.DOTALL)

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Stream:
    """A corpus as ids: documents end to end, the end-of-text token behind each, and where sentences begin. ``nats`` is
    -log p of all of them where the corpus was drawn from a known distribution: no causal model does better. ``bytes``
    are those of the text in UTF-8, where they were counted: unknown words have some, and the ids do not tell."""

    ids: Ids  # (M,)
    sentences: Ids  # (S + 1,) where each sentence begins; the last entry is M
    passages: Ids  # (P + 1,) which sentence each passage begins with; the last entry is S
    nats: float | None = None
    bytes: int | None = None


def bytes_in(text: str) -> int:
    """How many bytes a text has in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, which joined give it back. They end at full stops, in either script, and at lines."""
    return _SENTENCE.findall(text)


def stream_of(documents: Sequence[Document], tokenizer: Tokenizer, read: Callable[[int], None] | None = None) -> Stream:
    """Documents as one stream of ids."""
    end = np.array([tokenizer.vocabulary.end], dtype=np.int64)
    pieces: list[Ids] = []
    lengths: list[int] = []
    passages = [0]
    for text in in_sentences([document.text for document in documents], tokenizer, read):
        for number, sentence in enumerate(text, 1):
            ids = np.concatenate([sentence, end]) if number == len(text) else sentence
            pieces.append(ids)
            lengths.append(len(ids))
            if number == len(text) or number % SENTENCES_PER_PASSAGE == 0:
                passages.append(len(lengths))
    ids = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64)
    edges = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Stream(ids, edges, np.array(passages, dtype=np.int64), **facts_of(documents))


def facts_of(documents: Sequence[Document]) -> dict[str, Any]:
    """What is known of the documents that their ids do not tell: -log p of all of them together, in nats, None where it
    is not known of each; and their bytes."""
    stated = [document.nats for document in documents if document.nats is not None]
    nats = sum(stated) if stated and len(stated) == len(documents) else None
    return {"nats": nats, "bytes": sum(bytes_in(document.text) for document in documents)}


def in_sentences(
    texts: Sequence[str], tokenizer: Tokenizer, read: Callable[[int], None] | None = None
) -> list[list[Ids]]:
    """The ids of each text, read as a whole, by its sentences: a token belongs to the one in which it begins, and what
    no token begins in, such as a lone quotation mark, is no sentence."""
    parts = []
    for text, ids in zip(texts, tokenizer.encode_all(texts, read), strict=True):
        sentences = sentences_of(text)
        split = np.split(ids, begins(text, sentences, ids, tokenizer)) if sentences else []
        parts.append([sentence for sentence in split if len(sentence)] or split[:1])
    return parts


def begins(text: str, sentences: Sequence[str], ids: Ids, tokenizer: Tokenizer) -> Ids:
    """Which of a text's ids each sentence but the first begins with: (S - 1,)."""
    bytes_ = tokenizer.token_bytes[ids]
    whole = [bytes_in(sentence) for sentence in sentences]
    if bytes_.sum() == sum(whole):  # nothing is lost or added: counting is quicker than asking where each token stands
        starts, lengths = np.cumsum(bytes_) - bytes_, whole
    else:
        _, spans = tokenizer.encode_with_spans(text)
        starts, lengths = np.maximum.accumulate(spans[:, 0]), [*map(len, sentences)]
    places: Ids = np.searchsorted(starts, np.cumsum(lengths)[:-1])
    return places
