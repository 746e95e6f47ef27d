"""Many samples of each sampler on the Generate page, measured beside stories that nobody sampled."""

from collections.abc import Iterator, Sequence
from typing import Any

from lab.analysis.text_diversity import Diversity, perplexity
from lab.catalog import SAMPLERS
from lab.corpora.town_stories import Tongue
from lab.inference.drawing import Chain
from lab.inference.model import Trained
from lab.inference.sampling import sample
from lab.inference.scoring import bits_behind, logprobs, scores_texts
from lab.serve.limits import limits, within
from lab.spelling import text_of
from lab.ui.pages.generate.judge import judge_of, name_of
from lab.ui.pages.generate.real_texts import stories, tongue
from lab.ui.pages.generate.samplers import chain_of, settings_of
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import percent
from lab.ui.shell.inputs import seed_of
from lab.ui.words import pair, say

TEXTS, TOKENS = 12, 32  # of each row
ROWS = ("greedy", "temperature", "top_k", "top_p", "min_p", "typical")  # the samplers that are measured by themselves
COLUMNS = ("sampler", "perplexity", "bits", "repeated", "distinct", "self_bleu", "zipf")


def nothing(why: str = "generate.measure.none", judge: Any = None) -> dict[str, Any]:
    """A table without rows."""
    judge = judge or say("generate.judge.itself")
    return {
        "columns": [say(f"generate.measure.{name}", judge=judge) for name in COLUMNS],
        "rows": [],
        "empty": say(why),
    }


def measure(run: str, judge: str, text: str, seed: float, *values: Any) -> Iterator[Values]:
    """Perplexity under the model itself, bits per byte under the judge, repetition and diversity of what each sampler
    writes, and of the town's own stories: row by row."""
    within(text, limits().prompt)
    trained = visitor.trained(run) if run else None
    if trained is None or not trained.left_to_right:
        yield {"measured": nothing("generate.no_runs")}
        return
    table, judging = nothing(judge=name_of(judge, run)), judge_of(judge, run)
    seeds = range(seed_of(seed), seed_of(seed) + TEXTS)
    for name, chain in chains(values):
        drawn = sample(trained, text, [chain] * TEXTS, seeds, TOKENS)
        ids, logs = (
            [[token.id for token in each] for each in drawn],
            [token.logprob for each in drawn for token in each],
        )
        table["rows"].append(row(trained, judging, name, text, ids, logs))
        yield {"measured": table}
    if scores_texts(trained.run):
        table["rows"].append(told(trained, judging, tongue(text)))
        yield {"measured": table}


def chains(values: Sequence[Any]) -> list[tuple[Any, Chain]]:
    """The rows of the table: the model's own distribution, a few samplers alone, and all that are on."""
    alone = [
        (pair(entry.title, entry.title_zh), [(entry.name, settings)])
        for entry, settings in zip(SAMPLERS, settings_of(values), strict=True)
        if entry.name in ROWS
    ]
    return [(say("generate.measure.pure"), []), *alone, (say("generate.measure.on"), chain_of(values))]


def told(trained: Trained, judge: Trained | None, language: Tongue) -> list[Any]:
    """The row of as many stories, cut to the same length."""
    texts = [trained.tokenizer.encode(text)[:TOKENS].tolist() for text in stories(TEXTS, language)]
    logs = [logprob for ids in texts for logprob in logprobs(trained, ids)]
    return row(trained, judge, say("generate.measure.stories"), "", texts, logs)


def row(
    trained: Trained, judge: Trained | None, name: Any, prompt: str, texts: list[list[int]], logs: list[float]
) -> list[Any]:
    """A row of the table."""
    measured, surprise = Diversity.of(texts), perplexity(logs)
    bits = None if judge is None else bits_per_byte(trained, judge, prompt, texts)
    return [
        name,
        "–" if surprise is None else f"{surprise:.2f}",
        "–" if bits is None else f"{bits:.2f}",
        "–" if measured.repeated is None else percent(measured.repeated),
        "–" if measured.distinct is None else f"{measured.distinct:.2f}",
        "–" if measured.self_bleu is None else f"{measured.self_bleu:.1f}",
        "–" if measured.zipf is None else f"{measured.zipf:.2f}",
    ]


def bits_per_byte(trained: Trained, judge: Trained, prompt: str, texts: list[list[int]]) -> float | None:
    """The judge's surprise at all texts together; None where they are empty."""
    spelt = [text_of(trained.tokenizer.pieces(ids), unfinished=True) for ids in texts]
    bits = [bits_behind(judge, prompt, text) for text in spelt]
    count = sum(map(len, bits))
    return sum(float(each.sum()) for each in bits) / count if count else None
