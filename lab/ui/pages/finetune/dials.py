"""What is chosen before the start: the task, where to start from, what moves, on which labels, and for how long."""

from typing import Any

import gradio as gr

from lab.catalog import CORPORA, TASKS
from lab.runs.run import Run, Training
from lab.runs.tuning import FULL, HOW, Tuning
from lab.training.run_request import FINETUNING, TUNING
from lab.ui.components.choice import Choice
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.pages.finetune.cost import cost
from lab.ui.pages.finetune.dataset import PARTS, boxes, look_at, offer, own_file, take_file, take_test
from lab.ui.pages.finetune.starts import Starts
from lab.ui.runs.fine_tuning import EPOCHS
from lab.ui.runs.labelled_texts import EVERY, corpora
from lab.ui.runs.plan import OWN, built_in, options
from lab.ui.shell.answers import Values
from lab.ui.shell.at_rest import at_rest
from lab.ui.shell.forms import Slider, form
from lab.ui.shell.frame import Frame
from lab.ui.shell.panel import Panel, any_of, spoken
from lab.ui.words import pair, say, titled, word

TASK, DATA = "finetune.task", "finetune.data"  # what other choices know these two by
BUDGETS = (10, 30, 100, 300, 1000, 3000, 10_000)
STORIES, RATE, LENGTH = 1000, 5e-4, 128  # of texts: a published model would read 512 tokens, and take the memory


def dials(frame: Frame) -> tuple[Panel, dict[str, Any]]:
    """The controls that decide a comparison; the panel's own are among the parts."""
    task = frame.share(
        "task", Choice("classify", options=options(list(TASKS)), topic=TASK, folded=True, label=word(TASK))
    )
    starts = Starts(frame, task)
    plain: dict[str, Any] = {"task": task, "parent": starts.run, "beside": starts.beside}
    plain["how"] = frame.share("how", Choice(FULL, options=_ways(), many=True, label=word("finetune.how")))
    plain["data"] = frame.share("data", Choice("town_en", options=_data(), topic=DATA, after=[TASK], label=word(DATA)))
    told = [entry.name for entry in CORPORA if entry.task]
    tongues = [{"name": name, "title": say(f"finetune.language.{name}"), "only": told} for name in ("en", "zh")]
    tongue = Choice("en", options=tongues, after=[DATA], label=word("finetune.language"))
    plain["language"] = frame.begins(frame.share("tongue", tongue), en="en", zh="zh")
    own, parts = _own(frame)
    plain |= own
    plain["labels"] = frame.share("labels", Choice(EVERY, options=_budgets(), label=word("finetune.labels")))
    plain["epochs"] = frame.share("epochs", Slider(1, EPOCHS, 3, step=1, label=word("finetune.epochs")))
    with gr.Accordion(word("finetune.more"), open=False):
        Prose([["h3", say("finetune.more.corpus")]])
        texts = form(built_in()[0].settings, defaults={"stories": STORIES})
        Prose([["h3", say("finetune.more.how")]])
        only = ["pooling", "blocks", "rank", "alpha", "everywhere", "length"]
        tuning = form(Tuning, only=only, defaults={"length": LENGTH, **TUNING})
        Prose([["h3", say("finetune.more.training")], ["note", say("finetune.more.training.note")]])
        knobs = ["batch", "learning_rate", "warmup", "weight_decay", "clip"]
        training = form(Training, only=knobs, defaults={"learning_rate": RATE, "warmup": FINETUNING["warmup"]})
        plain["seed"] = form(Run, only=["seed"]).controls["seed"]
    panel = Panel(plain, {"corpus_settings": texts, "tuning": tuning, "training": training})
    columns = [f"{part}_column" for part in PARTS]
    panel.share(frame, [*columns, "skip", "seed", "corpus_settings", "tuning", "training"])
    return panel, parts | plain


def _ways() -> list[dict[str, Any]]:
    return [{"name": how, "title": say(f"finetune.how.{how}"), "note": say(f"finetune.how.{how}.note")} for how in HOW]


