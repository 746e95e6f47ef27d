"""Generate: ask a trained model. One that reads from left to right goes on writing, token by token, and every draw is
shown; one that fills gaps fills them.
"""

from collections.abc import Callable
from typing import Any

import gradio as gr

from lab.catalog import SAMPLERS
from lab.entries import SamplerEntry
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.side_by_side import Table
from lab.ui.components.writing import Candidates, ChainOrder, Columns, Draw, FeedbackLine, Gaps, Writing
from lab.ui.pages.generate.beams import searching
from lab.ui.pages.generate.beside import beside
from lab.ui.pages.generate.branching import branching
from lab.ui.pages.generate.contrasted import contrasting
from lab.ui.pages.generate.diverse import diversifying
from lab.ui.pages.generate.filling import fill
from lab.ui.pages.generate.in_browser import controls as described
from lab.ui.pages.generate.looks import looks
from lab.ui.pages.generate.many_texts import many_texts
from lab.ui.pages.generate.natural import natural, orders
from lab.ui.pages.generate.specimens import NATURAL, SPECIMENS, can_be_asked, specimen, turn
from lab.ui.pages.generate.writing import write
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell.forms import Number, form
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import LAST_SEED, prompt_field
from lab.ui.shell.panel import any_of
from lab.ui.words import both, say, word

NAME = "generate"
START = {"temperature": {"temperature": 0.8}}  # the samplers that are on at first, with their settings
FIRST = ("greedy", "temperature", "top_k", "top_p", "min_p")  # the samplers that are not folded away


def build(frame: Frame) -> None:
    """The page."""
    frame.heading("generate.title", "generate.lead")
    with gr.Row():
        with gr.Column(scale=7):
            text = prompt_field(label=word("generate.prompt"), lines=2, max_lines=6)
            frame.begins(text, en=SPECIMENS["write"]["english"], zh=SPECIMENS["write"]["chinese"])
            with gr.Row(elem_classes=["lab-examples"]):
                buttons = {name: gr.Button(word(f"generate.specimen.{name}"), size="sm") for name in SPECIMENS["write"]}
        with gr.Column(scale=5):
            picker = RunPicker(frame, "generate.run", can_be_asked, "gpt")
    for name, button in buttons.items():
        frame.listen(button.click, suited(name), picker.run, text)
    frame.share("text", text)
    remarks = Prose([], elem_id="generate-said")
    with gr.Column(visible=True, elem_id="generate-write") as writes:
        writing(frame, picker, text, remarks)
    with gr.Column(visible=False, elem_id="generate-fill") as fills:
        filling(frame, picker, text, remarks)
    halves = {"write": writes, "fill": fills, "text": text}
    frame.listen(picker.run.change, turn, [picker.run, text], halves)
    frame.opens(turn, [picker.run, text], halves)


def suited(name: str) -> Callable[[str], str]:
    """The handler of a button that sets a specimen."""

    def chosen(run: str) -> str:
        return specimen(name, run)

    return chosen


def writing(frame: Frame, picker: RunPicker, text: Any, remarks: Prose) -> None:
    """The half that writes."""
    page = Writing(label=word("generate.text"), elem_id="generate-text")
    branching(frame, picker)
    feedback = FeedbackLine(label=word("generate.feedback"), elem_id="generate-feedback")
    with gr.Row():
        with gr.Column(scale=7):
            bars = Candidates(label=word("generate.next"), elem_id="generate-bars", samplers=described())
            Prose([["note", say("generate.marks")]])
            draw = Draw(label=word("generate.draw"), elem_id="generate-draw")
        with gr.Column(scale=5):
            switches, knobs = samplers(frame)
            order = ChainOrder(names=SAMPLERS.names(), label=word("generate.chain"), elem_id="generate-chain")
            frame.share("chain", order)
            seed = Number(0, label=word("generate.seed"), precision=0, minimum=0, maximum=LAST_SEED)
    columns = Columns(label=word("generate.beside"), elem_id="generate-beside")
    of = Prose([])
    with gr.Row(elem_classes=["lab-examples"]):
        again = gr.Button(word("generate.compare"), size="sm")
    line = frame.command()
    frame.share("seed", seed)
    request = Memo("", pattern=r"[\s\S]{0,60000}")
    controls = [*switches, *knobs, order]
    inputs = [request, *picker.asked, text, seed, *controls]
    written = of_model(write, 1)
    outputs = {"writing": page, "feedback": feedback, "bars": bars, "draw": draw, "remarks": remarks, "command": line}

    def asks(what: str) -> dict[str, Any]:
        made = f"window.lab.writing ? (window.lab.nextToken.told(rest), window.lab.writing.{what}) : ''"
        script = f"(request, ...rest) => [{made}, ...rest]"
        return {"js": script}

    for control in controls:
        frame.listen(control.change, written, inputs, outputs, **asks("ask(0)"))
    frame.listen(any_of([text.change, *picker.changes]), written, inputs, outputs, **asks("restart(0)"))
    frame.listen(seed.change, written, inputs, outputs, **asks("again()"))
    frame.listen(page.step, written, inputs, outputs, trigger_mode="multiple", **asks("requested()"))
    frame.listen(bars.pick, written, inputs, outputs, **asks("pick(window.lab.fired.key)"))
    frame.opens(written, inputs, outputs, **asks("begin(24)"))
    following = f"(seed) => Math.max(0, Math.trunc(Number(seed) || 0) + 1) % {LAST_SEED + 1}"
    page.reroll(None, [seed], [seed], js=following, api_visibility="private")
    compared = [*picker.asked, text, seed, *controls]
    texts = {"columns": columns, "of": of}
    frame.listen(any_of([again.click, *picker.changes]), of_model(beside), compared, texts)
    frame.opens(of_model(beside), compared, texts)
    many_texts(frame, picker, text, [seed, *controls])
    searching(frame, picker, text)
    diversifying(frame, picker, text)
    contrasting(frame, picker, text)


