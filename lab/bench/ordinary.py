"""Ordinary sentences: how often a model guesses a word of sentences that nobody trained on, beside counting.

The baselines know the corpus that is named, cut by each run's own tokenizer.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from lab.analysis.top_k_accuracy import TopK, of_baselines, of_model
from lab.bench.arms.process import versions
from lab.catalog import BENCHMARKS, CORPORA
from lab.corpora.text_file import existing, read_text
from lab.data.baselines import Counts
from lab.data.stream import stream_of
from lab.inference.model import load
from lab.runs.finding import find_run
from lab.settings import Settings, knob, listed


@dataclass(frozen=True, kw_only=True)
class Ordinary(Settings):
    """Whom to ask, and about which sentences: files with one a line."""

    runs: str = knob("bert-town,gpt-town", "Runs, with commas between", "训练，以逗号分隔")
    english: str = knob("tests/ordinary/english.txt", "File of English sentences", "英文句子的文件")
    chinese: str = knob("tests/ordinary/chinese.txt", "File of Chinese sentences", "中文句子的文件")


@BENCHMARKS.add(
    "ordinary",
    title="Ordinary sentences",
    zh=("普通句子", "对没有人训练过的句子，模型猜词元的准确率，与一元、二元基线并列。"),
    settings=Ordinary,
    order=10,
)
def ordinary(
    corpus: tuple[str, dict[str, Any]], s: Ordinary, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """How often words of ordinary sentences are among the first guesses, beside the unigram and the bigram."""
    files = {"english": s.english, "chinese": s.chinese}
    texts = {language: read_text(existing(file), 10).split("\n") for language, file in files.items()}
    documents = CORPORA[corpus[0]].build(CORPORA[corpus[0]].settings.load(corpus[1]))
    runs: dict[str, dict[str, dict[str, Any]]] = {}
    lines: list[str] = []
    for run in listed(s.runs):
        trained = load(find_run(run))
        counts = Counts.of(stream_of(documents, trained.tokenizer).ids, trained.tokenizer.vocabulary.size)
        runs[run] = {}
        for language, sentences in texts.items():
            figures = {"model": of_model(trained, sentences), **of_baselines(counts, trained.tokenizer, sentences)}
            runs[run][language] = {who: asdict(top) for who, top in figures.items()}
            lines.append(line(run, language, figures))
            say(lines[-1])
    document = {
        "benchmark": "ordinary",
        "runs": runs,
        "corpus": corpus[0],
        "settings": s.dump(),
        "versions": versions(("torch",)),
    }
    return document, lines


def line(run: str, language: str, figures: dict[str, TopK]) -> str:
    """The figures of one run on the sentences of one language."""
    shares = ", ".join(f"{who} {top.top1:.1%} and {top.top5:.1%}" for who, top in figures.items())
    asked = figures["model"]
    return f"{run}, {language}: top-1 and top-5 of {asked.asked:,} words ({asked.whole:,} are one token): {shares}"
