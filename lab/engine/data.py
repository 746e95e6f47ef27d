"""From a run's corpus to its batches. Batch number n is a pure function of the run and n.

Training can therefore stop anywhere and go on with the same numbers: there is no reader whose place must be kept.

B rows   T tokens   M tokens of the whole stream
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from safetensors.numpy import save as serialized

from lab.batch import Batch, Document, Exercise, Pair, collate, padded
from lab.catalog import CORPORA, OBJECTIVES, TASKS, TOKENIZERS
from lab.engine.layout import Chunk, Passage, chunks, packed
from lab.engine.run import ANYWHERE, FULL_SENTENCES, Run, RunFolder, home, write
from lab.noise import Dice
from lab.registry import Entry
from lab.settings import Settings, SettingsError
from lab.vocab import Tokenizer, Vocabulary

HELD_OUT = 0.1  # the share of a corpus that is kept for validation
FRAMES = {"plain": 0, "bounded": 2, "closed": 2}  # how many special tokens stand around a text
CHECK_ROWS = 64  # rows in the validation that is repeated while a run learns
CHECK_SEED = 20_181_011  # validation is drawn from a seed of its own, the same for every run
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
    order = np.random.default_rng(CHECK_SEED).permutation(len(documents))
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


class Feed:
    """The batches of a pretraining run. A stream shorter than a context is refused for learning; for checking it is
    read in shorter rows."""

    def __init__(self, run: Run, stream: Stream, vocabulary: Vocabulary, *, checking: bool = False) -> None:
        self.run = run
        self.vocabulary = vocabulary
        self.objective = OBJECTIVES[run.objective]
        self.settings = run.settings_of("objective")
        self.context: int = run.settings_of("model").context
        self._memory: int = getattr(run.settings_of("model"), "memory", 0)
        self.room = self._longest()
        self._laid_out: dict[tuple[int, int], list[Chunk]] = {}
        self._behind = [0]  # how many rows are read before each epoch, where their number changes
        self.stream = stream
        if checking:
            self.room = min(self.room, len(stream.ids) - 1)
        if len(stream.ids) <= max(self.room, 2 if self.objective.extra.get("left_to_right") else 1):
            raise SettingsError(
                f"the corpus has {len(stream.ids)} tokens to learn from, fewer than one context of {self.context}: "
                "add text or choose a shorter context",
                f"语料只有 {len(stream.ids)} 个可学习的词元，不足一个上下文（{self.context}）：请增加文本或缩短上下文",
            )

    @property
    def writes(self) -> bool:
        """Whether an answer is written with marks that no text holds."""
        return "marks" in self.objective.extra

    @property
    def rows(self) -> int:
        """How many rows one epoch has; where pairs are drawn, the first one."""
        return self._count(self.run.seed, 0)

    def batch(self, step: int, size: int, *, once: bool = False) -> Batch:
        """The batch of one training step. If every row is read but ``once``, the last batch is what is left."""
        places = np.arange(step * size, min((step + 1) * size, self.rows) if once else (step + 1) * size)
        epochs, order = self._located(places)
        drawn = drawn_in(self.settings, epochs)
        rows = [
            _shuffled(self.run.seed, epoch, self._count(self.run.seed, of))[o]
            for epoch, of, o in zip(epochs.tolist(), drawn.tolist(), order.tolist(), strict=True)
        ]
        return self._exercise(np.array(rows), drawn, self.run.seed)

    def _count(self, seed: int, epoch: int) -> int:
        """How many rows an epoch has."""
        if self.run.pair:
            return len(self._chunks(seed, epoch))
        return (len(self.stream.ids) - 1) // self.room if self._packed is None else len(self._packed)

    def _located(self, places: Ids) -> tuple[Ids, Ids]:
        """The epoch of each row that a run reads, and which of that epoch's it is."""
        if not self.run.pair:
            return np.divmod(places, self.rows)
        while self._behind[-1] <= places[-1]:
            drawn = drawn_in(self.settings, np.array(len(self._behind) - 1))
            self._behind.append(self._behind[-1] + self._count(self.run.seed, int(drawn)))
        epochs = np.searchsorted(self._behind, places, side="right") - 1
        return epochs, places - np.array(self._behind)[epochs]

    def checks(self, limit: int = CHECK_ROWS, size: int = 32) -> Iterator[Batch]:
        """Fixed validation batches, spread evenly over the stream: every run is asked the same questions."""
        count = self._count(CHECK_SEED, 0)
        rows = np.unique(np.linspace(0, count - 1, min(limit, count)).astype(np.int64))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            yield self._exercise(part, np.zeros_like(part), CHECK_SEED)

    def everything(self, size: int = 32) -> Iterator[Batch]:
        """Every whole window of the stream, once. Left to right, each window opens with the last token of the one
        before it, so that no token but the first goes unasked."""
        stride = self.room - 1 if self.objective.extra.get("left_to_right") and self.room > 1 else self.room
        starts = np.arange(0, len(self.stream.ids) - self.room + 1, stride)
        for at in range(0, len(starts), size):
            part = starts[at : at + size]
            dice = Dice(CHECK_SEED, part)
            yield collate(self._remembering(self._asked(self._windows(part), dice), part, part + self.room))

    def _exercise(self, rows: Ids, epochs: Ids, seed: int) -> Batch:
        dice = Dice(seed, rows, epochs)
        if self.run.pair:
            ids, segments, real, label = self._pairs(rows, epochs, seed)
            exercise: Exercise = self.objective.build(ids, self.settings, self.vocabulary, dice)
            return collate(with_segments(exercise, segments), real, label)
        if self._packed is not None:
            return self._whole(rows, dice)
        shift = (Dice(seed, rows * 0, epochs).random(1)[:, 0] * self.room).astype(np.int64)  # new cuts every epoch
        last = len(self.stream.ids) - self.room
        starts = np.minimum(rows * self.room + np.where(epochs > 0, shift, 0), last)
        return collate(self._remembering(self._asked(self._windows(starts), dice), starts, starts + self.room))

    def _longest(self) -> int:
        """How many ids of text make an exercise that fits into the context."""
        if "room" in self.objective.extra:
            return int(self.objective.extra["room"](self.context, self.settings))
        return self.context - (3 if self.run.pair else FRAMES[self.objective.extra["frame"]])

    def _windows(self, starts: Ids) -> Ids:
        return self.stream.ids[starts[:, None] + np.arange(self.room)].astype(np.int64)  # (B, room)

    def _asked(self, ids: Ids, dice: Dice) -> Exercise:
        ids = framed(ids, self.objective.extra["frame"], self.vocabulary)
        exercise: Exercise = self.objective.build(ids, self.settings, self.vocabulary, dice)
        return exercise

    def _remembering(self, exercise: Exercise, starts: Ids, ends: Ids) -> Exercise:
        """The exercise with the ids before its rows, where the model remembers any: those behind a row that is read
        backwards. What stands before the first row is the end of the stream: another text, as at every seam."""
        if not self._memory:
            return exercise
        places = starts[:, None] + np.arange(-self._memory, 0)  # (B, M)
        if exercise.backwards is not None:
            behind = ends[:, None] + np.arange(self._memory)[::-1]
            places = np.where(exercise.backwards[:, None], behind, places)
        return replace(exercise, before=self.stream.ids[places % len(self.stream.ids)].astype(np.int64))

    @cached_property
    def _packed(self) -> Ids | None:
        """The rows in whole sentences, where the run packs them: (R, 2)."""
        packing = self.run.plan.packing
        if packing == ANYWHERE:
            return None
        edges = self.stream.sentences
        return packed(edges, edges[self._documents], self.room, crossing=packing == FULL_SENTENCES)

    def _whole(self, rows: Ids, dice: Dice) -> Batch:
        """Rows of whole sentences, padded to the longest."""
        assert self._packed is not None
        texts = [self.stream.ids[start:end].astype(np.int64) for start, end in self._packed[rows]]
        ids, real = padded(
            [framed(text, self.objective.extra["frame"], self.vocabulary) for text in texts], self.vocabulary.pad
        )
        exercise: Exercise = self.objective.build(ids, self.settings, self.vocabulary, dice)
        own = exercise.real is not None  # the objective's rows are others
        return collate(self._remembering(exercise, *self._packed[rows].T), None if own else real)

    @cached_property
    def _documents(self) -> Ids:
        """Which sentence each document begins with: (D + 1,)."""
        last = self.stream.ids[self.stream.sentences[1:] - 1] == self.vocabulary.end  # (S,)
        behind = np.flatnonzero(last) + 1
        return np.unique(np.concatenate([[0], behind, [len(last)]]))

    @cached_property
    def _parts(self) -> Ids:
        """Where pairs are taken from: the documents, or the passages of the only one: which sentence each begins
        with."""
        return self._documents if len(self._documents) > 2 else self.stream.passages

    def _chunks(self, seed: int, epoch: int) -> list[Chunk]:
        """The runs of sentences of which an epoch's pairs are made."""
        if (seed, epoch) not in self._laid_out:
            assert self.run.pair is not None
            pair, settings = OBJECTIVES[self.run.pair], self.run.settings_of("pair")
            every = np.arange(len(self.stream.sentences) - 1)
            dice = Dice(seed + 2, every, epoch), Dice(seed + 1, every, epoch)
            used = partial(pair.extra["used"], settings) if "used" in pair.extra else None
            short: float = getattr(settings, "short", 0.0)
            found = chunks(self.stream.sentences, self._parts, self.room, short, dice, used)
            self._laid_out = {**dict([*self._laid_out.items()][-2:]), (seed, epoch): found}
        return self._laid_out[seed, epoch]

    def _pairs(self, rows: Ids, epochs: Ids, seed: int) -> tuple[Ids, Ids, NDArray[np.bool_], Ids]:
        assert self.run.pair is not None
        build, settings = OBJECTIVES[self.run.pair].build, self.run.settings_of("pair")
        pairs = []
        for row, epoch in zip(rows.tolist(), epochs.tolist(), strict=True):
            dice = Dice(seed + 1, row, epoch)
            first, last, wanted = self._chunks(seed, epoch)[row]
            own = [*self._passage(first, last)]
            pairs.append(build(own, self._elsewhere(first, dice), self.room, settings, dice, wanted))
        return framed_pairs(pairs, self.vocabulary)

    def _passage(self, first: int, last: int) -> Passage:
        return Passage(self.stream.ids, self.stream.sentences, first, last)

    def _elsewhere(self, first: int, dice: Dice) -> Callable[[], Passage]:
        """Draws another document than that of the sentence ``first``, if there is one."""

        def draw() -> Passage:
            parts, others = self._parts, len(self._parts) - 2
            own = int(np.searchsorted(parts, first, side="right")) - 1
            other = int(dice.one() * others) if others else 0
            other += bool(others) and other >= own
            return self._passage(int(parts[other]), int(parts[other + 1]))

        return draw


