"""Many samples of each sampler on the Generate page, measured beside stories that nobody sampled."""

from collections.abc import Iterator, Sequence
from typing import Any

from lab.analysis.text_diversity import Diversity, perplexity
from lab.catalog import SAMPLERS
from lab.inference.beam_search import beam_search
from lab.inference.model import Trained
from lab.inference.sampler_chain import Chain
from lab.inference.sampling import sample
from lab.inference.scoring import bits_behind, logprobs, scores_texts
from lab.serve.limits import limits, within
from lab.spelling import text_of
from lab.ui.pages.generate.in_the_paper import Figures, direction
from lab.ui.pages.generate.judge import judge_of, name_of
from lab.ui.pages.generate.made_of import made_of
from lab.ui.pages.generate.real_texts import stories, tongue
from lab.ui.pages.generate.samplers import chain_of, settings_of
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import percent
from lab.ui.shell.inputs import whole_seed
from lab.ui.words import say, titled

TEXTS, TOKENS = 12, 48  # of each row
BEAMS = 4
ROWS = ("greedy", "temperature", "top_k", "top_p", "min_p", "typical")  # the samplers that are measured by themselves
COLUMNS = ("sampler", "perplexity", "bits", "repeated", "distinct", "self_bleu", "zipf")

Text = list[tuple[int, float]]  # its tokens, each with its log-probability in nats


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
    writes, and of the town's own stories, row by row; and the paper's findings beside them."""
    within(text, limits().prompt)
    trained = visitor.writer(run)
    if trained is None:
        yield {"measured": nothing("generate.no_runs"), "of": [], "paper": direction({})}
        return
    table, judging = nothing(judge=name_of(judge, run)), judge_of(judge, run)
    measured: dict[str, Figures] = {}
    seed = whole_seed(seed)
    of = made_of(run, text, seed, values)
    for way, name, prompt, texts in written(trained, text, seed, values):
        measured[way], cells = row(trained, judging, prompt, texts)
        table["rows"].append([name, *cells])
        yield {"measured": table, "of": of, "paper": direction(measured)}


def written(
    trained: Trained, prompt: str, seed: int, values: Sequence[Any]
) -> Iterator[tuple[str, Any, str, list[Text]]]:
    """Ways to write, what they are called, the prompt of their texts, and these: the model's own distribution, a few
    samplers alone, all that are on, beam search, and the town's own stories, cut to the same length."""
    seeds = range(seed, seed + TEXTS)
    for way, name, chain in chains(values):
        drawn = sample(trained, prompt, [chain] * TEXTS, seeds, TOKENS)
        yield way, name, prompt, [[(token.id, token.logprob) for token in each] for each in drawn]
        if way == "greedy":
            yield "beam", say("generate.measure.beam", n=BEAMS), prompt, [likeliest(trained, prompt)] * TEXTS
    if scores_texts(trained.run):
        told = [trained.tokenizer.encode(text)[:TOKENS].tolist() for text in stories(TEXTS, tongue(prompt))]
        texts = [[*zip(ids, logprobs(trained, ids), strict=True)] for ids in told]
        yield "stories", say("generate.measure.stories"), "", texts


def chains(values: Sequence[Any]) -> list[tuple[str, Any, Chain]]:
    """The samplers of the table: none, a few alone, and all that are on."""
    alone = [
        (entry.name, titled(entry), [(entry.name, settings)])
        for entry, settings in zip(SAMPLERS, settings_of(values), strict=True)
        if entry.name in ROWS
    ]
    return [("pure", say("generate.measure.pure"), []), *alone, ("on", say("generate.measure.on"), chain_of(values))]


def likeliest(trained: Trained, prompt: str) -> Text:
    """What beam search ends with."""
    found = beam_search(trained, prompt, BEAMS, TOKENS)
    line = found.line(found.best[0].last) if found.best else []
    return [(each.token, each.logprob) for each in line if each.token not in trained.tokenizer.vocabulary.ends]


def row(trained: Trained, judge: Trained | None, prompt: str, texts: list[Text]) -> tuple[Figures, list[str]]:
    """The figures of the texts, and the cells of the table."""
    ids = [[token for token, _ in text] for text in texts]
    measured, surprise = Diversity.of(ids), perplexity([logprob for text in texts for _, logprob in text])
    bits = None if judge is None else bits_per_byte(trained, judge, prompt, ids)
    bleu = measured.self_bleu
    return Figures(surprise, measured.repeated, None if bleu is None else bleu / 100), [
        "–" if surprise is None else f"{surprise:.2f}",
        "–" if bits is None else f"{bits:.2f}",
        "–" if measured.repeated is None else percent(measured.repeated),
        "–" if measured.distinct is None else f"{measured.distinct:.2f}",
        "–" if bleu is None else f"{bleu:.1f}",
        "–" if measured.zipf is None else f"{round(measured.zipf, 2) + 0.0:.2f}",
    ]


def bits_per_byte(trained: Trained, judge: Trained, prompt: str, texts: list[list[int]]) -> float | None:
    """The judge's surprise at all texts together; None where they are empty."""
    spelt = [text_of(trained.tokenizer.pieces(ids), unfinished=True) for ids in texts]
    bits = [bits_behind(judge, prompt, text) for text in spelt]
    count = sum(map(len, bits))
    return sum(float(each.sum()) for each in bits) / count if count else None
