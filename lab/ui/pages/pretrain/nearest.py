"""Nearest words: what lies next to a word in the token embeddings of several runs, and analogies of words."""

import re
from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.inference.model import Trained
from lab.inference.neighbours import analogy, neighbours, tokens_of
from lab.runs.run import Run
from lab.serve.limits import within
from lab.spelling import spellings
from lab.ui.components.prose import Prose
from lab.ui.components.side_by_side import Table
from lab.ui.runs.beside import dropdown, keep_offered, of_each
from lab.ui.shell.answers import Values
from lab.ui.shell.folds import due
from lab.ui.shell.frame import Frame
from lab.ui.words import say, word

FIRST = {"en": "mother", "zh": "妈妈"}
BESIDE = ["bert-town", "gpt-town"]  # runs of the lab, shown at first beside that on show
BEST = 10  # words
LONGEST = 120  # characters
BETWEEN = re.compile(r"[\s,，、;；:：]+")
CONTROLS = {code: 0x2400 + code for code in range(32)}  # as pictures: nobody sees them otherwise
NOTHING: dict[str, Any] = {"columns": [], "rows": [], "empty": say("pretrain.beside.waiting")}


def nearest_words(frame: Frame, run: Any, step: Any, moment: Any) -> None:
    """The fold: worked out only while it is open."""
    with gr.Accordion(word("pretrain.nearest"), open=False) as fold:
        Prose([["note", say("pretrain.nearest.note")]])
        with gr.Row():
            asked_for = gr.Textbox(
                label=word("pretrain.nearest.word"),
                info=word("pretrain.nearest.info"),
                max_lines=1,
                max_length=LONGEST,
                min_width=240,
            )
            frame.begins(frame.share("word", asked_for), **FIRST)
            beside = dropdown(suits, BESIDE)
        table, said = Table(NOTHING, elem_id="pretrain-nearest"), Prose([])
    asked = due(frame.fold("nearest", fold), [each.change for each in (run, step, moment, asked_for, beside)])
    inputs = [frame.visitor, run, step, asked_for, beside]
    frame.listen(asked.change, nearest, inputs, {"table": table, "said": said}, trigger_mode="always_last")
    keep_offered(frame, fold, beside, suits)


def suits(run: Run) -> bool:
    """Whether a run was pretrained: its vectors are those that it learnt with its text."""
    return run.task is None


def nearest(visitor: str, run: str, step: str, asked_for: str, beside: Sequence[str]) -> Values:
    """A column for each run: how it cuts the words, and the tokens nearest to what is asked for. One word asks for its
    neighbours, three for an analogy."""
    within(asked_for or "", LONGEST)
    words = [each for each in BETWEEN.split(asked_for or "") if each]
    if len(words) not in (1, 3):
        return {"table": NOTHING | {"empty": say("pretrain.nearest.how")}, "said": []}
    made, said = of_each(visitor, run, step, beside, lambda _, model: column(model, words))
    if not made:
        return {"table": NOTHING, "said": said}
    titles, columns = zip(*made, strict=True)
    rows = [[say("pretrain.nearest.tokens"), *(each[0] for each in columns)]]
    rows += [[str(at), *(each[at] if at < len(each) else "–" for each in columns)] for at in range(1, BEST + 1)]
    if any(len(each) <= BEST for each in columns):
        said = [*said, ["note", say("pretrain.nearest.few")]]
    question = say("pretrain.nearest.analogy", a=words[0], b=words[1], c=words[2]) if len(words) > 1 else ""
    return {"table": {"columns": [say("pretrain.nearest.rank"), *titles], "rows": rows, "note": question}, "said": said}


def column(model: Trained, words: Sequence[str]) -> list[str]:
    """The tokens of the words, and the nearest with their cosines."""
    found = neighbours(model, words[0], BEST) if len(words) == 1 else analogy(model, words, BEST)
    pieces = [spellings(model.tokenizer.pieces(tokens_of(model, each))) for each in words]
    cut = " · ".join("|".join(part.strip() for part in each if part.strip()) for each in pieces)
    return [cut, *(f"{near.token.strip(' ').translate(CONTROLS) or '␣'} {near.cosine:.2f}" for near in found)]
