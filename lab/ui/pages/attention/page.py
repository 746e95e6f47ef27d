"""Attention: who looks at whom in one's own text, how one head works that out, and what changes where it is changed."""

import gradio as gr

from lab.analysis.count import attends
from lab.ui.components.attention_map import AttentionMap
from lab.ui.components.drawn import to_json
from lab.ui.components.head_steps import HeadWalk
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.token_strip import TokenStrip
from lab.ui.pages.attention import heads
from lab.ui.pages.attention.maps import blind, look
from lab.ui.pages.attention.stepping import walk
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell.folds import due
from lab.ui.shell.frame import Frame
from lab.ui.words import say, word
from lab.vocabulary import MASK

NAME = "attention"
SPECIMENS = {
    "english": f"Oscar carried a big bag to the {MASK}. He had to wait two hours for the train.",
    "chinese": f"玛雅在面包店当{MASK}。她爱笑，朋友很多。",
    "repeated": "the cat saw the dog and the dog saw the cat",
}


def build(frame: Frame) -> None:
    """The page."""
    frame.heading("attention.title", "attention.lead")
    with gr.Row():
        with gr.Column(scale=7):
            text = gr.Textbox(label=word("attention.text"), info=word("attention.info"), lines=2, max_lines=6)
            frame.begins(text, en=SPECIMENS["english"], zh=SPECIMENS["chinese"])
        with gr.Column(scale=5):
            picker = RunPicker(frame, "attention.run", lambda run: attends(run.model), "bert", blind)
            with gr.Row(elem_classes=["lab-examples"]):
                for name, specimen in SPECIMENS.items():
                    button = gr.Button(word(f"attention.specimen.{name}"), size="sm")
                    button.click(None, None, [text], js=f"() => {to_json(specimen)}", api_visibility="private")
    frame.share("text", text)
    head = frame.share("head", Memo("", pattern=heads.PATTERN))
    strip = TokenStrip(elem_id="attention-strip")
    maps = AttentionMap(elem_id="attention-maps")
    remarks = Prose([], elem_id="attention-said")
    with gr.Accordion(word("attention.steps"), open=False) as fold:
        Prose([["note", say("attention.steps.note")]])
        walked = HeadWalk({"empty": say("attention.waiting")}, elem_id="attention-steps")
    with gr.Row(elem_classes=["lab-examples"]):
        further = gr.Button(word("attention.generate"), size="sm")
    line = frame.command()
    sent = [*picker.asked, text, head]
    shown = {"strip": strip, "maps": maps, "remarks": remarks, "head": head, "command": line}
    for event in (text.change, *picker.changes):
        frame.listen(event, of_model(look), sent, shown, trigger_mode="always_last")
    frame.opens(of_model(look), sent, shown)
    asked = due(fold, [text.change, head.change, *picker.changes])
    frame.listen(asked.change, of_model(walk), sent, {"walk": walked}, trigger_mode="always_last")
    picked = "(({ kind, layer, head }) => [...(kind ? [kind] : []), layer + 1, head + 1].join('.'))"
    maps.pick(None, None, [head], js=f"() => {picked}(window.lab.fired)", api_visibility="private")
    further.click(None, [*picker.asked, text], None, js=frame.goto("generate", "run", "step", "text"))
