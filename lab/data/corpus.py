"""Corpus to token stream, with the tokenizer that the run names; both are kept for other runs.

M tokens of the whole stream   S sentences   P passages
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from safetensors.numpy import save as serialized

from lab.batch import Document
from lab.catalog import CORPORA, MODELS, OBJECTIVES, TOKENIZERS
from lab.data.arriving import Arriving
from lab.data.baselines import COUNTED
from lab.data.large_text import LargeText
from lab.data.shards import complete, shards_of
from lab.data.stream import READING, Stream, facts_of, stream_of
from lab.entries import ObjectiveEntry, TokenizerEntry
from lab.examples import Example, dealt
from lab.runs.files import used, write
from lab.runs.folder import RunFolder, home
from lab.runs.run import ANYWHERE, Run
from lab.settings import Settings, SettingsError
from lab.tokenizer import Tokenizer
from lab.vocabulary import Vocabulary

HELD_OUT = 0.1  # the share of a corpus that is kept for validation
MOST_HELD_OUT = 2**25  # characters, of a text too large for memory: they must be read before the first step
MANY = 20  # documents of which none is cut
NEAR = 2000  # characters within which a line is to end where a text is cut
COMPARED = 500_000  # sentences among which those that recur are looked for
LAID_OUT = 2_000_000  # sentences whose order can be held in memory
ENOUGH = 16_000_000  # characters to train a tokenizer on: more make it slower and no better

Ids = NDArray[np.int64]
Labelled = TypeVar("Labelled", Document, Example)
Tell = Callable[[str, float], None]  # hears which part of the preparation is under way, and which share of it is done


def silent(part: str, share: float) -> None:
    """Tells nobody."""


@dataclass(frozen=True)
class Prepared:
    """What a run learns from and what it is checked on. Of a text that is still ``arriving``, ``train`` is what is
    there."""

    tokenizer: Tokenizer
    train: Stream
    valid: Stream
    text: str  # a digest of what is read: another text is another digest
    arriving: Arriving | None = None


def documents_of(run: Run) -> list[Document]:
    """The run's corpus."""
    if CORPORA[run.corpus].language:
        return list(town_documents(run.corpus, run.settings_of("corpus")))
    documents: list[Document] = CORPORA[run.corpus].build(run.settings_of("corpus"))
    return documents


@lru_cache(maxsize=4)
def town_documents(corpus: str, settings: Settings) -> tuple[Document, ...]:
    """A corpus that the lab makes itself, which depends on nothing but its settings."""
    return tuple(CORPORA[corpus].build(settings))


