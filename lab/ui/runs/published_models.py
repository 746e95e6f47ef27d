"""Published models: picked by name, fetched from the Hub by one click, and then asked like any run."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from lab.catalog import MODELS
from lab.exchange import hub_models
from lab.exchange.hub import is_hub_id, not_on_the_hub
from lab.exchange.hub_models import MEGABYTE, HubModel, hub_model
from lab.exchange.hub_store import SOURCE, ask_to_stop, kept_as, run_id, size_of
from lab.runs.folder import RunFolder
from lab.runs.run import IMPORTED, Run
from lab.serve import fetching
from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.ui.components.memo import Memo
from lab.ui.components.prose import Prose
from lab.ui.shell.answers import Values
from lab.ui.shell.frame import Frame
from lab.ui.words import both, complaint, say, titled, word

BEAT = 1.0  # seconds between two looks at how far a fetch is
LANGUAGES = {"en": ("English", "英文"), "zh": ("Chinese", "中文")}


def published_models(frame: Frame, run: Memo, suits: Callable[[Run], bool]) -> None:
    """The fold. ``run`` is set to a model's id as soon as it is here; only families that suit are offered."""
    offered = [model for model in hub_models.MODELS if model.bytes <= limits().published and suits(_as_run(model))]
    with gr.Accordion(word("hub.fold"), open=False):
        Prose([["note", say("hub.note")]])
        name = gr.Dropdown(
            [(_label(model), model.name) for model in offered],
            value=None,
            allow_custom_value=True,
            label=word("hub.choose"),
            info=word("hub.choose.hint"),
        )
        with gr.Row(elem_classes=["lab-examples"]):
            go = gr.Button(word("hub.fetch"), size="sm", interactive=False)
            stop = gr.Button(word("hub.stop"), size="sm", visible=False)
        status = Prose([], elem_classes=["lab", "lab-prose", "status"])
        timer = gr.Timer(BEAT, active=False)
    shown = {"said": status, "go": go, "stop": stop, "timer": timer, "run": run}
    frame.listen(name.change, look, [name], shown, trigger_mode="always_last")
    frame.listen(go.click, begin, [name], shown)
    frame.listen(stop.click, end, [name], shown)
    frame.listen(timer.tick, follow, [name], shown)


def look(name: str | None) -> Values:
    """What a model is, how large, and whether it is here: of those that are not listed, the Hub is asked."""
    try:
        name = _whole(name)
        if not name:
            return _still([], False)
        if fetching.state(name)["is"] in ("here", "coming"):
            return follow(name)
        return _still(_facts(name), True)
    except SettingsError as error:
        return _still([["problem", complaint(error)]], False)


def _facts(name: str) -> list[Any]:
    listed = hub_model(name)
    if listed is None:
        return [["note", say("hub.sized", name=name, size=_megabytes(fetching.sized(name)))]]
    facts = say(
        "hub.listed",
        name=listed.name,
        family=titled(MODELS[listed.model]),
        size=_megabytes(listed.bytes),
        licence=listed.licence,
    )
    commit = [["note", say("hub.pinned", commit=listed.revision[:7])]] if listed.revision else []
    return [["note", facts], *commit]


def begin(name: str | None) -> Values:
    """Begin to fetch the model."""
    try:
        name = _whole(name)
        if not name:
            return {}
        fetching.start(name)
        return follow(name)
    except SettingsError as error:
        return _still([["problem", complaint(error)]], True)


def end(name: str | None) -> Values:
    """Stop fetching; what has come stays for the next time."""
    ask_to_stop(_whole(name))
    return {"stop": gr.update(interactive=False)}


def follow(name: str | None) -> Values:
    """How far the fetch is; a model that is here is chosen at once."""
    name = _whole(name)
    now = fetching.state(name) if name else {"is": "absent"}
    if now["is"] == "coming":
        buttons = {"go": gr.update(visible=False), "stop": gr.update(visible=True), "timer": gr.update(active=True)}
        return {"said": [["busy", _progress(name, now)]], **buttons}
    folder = kept_as(name) if now["is"] == "here" else None
    if folder is not None:
        return {**_still([["note", _kept(name, folder)]], False), "run": run_id(name)}
    failed = now["is"] == "failed"
    said = [["problem", complaint(SettingsError(now["en"], now["zh"]))]] if failed else []
    return _still(said, bool(name))


def _progress(name: str, now: dict[str, Any]) -> dict[str, Any]:
    done, of = now["done"], now["of"]
    if not of:
        return say("hub.starting", name=name)
    if done >= of:
        return say("hub.reading", name=name)
    return say("hub.coming", name=name, done=_megabytes(done), of=_megabytes(of), share=f"{done / of:.0%}")


def _kept(name: str, folder: RunFolder) -> dict[str, Any]:
    source = folder.document(SOURCE)
    digest = next(iter(source.get("sha256", {}).values()), "")
    commit = str(source.get("revision", ""))[:7]
    return say("hub.here", name=name, size=_megabytes(size_of(folder)), commit=commit, digest=str(digest)[:12])


def _still(status: list[Any], may_fetch: bool) -> Values:
    """Nothing is being fetched."""
    return {
        "said": status,
        "go": gr.update(visible=True, interactive=may_fetch),
        "stop": gr.update(visible=False, interactive=True),
        "timer": gr.update(active=False),
    }


def _label(model: HubModel) -> Any:
    entry, languages = MODELS[model.model], LANGUAGES[model.language]
    short = model.name.rpartition("/")[2]
    return both(
        *(
            f"{short} · {title} · {language} · {_megabytes(model.bytes)} MB"
            for title, language in zip((entry.title, entry.title_zh), languages, strict=True)
        )
    )


def _as_run(model: HubModel) -> Run:
    return Run(kind=IMPORTED, model=model.model, objective=MODELS[model.model].objective)


def _megabytes(count: int) -> str:
    size = count / MEGABYTE
    return f"{size:,.0f}" if size >= 10 else f"{size:.2g}"


def _whole(name: str | None) -> str:
    """A model's name as the Hub has it. Raises SettingsError for what can be none."""
    name = str(name or "").strip()
    listed = hub_model(name)
    if name and not is_hub_id(name):
        raise not_on_the_hub(name)
    return listed.name if listed else name