class LabelledFeed:
    """The batches of a fine-tuning run: labelled texts, encoded once."""

    def __init__(self, run: Run, documents: Sequence[Document], tokenizer: Tokenizer, visible: str) -> None:
        self.run = run
        self.vocabulary = tokenizer.vocabulary
        self._task = TASKS[run.task or "classify"]
        self._settings = self._task.settings()
        self._context: int = run.settings_of("model").context
        self._visible, self._frame = visible, OBJECTIVES[run.objective].extra["frame"]
        if not documents or any(document.label is None for document in documents):
            raise SettingsError(
                "there are too few texts with labels: give at least two",
                "带标签的文本太少：请至少提供两条",
            )
        self._ids = tokenizer.encode_all([document.text for document in documents])
        self.labels = np.array([document.label for document in documents], dtype=np.int64)

    @property
    def rows(self) -> int:
        """How many rows one epoch has."""
        return len(self._ids)

    def batch(self, step: int, size: int) -> Batch:
        """The batch of one training step."""
        epochs, order = np.divmod(np.arange(step * size, (step + 1) * size), self.rows)
        return self._rows([_shuffled(self.run.seed, int(e), self.rows)[o] for e, o in zip(epochs, order, strict=True)])

    def checks(self, limit: int = 512, size: int = 64) -> Iterator[Batch]:
        """The first ``limit`` texts, in order."""
        for start in range(0, min(limit, self.rows), size):
            yield self._rows(range(start, min(start + size, limit, self.rows)))

    def _rows(self, numbers: Sequence[int]) -> Batch:
        texts = [self._ids[number] for number in numbers]
        exercise, real = self._task.build(
            texts, self._settings, self.vocabulary, self._context, self._visible, self._frame
        )
        return collate(exercise, real, self.labels[list(numbers)])


