"""The mask calendar: which words are asked in which epoch, with masks drawn once and with masks drawn anew.

B drawings   T tokens
"""

from typing import Any

import gradio as gr
import numpy as np
from numpy.typing import NDArray

from lab.batch import Exercise
from lab.catalog import OBJECTIVES
from lab.engine.data import framed
from lab.noise import Dice
from lab.registry import Entry
from lab.ui.components.mask_calendar import MaskCalendar
from lab.ui.components.token_strip import readable
from lab.ui.frame import Frame
from lab.ui.inputs import head, seed_of
from lab.ui.shipped import tokenizer
from lab.ui.words import say, word
from lab.vocab import Tokenizer

FOLLOWS = True
LONGEST = 24  # tokens of the text
EPOCHS, COPIES = 40, 10  # Liu et al. 2019, section 4.1: each of ten copies is seen four times
TRIALS = 400  # drawings that tell how often each token is asked


def suits(objective: Entry) -> bool:
    """Whether an objective hides tokens of a text in its place, and can draw its masks anew."""
    framed_whole = objective.extra.get("frame") == "bounded" and "writes" not in objective.traits
    return framed_whole and "dynamic" in objective.settings.knobs()


def view(text: str, objective: Entry, language: str = "en", seed: int = 0) -> dict[str, Any]:
    """Both calendars of a text."""
    known, text = tokenizer(objective), head(text)
    ids = known.encode(text)
    if not len(ids) or not text.strip():
        return {"empty": say("desks.empty")}
    ids = ids[:LONGEST]
    share = drawn(ids, objective, known, seed, EPOCHS + np.arange(TRIALS)).asked[:, 1:-1].mean(0)  # (T,)
    sides = [
        side("static", drawn(ids, objective, known, seed, np.arange(EPOCHS) % COPIES), known, share, COPIES),
        side("dynamic", drawn(ids, objective, known, seed, np.arange(EPOCHS)), known, share, EPOCHS),
    ]
    cut = [say("desks.cut", n=LONGEST)] if len(known.encode(text)) > LONGEST else []
    return {
        "of": objective.name,
        "seed": seed,
        "epochs": EPOCHS,
        "copies": COPIES,
        "tokens": [readable(piece) for piece in known.pieces(ids)],
        "sides": sides,
        "note": [say("desks.calendar.note", share=f"{100 * share.mean():.1f}"), *cut],
    }


def drawn(ids: NDArray[np.int64], objective: Entry, known: Tokenizer, seed: int, epochs: NDArray[Any]) -> Exercise:
    """The exercises of one text in several epochs."""
    rows = np.repeat(framed(ids, objective.extra["frame"], known.vocabulary)[None], len(epochs), axis=0)
    dice = Dice(seed, np.zeros(len(epochs)), epochs)
    found: Exercise = objective.build(rows, objective.settings(), known.vocabulary, dice)
    return found


def side(name: str, found: Exercise, known: Tokenizer, share: NDArray[np.float64], drawings: int) -> dict[str, Any]:
    """One calendar: a letter a cell, token by token; what stands in the place of a token that was replaced; and how
    many different blanks each token ever was, beside what its share of so many drawings promises."""
    shown, asked, answers = found.shown[:, 1:-1], found.asked[:, 1:-1], found.answers[:, 1:-1]  # (B, T)
    letters = np.where(shown == known.vocabulary.mask, "m", np.where(shown == answers, "k", "r"))
    letters = np.where(asked, letters, ".")
    swapped = [(int(t), int(e)) for e, t in np.argwhere(letters == "r")]
    blanks = different(shown, asked)
    return {
        "name": say(f"desks.calendar.{name}", copies=COPIES, each=EPOCHS // COPIES),
        "cells": "".join(letters.T.ravel()),
        "words": {f"{t},{e}": readable(known.pieces([shown[e, t]])[0]) for t, e in swapped},
        "blanks": blanks,
        "said": say(
            "desks.calendar.count",
            mean=f"{np.mean(blanks):.1f}",
            promised=f"{drawings * share.mean():.1f}",
            never=blanks.count(0),
            missed=f"{((1 - share) ** drawings).sum():.1f}",
            n=len(blanks),
        ),
    }


def different(shown: NDArray[np.int64], asked: NDArray[np.bool_]) -> list[int]:
    """In how many exercises that differ each token was asked."""
    _, which = np.unique(np.concatenate([shown, asked], axis=1), axis=0, return_inverse=True)
    return [len(set(which.ravel()[asked[:, t]].tolist())) for t in range(shown.shape[1])]


def again(text: str, event: gr.EventData) -> dict[str, Any]:
    """The calendars under other luck."""
    objective = OBJECTIVES[str(event.of)]
    return view(text, objective, seed=seed_of(event.seed)) if suits(objective) else gr.skip()


def build(frame: Frame, text: Any) -> Any:
    """The one component of the desk."""
    calendar = MaskCalendar(label=word("desks.calendar.title"), elem_id="mask-calendar")
    frame.listen(calendar.roll, again, text, calendar, trigger_mode="always_last")
    return calendar
