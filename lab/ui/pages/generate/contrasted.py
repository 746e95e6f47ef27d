"""Contrastive search on the Generate page: each token's candidates with the two terms of their score, and the text
beside the greedy one."""

from typing import Any

import gradio as gr

from lab.analysis.text_diversity import Diversity
from lab.inference.contrastive_search import Choice, contrastive_search
from lab.inference.decoding import GREEDY, continuation, dropped, generate
from lab.inference.model import Trained
from lab.serve.limits import limits, within
from lab.spelling import spelling, text_of
from lab.ui.components.prose import Prose
from lab.ui.components.writing import Contrast
from lab.ui.pages.generate import bounded
from lab.ui.pages.generate.beams import within_range
from lab.ui.pages.generate.bounded import SECONDS, in_time
from lab.ui.pages.generate.typed import generate_command
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import percent, probability
from lab.ui.shell.folds import due
from lab.ui.shell.forms import Slider
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import tail
from lab.ui.words import say, word

CANDIDATES, ALPHA, LENGTH = (1, 10), (0.0, 1.0), (4, 64)  # what the controls go to
PROMPT = 60  # characters of the prompt that are shown before the text


def contrasting(frame: Frame, picker: RunPicker, text: Any) -> None:
    """The fold of contrastive search, worked out only while it is open."""
    with gr.Accordion(word("generate.contrast"), open=False) as fold:
        Prose([["note", say("generate.contrast.lead")]])
        with gr.Row():
            k = Slider(*CANDIDATES, value=4, step=1, label=word("generate.contrast.k"), min_width=220)
            info = word("generate.contrast.alpha.info")
            alpha = Slider(
                *ALPHA, value=0.6, step=0.05, label=word("generate.contrast.alpha"), min_width=220, info=info
            )
            length = Slider(*LENGTH, value=32, step=1, label=word("generate.contrast.tokens"), min_width=220)
        picture = Contrast(label=word("generate.contrast.text"), elem_id="generate-contrast")
        line = frame.command()
    controls = {"contrast_k": k, "alpha": alpha, "contrast_tokens": length}
    events = [text.change, *picker.changes, *(control.change for control in controls.values())]
    asked = due(frame.fold("contrastive", fold), events)
    inputs = [*picker.asked, text, *(frame.share(name, control) for name, control in controls.items())]
    shown = {"contrast": picture, "command": line}
    frame.listen(asked.change, of_model(contrast), inputs, shown, trigger_mode="always_last")


def contrast(run: str, text: str, k: float, alpha: float, length: float) -> Values:
    """The text token by token, and the command that writes it."""
    within(text, limits().prompt)
    trained = visitor.writer(run)
    if trained is None:
        return {"contrast": {"steps": [], "empty": say("generate.no_runs")}, "command": {"command": ""}}
    k, length = int(within_range("k", k, CANDIDATES)), int(within_range("tokens", length, LENGTH))
    alpha = within_range("alpha", alpha, ALPHA)
    prompt = continuation(trained, text).ids
    bounded.bearable(trained, k, len(prompt) + length)
    key = ("contrastive", run, trained.step, text, k, alpha, length)
    search = contrastive_search(trained, text, k, alpha, length)
    choices, late = bounded.found.get(key, lambda: in_time(search))
    if late:  # on a server with less to do another visitor may see all of it
        bounded.found.drop(key)
    read = [*prompt, *(choice.token for choice in choices)]
    value = {
        "prompt": tail(text, PROMPT),
        "note": say("generate.contrast.late", seconds=f"{SECONDS:g}", n=len(choices), all=length) if late else "",
        "steps": [step(trained, choice, read[: len(prompt) + n], len(prompt)) for n, choice in enumerate(choices)],
        "rows": [
            row(trained, say("generate.contrast.own"), [choice.token for choice in choices]),
            row(trained, say("generate.beam.greedy"), [token.id for token in generate(trained, text, GREEDY, length)]),
        ],
    }
    return {"contrast": value, "command": {"command": command(run, text, k, alpha, length)}}


def step(trained: Trained, choice: Choice, before: list[int], given: int) -> dict[str, Any]:
    """The candidates for one token behind those before it."""
    opens = len(trained.opens)
    gone = dropped(len(before) + 1, trained.lookback, given, opens)
    places = [candidate.like + (gone if candidate.like >= opens else 0) for candidate in choice.candidates]
    pieces = trained.tokenizer.pieces([candidate.token for candidate in choice.candidates])
    likened = trained.tokenizer.pieces([before[place] for place in places])
    return {
        "taken": choice.taken,
        "bytes": pieces[choice.taken].bytes.hex(),
        "candidates": [
            {
                "text": say("generate.end") if piece.special else spelling(piece),
                "p": probability(candidate.probability),
                "penalty": round(candidate.penalty, 4),
                "score": round(candidate.score, 4),
                "like": say("generate.contrast.start_of_text") if like.special else spelling(like),
                "place": place + 1,
            }
            for piece, like, candidate, place in zip(pieces, likened, choice.candidates, places, strict=True)
        ],
    }


def row(trained: Trained, name: Any, ids: list[int]) -> list[Any]:
    """A text with how much of it is repeated."""
    found = Diversity.of([ids])
    written = text_of([piece for piece in trained.tokenizer.pieces(ids) if not piece.special], unfinished=True)
    return [
        name,
        written,
        "–" if found.repeated is None else percent(found.repeated),
        "–" if found.distinct is None else f"{found.distinct:.2f}",
    ]


def command(run: str, text: str, k: int, alpha: float, length: int) -> str:
    """The command that writes so."""
    flags = f"--contrastive {alpha:g} --candidates {k} --tokens {length}"
    return generate_command(run, text, flags)
