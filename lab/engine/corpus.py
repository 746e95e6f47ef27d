"""From a run's corpus to one stream of ids, with the tokenizer that the run names; both are kept for other runs.

M tokens of the whole stream   S sentences   P passages
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from safetensors.numpy import save as serialized

from lab.batch import Document
from lab.catalog import CORPORA, OBJECTIVES, TOKENIZERS
from lab.engine.run import Run, RunFolder, home, write
from lab.registry import Entry
from lab.settings import Settings
from lab.vocab import Tokenizer, Vocabulary

HELD_OUT = 0.1  # the share of a corpus that is kept for validation
DEALT = 20_181_011  # labelled texts are dealt out by a seed of their own
SENTENCES_PER_PASSAGE = 16
# A sentence opens with the white space before it, so that its ids are those it has inside the whole text.
_SENTENCE = re.compile(r"\s*\S.*?(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？…]+[”’」』）]*|(?=\n)|$)|\s+$", re.DOTALL)

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Stream:
    """A corpus as ids: documents end to end, the end-of-text token behind each, and where sentences begin."""

    ids: Ids  # (M,)
    sentences: Ids  # (S + 1,) where each sentence begins; the last entry is M
    passages: Ids  # (P + 1,) which sentence each passage begins with; the last entry is S


@dataclass(frozen=True)
class Prepared:
    """What a run learns from and what it is checked on."""

    tokenizer: Tokenizer
    train: Stream
    valid: Stream


def documents_of(run: Run) -> list[Document]:
    """The run's corpus."""
    if "language" in CORPORA[run.corpus].extra:
        return list(told(run.corpus, run.settings_of("corpus")))
    found: list[Document] = CORPORA[run.corpus].build(run.settings_of("corpus"))
    return found


@lru_cache(maxsize=4)
def told(corpus: str, settings: Settings) -> tuple[Document, ...]:
    """A corpus that the lab makes itself, which depends on nothing but its settings."""
    return tuple(CORPORA[corpus].build(settings))


