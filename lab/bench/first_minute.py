"""The first minute: how soon each family, trained as page and command line train it unasked, beats counting.

The seconds are the clock's, from the first step on, with all checks and saves: what somebody sees who has just pressed
Start. The line to beat is that of guessing each token from the one before it, counted on the whole text.
"""

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.bench.arms.process import run_arm, versions
from lab.catalog import BENCHMARKS, MODELS
from lab.settings import Settings, knob, listed
from lab.training.presets import authors_settings
from lab.training.run_request import pretraining
from lab.training.sizes import USUAL, shape

MARKS = (15, 30, 60, 120)  # seconds at which the loss is told
LINE = "bigram"


@dataclass(frozen=True, kw_only=True)
class FirstMinute(Settings):
    """Which families, how long, and how often."""

    families: str = knob("", "Families, with commas between them, all if left out", "模型，用逗号分隔，缺省为全部")
    seconds: float = knob(60.0, "Seconds of each run", "每次训练的秒数", low=5, high=3600)
    seeds: int = knob(1, "Runs of each family, with a seed each", "每种模型的训练次数，每次一个种子", low=1, high=100)
    threads: int = knob(1, "Processor threads", "处理器线程数", low=1, high=256)

    @property
    def chosen(self) -> list[str]:
        """The families that are trained: those that learn step by step."""
        every = [entry.name for entry in MODELS if "counts" not in entry.traits]
        return listed(self.families) or every

    def check(self) -> None:
        for name in listed(self.families):
            MODELS[name]  # the register says which it does not know


@BENCHMARKS.add(
    "first_minute",
    title="The first minute",
    zh=("第一分钟", "每种模型按默认设置训练时，多少秒后优于二元语法基线。"),
    settings=FirstMinute,
    order=5,
)
def first_minute(
    corpus: tuple[str, dict[str, Any]], s: FirstMinute, say: Callable[[str], None]
) -> tuple[dict[str, Any], list[str]]:
    """Seconds until each family's default recipe is below the bigram baseline, and its loss on the way."""
    families = {}
    for family in s.chosen:
        runs = [run_arm("first_minute", [_run(family, corpus, s, seed)], s.threads) for seed in range(s.seeds)]
        families[family] = judged(runs)
        say(line(family, families[family]))
    document = {
        "benchmark": "first_minute",
        "families": families,
        "corpus": corpus[0],
        "settings": s.dump(),
        "versions": versions(("torch",)),
    }
    return document, [line(family, found) for family, found in families.items()]


def _run(family: str, corpus: tuple[str, dict[str, Any]], s: FirstMinute, seed: int) -> str:
    """The run that somebody gets who chooses the family and nothing else, as JSON."""
    model = MODELS[family]
    run = pretraining(
        model=family,
        corpus=corpus[0],
        tokenizer=model.tokenizer,
        chosen={
            "model": shape(family, USUAL),
            "objective": authors_settings(model, model.objective),
            "corpus": corpus[1],
            "tokenizer": {},
            "training": {"seconds": s.seconds, "threads": s.threads},
        },
        seed=seed,
    )
    return json.dumps(run.dump())


def judged(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The medians over a family's runs: seconds until the loss is below the line and stays there, None where that is
    not in half of them; and the loss at each mark, of the last check until then."""
    baseline = statistics.median(run["baselines"][LINE] for run in runs)
    below = sorted(beaten(run["losses"], run["baselines"][LINE]) for run in runs)[len(runs) // 2]
    last = min(run["losses"][-1][0] for run in runs)
    marks = [mark for mark in MARKS if mark <= last + 1]
    return {
        "baseline": round(baseline, 3),
        "below": None if below == float("inf") else round(below, 1),
        "losses": {mark: round(statistics.median(at(run["losses"], mark) for run in runs), 3) for mark in marks},
        "steps": round(statistics.median(run["steps"] for run in runs)),
    }


def beaten(losses: Sequence[Sequence[float]], baseline: float) -> float:
    """The seconds from which on no loss is above the baseline; infinity where the last one is."""
    above = [seconds for seconds, loss in losses if loss >= baseline]
    return min((seconds for seconds, _ in losses if seconds > above[-1]), default=float("inf")) if above else 0.0


def at(losses: Sequence[Sequence[float]], mark: float) -> float:
    """The newest loss that was known at ``mark`` seconds; checks that come with the mark count."""
    return [loss for seconds, loss in losses if seconds <= mark + 1][-1]


def line(family: str, measured: Mapping[str, Any]) -> str:
    """What came of one family."""
    when = "not below it" if measured["below"] is None else f"below it after {measured['below']:.0f} s"
    losses = ", ".join(f"{loss:.2f} at {mark} s" for mark, loss in measured["losses"].items())
    return f"{family:18} bigram {measured['baseline']:.2f}, {when}: {losses} ({measured['steps']} steps)"
