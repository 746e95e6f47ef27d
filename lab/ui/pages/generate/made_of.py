"""What a measurement was made of, said below it: it stays on the page when another model or text is chosen above."""

from collections.abc import Sequence
from typing import Any

from lab.catalog import SAMPLERS
from lab.serve.ownership import seen
from lab.ui.pages.generate.samplers import chain_of
from lab.ui.shell import visitor
from lab.ui.shell.inputs import tail
from lab.ui.words import pair, say

PROMPT = 60  # characters of the prompt that are shown again


def made_of(run: str, prompt: Any, seed: int, values: Sequence[Any] | None = None) -> list[Any]:
    """The model, the prompt, or what is said in its place, and the seed; and the samplers that were on, where
    ``values`` has them."""
    name, _, step = run.partition("@")
    folder = seen(name)
    facts = {"model": visitor.label(folder.run, folder) + (f" @ {step}" if step else ""), "seed": str(seed)}
    if isinstance(prompt, str):
        prompt = f"“{tail(prompt.strip(), PROMPT)}”" if prompt.strip() else "–"
    if values is None:
        return [["note", say("generate.made_of", prompt=prompt, **facts)]]
    return [["note", say("generate.made_of.samplers", prompt=prompt, samplers=_spelt(values), **facts)]]


def _spelt(values: Sequence[Any]) -> Any:
    """The samplers that are on, in their order."""
    chain = [
        (SAMPLERS[name], ", ".join(f"{knob} = {value:g}" for knob, value in settings.items()))
        for name, settings in chain_of(values)
    ]
    said = [
        [f"{title} ({knobs})" if knobs else title for title in (entry.title, entry.title_zh)] for entry, knobs in chain
    ]
    return pair(*(" → ".join(titles) for titles in zip(*said, strict=True))) if said else "–"
