"""The data loader (PyTorch's DataLoader): batch number n is a pure function of the run and n.

Training can therefore stop anywhere and go on with the same numbers: there is no reader whose place must be kept.

B rows   T tokens   M tokens of the whole stream
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from lab.batch import Batch, Exercise, collate
from lab.catalog import OBJECTIVES
from lab.data.arriving import Arriving
from lab.data.rows import ALL, Chunk, Passage, Share, chunks, packed, shared, shuffled, shuffled_in_stretches
from lab.data.stream import Stream
from lab.data.template import FRAMES, framed, framed_pairs, given, with_segments
from lab.entries import ObjectiveSettings
from lab.noise import Dice
from lab.padding import padded
from lab.runs.run import ANYWHERE, FULL_SENTENCES, Run
from lab.settings import SettingsError
from lab.vocabulary import Vocabulary

STRETCH = 2**20  # ids that are shuffled together in the first epoch of a text that is still arriving
CHECK_ROWS = 64  # rows in the validation that is repeated while a run learns
LAST_ROWS = 2048  # and in the last one: the number by which a run is remembered should not be that of a few
CHECK_SEED = 20_181_011  # validation is drawn from a seed of its own, the same for every run

Ids = NDArray[np.int64]


class Batches:
    """The batches of a pretraining run. A stream shorter than a context is refused for learning; for checking it is
    read in shorter rows.

    Of a text that is still ``arriving`` the first epoch shuffles stretch after stretch: which rows a batch has follows
    from the text up to the end of their stretch, and is the same however much more has come.
    """

    def __init__(
        self,
        run: Run,
        stream: Stream,
        vocabulary: Vocabulary,
        *,
        validating: bool = False,
        arriving: Arriving | None = None,
    ) -> None:
        self.run = run
        self.vocabulary = vocabulary
        self.objective = OBJECTIVES[run.objective]
        self.settings = run.settings_of("objective")
        self.context: int = run.settings_of("model").context
        self._memory: int = run.settings_of("model").memory
        self.room = self._longest()
        self._laid_out: dict[tuple[int, int], list[Chunk]] = {}
        self._behind = [0]  # how many rows are read before each epoch, where their number changes
        self.stream = stream
        self._arriving = arriving
        self._stretch = max(STRETCH // self.room, 1)  # rows
        if validating:
            self.room = min(self.room, len(stream.ids) - 1)
        if validating and len(stream.ids) <= (2 if self.objective.left_to_right or run.pair else 1):
            raise SettingsError(
                f"the text to be checked on, of a run the last tenth, has {len(stream.ids)} tokens: add text",
                f"用于检验的文本（训练时为最后十分之一）只有 {len(stream.ids)} 个词元：请增加文本",
            )
        if len(stream.ids) <= max(self.room, 2 if self.objective.left_to_right else 1):
            raise SettingsError(
                f"the corpus has {len(stream.ids)} tokens to learn from, fewer than one context of {self.context}: "
                "add text or choose a shorter context",
                f"语料只有 {len(stream.ids)} 个可学习的词元，不足一个上下文（{self.context}）：请增加文本或缩短上下文",
            )

    @property
    def writes(self) -> bool:
        """Whether an answer is written with marks that no text holds."""
        return bool(self.objective.packing.special_tokens)

    @property
    def rows(self) -> int:
        """How many rows one epoch has; where pairs are drawn, the first one. While text is arriving, so far."""
        return self._count(self.run.seed, 0)

    @property
    def all_there(self) -> bool:
        """Whether the whole text is there."""
        return self._arriving is None or self._arriving.closed

    def batch(self, step: int, size: int, *, once: bool = False, share: Share = ALL, progress: float = 1.0) -> Batch:
        """The batch of one training step, or a ``share`` of its rows. If every row is read but ``once``, the last batch
        is what is left. More is masked while the ``progress`` of the run, from 0 to 1, is small."""
        places = np.arange(step * size, min((step + 1) * size, self.rows) if once else (step + 1) * size)
        if self._arriving:
            behind = (int(places[-1]) // self._stretch + 1) * self._stretch
            self.stream = self._arriving.until(behind * self.room + 1)
        places = shared(places, share)
        epochs, order = self._located(places)
        drawn = drawn_in(self.settings, epochs)
        rows = np.empty_like(order)
        for epoch in np.unique(epochs).tolist():  # one, or two where one begins
            within = epochs == epoch
            count = self._count(self.run.seed, int(drawn[within][0]))
            if self._arriving and not epoch:
                rows[within] = shuffled_in_stretches(self.run.seed, count, self._stretch, order[within])
            else:
                rows[within] = shuffled(self.run.seed, epoch, count)[order[within]]
        return self._exercise(rows, drawn, self.run.seed, self.run.objective_at(progress))

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

    def validation(self, limit: int = CHECK_ROWS, size: int = 32) -> Iterator[Batch]:
        """Fixed validation batches, spread evenly over the stream: every run is asked the same questions."""
        count = self._count(CHECK_SEED, 0)
        rows = np.unique(np.linspace(0, count - 1, min(limit, count)).astype(np.int64))
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            yield self._exercise(part, np.zeros_like(part), CHECK_SEED, self.settings)

    def everything(self, size: int = 32, stride: int | None = None) -> Iterator[Batch]:
        """Every token of the stream, once: the batches of ``windows``."""
        yield from self.over(self.windows(stride), size)

    def windows(self, stride: int | None = None) -> Ids:
        """Where the windows that cover the whole stream begin and end, the last one as short as what is left: (R, 2).

        Left to right, each window opens with the last token of the one before it, so that no token but the first goes
        unasked. There, a ``stride`` says how far apart windows begin: the shorter, the more of its past a token sees.
        """
        room, count = min(self._longest(), len(self.stream.ids)), len(self.stream.ids)
        onward = self.objective.left_to_right
        most = max(room - 1, 1) if onward else room
        if stride is not None and not (onward and given(self.objective) == "causal"):
            raise SettingsError(
                "a stride is for models that read from left to right: leave it out",
                "步幅只用于从左到右阅读的模型：请去掉它",
            )
        if stride is not None and not 1 <= stride <= most:
            raise SettingsError(
                f"the stride must be between 1 and {most}, not {stride}", f"步幅须在 1 到 {most} 之间，不能是 {stride}"
            )
        starts = np.arange(0, max(count - (room - most), 1), stride or most)
        ends = np.minimum(starts + room, count)
        last = int(np.searchsorted(ends, count)) + 1  # windows behind it would read nothing new
        return np.column_stack([starts, ends])[:last]

    def over(self, windows: Ids, size: int = 32, asked: int = 0) -> Iterator[Batch]:
        """Batches of neighbouring windows (R, 2), each asked about what others were not: all up to ``asked`` was."""
        asked_up_to = np.concatenate([[asked], windows[:-1, 1]])  # up to here, others have been asked
        lengths = windows[:, 1] - windows[:, 0]
        edges = np.unique(np.concatenate([np.arange(0, len(windows), size), np.flatnonzero(np.diff(lengths)) + 1]))
        for part in np.split(np.arange(len(windows)), edges[1:]):
            starts, ends = windows[part].T
            ids = self.stream.ids[starts[:, None] + np.arange(lengths[part[0]])].astype(np.int64)
            exercise = self._asked(ids, self.settings, Dice(CHECK_SEED, starts))
            if exercise.following and exercise.asked.shape == ids.shape:
                new = starts[:, None] + np.arange(ids.shape[1]) + 1 >= asked_up_to[part][:, None]  # (B, T)
                exercise = replace(exercise, asked=exercise.asked & new)
            yield collate(self._remembering(exercise, starts, ends))

    def _exercise(self, rows: Ids, epochs: Ids, seed: int, settings: ObjectiveSettings) -> Batch:
        dice = Dice(seed, rows, epochs)
        if self.run.pair:
            ids, segments, real, label = self._pairs(rows, epochs, seed)
            exercise: Exercise = self.objective.build(ids, settings, self.vocabulary, dice)
            return collate(with_segments(exercise, segments), real, label)
        if self._packed is not None:
            return self._whole(rows, settings, dice)
        shift = np.array([_shift(seed, epoch, self.room) for epoch in epochs.tolist()], dtype=np.int64)  # (B,)
        length = self.room + self.run.asks_last
        starts = np.minimum(rows * self.room + shift, len(self.stream.ids) - length)
        exercise = self._asked(self._windows(starts, length), settings, dice)
        if self.run.asks_last:  # its last token is there to be the answer of the one before it
            exercise = exercise.but_last()
        return collate(self._remembering(exercise, starts, starts + self.room))

    def _longest(self) -> int:
        """How many ids of text make an exercise that fits into the context."""
        if self.objective.packing.room:
            return self.objective.packing.room(self.context, self.settings)
        return self.context - (3 if self.run.pair else FRAMES[self.objective.frame])

    def _windows(self, starts: Ids, length: int) -> Ids:
        return self.stream.ids[starts[:, None] + np.arange(length)].astype(np.int64)  # (B, length)

    def _asked(self, ids: Ids, settings: ObjectiveSettings, dice: Dice) -> Exercise:
        ids = framed(ids, self.objective.frame, self.vocabulary)
        exercise: Exercise = self.objective.build(ids, settings, self.vocabulary, dice)
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
        packing, edges = self.run.plan.packing, self.stream.sentences
        if packing == ANYWHERE:
            return None
        least = 1 + self.objective.left_to_right  # a first token has none before it to be asked from
        return packed(edges, edges[self._documents], self.room, crossing=packing == FULL_SENTENCES, least=least)

    def _whole(self, rows: Ids, settings: ObjectiveSettings, dice: Dice) -> Batch:
        """Rows of whole sentences, padded to the longest."""
        assert self._packed is not None
        texts = [self.stream.ids[start:end].astype(np.int64) for start, end in self._packed[rows]]
        ids, real = padded([framed(text, self.objective.frame, self.vocabulary) for text in texts], self.vocabulary.pad)
        exercise: Exercise = self.objective.build(ids, settings, self.vocabulary, dice)
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
            used = partial(pair.used, settings) if pair.used else None
            short: float = settings.short
            laid_out = chunks(self.stream.sentences, self._parts, self.room, short, dice, used)
            self._laid_out = {**dict([*self._laid_out.items()][-2:]), (seed, epoch): laid_out}
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


@lru_cache(maxsize=64)
def _shift(seed: int, epoch: int, room: int) -> int:
    """By how many ids the rows of an epoch are moved: every epoch but the first cuts the text anew."""
    return int(Dice(seed, epoch=epoch).one() * room) if epoch else 0


def drawn_in(settings: ObjectiveSettings, epochs: Ids) -> Ids:
    """The epochs as the dice know them: each its own, or, where nothing is drawn anew, that of the copy which is read
    once more. BERT's data are ten copies, each read four times (Liu et al. 2019, section 4.1)."""
    return epochs if settings.dynamic else epochs % settings.copies