def _data() -> list[dict[str, Any]]:
    """The labelled corpora, each there for the tasks that it serves, and a file of one's own, for all of them."""
    ends: list[dict[str, Any]] = [
        {"name": entry.name, "title": say(f"{DATA}.{entry.name}"), "note": say(f"{DATA}.town.note")}
        for entry in built_in()
    ]
    others: list[dict[str, Any]] = [
        {"name": entry.name, "title": titled(entry), "note": pair(entry.summary, entry.summary_zh)}
        for entry in CORPORA
        if entry.task
    ]
    tasks = {name: [task.name for task in TASKS if name in [c.name for c in corpora(task)]] for name in CORPORA.names()}
    mine = {"name": OWN, "title": say(f"{DATA}.own"), "note": say(f"{DATA}.own.note")}
    return [*({**option, "only": tasks[option["name"]]} for option in ends + others), mine]


def _budgets() -> list[dict[str, Any]]:
    some = [{"name": str(n), "title": f"{n:,}"} for n in BUDGETS]
    return [*some, {"name": EVERY, "title": say("finetune.labels.all"), "note": say("finetune.labels.note")}]


def _own(frame: Frame) -> tuple[dict[str, Any], dict[str, Any]]:
    """Where a file of the visitor's own is brought: what decides the run, and what is shown beside it."""
    plain: dict[str, Any] = {}
    parts: dict[str, Any] = {}
    with gr.Column(visible=False) as parts["mine"]:
        parts["file"] = gr.File(label=word("finetune.upload"), file_count="single", type="filepath", height=160)
        with gr.Row():
            for part in PARTS:
                plain[f"{part}_column"] = gr.Dropdown(
                    [], label=word(f"finetune.{part}_column"), allow_custom_value=True, min_width=140
                )
        plain["skip"] = gr.Checkbox(False, label=word("finetune.skip"))
        parts["facts"] = Prose([])
        with gr.Accordion(word("finetune.test"), open=False):
            Prose([["note", say("finetune.test.note")]])
            parts["test_file"] = gr.File(
                label=word("finetune.upload"), file_count="single", type="filepath", height=130
            )
            parts["test_fault"] = Prose([])
    plain["text"] = frame.share("file", Memo(pattern=r"[0-9a-f]{64}"))
    plain["test"] = frame.share("test", Memo(pattern=r"[0-9a-f]{64}"))
    for name in ("file_name", "test_name"):  # as the visitor calls what they brought
        parts[name] = frame.share(name, Memo(pattern=r"[^\x00-\x1f]{0,80}"))
    return plain, parts


def speak(language: str, query: str) -> Values:
    """Texts in the visitor's language, unless the address has chosen others."""
    return spoken("data")(language, query)


def wire_dials(frame: Frame, panel: Panel, parts: dict[str, Any]) -> None:
    """What one choice means for the others, and what the comparison would take."""

    def on(event: Any, handler: Any, inputs: list[Any], names: list[str]) -> Any:
        return frame.listen(event, handler, inputs, {name: parts[name] for name in names})

    def price(visitor: str, *values: Any) -> Values:
        return cost(visitor, panel.read(values))

    columns, task = [f"{part}_column" for part in PARTS], parts["task"]
    frame.opens(speak, [frame.language, frame.query], {"data": parts["data"]})
    on(parts["file"].change, take_file, [parts["file"], task], ["text", "file_name", "facts", *columns])
    on(parts["test_file"].change, take_test, [parts["test_file"]], ["test", "test_name", "test_fault"])
    brought = [parts[name] for name in ("text", "file_name", "test", "test_name")]
    frame.opens(boxes, brought, {name: parts[name] for name in ("file", "test_file")})
    offering = [parts["text"], frame.query, task]
    offered = frame.opens(offer, offering, {name: parts[name] for name in columns})
    chosen = [parts[name] for name in ("text", "task", "skip", "test", *columns)]
    on(offered.then, look_at, chosen, ["facts"])
    on(task.change, offer, offering, columns)
    on(any_of([each.change for each in chosen]), look_at, chosen, ["facts"])
    frame.opens(own_file, [parts["data"]], {"mine": parts["mine"]})
    on(parts["data"].change, own_file, [parts["data"]], ["mine"])
    priced = [frame.visitor, *panel.components]
    settled = at_rest([control.change for control in panel.components], parts["forecast"])
    on(settled, price, priced, ["forecast", "objection"])
    frame.opens(price, priced, {name: parts[name] for name in ("forecast", "objection")})
