"""Loss by context length: how far back the run on show makes use of a text, beside other runs."""

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import gradio as gr

from lab.batch import Document
from lab.corpora.town_stories import Tongue
from lab.data.corpus import documents_of, split
from lab.inference.loss_by_context import LossByContext, loss_by_context
from lab.inference.model import Trained
from lab.inference.scoring import scores_texts
from lab.settings import SettingsError
from lab.ui.components.curve import Curve
from lab.ui.components.prose import Prose
from lab.ui.exercise.unseen import unseen_story
from lab.ui.runs.beside import dropdown, keep_offered, of_each
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped
from lab.ui.shell.folds import due
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import head, prompt_field
from lab.ui.shell.lru import Kept
from lab.ui.shell.visitor import readable
from lab.ui.words import say, word

BESIDE = ["gpt-town"]  # runs of the lab, shown at first beside that on show
STORIES = 40  # of the town, where there is no text of one's own
COLOURS = ("predicted", "replaced", "kept", "masked")  # of the run on show and of those beside it
NOTHING: dict[str, Any] = {"series": [], "empty": say("pretrain.beside.waiting"), "dials": False, "logx": True}

READ, LONGEST = 2**24, 20_000  # bytes of a run's own text, and characters of it

_held = Kept(8)  # by run
_found = Kept(32)  # by run, step and texts: a class asks for the same stories thirty times


def by_context(frame: Frame, run: Any, step: Any, moment: Any) -> None:
    """The fold: worked out only while it is open."""
    with gr.Accordion(word("pretrain.context"), open=False) as fold:
        Prose([["note", say("pretrain.context.note")]])
        with gr.Row():
            text = prompt_field(
                label=word("pretrain.context.text"),
                info=word("pretrain.context.info"),
                lines=1,
                max_lines=6,
                min_width=240,
            )
            frame.share("passage", text)
            beside = dropdown(scores_texts, BESIDE)
        picture, said = Curve(NOTHING, label=word("pretrain.context"), elem_id="pretrain-context"), Prose([])
    changing = (run, step, moment, text, beside, frame.language)
    asked = due(frame.fold("context", fold), [each.change for each in changing])
    inputs = [frame.visitor, run, step, text, frame.language, beside]
    frame.listen(asked.change, measured, inputs, {"picture": picture, "said": said}, trigger_mode="always_last")
    keep_offered(frame, fold, beside, scores_texts)


def measured(visitor: str, run: str, step: str, text: str, language: str, beside: Sequence[str]) -> Values:
    """A line for each run that reads from left to right, and a sentence about each."""
    own = head(text or "")
    texts = (own,) if own.strip() else (unlearnt(visitor, run) or stories(tongue(visitor, run, language)))

    def measure(name: str, model: Trained) -> tuple[LossByContext, int, int]:
        found = _found.get((name, model.step, texts), lambda: loss_by_context(model, texts))
        return found, model.lookback, model.context

    made, said = of_each(visitor, run, step, beside, measure)
    if not made:
        return {"picture": NOTHING, "said": said}
    series = [part for number, (title, found) in enumerate(made) for part in lines(title, number, *found)]
    drawn = NOTHING | {"series": series, "x": say("pretrain.context.axis"), "y": say("pretrain.context.unit")}
    return {
        "picture": drawn | {"legend": True},
        "said": [*(sentence(title, found) for title, (found, *_) in made), *said],
    }


def unlearnt(visitor: str, run: str) -> tuple[str, ...]:
    """The beginning of what the run on show keeps of a text file for validation; nothing of one that is too large to be
    read meanwhile, or gone, nor of a folder."""
    folder = readable(run, visitor) if run else None
    if folder is None or folder.run.corpus != "file":
        return ()
    with suppress(SettingsError, OSError):
        file = Path(folder.run.corpus_settings["path"])
        if file.is_file() and file.stat().st_size <= READ:
            return (_held.get(folder.name, lambda: _beginning(split(documents_of(folder.run))[1])),)
    return ()


def _beginning(documents: Sequence[Document]) -> str:
    return "\n".join(document.text for document in documents)[:LONGEST]


def tongue(visitor: str, run: str, language: str) -> Tongue:
    """In which language stories are read: that of the town from which the run on show has learnt, else the page's."""
    corpus = readable(run, visitor).run.corpus if run else ""
    return "zh" if corpus == "town_zh" or (corpus != "town_en" and language == "zh") else "en"


@lru_cache(maxsize=2)
def stories(language: Tongue) -> tuple[str, ...]:
    """Stories of the town that are read where there is no text of one's own."""
    return tuple(unseen_story(language, number) for number in range(STORIES))


def lines(title: Any, number: int, found: LossByContext, lookback: int, context: int) -> list[dict[str, Any]]:
    """The line of a run up to the most tokens behind which it has predicted, and beyond them another, thin and
    dashed."""
    inside = sum(length <= lookback for length in found.lengths)
    style = {"colour": COLOURS[number]}
    drawn = [{"name": title, "x": found.lengths[:inside], "y": found.bits[:inside], "dots": True, **style}]
    if inside < len(found.lengths):
        beyond = {"x": found.lengths[inside - 1 :], "y": found.bits[inside - 1 :], "kind": "points"}
        name = say("pretrain.context.beyond", title=title, n=grouped(context))
        drawn.append({"name": name, **beyond, **style})
    return drawn


def sentence(title: Any, found: LossByContext) -> list[Any]:
    """What a run gains by seeing more than one token."""
    best = min(range(len(found.bits)), key=found.bits.__getitem__)
    values = {"first": f"{found.bits[0]:.2f}", "best": f"{found.bits[best]:.2f}", "at": grouped(found.lengths[best])}
    return ["p", say("pretrain.context.said", title=title, n=grouped(found.targets), **values)]
