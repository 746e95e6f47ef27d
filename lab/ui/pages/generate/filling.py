"""Gap filling on the Generate page: the best guesses for each [MASK] of a text."""

import shlex
from typing import Any

from lab.inference import predict
from lab.serve.limits import limits, within
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import probability
from lab.ui.words import say
from lab.vocabulary import MASK

GUESSES = 8


def fill(run: str, text: str) -> Values:
    """The best guesses for each gap, what is to be said, and the command."""
    within(text, limits().prompt)
    trained = visitor.trained(run) if run else None
    if trained is None or trained.left_to_right:
        return {}
    if trained.run.task:
        return _nothing(say("generate.answers"))
    if MASK not in text:
        return _nothing(say("generate.no_gap"))
    gaps, reached = predict.gaps_of(trained, text)
    if not reached:
        return _nothing(say("generate.far", n=trained.context))
    guesses = predict.fill(trained, text, GUESSES, predict.LONGEST_GAP)
    value = {
        "gaps": [
            [[guess.token, probability(guess.probability), *[True] * guess.begins] for guess in gap] for gap in guesses
        ],
        "even": 1 / trained.tokenizer.vocabulary.size,
    }
    remarks = [["note", say("generate.some_far", n=gaps - reached, context=trained.context)]] if reached < gaps else []
    if text.count(MASK) > gaps:
        remarks.append(["note", say("generate.joined", mask=MASK)])
    line = f"python -m lab fill {visitor.flags_of(run)} --text {shlex.quote(text)}" if len(text) <= 2000 else ""
    return {"gaps": value, "remarks": remarks, "command": {"command": line}}


def _nothing(why: dict[str, Any]) -> Values:
    return {"gaps": {"gaps": [], "empty": why}, "remarks": [], "command": {"command": ""}}
