"""Start: one sentence under every objective, with the answers of models that come with the lab, or of others."""

from typing import Any

import gradio as gr

from lab.catalog import OBJECTIVES
from lab.entries import ObjectiveEntry
from lab.ui.components.board import Board
from lab.ui.components.doors import Doors
from lab.ui.components.marked import Marked
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.replay import Replay
from lab.ui.components.token_strip import TokenStrip
from lab.ui.pages.start.answerer import AT_ONCE, SPANS
from lab.ui.pages.start.handlers import again, command, doors, first, going_on, hide, suits, view
from lab.ui.pages.start.replay import explained, recorded
from lab.ui.pages.start.spans import spans
from lab.ui.runs.picker import RunPicker
from lab.ui.shell.answers import Values
from lab.ui.shell.forms import Number
from lab.ui.shell.frame import Frame
from lab.ui.shell.panel import any_of
from lab.ui.words import LANGUAGES, WORDS, both, say, word

NAME = "start"


def build(frame: Frame) -> None:
    """The sentence beside a recorded run, the objectives below, the doors last. All is there when the page opens."""
    frame.heading("start.title", "start.lead")
    strips = {}
    with gr.Row():
        with gr.Column(scale=7, min_width=340):
            text = gr.Textbox(
                label=word("start.text"),
                placeholder=word("start.placeholder"),
                lines=2,
                max_lines=4,
                elem_id="start-text",
            )
            seed = Number(0, precision=0, visible="hidden")
            strips["tokens"] = TokenStrip(label=word("start.tokens"), elem_id="start-tokens")
            strips["mlm"] = _strip(OBJECTIVES["mlm"])
            with gr.Row(elem_classes=["lab-examples"]):
                roll = gr.Button(word("start.roll"), size="sm", elem_id="start-roll")
            picker = RunPicker(frame, "start.model", suits, "bert", snapshots=False)
        with gr.Column(scale=5, min_width=320):
            Replay(recorded(), label=word("start.replay"), elem_id="start-replay")
            Prose(explained())
    strips["clm"] = _strip(OBJECTIVES["clm"])
    written = Marked(label=word("start.writes"), elem_id="start-writes")
    replaced = _strip(OBJECTIVES[SPANS])
    with gr.Row(equal_height=True):
        for name in AT_ONCE[2:]:
            with gr.Column(min_width=500):
                strips[name] = _strip(OBJECTIVES[name])
    others = Board(label=word("start.others"), elem_id="start-board")
    Prose([["h2", say("start.doors")]])
    Doors(doors([page for page in frame.pages if page != NAME]))
    sentences = WORDS["start.default"]
    line = frame.begins(frame.command(), **{language: command(sentences[language], 0) for language in LANGUAGES})

    frame.share("text", text)
    frame.share("seed", seed)
    model = picker.run
    views = {**strips, "board": others}
    _first_view(frame, text, views, written, replaced)
    hidden = frame.share("hidden", Memo("", pattern=r"[0-9a-f]{8}-[\d.]{0,300}|"))
    fresh = {**views, "command": line, "hidden": hidden}
    changed = any_of([text.change, seed.change, *picker.changes])
    drawn = frame.listen(changed, again, [text, seed, hidden, model], fresh)
    frame.listen(any_of([text.change, *picker.changes]), going_on, [text, model], written)
    frame.listen(drawn.then, spans, [text, seed, model], replaced)  # token by token: what is there at once comes first
    later = {"continuation": written, "spans": replaced}
    frame.opens(first, [text, seed, hidden, model, frame.language], fresh | later)
    roll.click(
        None, seed, seed, js="(seed) => Math.max(0, Math.trunc(Number(seed) || 0)) + 1", api_visibility="private"
    )
    there = (
        "(text, seed) => window.lab.goto('objectives', ['objective', 'text', 'seed'], "
        "[window.lab.fired.name, text, seed], '#objectives-opened')"
    )
    others.pick(None, [text, seed], None, js=there, api_visibility="private")
    by_hand = {"mlm": strips["mlm"], "hidden": hidden}
    frame.listen(strips["mlm"].pick, hide, [text, seed, hidden, model], by_hand, trigger_mode="always_last")


def _strip(objective: ObjectiveEntry) -> Any:
    return TokenStrip(label=both(objective.title, objective.title_zh), elem_id=f"start-{objective.name}")


def _first_view(frame: Frame, text: Any, views: Values, written: Any, replaced: Any) -> None:
    """What the page opens with in each language, made once, when the lab starts."""
    sentences = WORDS["start.default"]
    frame.begins(text, **sentences)
    made = {language: view(sentence, 0) for language, sentence in sentences.items()}
    for name, component in views.items():
        frame.begins(component, **{language: values[name] for language, values in made.items()})
    frame.begins(written, **{language: going_on(sentence) for language, sentence in sentences.items()})
    frame.begins(replaced, **{language: spans(sentence, 0) for language, sentence in sentences.items()})
