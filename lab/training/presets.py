"""Hyperparameters that a model brings along: its authors' objective settings, and its paper's training."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.catalog import MODELS, OBJECTIVES
from lab.entries import Masking, ModelEntry
from lab.published import Published
from lab.runs.run import INITIAL_MASKING, Training
from lab.settings import SettingsError


@dataclass(frozen=True)
class Difference:
    """One setting of training that a paper has otherwise than the lab. None stands for the model's own."""

    name: str
    lab: Any
    paper: Any


def as_published(model: ModelEntry) -> dict[str, Any]:
    """The settings of training as the model's paper has them. Raises SettingsError where they are not known."""
    return _of(model).training() | _masking(model)


def beside(model: ModelEntry) -> tuple[str, str]:
    """What the paper did that is no setting of training, in English and Chinese."""
    return _of(model).beside


def source(model: ModelEntry) -> str:
    """Where it is said how the paper trained it: sections and code."""
    return _of(model).source


def differences(model: ModelEntry) -> list[Difference]:
    """Where the paper's settings are not the lab's; empty where they are not known."""
    if not model.published:
        return []
    usual = {name: item.default for name, item in Training.knobs().items()} | {"learning_rate": model.learning_rate}
    usual["initial_masking"] = INITIAL_MASKING
    return [Difference(name, usual[name], value) for name, value in as_published(model).items() if value != usual[name]]


def authors_settings(model: ModelEntry, objective: str) -> dict[str, Any]:
    """What a model's authors set otherwise in an objective that is usual for it."""
    return dict(model.objective_settings) if objective == model.objective else {}


def with_authors_settings(model: str, objective: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """An objective's settings as somebody has them on the screen, now that ``model`` is chosen: what came along with
    another model goes with it."""
    if model not in MODELS:
        return dict(values)
    authors = [authors_settings(other, objective) for other in MODELS]
    kept = {name: value for name, value in values.items() if not any(own.get(name) == value for own in authors)}
    return authors_settings(MODELS[model], objective) | kept


def _masking(model: ModelEntry) -> dict[str, Any]:
    """Papers mask as much from the first step to the last."""
    settings = OBJECTIVES[model.objective].settings.load(model.objective_settings)
    return {"initial_masking": settings.share} if isinstance(settings, Masking) else {}


def _of(model: ModelEntry) -> Published:
    published: Published | None = model.published
    if published is None:
        raise SettingsError(
            f"how {model.title} was trained is not published in a way that the lab could follow: leave published out",
            f"{model.title_zh} 的训练方式没有公布，或无法照做：请不要选择“论文的”训练方案",
        )
    return published
