"""Early stopping: who does not become better ends, and keeps what was best."""

import json
from pathlib import Path
from typing import Any

import pytest
from labelled import file_of, parent_of, trained
from tiny import steps

from lab.bench.faulting.outcome import outcome
from lab.inference.model import load
from lab.runs.checkpoint import step_of
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training.early_stopping import EarlyStopping
from lab.training.parallel import Group
from lab.training.run_request import finetuning


def looked(stopping: EarlyStopping, scores: list[float]) -> list[bool]:
    over = []
    for step, score in enumerate(scores, start=1):
        stopping.look(step, score)
        over.append(stopping.over)
    return over


def test_patience_is_counted_from_the_last_better_evaluation() -> None:
    stopping = EarlyStopping(2)
    assert looked(stopping, [0.5, 0.4, 0.6, 0.6, 0.1]) == [False, False, False, False, True]
    assert (stopping.step, stopping.best) == (3, 0.6)
    again = EarlyStopping(2)
    again.restore(json.loads(json.dumps(stopping.facts())))
    assert again.over and again.step == 3


def test_without_patience_nobody_stops_and_nothing_is_kept() -> None:
    stopping = EarlyStopping(None)
    assert not any(looked(stopping, [0.0] * 50)) and stopping.step == 0
    stopping.restore({})
    assert stopping.best is None


def patient(parent: RunFolder, folder: Path, patience: int | None) -> Run:
    """A run of twenty steps that learns too slowly to become better: each step is an evaluation."""
    path = file_of("classify", folder)
    chosen: dict[Any, Any] = {
        "corpus": {"path": path, "test": path},
        "training": steps(20, learning_rate=1e-6),
        "tuning": {"patience": patience},
    }
    return finetuning(parent, corpus="labelled", chosen=chosen, parent=str(parent.path))


def test_a_run_ends_early_with_its_best_checkpoint(tmp_path: Path) -> None:
    parent = parent_of("bert", tmp_path / "parent")
    folder = trained(RunFolder.create(patient(parent, tmp_path, 3), tmp_path / "run"))
    result = folder.document("result.json")
    assert (result["ended"], result["steps"], result["best_step"]) == ("finished", 4, 1)
    assert max(map(step_of, folder.path.glob("checkpoints/step-*"))) == load(folder).step == 1
    whole = trained(RunFolder.create(patient(parent, tmp_path, None), tmp_path / "whole"))
    assert whole.document("result.json")["steps"] == 20 and "best_step" not in whole.document("result.json")


def test_several_processes_have_no_patience(tmp_path: Path) -> None:
    parent = parent_of("bert", tmp_path / "parent")
    Group(size=2).check(patient(parent, tmp_path, None))
    with pytest.raises(SettingsError, match="start the run as one, or without patience"):
        Group(size=2).check(patient(parent, tmp_path, 3))


@pytest.mark.parametrize("until", [1, 3])
def test_a_run_that_may_end_early_is_resumed_bit_by_bit(until: int, tmp_path: Path) -> None:
    parent = parent_of("bert", tmp_path / "parent")
    run = patient(parent, tmp_path, 3)
    whole = trained(RunFolder.create(run, tmp_path / "whole"))
    parts = trained(trained(RunFolder.create(run, tmp_path / "parts"), until=until))
    assert outcome(parts) == outcome(whole)
