"""Runs and links of earlier versions, read as those of today: models that have another name, recipes that changed."""

from collections.abc import Mapping
from typing import Any

from lab.catalog import MODELS
from lab.entries import Masking, ObjectiveSettings
from lab.settings import SettingsError

LAB, VERSION = "cloze-lab", "0.2.0"  # as pyproject.toml has it; runs of 0.1.0 do not name it
# Recipes whose settings once held a kind of attention and the reach of a window: each is a model of its own today.
CHOSE = frozenset("bert macbert spanbert albert roberta distilbert electra glm chatglm glm4 gpt gpt1 llama".split())
FULL, WINDOW = "full", "window"
# The models whose own learning rate was another while the masking rate of a run stayed the same.
QUICKER = frozenset(
    "bert roberta macbert spanbert distilbert electra longformer deberta_v1 deberta_v2 deberta_v3".split()
)
RATE = 6e-3
BEGAN = {"t5": 1e-2, "t5_v11": 1e-2, "glm": 1e-2, "elmo": 1e-2, "lstm": 1e-2}  # own learning rates in version 0.1.0
REACH = 32  # tokens, where a run or a link does not say it


def today(model: str, shape: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The model and the shape of a run or a link, as they are called today: LLaMA with a window is Mistral.

    Raises SettingsError where the lab has no such model any more.
    """
    if model not in CHOSE or not {"attention", WINDOW} & shape.keys():
        return model, dict(shape)
    kind, reach = shape.get("attention", FULL), shape.get(WINDOW, REACH)
    rest = {name: value for name, value in shape.items() if name not in ("attention", WINDOW)}
    if kind == FULL:
        return model, rest
    old, new = MODELS[model], MODELS["mistral"]
    values, knobs = old.settings.renamed(rest), old.settings.knobs()
    lost = [name for name in values if name in knobs and name not in new.settings.knobs()]
    if model == "llama" and kind == WINDOW and all(values[name] == knobs[name].default for name in lost):
        return new.name, {name: value for name, value in values.items() if name not in lost} | {WINDOW: reach}
    raise SettingsError(
        f"the lab has no {old.title} with attention {kind!r} any more: train a Longformer, a Mistral or a "
        "Linear Transformer instead",
        f"本实验室不再有 attention 为 {kind!r} 的 {old.title_zh}：请改为训练 Longformer、Mistral 或线性 Transformer",
    )


def as_begun(
    training: Mapping[str, Any], model: str, objective: ObjectiveSettings, onward: bool, versions: Mapping[str, str]
) -> dict[str, Any]:
    """The settings of training with which a run was begun, so that it goes on with them: a run from before the masking
    rate fell, or before rows overlapped where what comes next is asked (``onward``), was written down with every
    setting but that one. ``versions`` are noted as a run begins, none before; where they do not name the lab, a rate
    that was left out is the one that was the model's own then."""
    if not training.keys() >= {"learning_rate", "precision"}:
        return dict(training)
    begun = {"overlap": False, **training} if onward else dict(training)
    if isinstance(objective, Masking) and "initial_masking" not in training:
        rate = training["learning_rate"] or (RATE if model in QUICKER else None)
        begun |= {"initial_masking": objective.share, "learning_rate": rate}
    if versions and LAB not in versions:
        begun["learning_rate"] = begun["learning_rate"] or BEGAN.get(model)
    return begun
