"""The animators: how span corruption and blank infilling take a text apart and put together what is asked.

A frame is lanes of chips. Chips keep their number from frame to frame, so that the browser can move them.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lab.analysis.preview import Corrupted, corrupt
from lab.entries import ObjectiveEntry
from lab.objectives.blank_infilling import LONG, SENTENCE, START
from lab.objectives.parts.sentinels import SENTINELS
from lab.objectives.span_corruption import counts
from lab.spelling import spellings
from lab.tokenizer import Tokenizer
from lab.ui.components.assembly import Assembly
from lab.ui.exercise.shipped import tokenizer
from lab.ui.shell.inputs import head
from lab.ui.words import say, word
from lab.vocabulary import MASK

LONGEST = 40  # tokens of the text
RATES = (0.15, 0.3, 0.5)  # shares missing that are offered; the papers have the first
Stretches = list[tuple[int, int]]  # from and up to which token of the text each goes


def suits(objective: ObjectiveEntry) -> bool:
    """Whether there is a film of the objective."""
    return objective.name in FILMS


def view(text: str, objective: ObjectiveEntry, values: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """The exercise of a text, step by step. Where the settings name no rate it is the papers' or, if so short a text
    would miss but one stretch, the next that makes two."""
    text, its_tokenizer = head(text), tokenizer(objective)
    objective.settings.load(values)
    if not text.strip():
        return {"empty": say("desks.empty")}
    rates = [float(values["share"])] if "share" in values else RATES
    tried = [
        corrupt(text, objective, its_tokenizer, {**values, "share": share}, seed=seed, longest=LONGEST + 2)
        for share in rates
    ]
    which = next((i for i, corrupted in enumerate(tried) if len(STRETCHES[objective.name](corrupted)) > 1), 0)
    film, share = Film(tried[which]), rates[which]
    FILMS[objective.name](film, tried[which], objective.settings.load({**values, "share": share}))
    cut = [say("desks.cut", n=LONGEST)] if len(its_tokenizer.encode(text)) > LONGEST else []
    raised = [say("desks.assembly.raised", rate=f"{100 * share:g}")] if which else []
    return {
        "seed": seed,
        "rates": sorted({*RATES, share}),
        "share": share,
        "chips": film.chips,
        "frames": film.frames,
        "note": [*raised, say(f"desks.assembly.{objective.name}.note"), *cut],
    }


class Film:
    """Chips and frames in the making. The chips of the text come first, in its order."""

    def __init__(self, corrupted: Corrupted) -> None:
        self.tokenizer: Tokenizer = corrupted.tokenizer
        self.chips: list[dict[str, Any]] = []
        self.frames: list[dict[str, Any]] = []
        self.text = self.more(corrupted.original.tolist())

    def more(self, ids: Sequence[int]) -> list[int]:
        """New chips for these tokens: their numbers."""
        first = len(self.chips)
        pieces = self.tokenizer.pieces(ids)
        for piece, text in zip(pieces, spellings(pieces), strict=True):
            self.chips.append({"text": text, "special": piece.special})
        return [*range(first, len(self.chips))]

    def show(self, caption: Any, lanes: dict[str, list[int]], lit: Sequence[int] = (), **more: Any) -> None:
        """One more frame: a caption, and what lies in each lane."""
        rows = [{"name": say(f"desks.assembly.lane.{name}"), "chips": chips} for name, chips in lanes.items()]
        self.frames.append({"caption": caption, "lanes": rows, "lit": [int(i) for i in lit], **more})


# ---- span corruption


def span_corruption(film: Film, corrupted: Corrupted, s: Any) -> None:
    """Each stretch gives way to a mark, and the target takes the mark and what stood there."""
    exercise, n = corrupted.exercise, len(corrupted.original)
    assert exercise.source is not None
    stretches = missing(corrupted)
    gone = [place for start, end in stretches for place in range(start, end)]
    marks = [corrupted.tokenizer.vocabulary.role(name) for name in SENTINELS[: len(stretches)]]
    there, here = film.more(marks), film.more(marks)  # in the source, in the target
    step = "desks.assembly.span_corruption"
    film.show(say(f"{step}.text", n=n), {"source": film.text, "target": []})
    asked, gaps = counts(n, s)
    rule = say(f"{step}.chosen", n=n, asked=asked, gaps=gaps, rate=f"{100 * s.share:g}", span=f"{s.span:g}")
    film.show(rule, {"source": film.text, "target": []}, gone)
    source, target = film.text, list[int]()
    for number, (start, end) in enumerate(stretches):
        taken = film.text[start:end]
        source = collapsed(source, taken, there[number])
        target = [*target, here[number], *taken]
        caption = say(f"{step}.collapse", k=number + 1, mark=SENTINELS[number])
        film.show(caption, {"source": source, "target": target}, [*taken, there[number], here[number]])
    ends = film.more([corrupted.tokenizer.vocabulary.separate] * 2)
    source, target = [*source, ends[0]], [*target, ends[1]]
    film.show(say(f"{step}.end", source=len(source), target=len(target)), {"source": source, "target": target}, ends)
    shifted = film.more(exercise.shown[0].tolist())
    lanes = {"source": source, "has": shifted, "target": target}
    film.show(say(f"{step}.shifted"), lanes, shifted[:1])


def missing(corrupted: Corrupted) -> Stretches:
    """Which stretches of the text are missing from the source: the runs between the target's marks, in order."""
    exercise, marks = corrupted.exercise, {corrupted.tokenizer.vocabulary.role(name) for name in SENTINELS}
    edges = [at for at, number in enumerate(exercise.answers[0].tolist()) if number in marks]
    lengths = [end - start - 1 for start, end in pairwise([*edges, exercise.answers.shape[1] - 1])]
    assert exercise.source is not None
    stretches, at = Stretches(), 0
    for number in exercise.source[0].tolist()[:-1]:
        long = lengths[len(stretches)] if number in marks else 1
        if number in marks:
            stretches.append((at, at + long))
        at += long
    assert at == len(corrupted.original)
    return stretches


