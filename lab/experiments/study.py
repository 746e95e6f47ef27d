"""A study: starts by label budgets by seeds as one job, whose folder says what was asked and what has come of it.

The folder is like a run's: a ticket while it waits, a lock while a worker has it, ``stop`` to end it, and result.json
when it has ended. Each cell is one line of its log as soon as it is there.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from lab.catalog import TASKS
from lab.experiments.starts import Experiment, Outcome, Start, outcomes, told
from lab.runs.files import write
from lab.runs.finding import find_run
from lab.runs.folder import STOP, RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.settings import Settings, SettingsError, knob

STUDY, OUTCOMES = "study.json", "outcomes.jsonl"
RANDOM = "random"  # before the id of a run: its shape with random weights
BETWEEN = "@"


@dataclass(frozen=True, kw_only=True)
class Study(Settings):
    """What is asked. A start is the id of a run, or ``random@`` and the id of one whose shape it has."""

    starts: list[str]
    task: str
    corpus: str
    corpus_settings: dict[str, Any] = field(default_factory=dict)
    budgets: list[int]
    seeds: int = knob(3, "Seeds of each start and budget", "每个起点与预算的随机种子数", low=1, high=10)
    training: dict[str, Any]
    tuning: dict[str, Any] = field(default_factory=dict)
    owner: str = ""
    created: float = 0.0

    def check(self) -> None:
        if not self.starts or not self.budgets:
            raise SettingsError("choose at least one start and one label budget", "请至少选择一个起点和一个标注预算")

    @property
    def cells(self) -> int:
        """How many runs it takes."""
        return len(self.starts) * len(self.budgets) * self.seeds

    @property
    def experiment(self) -> Experiment:
        """What all cells have in common."""
        return Experiment(
            task=self.task,
            corpus=self.corpus,
            corpus_settings=self.corpus_settings,
            budgets=self.budgets,
            seeds=range(self.seeds),
            training=self.training,
            tuning=self.tuning,
        )

    @property
    def chosen(self) -> list[Start]:
        """The starts. Raises SettingsError where a run is gone."""
        return [_start(name) for name in self.starts]


@dataclass(frozen=True)
class Pause:
    """A moment at which a study can be asked to stop."""

    seconds: float  # spent so far


def conduct(folder: RunFolder) -> Iterator[Pause]:
    """Go through the study in ``folder`` from where it stands, until it is done or somebody asks it to stop. Yields
    before the first cell and after each. Raises SettingsError for what a user can put right."""
    with folder.lock:
        if not (folder.path / "ticket").exists():
            return
        folder.reopen()
        (folder.path / "ticket").unlink()
        began, ended = time.monotonic(), "finished"
        try:
            study, log = study_of(folder), MetricsLog(folder.path / OUTCOMES)
            done_before = outcomes_of(folder)
            done = {(earlier.start, earlier.budget, earlier.seed) for earlier in done_before}
            yield Pause(0.0)
            for outcome in outcomes(study.experiment, study.chosen, done, folder.asked_to_stop):
                done_before.append(outcome)
                log.write("outcome", len(done_before), **asdict(outcome))
                yield Pause(time.monotonic() - began)
            if len(done_before) < study.cells:
                ended = "stopped"
        except SettingsError as error:
            _end(folder, "failed", en=error.en, zh=error.zh)
            raise
        _end(folder, ended)


def study_of(folder: RunFolder) -> Study:
    """What was asked."""
    return Study.load(folder.document(STUDY))


def outcomes_of(folder: RunFolder) -> list[Outcome]:
    """What has come of it so far."""
    records, _ = MetricsLog(folder.path / OUTCOMES).read()
    kept = [{name: value for name, value in record.items() if name not in ("kind", "step")} for record in records]
    return [Outcome(**values) for values in kept]


def document_of(folder: RunFolder) -> dict[str, Any]:
    """The study as the benchmark of the same name writes it down."""
    study = study_of(folder)
    return {
        "task": study.task,
        "score": TASKS[study.task].score,
        "corpus": study.corpus,
        "starts": [told(start) for start in study.chosen],
        "outcomes": [asdict(outcome) for outcome in outcomes_of(folder)],
    }


def _start(name: str) -> Start:
    kind, _, run = name.rpartition(BETWEEN)
    return Start(name, find_run(run), fresh=kind == RANDOM)


def _end(folder: RunFolder, ended: str, **why: str) -> None:
    write(folder.path / "result.json", json.dumps({"run": folder.name, "ended": ended, **why}, ensure_ascii=False))
    (folder.path / STOP).unlink(missing_ok=True)
