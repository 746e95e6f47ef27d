"""Transfer: the same few labels learnt from several starts, of which one is random, over label budgets and seeds.

Arms differ in nothing but the weights that they start from: a seed decides which examples are labelled, the numbers of
a new head and the order of reading, alike for all. Every arm takes as many steps whatever its budget.
"""

import statistics
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.catalog import CORPORA, TASKS
from lab.data.reading import parts_in
from lab.inference.model import load
from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.settings import SettingsError
from lab.training.evaluate_task import evaluate_task, score_of
from lab.training.run_request import command, finetuning, possible_tuning
from lab.training.train import train


@dataclass(frozen=True)
class Start:
    """Whose model is fine-tuned: with the weights of a run, or ``fresh``, with the same shape and random ones."""

    name: str
    folder: RunFolder
    fresh: bool = False


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What all arms have in common. ``training`` and ``tuning`` are settings of fine-tuning."""

    task: str
    corpus: str
    corpus_settings: Mapping[str, Any] = field(default_factory=dict)
    budgets: Sequence[int]
    seeds: Sequence[int]
    training: Mapping[str, Any]
    tuning: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What one run came to on the validation examples: the score of its task, beside what others reach who have not
    read them."""

    start: str
    budget: int
    seed: int
    score: float
    seconds: float
    baselines: Mapping[str, float]
    moving: int = 0  # parameters that moved


@dataclass(frozen=True)
class Band:
    """The scores of all seeds: the middle one, the least and the greatest."""

    median: float
    low: float
    high: float


def starts_of(folders: Sequence[RunFolder]) -> list[Start]:
    """The runs as starts, in front of them a random one for each way of reading among them: of a family, with a shape,
    as an objective shows it texts."""
    ways: dict[str, RunFolder] = {}
    for folder in folders:
        run = folder.run
        ways.setdefault(repr((run.model, sorted(run.shape.items()), run.objective)), folder)
    fresh = [Start(_random(folder, alone=len(ways) == 1), folder, fresh=True) for folder in ways.values()]
    return fresh + [Start(folder.name, folder) for folder in folders]


def check_budgets(experiment: Experiment) -> None:
    """Raises SettingsError where the corpus has fewer examples to learn from than a budget says: it would be all of
    them under another name."""
    corpus = CORPORA[experiment.corpus]
    task, settings = TASKS[experiment.task], corpus.settings.load(experiment.corpus_settings)
    there, most = len(parts_in(corpus, settings, task).train), max(experiment.budgets)
    if most > there:
        raise SettingsError(
            f"there are {there:,} examples to learn from: a budget cannot be {most:,}",
            f"可供学习的样本只有 {there:,} 个，标注预算不能是 {most:,}",
        )


def outcomes(
    experiment: Experiment,
    starts: Sequence[Start],
    done: Collection[tuple[str, int, int]] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[Outcome]:
    """Fine-tune every arm, seed by seed, so that whoever stops early has something of each. Nothing is kept of them.

    Cells (start, budget, seed) that are ``done`` are passed over; ``stopped`` is asked after every step.
    """
    for seed in experiment.seeds:
        for budget in experiment.budgets:
            for start in starts:
                if (start.name, budget, seed) in done:
                    continue
                outcome = outcome_of(experiment, start, budget, seed, stopped)
                if outcome is None:
                    return
                yield outcome


def outcome_of(
    experiment: Experiment, start: Start, budget: int, seed: int, stopped: Callable[[], bool] = lambda: False
) -> Outcome | None:
    """One cell: a run in a folder that is gone afterwards. None where it was ``stopped``."""
    with tempfile.TemporaryDirectory(prefix="cloze-lab-") as place:
        return _outcome(experiment, start, budget, seed, Path(place), stopped)


def _outcome(
    experiment: Experiment, start: Start, budget: int, seed: int, place: Path, stopped: Callable[[], bool]
) -> Outcome | None:
    tuning = possible_tuning(experiment.tuning, start.folder.run, experiment.task)
    run = finetuning(
        start.folder,
        task=experiment.task,
        corpus=experiment.corpus,
        chosen={
            "corpus": experiment.corpus_settings,
            "training": experiment.training,
            "tuning": {**tuning, "labels": budget, "evaluations": 1},  # the end alone counts
        },
        seed=seed,
        parent=str(start.folder.path),
        fresh=start.fresh,
    )
    folder, task = RunFolder.create(run, place / "run"), TASKS[experiment.task]
    for _ in train(folder):
        if stopped():
            return None
    result = folder.document("result.json")
    # Where an answer is written, training has not measured what counts.
    measured = evaluate_task(load(folder)) if task.predict is None else result["validation"]
    records, _ = MetricsLog(folder.path / "metrics.jsonl").read()
    begun = next(record for record in records if record["kind"] == "begin")
    score = score_of(measured, task)
    return Outcome(start.name, budget, seed, score, result["seconds"], begun["baselines"], begun["moving"])


def bands(outcomes: Sequence[Outcome]) -> dict[tuple[str, int], Band]:
    """The band of each start and budget, in the order in which they came."""
    scores: dict[tuple[str, int], list[float]] = {}
    for outcome in outcomes:
        scores.setdefault((outcome.start, outcome.budget), []).append(outcome.score)
    return {cell: Band(statistics.median(scored), min(scored), max(scored)) for cell, scored in scores.items()}


def told(start: Start) -> dict[str, Any]:
    """What a start is, as a document says it: how it was pretrained, by which command, and to how much. Random weights
    are those of a shape alone."""
    run, result = start.folder.run, start.folder.document("result.json")
    about: dict[str, Any] = {"name": start.name, "fresh": start.fresh, "model": run.model, "objective": run.objective}
    if start.fresh:
        return about
    trained = {name: result.get(name) for name in ("steps", "seconds")}
    return about | {"pair": run.pair, "command": command(run), **trained}


def _random(folder: RunFolder, *, alone: bool) -> str:
    return "random" if alone else f"random, as {folder.name}"
