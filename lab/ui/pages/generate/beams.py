"""Beam search on the Generate page: the tree of what was looked at, beside what greedy decoding writes."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import gradio as gr

from lab.inference.beam_search import Hypothesis, Search, beam_search
from lab.inference.model import Trained
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.spelling import spelling, text_of
from lab.ui.components.beam_tree import BeamTree
from lab.ui.components.prose import Prose
from lab.ui.pages.generate import bounded
from lab.ui.pages.generate.search_errors import errs_behind, verdict
from lab.ui.pages.generate.typed import generate_command
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell import visitor
from lab.ui.shell.answers import NOTE, Values
from lab.ui.shell.figures import probability
from lab.ui.shell.forms import Slider
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import tail
from lab.ui.shell.panel import any_of
from lab.ui.words import say, word

BEAMS, LENGTH, PENALTY = (1, 6), (2, 16), (-2.0, 3.0)  # what the controls go to
PROMPT = 60  # characters of the prompt that are shown before the tree


def searching(frame: Frame, picker: RunPicker, text: Any) -> None:
    """The controls, the tree, and the way to a search error."""
    Prose([["h2", say("generate.beam")], ["note", say("generate.beam.lead")]])
    with gr.Row():
        beams = Slider(*BEAMS, value=3, step=1, label=word("generate.beam.beams"))
        length = Slider(*LENGTH, value=8, step=1, label=word("generate.beam.tokens"))
        info = word("generate.beam.penalty.info")
        penalty = Slider(*PENALTY, value=1.0, step=0.1, label=word("generate.beam.penalty"), info=info)
    tree = BeamTree(label=word("generate.beam.tree"), elem_id="generate-tree")
    with gr.Row(elem_classes=["lab-examples"]):
        find = gr.Button(word("generate.beam.find"), size="sm", elem_id="generate-beam-find")
    line = frame.command()
    controls = {"beams": beams, "length": length, "length_penalty": penalty}
    inputs = [*picker.asked, text, *(frame.share(name, control) for name, control in controls.items())]
    searched = {"tree": tree, "command": line}
    changes = [text.change, *picker.changes, *(control.change for control in controls.values())]
    frame.listen(any_of(changes), of_model(search), inputs, searched)
    frame.listen(find.click, of_model(with_error), inputs, {"text": text})
    frame.opens(of_model(search), inputs, searched)


def search(run: str, text: str, beams: float, length: float, penalty: float) -> Values:
    """The tree, and the command that searches so."""
    within(text, limits().prompt)
    trained = visitor.writer(run)
    if trained is None:
        return {}
    beams, length, penalty = checked(beams, length, penalty)
    found, narrow = (
        bounded.found.get(
            ("beams", run, trained.step, text, width, length, penalty),  # the page opens with the same for everybody
            partial(beam_search, trained, text, width, length, penalty),
        )
        for width in (beams, 1)
    )
    greedy = narrow.best  # one beam takes the likeliest token each time
    ids = greedy[0].ids if greedy else ()
    return {
        "tree": {
            "prompt": tail(text, PROMPT),
            "steps": steps(trained, found, ids),
            "ends": [end(trained, found, number) for number in range(len(found.best))],
            **({"greedy": written(trained, greedy[0]), "note": verdict(found, greedy[0])} if greedy else {}),
        },
        "command": {"command": command(run, text, beams, length, penalty)},
    }


def with_error(run: str, text: str, beams: float, length: float, penalty: float) -> Values:
    """A beginning behind which the search errs: greedy decoding finds a text with a higher score."""
    trained = visitor.writer(run)
    if trained is None:
        return {}
    beginning, tried = errs_behind(trained, text, *checked(beams, length, penalty))
    if beginning is not None:
        return {"text": beginning}
    none = SettingsError(
        f"beam search errs behind none of {tried} beginnings: try two beams, or more tokens",
        f"在 {tried} 个开头之后，束搜索都没有出错：请把束宽设为 2，或增加词元数",
    )
    return {NOTE: none}


def checked(beams: float, length: float, penalty: float) -> tuple[int, int, float]:
    """The numbers of the controls."""
    return (
        int(within_range("beams", beams, BEAMS)),
        int(within_range("tokens", length, LENGTH)),
        within_range("length penalty", penalty, PENALTY),
    )


def within_range(name: str, value: Any, limits: tuple[float, float]) -> float:
    """A number from a control, checked."""
    low, high = limits
    if isinstance(value, int | float) and low <= value <= high:
        return value
    raise SettingsError(f"{name}: a number from {low:g} to {high:g}", f"{name}：请填 {low:g} 到 {high:g} 之间的数")


def steps(trained: Trained, found: Search, greedy: Sequence[int] = ()) -> list[list[dict[str, Any]]]:
    """The candidates of each step, those on the way of ``greedy`` decoding marked. Their parents are named by their
    places in the step before. A text that ends without the end of the text was stopped by the limit of tokens."""
    place = {number: at for step in found.steps for at, number in enumerate(step)}
    columns: list[list[dict[str, Any]]] = []
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
                    "fate": "stopped" if candidate.fate == "ended" and not piece.special else candidate.fate,
                    **({"greedy": True} if found.path(number) == [*greedy[: len(columns) + 1]] else {}),
                }
                for number, piece, candidate in zip(step, pieces, candidates, strict=True)
            ]
        )
    return columns


def end(trained: Trained, found: Search, number: int) -> dict[str, Any]:
    """A text that the search has ended with."""
    best = found.best[number]
    step = len(best.ids) - 1
    return written(trained, best) | {"place": [step, found.steps[step].index(best.last)]}


def written(trained: Trained, one: Hypothesis) -> dict[str, Any]:
    """A text that a search, or greedy decoding, has written."""
    ids = [token for token in one.ids if token not in trained.tokenizer.vocabulary.ends]
    return {
        "text": text_of(trained.tokenizer.pieces(ids), unfinished=True),
        "logprob": round(one.logprob, 5),
        "length": len(one.ids),
        "score": round(one.score, 5),
    }


def command(run: str, text: str, beams: int, length: int, penalty: float) -> str:
    """The command that searches so."""
    flags = f"--beams {beams} --length-penalty {penalty:g} --tokens {length}"
    return generate_command(run, text, flags)
