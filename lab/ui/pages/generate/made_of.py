"""What a measurement was made of, said below it: it stays on the page when another model or text is chosen above."""

from collections.abc import Sequence
from typing import Any

from lab.catalog import SAMPLERS
from lab.serve.ownership import seen
from lab.ui.components.knob_words import assigned
from lab.ui.pages.generate.samplers import chain_of
from lab.ui.shell import visitor
from lab.ui.shell.inputs import tail
from lab.ui.words import LANGUAGES, joined, pair, say, titled

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
    chain = [(SAMPLERS[name], settings) for name, settings in chain_of(values)]
    said = []
    for entry, settings in chain:
        knobs = joined(", ", assigned(entry.settings, settings))
        title = titled(entry)
        said.append(pair(*(f"{title[each]} ({knobs[each]})" for each in LANGUAGES)) if knobs else title)
    return joined(" → ", said) or "–"
