"""The text that each sampler writes on the Generate page, beside those of the others."""

import math
from typing import Any

from lab.catalog import SAMPLERS
from lab.inference.sampling import sample
from lab.noise import Dice
from lab.serve.limits import limits, within
from lab.ui.components.knob_words import assigned
from lab.ui.pages.generate.bounded import found
from lab.ui.pages.generate.made_of import made_of
from lab.ui.pages.generate.samplers import settings_of
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import probability
from lab.ui.shell.inputs import tail, whole_seed
from lab.ui.words import joined, pair, say, titled

BESIDE = 32  # tokens that each sampler writes beside the others
PROMPT = 40  # characters of the prompt that are shown before them


def beside(run: str, text: str, seed: float, *values: Any) -> Values:
    """What each sampler writes, by itself, with the same uniform numbers; and of what it was made."""
    within(text, limits().prompt)
    trained = visitor.writer(run)
    if trained is None:
        return {"columns": {"columns": [], "empty": say("generate.no_runs")}, "of": []}
    seed = whole_seed(seed)
    columns = []
    chosen = settings_of(values)
    chains = [[(entry.name, settings)] for entry, settings in zip(SAMPLERS, chosen, strict=True)]
    key = ("beside", run, trained.step, text, seed, repr(chosen))  # the page opens with the same for everybody
    texts = found.get(key, lambda: sample(trained, text, chains, [seed] * len(chains), BESIDE))
    for entry, settings, written in zip(SAMPLERS, chosen, texts, strict=True):
        columns.append(
            {
                "title": titled(entry),
                "note": joined(" · ", assigned(entry.settings, settings)) or pair(entry.summary, entry.summary_zh),
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
    drawn = {"columns": columns, "uniforms": uniforms, "prompt": tail(text, PROMPT)}
    return {"columns": drawn, "of": made_of(run, text, seed)}
