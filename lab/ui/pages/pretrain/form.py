"""The form of the Pretrain page: a text of the visitor's own, and what one choice means for the others."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import gradio as gr

from lab.catalog import CORPORA, MODELS, OBJECTIVES
from lab.entries import ModelEntry
from lab.published import LACKS
from lab.serve.limits import limits
from lab.serve.uploads import about, keep_column, keep_pasted, keep_texts
from lab.settings import SettingsError
from lab.training.presets import with_authors_settings
from lab.training.sizes import shape
from lab.ui.components.knobs import knobs_value
from lab.ui.runs.columns import called, named
from lab.ui.runs.pinned_sentence import offered, suggested
from lab.ui.runs.plan import OWN, has_vectors
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped, percent
from lab.ui.shell.forms import kept_label
from lab.ui.shell.panel import named_in
from lab.ui.shell.visitor import choices
from lab.ui.words import complaint, say, word

SECONDS = {True: 60, False: 120}  # where the dial stands: to read on is learnt sooner than to fill gaps
OPTIMIZERS_OWN = ("weight_decay", "beta1", "beta2", "epsilon")  # settings that some optimizers do not have
GROUPS = ("corpus", OWN)  # what is shown of the settings depends on where the text is from


def take_file(path: str | None, pasted: str | None) -> Values:
    """Keep an uploaded text and show what it is; without a file, the one that was pasted."""
    return _taken(keep_texts(path, Path(path).name[:80])) if path else take_pasted(pasted)


def take_pasted(text: str | None) -> Values:
    """Keep a pasted text and show what it is."""
    return _taken(keep_pasted(text)) if text and text.strip() else _no_text()


def instead(pasted: str | None, path: str | None) -> Values:
    """A pasted text takes the place of a file, which is taken away; without any, the file stands again."""
    if path and not (pasted and pasted.strip()):
        return take_file(path, None)
    return {**take_pasted(pasted), "file": None}


def take_column(mark: str, column: str | None) -> Values:
    """Keep the texts of another column of the table that the text is from; if that has none, it is said why, and the
    text stays."""
    if not mark or not column or about(mark).get("column", column) == column:
        return {}
    try:
        return _taken(keep_column(mark, column))
    except SettingsError as error:
        before = again(mark)
        return before | {"facts": [["note", complaint(error)], *before["facts"]]}


def with_its_sentence(handler: Callable[..., Values]) -> Callable[..., Values]:
    """The handler with two more inputs, the text before and the pinned sentence: what was taken from that text goes
    with it, and one of the new text is offered."""

    def taken(*values: Any) -> Values:
        *given, before, pinned = values
        shown = handler(*given)
        if shown.get("text", before) == before:
            return shown
        with suppress(SettingsError):  # the text before may be kept no longer: nobody knows what it offered
            return shown | ({"pinned": ""} if pinned in offered(before) else {})
        return shown

    return taken


def again(mark: str) -> Values:
    """What a text is that was brought before a reload."""
    shown = _taken(about(mark)) if mark else _no_text()
    return {"facts": shown["facts"], "column": shown["column"]}


def still_kept(mark: str) -> Any:
    """After a reload the box for a file is empty, and yet what lay in it is used: it says so."""
    return kept_label() if mark else gr.skip()


def _no_text() -> Values:
    return {"text": "", "facts": [], "column": gr.update(choices=[], value=None, visible=False)}


def _taken(text: dict[str, Any]) -> Values:
    counts = {name: grouped(text.get(name, 0)) for name in ("characters", "lines", "longest_line", "repeated")}
    encoding = str(text.get("encoding", "utf-8")).upper().removesuffix("-SIG")
    facts = say("pretrain.own.facts", **counts, chinese=percent(text.get("chinese", 0.0)), encoding=encoding)
    notes = [["note", facts]]
    if "column" in text:
        rows = {name: grouped(text[name]) for name in ("rows", "left_out")}
        notes.insert(0, ["note", say("pretrain.own.column", column=called(text["column"]), **rows)])
    others = text.get("columns", [])
    columns = gr.update(choices=named(others), value=text.get("column"), visible=len(others) > 1)
    return {"text": text["mark"], "facts": [*notes, ["code", text["start"]]], "column": columns}


def arrange(asked: Mapping[str, Any]) -> Values:
    """Which parts of the form belong to what is chosen, and the sentence that suits it."""
    chosen = str(asked["corpus"])
    mark, own = str(asked.get("text", "")), chosen == OWN
    language = CORPORA[chosen].language if chosen in CORPORA else "en"
    language = about(mark)["language"] if mark and own else language
    groups = {OWN: own, "corpus": not own}
    return {
        "pinned": suggested(str(asked["objective"]), language, str(asked["pinned"]), mark, own),
        "objective_settings": knobs_value(
            str(asked["objective"]),
            with_authors_settings(str(asked["model"]), str(asked["objective"]), asked["objective_settings"]),
        ),
        "pair_settings": knobs_value(str(asked["pair"]), asked["pair_settings"]),
        **{f"group {name}": gr.update(visible=groups[name]) for name in GROUPS},
    }


def likening(objective: str, visitor: str, now: str | None) -> Values:
    """The runs whose vectors can say which tokens are similar, where the objective wants to know."""
    wanted = objective in OBJECTIVES and OBJECTIVES[objective].likens
    runs = choices(visitor, has_vectors) if wanted else []
    value = now if now in [name for _, name in runs] else ""
    none = (word("pretrain.neighbours.none"), "")
    return {"neighbours": gr.update(choices=[none, *runs], value=value, visible=wanted)}


def masks(objective: str) -> Values:
    """The masking rate at first has a place where tokens are masked."""
    known = objective in OBJECTIVES and OBJECTIVES[objective].masks
    return {"initial_masking": gr.update(visible=known)}


def heeds(optimizer: str) -> Values:
    """Settings that the optimizer does not have have no place."""
    return {name: gr.update(visible=name not in LACKS.get(optimizer, ())) for name in OPTIMIZERS_OWN}


def resize(model: str, size: str) -> Values:
    """The knobs of the chosen model, set to a preset."""
    return {"shape": knobs_value(model, shape(model, size))} if model in MODELS else {}


def resized(model: str, size: str, now: Mapping[str, Any], query: str) -> Values:
    """The knobs with which the page opens: those that the address names, where they are of the chosen model."""
    return {} if "shape" in named_in(query) and now["of"] == model else resize(model, size)


def usual(model: str, seconds: float | None) -> Values:
    """What a model learns, what it reads with and how long, unless somebody wants otherwise."""
    if model not in MODELS:
        return {}
    entry = MODELS[model]
    values: Values = {"objective": entry.objective, "tokenizer": entry.tokenizer}
    untouched = seconds in {time_of(other) for other in MODELS}
    return values | ({"seconds": time_of(entry)} if untouched else {})


def time_of(model: ModelEntry) -> int:
    """Seconds in which a model is seen learning, where this server lets a run have them."""
    known = model.learning.seconds if model.learning else 0
    return int(min(limits().seconds, max(SECONDS[OBJECTIVES[model.objective].left_to_right], known)))


def arriving(model: str, query: str) -> Values:
    """What comes with a model that an address names without its objective: what it does not name either."""
    asked = named_in(query)
    if "model" not in asked or "objective" in asked:
        return {}
    return {name: value for name, value in usual(model, SECONDS[True]).items() if name not in asked}