def samplers(frame: Frame) -> tuple[list[Any], list[Any]]:
    """A switch for each sampler of the register, and the knobs of all, in the order in which they are applied."""
    made: dict[str, tuple[Any, list[Any]]] = {}
    with gr.Group(elem_classes=["samplers"]):
        made |= {entry.name: sampler(frame, entry) for entry in SAMPLERS if entry.name in FIRST}
    with gr.Accordion(word("generate.more"), open=False, elem_id="generate-more"):
        Prose([["note", say("generate.order")]])
        with gr.Group(elem_classes=["samplers"]):
            made |= {entry.name: sampler(frame, entry) for entry in SAMPLERS if entry.name not in FIRST}
    in_order = [made[name] for name in SAMPLERS.names()]
    return [switched for switched, _ in in_order], [knob for _, knobs in in_order for knob in knobs]


def sampler(frame: Frame, entry: SamplerEntry) -> tuple[Any, list[Any]]:
    """The switch of one sampler, with its summary, and its knobs."""
    label, info = both(entry.title, entry.title_zh), both(entry.summary, entry.summary_zh)
    switched = frame.share(entry.name, gr.Checkbox(entry.name in START, label=label, info=info))
    controls = form(entry.settings, defaults=START.get(entry.name)).controls
    switched.elem_id = f"sampler-{entry.name}"  # by which the browser knows them
    for name, control in controls.items():
        control.elem_id = f"sampler-{entry.name}-{name}"
    return switched, [frame.share(f"{entry.name}.{name}", control) for name, control in controls.items()]


def filling(frame: Frame, picker: RunPicker, text: Any, remarks: Prose) -> None:
    """The half that fills gaps."""
    gaps = Gaps(label=word("generate.gaps"), elem_id="generate-gaps")
    line = frame.command()
    answered = {"gaps": gaps, "remarks": remarks, "command": line}
    changed = any_of([text.change, *picker.changes])
    frame.listen(changed, of_model(fill), [*picker.asked, text], answered)
    frame.opens(of_model(fill), [*picker.asked, text], answered)
    gaps.pick(None, [text], [text], js="(text) => window.lab.filled(text)", api_visibility="private")
    looks(frame, picker, text)
    Prose([["h2", say("generate.orders")], ["note", say("generate.orders.lead")]])
    table = Table(orders("", ""), elem_id="generate-orders")
    Prose([["h2", say("generate.natural")], ["note", say("generate.natural.lead")]])
    with gr.Row():
        sentences = [prompt_field(label=word(f"generate.natural.{name}"), lines=1) for name in ("one", "other")]
    for name, sentence in zip(("one", "other"), sentences, strict=True):
        frame.begins(sentence, **NATURAL[name])
        frame.share(name, sentence)
    columns = Columns(label=word("generate.natural.label"), elem_id="generate-natural")
    compared = [*picker.asked, *sentences]
    frame.listen(changed, of_model(orders), [*picker.asked, text], table)
    written = any_of([*(sentence.change for sentence in sentences), *picker.changes])
    frame.listen(written, of_model(natural), compared, {"natural": columns})
    frame.opens(of_model(orders), [*picker.asked, text], table)
    frame.opens(of_model(natural), compared, {"natural": columns})
