"""The samplers on the Generate page: their settings as the browser sends them."""

from collections.abc import Sequence
from typing import Any

from lab.catalog import SAMPLERS
from lab.inference.sampler_chain import Chain
from lab.settings import SettingsError


def chain_of(values: Sequence[Any]) -> Chain:
    """The samplers that are on, with their settings, in the order that is asked for."""
    chosen = {
        entry.name: settings for entry, on, settings in zip(SAMPLERS, values, settings_of(values), strict=False) if on
    }
    return [(name, chosen[name]) for name in order_of(values) if name in chosen]


def order_of(values: Sequence[Any]) -> list[str]:
    """All samplers in the order in which they are applied: those that are named behind the settings first, the others
    as in their register."""
    place = len(list(SAMPLERS)) + sum(len(entry.settings.knobs()) for entry in SAMPLERS)
    asked = str(values[place]).split("*") if len(values) > place else []
    named = [name for name in dict.fromkeys(asked) if name in SAMPLERS.names()]
    return [*named, *(name for name in SAMPLERS.names() if name not in named)]


def settings_of(values: Sequence[Any]) -> list[dict[str, Any]]:
    """The settings of every sampler, checked. ``values`` are the switches of all samplers, then all their knobs, then
    their order."""
    rest = iter(values[len(list(SAMPLERS)) :])
    try:
        return [entry.settings.load({name: next(rest) for name in entry.settings.knobs()}).dump() for entry in SAMPLERS]
    except StopIteration:  # fewer values than knobs
        raise SettingsError("a setting of a sampler is missing", "缺少采样器的设置") from None


def flag(name: str, values: dict[str, Any]) -> str:
    """A sampler as the command line takes it."""
    return ":".join([name, *[",".join(f"{key}={value:g}" for key, value in values.items())]]).rstrip(":")
