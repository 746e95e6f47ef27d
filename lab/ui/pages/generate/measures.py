"""Many samples of each sampler on the Generate page, measured beside stories that nobody sampled."""

import re
from collections.abc import Sequence
from typing import Any

from lab.analysis.text_diversity import Diversity, perplexity
from lab.catalog import SAMPLERS
from lab.corpora.town_stories import document
from lab.inference.drawing import Chain
from lab.inference.model import Trained
from lab.inference.sampling import sample
from lab.inference.scoring import logprobs
from lab.serve.limits import limits, within
from lab.ui.pages.generate.samplers import chain_of, settings_of
from lab.ui.shell import visitor
from lab.ui.shell.figures import percent
from lab.ui.shell.inputs import seed_of
from lab.ui.words import pair, say

TEXTS, TOKENS = 12, 32  # of each row
ROWS = ("greedy", "temperature", "top_k", "top_p", "min_p", "typical")  # the samplers that are measured by themselves
TOLD = 1_000_000_007  # the seed of a town that no shipped model has read
COLUMNS = ("sampler", "perplexity", "repeated", "distinct", "self_bleu", "zipf")


def nothing(why: str = "generate.measure.none") -> dict[str, Any]:
    """A table without rows."""
    return {"columns": [say(f"generate.measure.{name}") for name in COLUMNS], "rows": [], "empty": say(why)}


def measure(run: str, text: str, seed: float, *values: Any) -> dict[str, Any]:
    """Perplexity under the model itself, repetition and diversity of what each sampler writes, and of the town's own
    stories."""
    within(text, limits().prompt)
    trained = visitor.trained(run) if run else None
    if trained is None or not trained.left_to_right:
        return nothing("generate.no_runs")
    seeds = range(seed_of(seed), seed_of(seed) + TEXTS)
    rows = []
    for name, chain in chains(values):
        written = sample(trained, text, [chain] * TEXTS, seeds, TOKENS)
        logs = [token.logprob for tokens in written for token in tokens]
        rows.append(row(name, [[token.id for token in tokens] for tokens in written], logs))
    if trained.seq2seq is None and trained.given != "all":
        rows.append(stories(trained, "zh" if re.search("[\u4e00-\u9fff]", text) else "en"))
    return nothing() | {"rows": rows}


def chains(values: Sequence[Any]) -> list[tuple[Any, Chain]]:
    """The rows of the table: the model's own distribution, a few samplers alone, and all that are on."""
    alone = [
        (pair(entry.title, entry.title_zh), [(entry.name, settings)])
        for entry, settings in zip(SAMPLERS, settings_of(values), strict=True)
        if entry.name in ROWS
    ]
    return [(say("generate.measure.pure"), []), *alone, (say("generate.measure.on"), chain_of(values))]


def stories(trained: Trained, language: Any) -> list[Any]:
    """The row of as many stories, cut to the same length."""
    texts = [
        [int(token) for token in trained.tokenizer.encode(document(TOLD, number, language).text)[:TOKENS]]
        for number in range(TEXTS)
    ]
    logs = [logprob for ids in texts for logprob in logprobs(trained, ids)]
    return row(say("generate.measure.stories"), texts, logs)


def row(name: Any, texts: list[list[int]], logs: list[float]) -> list[Any]:
    """A row of the table."""
    found = Diversity.of(texts)
    surprise = perplexity(logs)
    return [
        name,
        "–" if surprise is None else f"{surprise:.2f}",
        "–" if found.repeated is None else percent(found.repeated),
        "–" if found.distinct is None else f"{found.distinct:.2f}",
        "–" if found.self_bleu is None else f"{found.self_bleu:.1f}",
        "–" if found.zipf is None else f"{found.zipf:.2f}",
    ]
