"""What an objective made of a text, as lines of tokens, for the board; and with a model's answers, as rows of chips.

This is the only file that reads an exercise to draw it: whoever lays tokens out takes a ``Line`` from here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from lab.analysis.preview import Corrupted
from lab.asking import Seq2Seq
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveEntry
from lab.inference.predict import Guess
from lab.layers.span_boundary import beside
from lab.spelling import spellings, text_of
from lab.tokenizer import Piece, Tokenizer
from lab.ui.components.token_strip import phrase, row, token
from lab.ui.words import say

Row = dict[str, Any]


def in_order() -> list[ObjectiveEntry]:
    """The objectives, those about tokens before those about pairs."""
    return sorted(OBJECTIVES, key=lambda objective: objective.stage != "token")


@dataclass(frozen=True)
class Line:
    """Tokens in a row: what was done to each, "" for nothing, and what stands below it, "" for nothing."""

    ids: NDArray[np.int64]  # (N,) those by which the tokens are found in the text: of what is hidden, what it hides
    pieces: Sequence[Piece]
    kinds: Sequence[str]
    below: Sequence[str] = ()


def source_line(corrupted: Corrupted) -> Line:
    """What an encoder reads, its gaps marked."""
    assert corrupted.exercise.source is not None
    ids = corrupted.exercise.source[0]
    pieces = corrupted.tokenizer.pieces(ids)
    return Line(ids, pieces, ["masked" if piece.special and piece.text in corrupted.gaps else "" for piece in pieces])


def target_line(corrupted: Corrupted) -> Line:
    """What a decoder is to write."""
    ids = corrupted.exercise.answers[0][corrupted.exercise.asked[0]]
    return Line(ids, corrupted.tokenizer.pieces(ids), [""] * len(ids))


def shown_line(corrupted: Corrupted) -> Line:
    """What is shown, with what is asked below each token, or its turn where there is an order."""
    exercise, pieces = corrupted.exercise, corrupted.tokenizer.pieces
    shown, answers, asked = exercise.shown[0], exercise.answers[0], exercise.asked[0]
    same = len(corrupted.original) == len(shown) and not exercise.following  # what is hidden still has its place
    kinds, ids = corrupted.kinds(corrupted.tokenizer.vocabulary), corrupted.original if same else shown
    if exercise.order is not None:
        return Line(ids, pieces(shown), kinds, [str(turn) if turn else "" for turn in turns(corrupted)])
    if same and (shown == answers)[asked].all():  # each is asked of the others, as it stands
        return Line(ids, pieces(shown), ["asked" if here else "" for here in asked])
    below = [text if here else "" for text, here in zip(spellings(pieces(answers)), asked, strict=True)]
    return Line(ids, pieces(shown), kinds, below)


def part_lines(corrupted: Corrupted) -> list[Line]:
    """The two parts of a pair."""
    segments = corrupted.exercise.segments
    assert segments is not None
    places = groupby(range(len(corrupted.original)), key=segments[0].tolist().__getitem__)
    parts = [corrupted.original[[*run]] for _, run in places]
    return [Line(ids, corrupted.tokenizer.pieces(ids), [""] * len(ids)) for ids in parts]


def turns(corrupted: Corrupted) -> list[int]:
    """Each token's turn, counted from 1; 0 where all may see a token from the start."""
    assert corrupted.exercise.order is not None
    order = corrupted.exercise.order[0]
    return [int(turn) for turn in np.unique(order, return_inverse=True)[1] + 1 - (order.min() < 0)]


def exercise_rows(corrupted: Corrupted, guesses: Sequence[Sequence[Guess]] = ()) -> dict[str, list[Row]]:
    """What is shown, what is asked and, where a model was asked, its likeliest answers, position by position; above
    them what an encoder reads, where there is one. Positions are counted from the first token of all."""
    if corrupted.exercise.source is None:
        return {"rows": _decoder_rows(corrupted, guesses)}
    source = source_row(corrupted, say("objectives.row.source"))
    start = {"from": len(source["tokens"])}
    return {"above": [source], "rows": [line | start for line in _decoder_rows(corrupted, guesses)]}


def gap_rows(corrupted: Corrupted, seq2seq: Seq2Seq, guesses: Sequence[Sequence[Guess]] = ()) -> list[Row]:
    """What an encoder reads, and below each gap what stood there and, where a model was asked, what it wrote."""
    exercise, pieces = corrupted.exercise, corrupted.tokenizer.pieces
    assert exercise.source is not None
    source, answer = exercise.source[0], exercise.answers[0][exercise.asked[0]][:-1]  # without the token that ends it
    places = [gap.place for gap in seq2seq.gaps(source, answer, corrupted.tokenizer.vocabulary)]
    truths = [text_of(pieces(answer[place.start : place.stop])) for place in places]
    above = source_row(corrupted, say("objectives.row.source"))
    chips = [[phrase(truth, "original") for truth in truths]]
    chips += [[_written(*each) for each in zip(guesses, truths, strict=True)]] if guesses else []
    gaps, labels = [one["kind"] == "masked" for one in above["tokens"]], ("asked", "guess")
    below = [
        {"label": say(f"objectives.row.{label}"), "tokens": [next(each) if gap else None for gap in gaps]}
        for label, each in zip(labels, map(iter, chips), strict=False)
    ]
    return [above, *below]


