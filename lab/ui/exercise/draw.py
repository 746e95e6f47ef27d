"""What an objective made of a text, and what a model answers, as rows of chips."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
import torch

from lab.analysis.preview import Corrupted
from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveEntry
from lab.inference.predict import Guess
from lab.layers.span_boundary import beside
from lab.spelling import spellings
from lab.tokenizer import Tokenizer
from lab.ui.components.token_strip import row, token
from lab.ui.words import say

Row = dict[str, Any]


def in_order() -> list[ObjectiveEntry]:
    """The objectives, those about tokens before those about pairs."""
    return sorted(OBJECTIVES, key=lambda objective: objective.stage != "token")


def exercise_rows(found: Corrupted, guesses: Sequence[Sequence[Guess]] = ()) -> dict[str, list[Row]]:
    """What is shown, what is asked and, where a model was asked, its likeliest answers, position by position; above
    them what an encoder reads, where there is one. Positions are counted from the first token of all."""
    if found.exercise.source is None:
        return {"rows": _decoder_rows(found, guesses)}
    source = source_row(found, say("objectives.row.source"))
    start = {"from": len(source["tokens"])}
    return {"above": [source], "rows": [each | start for each in _decoder_rows(found, guesses)]}


def source_row(found: Corrupted, label: Any) -> Row:
    """What an encoder reads, its gaps marked."""
    assert found.exercise.source is not None
    pieces = found.tokenizer.pieces(found.exercise.source[0])
    return row(label, pieces, ["masked" if each.special and each.text in found.gaps else "" for each in pieces])


def _decoder_rows(found: Corrupted, guesses: Sequence[Sequence[Guess]]) -> list[Row]:
    exercise, tokenizer, vocabulary = found.exercise, found.tokenizer, found.tokenizer.vocabulary
    asked, answers = exercise.asked[0].tolist(), exercise.answers[0]
    label = "objectives.row.shown" if exercise.source is None else "objectives.row.written"
    shown = row(say(label), tokenizer.pieces(exercise.shown[0]), found.kinds(vocabulary))
    true = row("", tokenizer.pieces(answers))["tokens"]
    right = [one if here else None for one, here in zip(true, asked, strict=True)]
    rows = [shown, {"label": say("objectives.row.asked"), "tokens": right}]
    if exercise.order is not None:
        rows.append({"label": say("objectives.row.turn"), "tokens": _turns(found, tokenizer)})
    if not guesses:
        return rows
    best = iter(guesses)
    chips = [_answer(next(best), one, tokenizer) if here else None for one, here in zip(true, asked, strict=True)]
    return [*rows, {"label": say("objectives.row.guess"), "tokens": chips}]


def pair_rows(found: Corrupted, tokenizer: Tokenizer) -> list[Row]:
    """The two parts of a pair, each a row."""
    segments = found.exercise.segments
    assert segments is not None
    pieces = zip(tokenizer.pieces(found.original), segments[0].tolist(), strict=True)
    return [
        row(say(f"objectives.row.part{part + 1}"), [piece for piece, _ in group])
        for part, group in groupby(pieces, key=lambda each: each[1])
    ]


def boundary_row(found: Corrupted) -> Row:
    """What SpanBERT asks a second time: each token of a span from the two tokens beside the span and its place in it;
    nothing where a span touches either end of the text."""
    asked, n = np.flatnonzero(found.exercise.asked[0]), len(found.original)
    where = beside(torch.from_numpy(asked), torch.tensor([n]), n)
    pieces = found.tokenizer.pieces(found.original)
    chips: list[dict[str, Any] | None] = [None] * n
    spelt = spellings(pieces)
    for at, before, behind, place in zip(asked, where.before, where.behind, where.place, strict=True):
        if behind:
            said = f"{spelt[before]}⋯{spelt[behind]}\u2002{int(place) + 1}"
            chips[at] = {**token(pieces[at], "quiet"), "text": said}
    return {"label": say("objectives.row.boundary"), "tokens": chips}


def _turns(found: Corrupted, tokenizer: Tokenizer) -> list[dict[str, Any] | None]:
    """Each token's turn, counted from 1; nothing where all may see a token from the start."""
    assert found.exercise.order is not None
    order = found.exercise.order[0]
    turns = sorted(set(order[order >= 0].tolist()))
    pieces = zip(tokenizer.pieces(found.original), order.tolist(), strict=True)
    return [
        {**token(piece, "quiet"), "text": str(turns.index(turn) + 1)} if turn >= 0 else None for piece, turn in pieces
    ]


def _answer(guesses: Sequence[Guess], true: dict[str, Any], tokenizer: Tokenizer) -> dict[str, Any]:
    """The likeliest guess, right or wrong, with the others behind it. A right one is spelt as the ``true`` chip is."""
    best, right = guesses[0], guesses[0].id == true["id"]
    top = [(each.token, each.probability) for each in guesses]
    piece = tokenizer.pieces([best.id])[0]
    return token(piece, "predicted" if right else "wrong", top, text=true["text"] if right else None)