def split(documents: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    """The first nine tenths to learn from and the last tenth to be checked on: whole documents where there are
    enough or where they have labels, else a cut through the text at the nearest end of a line."""
    if len(documents) >= MANY or any(document.label is not None for document in documents):
        at = _between_stories(documents, min(round(len(documents) * (1 - HELD_OUT)), len(documents) - 1))
        return list(documents[:at]), list(documents[at:])
    total = sum(len(document.text) for document in documents)
    left = round(total * (1 - HELD_OUT))
    train: list[Document] = []
    for number, document in enumerate(documents):
        if left >= len(document.text) and number < len(documents) - 1:
            left -= len(document.text)
            train.append(document)
            continue
        # At least half of what is left stays to be checked on: a text that is one paragraph ends in its only line end.
        line = document.text.find("\n", left, min(left + NEAR, (left + len(document.text)) // 2))
        at = line + 1 if line >= 0 else left
        parts = [Document(document.text[:at]), Document(document.text[at:])]
        return [*train, parts[0]], [part for part in (parts[1], *documents[number + 1 :]) if part.text]
    return train, []


def labelled_split(documents: Sequence[Labelled]) -> tuple[list[Labelled], list[Labelled]]:
    """Nine tenths of the texts of each label to learn from and a tenth to be checked on, dealt out by dice that always
    fall the same way: such files are often sorted by label, and a rare one must be on both sides."""
    held = set[int]()
    units = by_story(documents, dealt(len(documents)).tolist())
    for label in sorted({documents[unit[0]].label or 0 for unit in units}):
        same = [unit for unit in units if (documents[unit[0]].label or 0) == label]
        for unit in same[: min(max(1, round(HELD_OUT * len(same))), len(same) - 1)]:
            held.update(unit)
    flat = [number for unit in units for number in unit]
    train, valid = ([documents[n] for n in flat if (n in held) is checked] for checked in (False, True))
    return train, valid


def by_story(documents: Sequence[Labelled], order: Sequence[int]) -> list[list[int]]:
    """The numbers of the documents in this order, those that tell one story together."""
    stories: dict[int, list[int]] = {}
    for number in order:
        story = documents[number].story
        stories.setdefault(-1 - number if story is None else story, []).append(number)
    return [*stories.values()]


def _between_stories(documents: Sequence[Document], at: int) -> int:
    """The nearest place up to ``at``, or else behind it, where no story is cut apart."""
    places = [*range(at, 0, -1), *range(at + 1, len(documents))]
    stories = [document.story for document in documents]
    return next((n for n in places if stories[n] is None or stories[n] != stories[n - 1]), at)


def recurring(train: Stream, valid: Stream) -> float:
    """The share of sentences to be checked on that also stand, word for word, in what is learnt from; of a large text,
    among its first."""
    learnt = set(_sentences(train))
    recur = [sentence in learnt for sentence in _sentences(valid)]
    return sum(recur) / max(len(recur), 1)


def _sentences(stream: Stream) -> Iterator[bytes]:
    edges = stream.sentences[: COMPARED + 1]
    ids = stream.ids[: edges[-1]].astype(np.int64)
    for start, end in pairwise(edges.tolist()):
        yield ids[start:end].tobytes()


def prepare(folder: RunFolder, tell: Tell = silent, *, early: bool = False) -> Prepared:
    """The run's tokenizer, trained if there is none yet, and its corpus as ids; if ``early``, of a text too large for
    memory so much as a run needs to begin."""
    kept = folder.tokenizer()
    ready = prepared(folder.run, kept, tell, early=early)
    if kept is None:
        folder.keep_tokenizer(ready.tokenizer)
    return ready


def prepared(run: Run, tokenizer: Tokenizer | None = None, tell: Tell = silent, *, early: bool = False) -> Prepared:
    """The corpus as the run reads it, with a given tokenizer or the one that it names. Tokenizers and ids are kept in
    a cache that all runs share, so that a run on a known corpus starts at once. ``tell`` hears how far that is;
    ``early`` is as for ``prepare``."""
    tell("reading", 0.0)
    large = CORPORA[run.corpus].large
    files = large(run.settings_of("corpus")) if large else None
    if files is not None:
        return _prepared_in_shards(run, LargeText(files), tokenizer, tell, early and reads_onward(run))
    documents = documents_of(run)
    tell("tokenizer", 0.0)
    tokenizer = marked(tokenizer or trained_tokenizer(run, documents), OBJECTIVES[run.objective])
    train, valid = split(documents)
    cut = [len(train), sum(len(document.text) for document in train)]
    key = _key(documents, f"{READING} {cut} {tokenizer.save()}")
    read = _reading(sum(len(document.text) for document in documents), tell)
    parts = {"train": train, "valid": valid}
    streams = {name: _cached(f"{key}-{name}", part, tokenizer, read) for name, part in parts.items()}
    return Prepared(tokenizer, streams["train"], streams["valid"], _key(documents, ""))


def _prepared_in_shards(run: Run, text: LargeText, tokenizer: Tokenizer | None, tell: Tell, early: bool) -> Prepared:
    """As ``prepared``, of a text that is too large for memory."""
    tell("tokenizer", 0.0)
    tokenizer = marked(tokenizer or trained_tokenizer(run, text.beginning(ENOUGH)), OBJECTIVES[run.objective])
    whole = sum(map(len, text.documents))
    read = _reading(whole, tell)
    parts = text.split(1 - min(HELD_OUT, MOST_HELD_OUT / whole), MANY, NEAR)
    shards = shards_of(text, parts, tokenizer, home() / "cache")
    valid = complete(shards[1], parts[1], read)
    if early:
        arriving = Arriving(shards[0], parts[0], read)
        return Prepared(tokenizer, arriving.until(COUNTED, COMPARED + 1), valid, text.digest, arriving)
    train = complete(shards[0], parts[0], read)
    if (run.pair or run.plan.packing != ANYWHERE) and len(train.sentences) > LAID_OUT:
        raise SettingsError(
            "so large a text is read in rows that end anywhere: leave --pair and --packing out",
            "这样大的文本只能读成止于任意处的样本：请去掉 --pair 与 --packing",
        )
    return Prepared(tokenizer, train, valid, text.digest)


def reads_onward(run: Run) -> bool:
    """Whether the run's first batches need no more of its text than the beginning: no sentences laid out in pairs or
    whole rows, no counts over all of it, and no end that is remembered before the first row."""
    whole = {"windows", "cooccurrences", "counts"} & MODELS[run.model].traits
    return not whole and not run.pair and run.plan.packing == ANYWHERE and not run.settings_of("model").memory


def _reading(whole: int, tell: Tell) -> Callable[[int], None]:
    """What hears how many more characters have been read, and tells which share of the ``whole`` they are."""
    done = 0

    def read(characters: int) -> None:
        nonlocal done
        done += characters
        tell("tokens", min(done / max(whole, 1), 1.0))

    read(0)
    return read


def counted(run: Run, stream: Stream, vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary, told what is counted before a run learns: how often each token is there, and how often two stand
    near each other where the run's objective asks about that."""
    count = OBJECTIVES[run.objective].packing.cooccurrences
    return replace(
        vocabulary,
        counts=_token_counts(stream.ids, vocabulary.size),
        cooccurrences=count(stream.ids, run.settings_of("objective"), vocabulary) if count else None,
    )


def _token_counts(ids: Ids, size: int) -> Ids:
    """How often each id is there: (V,). Counted in stretches, for each is copied."""
    stretches = (ids[start : start + 2**24] for start in range(0, max(len(ids), 1), 2**24))
    counts: Ids = sum((np.bincount(stretch, minlength=size) for stretch in stretches), np.zeros(size, dtype=np.int64))
    return counts


def marked(tokenizer: Tokenizer, objective: ObjectiveEntry) -> Tokenizer:
    """The tokenizer, with the special tokens that the objective needs beyond those that every tokenizer has."""
    return tokenizer.with_special_tokens(objective.packing.special_tokens)


def trained_tokenizer(run: Run, documents: Sequence[Document]) -> Tokenizer:
    """The tokenizer that the run names, trained on the beginning of its corpus or taken from the cache."""
    path = kept_tokenizer(TOKENIZERS[run.tokenizer], run.settings_of("tokenizer"), beginning(documents, ENOUGH))
    return Tokenizer.load(path.read_text(encoding="utf-8"))


def kept_tokenizer(entry: TokenizerEntry, settings: Settings, documents: Sequence[Document]) -> Path:
    """Where the tokenizer of this kind, trained on these documents, lies in the cache; trained now if it does not."""
    key = _key(documents, json.dumps([entry.name, settings.dump()], sort_keys=True))
    cached = home() / "cache" / f"{key}-tokenizer.json"
    if not cached.is_file():
        tokenizer: Tokenizer = entry.build((document.text for document in documents), settings)
        cached.parent.mkdir(parents=True, exist_ok=True)
        write(cached, tokenizer.save())
    used(cached)
    return cached


def beginning(documents: Sequence[Document], characters: int) -> list[Document]:
    """The first documents, so many characters of them."""
    kept = []
    for document in documents:
        if characters <= 0:
            break
        kept.append(
            document if len(document.text) <= characters else replace(document, text=document.text[:characters])
        )
        characters -= len(document.text)
    return kept


def _key(documents: Sequence[Document], what: str) -> str:
    digest = hashlib.sha256(what.encode())
    for document in documents:
        digest.update(document.text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:32]


def _cached(key: str, documents: Sequence[Document], tokenizer: Tokenizer, read: Callable[[int], None]) -> Stream:
    path: Path = home() / "cache" / f"{key}.safetensors"
    try:
        stream = Stream(**load_file(path), **facts_of(documents))
        used(path)
        return stream
    except Exception:  # absent or damaged: a cache is only ever a shortcut
        stream = stream_of(documents, tokenizer, read)
    small = np.uint16 if tokenizer.vocabulary.size <= 2**16 else np.int64
    kept = replace(stream, ids=stream.ids.astype(small))
    partial = path.with_suffix(f".{np.random.default_rng().integers(2**60)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(serialized({"ids": kept.ids, "sentences": kept.sentences, "passages": kept.passages}))
        partial.replace(path)
    except OSError:  # a full disk
        partial.unlink(missing_ok=True)
    return kept
