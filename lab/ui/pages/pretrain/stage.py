"""The run on show: a bar that stays in sight, the curve beside the pinned sentence, its numbers, and all other runs."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from lab.serve.keeping import UNUSED
from lab.serve.limits import limits
from lab.training.sizes import shape
from lab.ui.components.curve import Curve
from lab.ui.components.memo import Memo, Saved
from lab.ui.components.pinned import Pinned
from lab.ui.components.prose import Prose
from lab.ui.components.run_list import RunList
from lab.ui.components.side_by_side import Table
from lab.ui.components.tiles import Tiles
from lab.ui.pages.pretrain.by_context import by_context
from lab.ui.pages.pretrain.by_layer import by_layer
from lab.ui.pages.pretrain.compared import overlay, overlay_on
from lab.ui.pages.pretrain.handlers import (
    DOORS,
    EMPTY,
    PLAYER,
    discard,
    followed,
    go_on,
    listing,
    may_see,
    note,
    open_page,
    pause,
    resume,
    retitle,
    shown_run,
    start,
    stop,
    take_one,
    view,
)
from lab.ui.pages.pretrain.nearest import nearest_words
from lab.ui.pages.pretrain.optimization import CURVES, NAMES
from lab.ui.runs.download import zipped
from lab.ui.runs.follow import Seen
from lab.ui.shell.answers import Values, apart
from lab.ui.shell.frame import Frame
from lab.ui.shell.inputs import told
from lab.ui.shell.panel import Panel
from lab.ui.words import say, word

# Whoever starts a run sees it: where most of the curve and the sentence is below the window, they come up to the bar.
SHOW = """() => {
  const { top, bottom } = document.querySelector(".lab-screen").getBoundingClientRect();
  if ((top + bottom) / 2 > innerHeight) window.lab.show(".lab-screen");
}"""


def stage(frame: Frame) -> dict[str, Any]:
    """The parts of the run on show, from the bar down to the list of runs."""
    parts: dict[str, Any] = {
        "run": frame.share("run", Memo(pattern=r"[\w.-]{0,100}", subject=True)),
        "seen": gr.State(None),
    }
    parts["objection"] = Prose([], elem_id="pretrain-objection")
    parts = apart(parts, _bar())
    with gr.Row(elem_classes=["lab-screen"]):
        parts["curve"] = Curve(EMPTY, label=word("pretrain.curve"))
        parts["follow"] = Pinned(followed(None, [], []), label=word("pretrain.follow"))
    parts["step"], parts["moment"] = Memo(pattern=r"\d{0,10}"), Memo()
    step = "() => window.lab.fired.step"
    parts["follow"].scrub(None, None, [parts["step"]], js=step, api_visibility="private")
    return apart(parts, _facts(frame, parts["run"], parts["step"], parts["moment"]), _records(frame))


def _bar() -> dict[str, Any]:
    """Start and Stop, and what is going on."""
    parts: dict[str, Any] = {}
    with gr.Row(equal_height=False, elem_classes=["lab-run-bar"], elem_id="pretrain-bar"):
        looks = {"variant": "primary", "elem_id": "pretrain-start", "elem_classes": ["starts"]}
        parts["start"] = gr.Button(word("pretrain.start"), min_width=90, **looks)
        others = {"stop": "stop", "resume": "primary", **dict.fromkeys(PLAYER, "secondary")}
        for name, variant in others.items():
            known_as = {"elem_id": f"pretrain-{name}", "min_width": 60 if name in PLAYER else 90}
            parts[name] = gr.Button(word(f"pretrain.{name}"), visible=False, variant=variant, **known_as)
        with gr.Column(min_width=120):
            parts["name"] = Prose([], elem_id="pretrain-name")
            parts["state"] = Prose([], elem_id="pretrain-state")
    return parts


def _facts(frame: Frame, run: Memo, step: Memo, moment: Memo) -> dict[str, Any]:
    """What else there is to see of the run, and what can be done with it. The folds that ask the model are answered
    anew at the ``moment`` from which it can be asked, and when it has learnt all that it will."""
    parts: dict[str, Any] = {"events": Prose([])}
    parts["tiles"] = Tiles(elem_id="pretrain-tiles")
    with gr.Column(visible=False) as parts["second group"]:
        parts["second"] = Curve(EMPTY, label=word("pretrain.second"))
    with gr.Accordion(word("pretrain.optimization"), open=False), gr.Row():
        for name, measure in zip(NAMES, CURVES, strict=True):
            with gr.Column(min_width=320):
                parts[name] = Curve(EMPTY, label=word(f"run.{measure}"))
    by_layer(frame, run, moment)
    by_context(frame, run, step, moment)
    nearest_words(frame, run, step, moment)
    with gr.Row(equal_height=False, elem_classes=["lab-run-doors"]):
        parts["title"] = gr.Textbox("", label=word("pretrain.run.title"), max_lines=1, max_length=80, scale=3)
        parts["task"] = Memo()  # what the model can be fine-tuned for
        for page in DOORS:
            parts[page] = gr.Button(word(f"pretrain.door.{page}"), visible=False, min_width=150)
            taken = {"run": run} | ({"task": parts["task"]} if page == "finetune" else {"step": step})
            parts[page].click(None, [*taken.values()], None, js=frame.goto(page, *taken), api_visibility="private")
        parts["download"] = gr.Button(word("pretrain.download"), visible=False, min_width=150)
    label, info = word("pretrain.notes"), word("pretrain.notes.info")
    parts["notes"] = gr.Textbox("", label=label, info=info, lines=1, max_lines=6, max_length=2_000, visible=False)
    saved = Saved(visible="hidden")
    frame.listen(parts["download"].click, zipped, [frame.visitor, run], saved, queue=True, concurrency_limit=1)
    parts["command"] = frame.command()
    parts["timer"] = gr.Timer(1.0, active=False)
    return parts


def _records(frame: Frame) -> dict[str, Any]:
    """All runs, and several of them over each other."""
    parts: dict[str, Any] = {}
    stays = limits().all_runs is None
    note = say("pretrain.runs.note") if stays else say("pretrain.runs.kept", hours=f"{UNUSED / 3600:.0f}")
    Prose([["h2", say("pretrain.runs")], ["note", note]])
    parts["compare"] = frame.share("compare", Memo(pattern=r"[\w.,-]{0,400}"))
    with gr.Column(visible=False, elem_id="pretrain-compared") as parts["compared"]:
        parts["overlay"] = Curve({"series": []}, label=word("pretrain.overlay"))
        parts["unlike"] = Prose([])
        parts["changes"] = Table(None, label=word("pretrain.changes"))
    parts["list"] = RunList({"runs": [], "empty": say("pretrain.runs.empty")})
    return parts


SHOWN = [
    "run",
    "seen",
    "name",
    "title",
    "notes",
    "stop",
    "resume",
    "state",
    "events",
    "curve",
    "tiles",
    "follow",
    *DOORS,
]
SHOWN += [*NAMES, *PLAYER, "command", "timer", "list", "second", "second group", "task", "download", "moment"]


def wire_run(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    """Start, follow, stop, and look at other runs."""
    shown = {name: parts[name] for name in SHOWN}
    visitor, run = frame.visitor, parts["run"]

    def on(event: Any, handler: Any, inputs: Sequence[Any], **more: Any) -> Any:
        return frame.listen(event, handler, inputs, shown, **more)

    def begin(visitor: str, size: str, *values: Any) -> Values:
        asked = panel.read(values)
        knobs = dict(zip(panel.plain, values, strict=False))["shape"]
        if knobs["of"] != asked["model"]:  # they have not followed the model
            asked["shape"] = shape(str(asked["model"]), str(size))
        return start(visitor, asked)

    def pick(visitor: str, evt: gr.EventData) -> Values:
        return shown_run(visitor, str(told(evt, "id", "")))

    def drop(visitor: str, shown: str, evt: gr.EventData) -> Values:
        return discard(visitor, str(told(evt, "id", "")), shown)

    def look_again(visitor: str, name: str, seen: Seen | None, ticked: str) -> Values:
        if name and not may_see(visitor, name):  # deleted meanwhile, in another tab or to make room
            return overlay_on(visitor, ticked) | open_page(visitor, name, ticked)
        return view(visitor, name, seen) | overlay_on(visitor, ticked)  # one question, where a class looks on

    def come_back(visitor: str, name: str, seen: Seen | None, ticked: str) -> Values:
        """Also what has come into the list meanwhile, in another window."""
        return {"list": listing(visitor, name)} | look_again(visitor, name, seen, ticked)

    opening = frame.opens(open_page, [visitor, run, parts["compare"]], shown)
    parts["start"].click(None, None, None, js=SHOW, api_visibility="private")
    # Whoever starts at once after a choice starts what it stands for, its size and objective among it; the forecast,
    # which takes longest, is not waited for.
    opened = f"() => ({frame.behind(opening)})().then(() => window.lab.still({parts['forecast']._id}))"
    chosen = parts["start"].click(None, None, None, js=opened, api_visibility="private")
    begun = on(chosen.then, begin, [visitor, parts["size"], *panel.components])
    begun.then(None, None, None, js="() => window.lab.started()", api_visibility="private")
    on(parts["stop"].click, stop, [visitor, run])
    on(parts["resume"].click, resume, [visitor, run])
    for name, answer in zip(PLAYER, (pause, go_on, take_one), strict=True):
        on(parts[name].click, answer, [visitor, run])
    on(parts["title"].submit, retitle, [visitor, run, parts["title"]])
    on(parts["title"].blur, retitle, [visitor, run, parts["title"]])
    for event in (parts["notes"].submit, parts["notes"].blur):
        on(event, note, [visitor, run, parts["notes"]])
    for chart in ("curve", "second", *NAMES):
        on(parts[chart].gap, view, [visitor, run])
    on(parts["list"].show, pick, [visitor], trigger_mode="always_last")
    on(parts["list"].discard, drop, [visitor, run])
    compared = {name: parts[name] for name in ("compared", "overlay", "unlike", "changes", "compare")}
    ticked = "() => window.lab.fired.ids.join(',')"
    parts["list"].overlay(None, None, [parts["compare"]], js=ticked, api_visibility="private")
    shown_ticked = "(ids) => { window.dispatchEvent(new CustomEvent('lab:ticked', { detail: ids })); }"
    parts["compare"].change(None, [parts["compare"]], None, js=shown_ticked, api_visibility="private")
    asked = [visitor, parts["compare"]]
    frame.listen(parts["compare"].change, overlay, asked, compared, trigger_mode="always_last")
    frame.opens(overlay, asked, compared)
    looking = [visitor, run, parts["seen"], parts["compare"]], shown | compared
    frame.listen(parts["timer"].tick, look_again, *looking)
    frame.listen(frame.reopened, come_back, *looking)