# ---- blank infilling


def blank_infilling(film: Film, corrupted: Corrupted, s: Any) -> None:
    """Each stretch becomes one mark of part A; part B takes them in random order and is numbered twice."""
    exercise, n = corrupted.exercise, len(corrupted.original)
    stretches = blanks(corrupted)
    drawn = [*stretches]  # in the order of part B
    stretches = sorted(stretches)
    vocabulary = corrupted.tokenizer.vocabulary
    kind = next((name for name in (LONG, SENTENCE) if vocabulary.role(name) in exercise.shown[0]), MASK)
    masks = dict(zip(stretches, film.more([vocabulary.role(kind)] * len(stretches)), strict=True))
    starts = dict(zip(drawn, film.more([vocabulary.role(START)] * len(drawn)), strict=True))
    taken = {stretch: film.text[stretch[0] : stretch[1]] for stretch in stretches}
    step, gone = "desks.assembly.blank_infilling", [i for stretch in stretches for i in taken[stretch]]
    film.show(say(f"{step}.text", n=n), {"a": film.text, "b": []})
    film.show(
        say(f"{step}.chosen.{CHOSEN[kind]}", rate=f"{100 * s.share:g}", gone=len(gone), n=n, gaps=len(stretches)),
        {"a": film.text, "b": []},
        gone,
    )
    a, b = film.text, list[int]()
    for number, stretch in enumerate(stretches):
        a, b = collapsed(a, taken[stretch], masks[stretch]), [*b, *taken[stretch]]
        film.show(say(f"{step}.collapse", k=number + 1, mark=kind), {"a": a, "b": b}, [*taken[stretch], masks[stretch]])
    b = [i for stretch in drawn for i in taken[stretch]]
    film.show(say(f"{step}.shuffled" if len(drawn) > 1 else f"{step}.alone"), {"a": a, "b": b}, b)
    b = [i for stretch in drawn for i in (starts[stretch], *taken[stretch])]
    film.show(say(f"{step}.started"), {"a": a, "b": b}, [*starts.values()])
    assert exercise.positions is not None
    places = exercise.positions[0].tolist()
    for numbers in (1, 2):
        shown = {str(chip): place[:numbers] for chip, place in zip([*a, *b], places, strict=True)}
        film.show(say(f"{step}.place{numbers}"), {"a": a, "b": b}, b, places=shown)
    answers = film.more(exercise.answers[0][exercise.asked[0]].tolist())
    film.show(say(f"{step}.asked", n=len(answers)), {"a": a, "b": b, "answers": answers}, answers, places=shown)


def blanks(corrupted: Corrupted) -> Stretches:
    """Which stretches of the text stand in part B, in its order: each lies where its blank is in part A, moved on by
    what the blanks before it have swallowed."""
    assert corrupted.exercise.positions is not None
    place, inside = corrupted.exercise.positions[0].T
    begins = np.flatnonzero(inside == 1)
    lengths = np.diff([*begins, len(inside)]) - 1
    swallowed = [(int(place[at]), int(long)) for at, long in zip(begins, lengths, strict=True)]
    ahead = {blank: sum(long - 1 for other, long in swallowed if other < blank) for blank, _ in swallowed}
    return [(blank + ahead[blank], blank + ahead[blank] + long) for blank, long in swallowed]


def collapsed(lane: list[int], taken: list[int], mark: int) -> list[int]:
    """The lane with a mark in the place of what was taken."""
    at = lane.index(taken[0])
    return [*lane[:at], mark, *lane[at + len(taken) :]]


FILMS = {"span_corruption": span_corruption, "blank_infilling": blank_infilling}
CHOSEN = {MASK: "short", LONG: "end", SENTENCE: "sentences"}  # what is gone, by the mark in its place
STRETCHES = {"span_corruption": missing, "blank_infilling": blanks}


# ---- the desk


def made() -> Assembly:
    """The desk, empty. Another draw or another share is one for the whole page."""
    return Assembly(label=word("desks.assembly.title"), elem_id="assembly")
