"""The outlook before the start: what the run would cost, and whether its model will be seen learning in its time."""

from collections.abc import Mapping
from typing import Any

from lab.analysis.forecast import forecast
from lab.catalog import MODELS
from lab.runs.run import Run
from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.ui.runs.plan import OWN, built_in, pretraining
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import grouped, short, size_of
from lab.ui.words import complaint, pair, say, titled


def cost(asked: Mapping[str, Any]) -> Values:
    """What the run would cost, or the sentence that says why it cannot be."""
    without = dict(asked) | ({"corpus": built_in()[0].name} if asked.get("corpus") == OWN else {})
    try:
        run = pretraining(without, "")
        foreseen = forecast(run, run.settings_of("tokenizer").vocabulary)
    except SettingsError as error:
        return {"forecast": {"tiles": []}, "objection": [["note", complaint(error)]]}
    per_step = grouped(foreseen.cost.tokens)
    how = say("pretrain.cost.measured" if foreseen.measured else "pretrain.cost.guessed")
    tiles = [
        ("steps", _about(short(foreseen.steps)), how),
        ("tokens", _about(short(foreseen.tokens)), say("pretrain.cost.each", n=per_step)),
        ("parameters", short(foreseen.cost.parameters), say("pretrain.cost.limit", n=short(limits().parameters))),
        ("memory", _about(size_of(foreseen.memory)), say("pretrain.cost.worker")),
    ]
    named = [{"name": say(f"pretrain.cost.{name}"), "value": value, "note": note} for name, value, note in tiles]
    return {"forecast": {"tiles": named}, "objection": late(run)}


def late(run: Run) -> list[list[Any]]:
    """What is to be known of a run that is too short, or too small, for its model to be seen learning; or that may end
    before its time."""
    model = MODELS[run.model]
    if "counts" in model.traits:
        return [["note", say("pretrain.late.once", model=titled(model))]]
    known, shape = model.learning, run.settings_of("model")
    if known is None or run.objective != model.objective:
        return []
    seconds = known.longer.get(run.corpus, known.seconds)
    small = [name for name, least in known.least.items() if getattr(shape, name) < least]
    if known.shows == "loss" and not small and (run.plan.seconds or 0) >= seconds:
        return []
    knobs = {name: model.settings.knobs()[name].metadata["knob"] for name in known.least}
    sizes = [f", {knob.en.lower()} {known.least[name]}" for name, knob in knobs.items()]
    sizes_zh = [f"、{knob.zh} {known.least[name]}" for name, knob in knobs.items()]
    facts = {"model": titled(model), "seconds": seconds, "why": pair(*known.why)}
    return [["note", say(f"pretrain.late.{known.shows}", sizes=pair("".join(sizes), "".join(sizes_zh)), **facts)]]


def _about(n: str) -> Any:
    return say("pretrain.cost.about", n=n)
