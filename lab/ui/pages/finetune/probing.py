"""Probing: what a linear classifier reads off each layer of the chosen runs, with the models left as they are."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr

from lab.catalog import TASKS
from lab.data.reading import parts_of
from lab.inference.layer_probe import LARGE, PROBED, probed, shuffled
from lab.settings import SettingsError
from lab.training.run_request import Chosen, finetuning
from lab.ui.pages.finetune.arms import COLOURS
from lab.ui.pages.finetune.comparison import SHARES, written, yardsticks
from lab.ui.runs.fine_tuning import MOST, RANDOM, names_in
from lab.ui.runs.labelled_texts import budget_of, evaluation, labelled
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped
from lab.ui.shell.lru import Kept
from lab.ui.shell.visitor import label, saved, trained
from lab.ui.words import complaint, say

NOTHING: dict[str, Any] = {"series": [], "empty": say("finetune.probe.empty"), "dials": False, "legend": True}
NOTHING |= {"x": say("finetune.mismatch.layer"), "height": 280, "low": 0}
DIGITS = 4

_found = Kept(32)  # by run, its step, and the texts


def offered(task: str) -> Values:
    """The fold is there for the tasks whose answers are classes."""
    return {"probe": gr.update(visible=task in PROBED)}


def follow(visitor: str, opened: bool, asked: Mapping[str, Any]) -> Values:
    """The picture of what is chosen on the page; nothing is worked out while the fold is closed. The first run that can
    be probed has its control beside it."""
    task = str(asked.get("task"))
    if not opened or task not in PROBED:
        return {}
    try:
        texts = labelled(asked, TASKS[task], budget_of(asked))
    except SettingsError as error:
        return _drawn([], {}, [["note", complaint(error)]], "")
    settings = json.dumps(dict(texts.settings), sort_keys=True)
    names = dict.fromkeys([str(asked["parent"]), *names_in(str(asked.get("beside", "")))])
    series, refused, first, line = list[dict[str, Any]](), list[list[Any]](), dict[str, Any](), ""
    for name in [name for name in names if name and name != RANDOM][:MOST]:
        try:
            title, found = _of(visitor, name, task, texts.corpus, settings, control=not first)
        except SettingsError as error:
            refused.append(["note", complaint(error)])
            continue
        series.append(scores(title, found["by_layer"], COLOURS[len(series)]))
        if not first:
            first, line = found, evaluation(name, texts.corpus, texts.settings, "--probe", task)
    return _drawn(series, first, refused, line)


def _drawn(series: Sequence[dict[str, Any]], first: Mapping[str, Any], refused: list[list[Any]], line: str) -> Values:
    """The answer of the fold: the lines, those that the ``first`` document has beside them, and what is said."""
    if not series:
        return {"probe picture": NOTHING, "probe about": refused, "probe command": {"command": ""}}
    measure = str(first["score"])
    control = say("finetune.probe.shuffled", title=series[0]["name"])
    lines = [*series, *([scores(control, first["shuffled"], "original")] if "shuffled" in first else [])]
    picture = NOTHING | {"series": lines, "baselines": yardsticks(first["baselines"], measure)}
    picture |= {"y": say(f"finetune.measure.{measure}")} | ({"high": 1} if measure in SHARES else {})
    about = [best(each, measure) for each in series]
    about.append(["note", say("finetune.probe.texts", **{name: grouped(n) for name, n in first["texts"].items()})])
    return {"probe picture": picture, "probe about": about + refused, "probe command": {"command": line}}


def _of(visitor: str, name: str, task: str, corpus: str, settings: str, *, control: bool) -> tuple[Any, dict[str, Any]]:
    """The title of a run and the scores by layer, once for each state of it; the ``control`` beside them."""
    folder, model = saved(name, visitor), trained(name)

    def work_out() -> dict[str, Any]:
        # This run is never trained: it names the texts as one would that is.
        chosen: Chosen = {"corpus": json.loads(settings), "training": {"steps": 1}}
        run = finetuning(folder, task=task, corpus=corpus, chosen=chosen)
        parts = parts_of(run)
        found = probed(model, run, parts)
        if not control or model.parameters > LARGE:  # a copy of which would be a matter of the server's memory
            return found
        return {**found, "shuffled": probed(shuffled(model), run, parts)["by_layer"]}

    return label(folder.run, folder), _found.get((name, model.step, task, corpus, settings, control), work_out)


def scores(title: Any, found: Sequence[float], colour: str) -> dict[str, Any]:
    """The scores of a run over its layers, as a line of a Curve."""
    values = [round(score, DIGITS) for score in found]
    return {"name": title, "colour": colour, "x": [*range(len(values))], "y": values, "dots": True}


def best(line: Mapping[str, Any], measure: str) -> list[Any]:
    """At which layer a run's probe is best."""
    layer = line["y"].index(max(line["y"]))
    where = say("finetune.senses.block", n=layer) if layer else say("finetune.embedding.layer")
    score = written(measure, line["y"][layer])
    return ["p", say("finetune.probe.best", title=line["name"], layer=where, score=score)]
