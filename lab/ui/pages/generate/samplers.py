"""The samplers on the Generate page: their settings as the browser sends them, and the text that each writes."""

import math
from collections.abc import Sequence
from typing import Any

from lab.catalog import SAMPLERS
from lab.inference.sampler_chain import Chain
from lab.inference.sampling import sample
from lab.noise import Dice
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.ui.pages.generate.bounded import found
from lab.ui.shell import visitor
from lab.ui.shell.figures import probability
from lab.ui.shell.inputs import seed_of, tail
from lab.ui.words import pair, say

BESIDE = 32  # tokens that each sampler writes beside the others
PROMPT = 40  # characters of the prompt that are shown before them


def beside(run: str, text: str, seed: float, *values: Any) -> dict[str, Any]:
    """What each sampler writes, by itself, with the same uniform numbers."""
    within(text, limits().prompt)
    trained = visitor.trained(run) if run else None
    if trained is None or not trained.left_to_right:
        return {"columns": [], "empty": say("generate.no_runs")}
    seed = seed_of(seed)
    columns = []
    chosen = settings_of(values)
    chains = [[(entry.name, settings)] for entry, settings in zip(SAMPLERS, chosen, strict=True)]
    key = ("beside", run, trained.step, text, seed, repr(chosen))  # the page opens with the same for everybody
    texts = found.get(key, lambda: sample(trained, text, chains, [seed] * len(chains), BESIDE))
    for entry, settings, written in zip(SAMPLERS, chosen, texts, strict=True):
        columns.append(
            {
                "title": pair(entry.title, entry.title_zh),
                "note": " · ".join(f"{name} = {value:g}" for name, value in settings.items())
                or pair(entry.summary, entry.summary_zh),
                "tokens": [
                    {
                        "text": token.token,
                        "bytes": trained.tokenizer.pieces([token.id])[0].bytes.hex(),
                        "p": probability(math.exp(token.logprob)),
                    }
                    for token in written
                ],
            }
        )
    uniforms = Dice(seed).random(BESIDE)[0].tolist()
    return {"columns": columns, "uniforms": uniforms, "prompt": tail(text, PROMPT)}


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