def split(documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    """The first nine tenths to learn from and the last tenth to be checked on: whole documents where there are
    enough or where they have labels, else a cut through the text at the nearest end of a line."""
    if len(documents) >= 20 or any(document.label is not None for document in documents):
        at = min(round(len(documents) * (1 - HELD_OUT)), len(documents) - 1)
        return list(documents[:at]), list(documents[at:])
    total = sum(len(document.text) for document in documents)
    left = round(total * (1 - HELD_OUT))
    train: list[Document] = []
    for number, document in enumerate(documents):
        if left >= len(document.text) and number < len(documents) - 1:
            left -= len(document.text)
            train.append(document)
            continue
        line = document.text.find("\n", left, left + 2000)
        at = line + 1 if line >= 0 else left
        parts = [Document(document.text[:at]), Document(document.text[at:])]
        return [*train, parts[0]], [part for part in (parts[1], *documents[number + 1 :]) if part.text]
    return train, []


def labelled_split(documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    """Nine tenths of the labelled texts to learn from and a tenth to be checked on, dealt out by dice that always fall
    the same way: such files are often sorted by label."""
    order = np.random.default_rng(DEALT).permutation(len(documents))
    return split([documents[number] for number in order])


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, which joined give it back. They end at full stops, in either script, and at lines."""
    return _SENTENCE.findall(text)


def prepare(folder: RunFolder) -> Prepared:
    """The run's tokenizer, trained if there is none yet, and its corpus as ids."""
    kept = folder.tokenizer()
    ready = prepared(folder.run, kept)
    if kept is None:
        write(folder.path / "tokenizer.json", ready.tokenizer.save())
    return ready


def prepared(run: Run, tokenizer: Tokenizer | None = None) -> Prepared:
    """The corpus as the run reads it, with a given tokenizer or the one that it names. Tokenizers and ids are kept in
    a cache that all runs share, so that a run on a known corpus starts at once."""
    documents = documents_of(run)
    tokenizer = marked(tokenizer or trained_tokenizer(run, documents), OBJECTIVES[run.objective])
    key = _key(documents, tokenizer.save())
    train, valid = split(documents)
    return Prepared(tokenizer, _cached(f"{key}-train", train, tokenizer), _cached(f"{key}-valid", valid, tokenizer))


def counted(run: Run, stream: Stream, vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary, told what is counted before a run learns: how often each token is there, and how often two stand
    near each other where the run's objective asks about that."""
    meetings = OBJECTIVES[run.objective].extra.get("meetings")
    return replace(
        vocabulary,
        counts=np.bincount(stream.ids, minlength=vocabulary.size),
        meetings=meetings(stream.ids, run.settings_of("objective"), vocabulary) if meetings else None,
    )


def marked(tokenizer: Tokenizer, objective: Entry) -> Tokenizer:
    """The tokenizer, with the special tokens that the objective needs beyond those that every tokenizer has."""
    return tokenizer.with_marks(objective.extra.get("marks", ()))


def trained_tokenizer(run: Run, documents: Sequence[Document]) -> Tokenizer:
    """The tokenizer that the run names, trained on its corpus or taken from the cache."""
    path = kept_tokenizer(TOKENIZERS[run.tokenizer], run.settings_of("tokenizer"), documents)
    return Tokenizer.load(path.read_text(encoding="utf-8"))


def kept_tokenizer(entry: Entry, settings: Settings, documents: Sequence[Document]) -> Path:
    """Where the tokenizer of this kind, trained on these documents, lies in the cache; trained now if it does not."""
    key = _key(documents, json.dumps([entry.name, settings.dump()], sort_keys=True))
    cached = home() / "cache" / f"{key}-tokenizer.json"
    if not cached.is_file():
        tokenizer: Tokenizer = entry.build((document.text for document in documents), settings)
        cached.parent.mkdir(parents=True, exist_ok=True)
        write(cached, tokenizer.save())
    return cached


def stream_of(documents: Sequence[Document], tokenizer: Tokenizer) -> Stream:
    """Documents as one stream of ids."""
    texts = [sentences_of(document.text) for document in documents]
    encoded = iter(tokenizer.encode_all([sentence for text in texts for sentence in text]))
    end = np.array([tokenizer.vocabulary.end], dtype=np.int64)
    pieces: list[Ids] = []
    lengths: list[int] = []
    passages = [0]
    for text in texts:
        for number in range(len(text)):
            ids = next(encoded)
            ids = np.concatenate([ids, end]) if number == len(text) - 1 else ids
            pieces.append(ids)
            lengths.append(len(ids))
            if number == len(text) - 1 or (number + 1) % SENTENCES_PER_PASSAGE == 0:
                passages.append(len(lengths))
    ids = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64)
    return Stream(ids, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), np.array(passages, dtype=np.int64))


def _key(documents: Sequence[Document], what: str) -> str:
    digest = hashlib.sha256(what.encode())
    for document in documents:
        digest.update(document.text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:32]


def _cached(key: str, documents: Sequence[Document], tokenizer: Tokenizer) -> Stream:
    path: Path = home() / "cache" / f"{key}.safetensors"
    try:
        return Stream(**load_file(path))
    except Exception:  # absent or damaged: a cache is only ever a shortcut
        stream = stream_of(documents, tokenizer)
    small = np.uint16 if tokenizer.vocabulary.size <= 2**16 else np.int64
    kept = Stream(stream.ids.astype(small), stream.sentences, stream.passages)
    partial = path.with_suffix(f".{np.random.default_rng().integers(2**60)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(serialized({"ids": kept.ids, "sentences": kept.sentences, "passages": kept.passages}))
        partial.replace(path)
    except OSError:  # a full disk
        partial.unlink(missing_ok=True)
    return kept
