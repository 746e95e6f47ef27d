"""A run that waits, takes one step and goes on ends as the run that was never looked at."""

import threading
import time
from pathlib import Path

import pytest
import torch
from tiny import finished, plan, steps

from lab.inference.model import load
from lab.runs.checkpoint import load_weights
from lab.runs.folder import PAUSE, RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.training import pausing
from lab.training.train import train


def until(reached: object, seconds: float = 20.0) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not reached():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.01)


def learning(folder: RunFolder, went: list[int]) -> threading.Thread:
    """A thread that trains the run as a worker does, whose ticket it takes: a pause is not forgotten at the start."""
    (folder.path / "ticket").touch()

    def go() -> None:
        for step in train(folder, queued=True):
            went.append(step.step)

    worker = threading.Thread(target=go)
    worker.start()
    return worker


def test_step_by_step_it_learns_what_it_would_have_learnt(tmp_path: Path) -> None:
    whole = finished(tmp_path / "whole", model="gpt", training=steps(6), pinned="The town")
    folder = RunFolder.create(plan(model="gpt", training=steps(6), pinned="The town"), tmp_path / "paused")
    folder.pause(after=2)
    worker = learning(folder, went := list[int]())
    for step in (2, 3, 4):
        until(lambda step=step: folder.paused_at() == step)  # type: ignore[misc]
        assert load(folder).step == step and went[-1] == step, "every page can ask it as it is"
        folder.pause(after=step + 1)
    until(lambda: folder.paused_at() == 5)
    folder.go_on()
    worker.join(20)
    assert folder.paused_at() is None
    assert went == [1, 2, 3, 4, 5, 6] and folder.document("result.json")["ended"] == "finished"
    one, other = (load_weights(each.path / "checkpoints")[0] for each in (whole, folder))
    assert all(torch.equal(one[name], other[name]) for name in one)
    records, _ = MetricsLog(folder.path / "metrics.jsonl").read()
    assert {2, 3, 4, 5} <= {record["step"] for record in records if record["kind"] == "pinned"}
    assert folder.document("result.json")["seconds"] < 5, "the time of a pause counts for nothing"


def test_a_paused_run_can_be_stopped_and_one_that_is_forgotten_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, patience in (("asked", 300.0), ("forgotten", 0.1)):
        monkeypatch.setattr(pausing, "PATIENCE", patience)
        folder = RunFolder.create(plan(model="gpt", training=steps(50)), tmp_path / name)
        folder.pause()
        worker = learning(folder, went := list[int]())
        until(lambda went=went: went == [1])  # type: ignore[misc]
        if name == "asked":
            folder.ask_to_stop()
        worker.join(20)
        assert went == [1] and folder.status() == "stopped" and folder.paused_after() is None
        folder.reopen()
        step = next(train(folder))
        assert step.step == 2, "it goes on where it was"


def test_a_damaged_wish_to_pause_lets_a_run_go_on(tmp_path: Path) -> None:
    folder = RunFolder.create(plan(model="gpt", training=steps(2)), tmp_path)
    folder.pause()
    (folder.path / PAUSE).write_text("x")
    worker = learning(folder, went := list[int]())
    worker.join(20)
    assert folder.paused_after() is None and went == [1, 2]


def test_a_run_that_is_stopped_as_a_worker_takes_it_has_stopped(tmp_path: Path) -> None:
    """The worker holds the run and has not looked for its ticket yet: what stops it takes it for one that learns."""
    folder = RunFolder.create(plan(model="gpt"), tmp_path)
    (folder.path / "ticket").touch()
    with folder.lock:
        folder.ask_to_stop()
    assert [*train(folder, queued=True)] == []
    assert folder.status() == "stopped"


def test_a_run_that_is_stopped_while_it_waits_looks_interrupted_at_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder.create(plan(model="gpt"), tmp_path)
    (folder.path / "ticket").touch()
    seen: list[str] = []
    unlink = Path.unlink

    def watched(path: Path, missing_ok: bool = False) -> None:
        seen.append(folder.status())
        unlink(path, missing_ok)
        seen.append(folder.status())

    monkeypatch.setattr(Path, "unlink", watched)
    folder.ask_to_stop()
    assert {*seen} == {"stopped"}
