"""The mask calendar: which words are asked in which epoch, with masks drawn once and with masks drawn anew.

B drawings   T tokens
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.data.batches import drawn_in
from lab.data.template import framed
from lab.entries import ObjectiveEntry, ObjectiveSettings
from lab.noise import Dice
from lab.spelling import spelling, spellings
from lab.tokenizer import Tokenizer
from lab.ui.components.mask_calendar import MaskCalendar
from lab.ui.exercise.shipped import tokenizer
from lab.ui.shell.inputs import head
from lab.ui.words import say, word

LONGEST = 24  # tokens of the text
EPOCHS, COPIES = 40, 10  # Liu et al. 2019, section 4.1: each of ten copies is seen four times, if nobody asks for less
TRIALS = 400  # other drawings that tell what is expected


def suits(objective: ObjectiveEntry) -> bool:
    """Whether an objective hides tokens of a text in its place, and can draw its masks anew."""
    framed_whole = objective.frame == "bounded" and "writes" not in objective.traits
    return framed_whole and "dynamic" in objective.settings.knobs()


def view(text: str, objective: ObjectiveEntry, values: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Both calendars of a text."""
    its_tokenizer, text = tokenizer(objective), head(text)
    static, dynamic = (objective.settings.load({"copies": COPIES, **values, "dynamic": anew}) for anew in (False, True))
    ids = its_tokenizer.encode(text)
    if not len(ids) or not text.strip():
        return {"empty": say("desks.empty")}
    ids, copies = ids[:LONGEST], min(static.dump()["copies"], EPOCHS)
    trials = drawn(ids, objective, dynamic, its_tokenizer, seed, EPOCHS + np.arange(TRIALS))
    sides = [
        {
            "name": say(f"desks.calendar.{name}", copies=copies, each=f"{EPOCHS / copies:.3g}"),
            **side(
                drawn(ids, objective, settings, its_tokenizer, seed, np.arange(EPOCHS)), its_tokenizer, trials, drawings
            ),
        }
        for name, settings, drawings in (("static", static, copies), ("dynamic", dynamic, EPOCHS))
    ]
    cut = [say("desks.cut", n=LONGEST)] if len(its_tokenizer.encode(text)) > LONGEST else []
    return {
        "seed": seed,
        "epochs": EPOCHS,
        "copies": copies,
        "tokens": spellings(its_tokenizer.pieces(ids)),
        "sides": sides,
        "note": [say("desks.calendar.note", share=f"{100 * trials.asked[:, 1:-1].mean():.1f}"), *cut],
    }


def drawn(
    ids: NDArray[np.int64],
    objective: ObjectiveEntry,
    settings: ObjectiveSettings,
    tokenizer: Tokenizer,
    seed: int,
    epochs: NDArray[np.int64],
) -> Exercise:
    """The exercises of one text in several epochs."""
    rows = np.repeat(framed(ids, objective.frame, tokenizer.vocabulary)[None], len(epochs), axis=0)
    dice = Dice(seed, np.zeros(len(epochs)), drawn_in(settings, epochs))
    exercise: Exercise = objective.build(rows, settings, tokenizer.vocabulary, dice)
    return exercise


def side(exercise: Exercise, tokenizer: Tokenizer, trials: Exercise, drawings: int) -> dict[str, Any]:
    """One calendar: a letter a cell, token by token; what stands in the place of a token that was replaced; and how
    many different blanks each token ever was, beside what the ``trials`` promise of so many drawings."""
    shown, asked, answers = exercise.shown[:, 1:-1], exercise.asked[:, 1:-1], exercise.answers[:, 1:-1]  # (B, T)
    letters = np.where(shown == tokenizer.vocabulary.mask, "m", np.where(shown == answers, "k", "r"))
    letters = np.where(asked, letters, ".")
    swapped = [(int(t), int(e)) for e, t in np.argwhere(letters == "r")]
    blanks, share = different(shown, asked), trials.asked[:, 1:-1].mean(0)  # (T,)
    return {
        "cells": "".join(letters.T.ravel()),
        "words": {f"{t},{e}": spelling(tokenizer.pieces([shown[e, t]])[0]) for t, e in swapped},
        "blanks": blanks,
        "said": say(
            "desks.calendar.count",
            mean=f"{np.mean(blanks):.1f}",
            promised=f"{promised(trials.shown[:, 1:-1], trials.asked[:, 1:-1], drawings):.1f}",
            never=blanks.count(0),
            missed=f"{((1 - share) ** drawings).sum():.1f}",
            n=len(blanks),
        ),
    }


def different(shown: NDArray[np.int64], asked: NDArray[np.bool_]) -> list[int]:
    """In how many exercises that differ each token was asked."""
    _, which = np.unique(np.concatenate([shown, asked], axis=1), axis=0, return_inverse=True)
    return [len(set(which.ravel()[asked[:, t]].tolist())) for t in range(shown.shape[1])]


def promised(shown: NDArray[np.int64], asked: NDArray[np.bool_], drawings: int) -> float:
    """In how many of so many drawings that differ a token is asked on average, by trials (B, T) taken in turns."""
    # Not drawings * share: in a short text they come again, and what comes again does not differ.
    turns = [slice(first, first + drawings) for first in range(0, len(asked) - drawings + 1, drawings)]
    return float(np.mean([different(shown[turn], asked[turn]) for turn in turns]))


def made() -> MaskCalendar:
    """The desk, empty. Another seed is another seed of the whole page."""
    return MaskCalendar(label=word("desks.calendar.title"), elem_id="mask-calendar")