def source_row(corrupted: Corrupted, label: Any) -> Row:
    """What an encoder reads, its gaps marked."""
    source = source_line(corrupted)
    return row(label, source.pieces, source.kinds)


def _decoder_rows(corrupted: Corrupted, guesses: Sequence[Sequence[Guess]]) -> list[Row]:
    exercise, tokenizer, vocabulary = corrupted.exercise, corrupted.tokenizer, corrupted.tokenizer.vocabulary
    asked, answers = exercise.asked[0].tolist(), exercise.answers[0]
    label = "objectives.row.shown" if exercise.source is None else "objectives.row.written"
    shown = row(say(label), tokenizer.pieces(exercise.shown[0]), corrupted.kinds(vocabulary))
    true = row("", tokenizer.pieces(answers))["tokens"]
    right = [one if here else None for one, here in zip(true, asked, strict=True)]
    rows = [shown, {"label": say("objectives.row.asked"), "tokens": right}]
    if exercise.order is not None:
        rows.append({"label": say("objectives.row.turn"), "tokens": _turns(corrupted)})
    if not guesses:
        return rows
    best = iter(guesses)
    chips = [_answer(next(best), one, tokenizer) if here else None for one, here in zip(true, asked, strict=True)]
    return [*rows, {"label": say("objectives.row.guess"), "tokens": chips}]


def pair_rows(corrupted: Corrupted) -> list[Row]:
    """The two parts of a pair, each a row."""
    return [row(say(f"objectives.row.part{n}"), part.pieces) for n, part in enumerate(part_lines(corrupted), start=1)]


def boundary_row(corrupted: Corrupted) -> Row:
    """What SpanBERT asks a second time: each token of a span from the two tokens beside the span and its place in it;
    nothing where a span touches either end of the text."""
    asked, n = np.flatnonzero(corrupted.exercise.asked[0]), len(corrupted.original)
    where = beside(torch.from_numpy(asked), torch.tensor([n]), n)
    pieces = corrupted.tokenizer.pieces(corrupted.original)
    chips: list[dict[str, Any] | None] = [None] * n
    spelt = spellings(pieces)
    for at, before, behind, place in zip(asked, where.before, where.behind, where.place, strict=True):
        if behind:
            label = f"{spelt[before]}⋯{spelt[behind]}\u2002{int(place) + 1}"
            chips[at] = {**token(pieces[at], "quiet"), "text": label}
    return {"label": say("objectives.row.boundary"), "tokens": chips}


def detection_rows(corrupted: Corrupted, filled: NDArray[np.int64]) -> list[Row]:
    """ELECTRA's second half: the text with what a generator has ``filled`` in at the asked places, and what the
    discriminator is to say of every token."""
    read = corrupted.original.copy()
    read[corrupted.exercise.asked[0]] = filled
    wrong, pieces = read != corrupted.original, corrupted.tokenizer.pieces(read)
    asked = corrupted.exercise.asked[0].tolist()
    kinds = ["replaced" if new else "predicted" if here else "" for new, here in zip(wrong, asked, strict=True)]
    chips = [
        {**token(piece, "replaced" if new else "quiet"), "text": "≠" if new else "="}
        for piece, new in zip(pieces, wrong, strict=True)
    ]
    return [
        row(say("objectives.row.filled"), pieces, kinds),
        {"label": say("objectives.row.detected"), "tokens": chips},
    ]


def _turns(corrupted: Corrupted) -> list[dict[str, Any] | None]:
    """Each token's turn; nothing where all may see a token from the start."""
    pieces = zip(corrupted.tokenizer.pieces(corrupted.original), turns(corrupted), strict=True)
    return [{**token(piece, "quiet"), "text": str(turn)} if turn else None for piece, turn in pieces]


def _written(guesses: Sequence[Guess], truth: str) -> dict[str, Any]:
    """What was written into a gap, right or wrong, with the other ways in which it may begin behind it."""
    top = [(guess.token, guess.probability, guess.begins) for guess in guesses]
    return phrase(guesses[0].token, "predicted" if guesses[0].token == truth else "wrong", top)


def _answer(guesses: Sequence[Guess], true: dict[str, Any], tokenizer: Tokenizer) -> dict[str, Any]:
    """The likeliest guess, right or wrong, with the others behind it. A right one is spelt as the ``true`` chip is."""
    best, right = guesses[0], guesses[0].id == true["id"]
    top = [(guess.token, guess.probability) for guess in guesses]
    piece = tokenizer.pieces([best.id])[0]
    return token(piece, "predicted" if right else "wrong", top, text=true["text"] if right else None)