def given(objective: Entry) -> Literal["all", "causal"]:
    """Who may look at whom in a text of which nothing is asked: a prefix is seen whole by a model that goes on from
    one."""
    return "causal" if objective.extra.get("left_to_right") and objective.extra.get("given") != "all" else "all"


def drawn_in(settings: Settings, epochs: Ids) -> Ids:
    """The epochs as the dice know them: each its own, or, where nothing is drawn anew, that of the copy which is read
    once more. BERT's data are ten copies, each read four times (Liu et al. 2019, section 4.1)."""
    return epochs if getattr(settings, "dynamic", True) else epochs % getattr(settings, "copies", 1)


def framed(ids: Ids, frame: str, vocabulary: Vocabulary) -> Ids:
    """Rows of text as an objective wants them framed: "plain", "bounded" by [CLS] and [SEP], or "closed" by [SEP] and
    [CLS]; (B, T) or (T,)."""
    begin, separate = (np.full((*ids.shape[:-1], 1), each) for each in (vocabulary.begin, vocabulary.separate))
    parts = {"plain": [ids], "bounded": [begin, ids, separate], "closed": [ids, separate, begin]}[frame]
    return np.concatenate(parts, axis=-1).astype(np.int64)


def framed_pairs(pairs: Sequence[Pair], vocabulary: Vocabulary) -> tuple[Ids, Ids, NDArray[np.bool_], Ids]:
    """[CLS] first [SEP] second [SEP], padded to the longest: ids, segments, real (B, T) and answers (B,)."""
    width = max(len(pair.first) + len(pair.second) for pair in pairs) + 3
    ids = np.full((len(pairs), width), vocabulary.pad, dtype=np.int64)
    segments = np.zeros_like(ids)
    real = np.zeros(ids.shape, dtype=bool)
    separate = [vocabulary.separate]
    for row, pair in enumerate(pairs):
        whole = np.concatenate([[vocabulary.begin], pair.first, separate, pair.second, separate])
        ids[row, : len(whole)] = whole
        segments[row, len(pair.first) + 2 : len(whole)] = 1
        real[row, : len(whole)] = True
    return ids, segments, real, np.array([pair.answer for pair in pairs], dtype=np.int64)


def with_segments(exercise: Exercise, segments: Ids) -> Exercise:
    """The exercise, told which sentence each token belongs to."""
    return replace(exercise, segments=segments)


@lru_cache(maxsize=4)
def _shuffled(seed: int, epoch: int, n: int) -> Ids:
    return np.random.default_rng([seed, epoch, n]).permutation(n)


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
