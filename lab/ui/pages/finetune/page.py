"""Fine-tune: the same labels learnt from several starts and in several ways, side by side."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

from lab.ui.components.bars import Bars
from lab.ui.components.curve import Curve
from lab.ui.components.drawn import to_json
from lab.ui.components.evidence import EvidenceText
from lab.ui.components.examples import ExampleList
from lab.ui.components.marked import Marked
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.components.run_list import RunList
from lab.ui.components.side_by_side import Table
from lab.ui.components.tiles import Tiles
from lab.ui.pages.finetune.asking import NO_BARS, NOTHING_SAID, ask, fields
from lab.ui.pages.finetune.by_embedding_fold import by_embedding_fold, wire_by_embedding
from lab.ui.pages.finetune.calibration import NO_DIAGRAM, NO_ERRORS
from lab.ui.pages.finetune.comparison import empty, ways
from lab.ui.pages.finetune.dials import dials, wire_dials
from lab.ui.pages.finetune.handlers import come_back, discard, look_again, open_page, resume, start, stop
from lab.ui.pages.finetune.layer_weights import layer_weights
from lab.ui.pages.finetune.mask_shares_fold import mask_shares_fold, wire_mask_shares
from lab.ui.pages.finetune.mismatch import NO_GUESSES, NO_SHIFTS, SENTENCES, guesses, shifts
from lab.ui.pages.finetune.mistakes import NO_EXAMPLES, cell, offered, unfold, wrong
from lab.ui.pages.finetune.moved import NOTHING as NOTHING_MOVED
from lab.ui.pages.finetune.probing_fold import probing_fold, wire_probing
from lab.ui.pages.finetune.samples import story
from lab.ui.pages.finetune.senses_fold import senses_fold, wire_senses
from lab.ui.pages.finetune.slots import all_of, laid_out
from lab.ui.pages.finetune.study_fold import study_fold, wire_study
from lab.ui.pages.finetune.ways_fold import ways_fold
from lab.ui.pages.finetune.weighing import NOTHING, weigh
from lab.ui.shell.answers import Values, apart
from lab.ui.shell.folds import due
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import prompt_field, told
from lab.ui.shell.panel import Panel, any_of
from lab.ui.words import LANGUAGES, say, word

NAME = "finetune"
EDIT = """() => {
  document.getElementById("finetune-own").scrollIntoView({ block: "center" });
  return [window.lab.fired.text, window.lab.fired.pair, window.lab.fired.options];
}"""


def build(frame: Frame) -> None:
    """Lay the page out and wire it."""
    frame.heading("finetune.title", "finetune.lead")
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=330):
            panel, parts = dials(frame)
        with gr.Column(scale=8, min_width=330):
            parts = apart(
                parts, _stage(frame), by_embedding_fold(frame), probing_fold(frame), _desk(frame), _below(frame)
            )
    Prose([["h2", say("finetune.measured")]])
    parts = apart(parts, study_fold(frame))
    ways_fold()
    parts = apart(parts, mask_shares_fold(frame), senses_fold(frame))
    Prose([["h2", say("finetune.list")]])
    parts["list"] = RunList({"runs": [], "empty": say("finetune.list.empty")})
    wire_dials(frame, panel, parts)
    _wire(frame, panel, parts)
    _wire_desk(frame, parts)
    _wire_mistakes(frame, parts)
    _wire_mismatch(frame, parts)
    wire_by_embedding(frame, panel, parts)
    wire_probing(frame, panel, parts)
    wire_study(frame, panel, parts)
    wire_mask_shares(frame, parts)
    wire_senses(frame, parts)


def _stage(frame: Frame) -> dict[str, Any]:
    """What the comparison will take, its buttons, and how it goes."""
    tuned, arms = Memo(pattern=r"[\w.-]{0,100}", subject=True), Memo(pattern=r"[\w.*-]{0,500}", subject=True)
    parts: dict[str, Any] = {"tuned": frame.share("tuned", tuned), "seen": gr.State(None), "arms": arms}
    parts["again"] = Memo()
    parts["forecast"] = Tiles(elem_id="finetune-forecast")
    parts["objection"] = Prose([])
    with gr.Row(equal_height=False, elem_classes=["lab-run-bar"]):
        for name, variant in (("start", "primary"), ("stop", "stop"), ("resume", "secondary")):
            parts[name] = gr.Button(
                word(f"finetune.{name}"),
                variant=variant,
                visible=name == "start",
                min_width=90,
                elem_id=f"finetune-{name}",
                elem_classes=["starts"] if name == "start" else [],
            )
    parts["state"] = Prose([], elem_id="finetune-state")
    parts["tiles"] = Tiles(elem_id="finetune-tiles")
    parts["scores"] = Curve(empty(), label=word("finetune.scores"))
    with gr.Accordion(word("finetune.ways"), open=False):
        Prose([["note", say("finetune.ways.note")]])
        parts["ways picture"] = Curve(NOTHING_MOVED, label=word("finetune.moved.own"))
        parts["ways"] = Table(ways([], [], []))
    return parts


def _desk(frame: Frame) -> dict[str, Any]:
    """Ask it: the fields of the task, and what each arm says."""
    Prose([["h2", say("finetune.try")]])
    own = prompt_field(story("en"), label=word("finetune.ask.classify"), lines=3, max_lines=8, elem_id="finetune-own")
    parts: dict[str, Any] = {"own": frame.share("try", own)}
    second = prompt_field("", label=word("finetune.ask.second.pair"), lines=1, max_lines=4, visible=False)
    parts["second"] = frame.share("second", second)
    several = prompt_field("", label=word("finetune.ask.options"), lines=2, max_lines=8, visible=False)
    parts["options"] = frame.share("options", several)
    with gr.Row() as parts["ends"]:
        for number, end in enumerate(("well", "badly"), start=1):
            texts = to_json({language: story(language, number) for language in LANGUAGES})
            button = gr.Button(word(f"finetune.end.{end}"), size="sm", min_width=120)
            script = f"() => ({texts})[window.lab.language]"
            button.click(None, None, [parts["own"]], js=script, api_visibility="private")
    parts["unread"] = Prose([], elem_id="finetune-unread")
    parts |= laid_out("bars", lambda there: Bars(NO_BARS, label=word("finetune.arm.any"), visible=there))
    parts["said"] = Marked(NOTHING_SAID, visible=False)
    parts["evidence"] = EvidenceText(NOTHING, label=word("finetune.evidence"))
    return parts


def _below(frame: Frame) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    with gr.Accordion(word("finetune.confusion"), open=False) as parts["confusion"]:
        Prose([["note", say("finetune.confusion.note")]])
        none = {"columns": [], "rows": [], "empty": say("finetune.confusion.empty")}
        parts |= laid_out("confusion", lambda there: Table(none, label=word("finetune.arm.any"), visible=there))
        parts["of"] = gr.Radio([], label=word("finetune.wrong"))
        parts["examples"] = ExampleList(NO_EXAMPLES)
        with gr.Column() as parts["calibrated"]:
            Prose([["h3", say("finetune.calibration")], ["note", say("finetune.calibration.note")]])
            parts["calibration"] = Curve(NO_DIAGRAM, label=word("finetune.calibration"))
            parts["calibration errors"] = Table(NO_ERRORS)
    with gr.Accordion(word("finetune.mismatch"), open=False) as parts["mismatch"]:
        Prose([["note", say("finetune.mismatch.note")]])
        gaps = prompt_field(label=word("finetune.mismatch.sentence"), lines=1, max_lines=3)
        parts["gaps"] = frame.begins(frame.share("gaps", gaps), **SENTENCES)
        parts["guesses"] = Table(NO_GUESSES)
        parts["shifts"] = Curve(NO_SHIFTS, label=word("finetune.mismatch.shifts"))
        Prose([["note", say("finetune.mismatch.shifts.note")]])
    with gr.Column(visible=False) as parts["mixed"]:
        parts["layer weights"] = Table(label=word("finetune.layers"), elem_id="finetune-layers")
        Prose([["note", say("finetune.layers.note")]])
    parts["loss"] = Curve(empty(), label=word("finetune.loss"))
    parts["command"] = frame.command()
    parts["timer"] = gr.Timer(1.0, active=False)
    return parts


def _wire(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    names = ["tuned", "arms", "seen", "again", "stop", "resume", "state", "tiles", "scores", "ways", "loss", "command"]
    names += ["ways picture"]
    names += ["timer", "list", *all_of("confusion")]
    visitor, shown = frame.visitor, parts["tuned"]

    def on(event: Any, handler: Any, inputs: Sequence[Any], **more: Any) -> Any:
        return frame.listen(event, handler, inputs, {name: parts[name] for name in names}, **more)

    def begin(visitor: str, *values: Any) -> Values:
        return start(visitor, panel.read(values))

    def pick(visitor: str, evt: gr.EventData) -> Values:
        return open_page(visitor, str(told(evt, "id", "")))

    def drop(visitor: str, now: str, evt: gr.EventData) -> Values:
        return discard(visitor, str(told(evt, "id", "")), now)

    opening = frame.opens(open_page, [visitor, shown], {name: parts[name] for name in names})
    begun = on(parts["start"].click, begin, [visitor, *panel.components], js=frame.behind(opening))
    begun.then(None, None, None, js="() => window.lab.started()", api_visibility="private")
    on(parts["stop"].click, stop, [visitor, shown])
    on(parts["resume"].click, resume, [visitor, shown])
    on(parts["timer"].tick, look_again, [visitor, parts["arms"], parts["seen"]])
    on(frame.reopened, come_back, [visitor, parts["arms"], parts["seen"]])
    on(parts["list"].show, pick, [visitor], trigger_mode="always_last")
    on(parts["list"].discard, drop, [visitor, shown])
    weights = {name: parts[name] for name in ("mixed", "layer weights")}
    frame.listen(parts["again"].change, layer_weights, [visitor, parts["arms"]], weights)


def _wire_desk(frame: Frame, parts: dict[str, Any]) -> None:
    typed = [parts[name] for name in ("own", "second", "options")]
    asked = [frame.visitor, parts["arms"], *typed]
    shown = [frame.visitor, parts["arms"], parts["own"], frame.language]
    laid = {name: parts[name] for name in ("own", "second", "options", "ends")}
    frame.listen(parts["arms"].change, fields, shown, laid)
    said = {name: parts[name] for name in ("said", "unread", *all_of("bars"))}
    changes = any_of([each.change for each in (*typed, parts["again"])])
    answered = frame.listen(changes, ask, asked, said)
    frame.listen(answered.then, weigh, asked[:-1], {"evidence": parts["evidence"]})


def _wire_mistakes(frame: Frame, parts: dict[str, Any]) -> None:
    """The wrong examples are worked out when somebody unfolds them; one that is clicked can be edited and asked."""
    asked, listed = [frame.visitor, parts["arms"]], {"examples": parts["examples"]}
    known = {name: parts[name] for name in ("of", "calibrated")}
    there = frame.listen(parts["arms"].change, offered, asked, {**known, **listed})
    frame.listen(parts["of"].input, wrong, [*asked, parts["of"]], listed, trigger_mode="always_last")
    counted = listed | {name: parts[name] for name in ("calibration", "calibration errors", *all_of("confusion"))}
    looked_at = due(parts["confusion"], [there.then])
    frame.listen(looked_at.change, unfold, [*asked, parts["of"]], counted, trigger_mode="always_last")
    for number, name in enumerate(all_of("confusion")):
        frame.listen(parts[name].pick, picked(str(number)), asked, listed, trigger_mode="always_last")
    edited = [parts["own"], parts["second"], parts["options"]]
    parts["examples"].pick(None, None, edited, js=EDIT, api_visibility="private")


def _wire_mismatch(frame: Frame, parts: dict[str, Any]) -> None:
    asked = [frame.visitor, parts["arms"], parts["gaps"]]
    changed = any_of([parts["mismatch"].expand, parts["gaps"].change])
    frame.listen(changed, guesses, asked, {"guesses": parts["guesses"]})
    read = [frame.visitor, parts["arms"], parts["own"]]
    changed = any_of([parts["mismatch"].expand, parts["own"].change])
    frame.listen(changed, shifts, read, {"shifts": parts["shifts"]})


def picked(of: str) -> Callable[..., Values]:
    """The handler of a cell in the confusion matrix of one arm."""

    def show(visitor: str, names: str, evt: gr.EventData) -> Values:
        return cell(visitor, names, of, told(evt, "row"), told(evt, "column"))

    return show
