"""Beam search on the Generate page: the tree of what was looked at, beside what greedy decoding writes."""

import math
from typing import Any

from lab.inference.beam_search import Search, beam_search
from lab.inference.decoding import GREEDY, generate
from lab.inference.model import Trained
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.spelling import spelling, text_of
from lab.ui.pages.generate.typed import generate_command
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import probability
from lab.ui.shell.inputs import tail
from lab.ui.words import say

BEAMS, LENGTH, PENALTY = (1, 6), (2, 16), (-2.0, 3.0)  # what the controls go to
PROMPT = 60  # characters of the prompt that are shown before the tree


def search(run: str, text: str, beams: float, length: float, penalty: float) -> Values:
    """The tree, and the command that searches so."""
    within(text, limits().prompt)
    trained = visitor.trained(run) if run else None
    if trained is None or not trained.left_to_right:
        return {}
    beams, length = int(within_range("beams", beams, BEAMS)), int(within_range("tokens", length, LENGTH))
    penalty = within_range("length penalty", penalty, PENALTY)
    found = beam_search(trained, text, beams, length, penalty)
    greedy = [*generate(trained, text, GREEDY, length)]
    over = [trained.tokenizer.vocabulary.end] if len(greedy) < length else []
    ends = [end(trained, found, number) for number in range(len(found.best))]
    best = found.best[0] if found.best else None
    missed = best is not None and best.ids != (*(token.id for token in greedy), *over)
    return {
        "tree": {
            "prompt": tail(text, PROMPT),
            "steps": steps(trained, found),
            "ends": ends,
            "greedy": {
                "text": text_of(trained.tokenizer.pieces([token.id for token in greedy]), unfinished=True),
                "logprob": round(sum(token.logprob for token in greedy), 5),
                "length": len(greedy),
            },
            "note": say("generate.beam.other" if missed else "generate.beam.same"),
        },
        "command": {"command": command(run, text, beams, length, penalty)},
    }


def within_range(name: str, value: Any, limits: tuple[float, float]) -> float:
    """A number from a control, checked."""
    low, high = limits
    if isinstance(value, int | float) and math.isfinite(value) and low <= value <= high:
        return value
    raise SettingsError(f"{name}: a number from {low:g} to {high:g}", f"{name}：请填 {low:g} 到 {high:g} 之间的数")


def steps(trained: Trained, found: Search) -> list[list[dict[str, Any]]]:
    """The candidates of each step. Their parents are named by their places in the step before."""
    place = {number: at for step in found.steps for at, number in enumerate(step)}
    columns = []
    for step in found.steps:
        candidates = [found.candidates[number] for number in step]
        pieces = trained.tokenizer.pieces([candidate.token for candidate in candidates])
        columns.append(
            [
                {
                    "text": say("generate.end") if piece.special else spelling(piece),
                    "parent": place.get(candidate.parent, -1),
                    "p": probability(math.exp(candidate.logprob)),
                    "score": round(candidate.score, 5),
                    "fate": candidate.fate,
                }
                for piece, candidate in zip(pieces, candidates, strict=True)
            ]
        )
    return columns


def end(trained: Trained, found: Search, number: int) -> dict[str, Any]:
    """A text that the search has ended with."""
    best = found.best[number]
    step = len(best.ids) - 1
    written = [token for token in best.ids if token != trained.tokenizer.vocabulary.end]
    return {
        "text": text_of(trained.tokenizer.pieces(written), unfinished=True),
        "logprob": round(best.logprob, 5),
        "length": len(best.ids),
        "score": round(best.score, 5),
        "place": [step, found.steps[step].index(best.last)],
    }


def command(run: str, text: str, beams: int, length: int, penalty: float) -> str:
    """The command that searches so."""
    flags = f"--beams {beams} --length-penalty {penalty:g} --tokens {length}"
    return generate_command(run, text, flags)
