"""Snapshots along a run: few, small, as safe as checkpoints, and the model is asked as it was at their step."""

import json
import math
import shutil
from pathlib import Path

import pytest
import torch
from tiny import finished, go_on, plan, steps
from torch import nn

from lab.cli.main import main
from lab.inference.model import load
from lab.runs import checkpoint, snapshots
from lab.runs.checkpoint import weights_of
from lab.runs.eight_bits import quantised
from lab.runs.folder import RunFolder
from lab.runs.pack import pack
from lab.runs.snapshots import Snapshots
from lab.settings import SettingsError
from lab.training import train as training
from lab.training.parallel import ALONE


def take(snapshots: Snapshots, step: int, model: nn.Module, whole: float) -> float:
    """As training does: a snapshot where one is planned and there is time."""
    if not snapshots.planned(step) or not snapshots.affordable(step, whole):
        return 0.0
    return snapshots.keep(step, weights_of(model))


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of a few milliseconds have no time for snapshots: here they have."""
    monkeypatch.setattr(snapshots, "SHARE", math.inf)


def model(value: float = 1.0, width: int = 8) -> nn.Module:
    layer = nn.Linear(width, width)
    nn.init.constant_(layer.weight, value)
    return layer


def test_the_weights_of_each_step_that_doubles_are_those_that_the_run_had_there(tmp_path: Path) -> None:
    folder, seen = RunFolder.create(plan(training=steps(9)), tmp_path / "run"), {}
    session = training._begin(folder, lambda *_: None, ALONE)
    seen[0] = {name: tensor.clone() for name, tensor in weights_of(session.model).items()}
    for step in training._steps(session):
        seen[step.step] = {name: tensor.clone() for name, tensor in weights_of(session.model).items()}
    assert snapshots.steps(folder.path) == [0, 1, 2, 4, 8]
    for step in (0, 2, 8):
        kept = snapshots.weights_at(folder.path, step)
        assert all(tensor.dtype == torch.float16 for tensor in kept.values())
        assert all(torch.equal(kept[name], tensor.half()) for name, tensor in seen[step].items())
    assert any(not torch.equal(seen[0][name], seen[8][name]) for name in seen[0])


def test_a_model_is_loaded_as_it_was_at_a_step_or_as_it_is(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", training=steps(9))
    early, last = load(folder, 1), load(folder)
    assert (early.step, last.step) == (1, 9) and load(folder, 9).step == 9
    assert snapshots.steps(folder.path) == [0, 1, 2, 4, 8, 9], "the newest checkpoint counts"
    pairs = zip(weights_of(early.model).values(), weights_of(last.model).values(), strict=True)
    assert any(not torch.equal(one, other) for one, other in pairs)
    for strange in (3, -1, 10**6):
        with pytest.raises(SettingsError, match="0, 1, 2, 4, 8, 9"):
            load(folder, strange)


def test_a_damaged_snapshot_is_never_loaded(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", training=steps(4))
    weights = folder.path / "snapshots" / "step-00000002" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(SettingsError, match="step 2"):
        load(folder, 2)


def test_snapshots_stay_few_and_evenly_apart_and_the_first_one_stays(tmp_path: Path) -> None:
    taken = Snapshots(tmp_path)
    for power in range(40):
        take(taken, 2**power // 2, model(), math.inf)
    kept = snapshots.steps(tmp_path)
    assert len(kept) == snapshots.MOST and kept[0] == 0 and kept[-1] == 2**38
    logs = [math.log2(1 + step) for step in kept]
    assert max(after - before for before, after in zip(logs, logs[1:], strict=False)) <= 6


def test_snapshots_stay_small_and_of_a_large_model_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "BYTES", 3 * sum(2 * tensor.numel() for tensor in weights_of(model()).values()))
    taken = Snapshots(tmp_path)
    for step in (0, 1, 2, 3, 4, 8):
        take(taken, step, model(), math.inf)
    assert snapshots.steps(tmp_path) == [0, 4, 8]
    take(Snapshots(tmp_path / "large"), 0, model(width=64), math.inf)
    assert snapshots.steps(tmp_path / "large") == []


def test_none_is_taken_that_would_cost_more_than_its_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "SHARE", 0.01)
    taken = Snapshots(tmp_path)
    assert take(taken, 0, model(), 0.0) > 0 and take(taken, 1, model(), 0.0) == 0
    assert snapshots.steps(tmp_path) == [0]
    assert take(taken, 2, model(), math.inf) > 0


def test_where_each_one_is_dear_few_are_taken_and_not_all_at_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, kept = [0.0], []

    def dear(root: Path, step: int, model: nn.Module) -> None:
        clock[0] += 0.035
        kept.append(step)

    monkeypatch.setattr(snapshots, "SHARE", 0.01)
    monkeypatch.setattr(snapshots, "_keep", dear)
    monkeypatch.setattr(snapshots.time, "monotonic", lambda: clock[0])
    taken = Snapshots(tmp_path)
    spent = sum(take(taken, step, model(), 10.0) for step in range(300))
    assert kept == [0, 64] and spent <= 0.1


def test_a_full_disk_costs_a_snapshot_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "write", full)
    take(Snapshots(tmp_path), 0, model(), math.inf)
    assert snapshots.steps(tmp_path) == []


def test_a_resumed_run_forgets_what_lies_ahead_of_it(tmp_path: Path) -> None:
    folder = RunFolder.create(plan(training=steps(20)), tmp_path / "run")
    go_on(str(folder.path), until=5)
    ahead = folder.path / "snapshots" / "step-00000008"
    shutil.copytree(folder.path / "snapshots" / "step-00000004", ahead)
    go_on(str(folder.path), until=6)
    assert snapshots.steps(folder.path) == [0, 1, 2, 4, 6]


def test_a_packed_run_takes_some_of_its_snapshots_along(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", training=steps(9))
    packed = pack(folder, tmp_path / "packed", steps=(0, 4))
    assert snapshots.steps(packed.path) == [0, 4, 9]
    for step in (0, 4):
        own, copied = (snapshots.weights_at(each.path, step) for each in (folder, packed))
        assert own.keys() == copied.keys() and all(torch.equal(own[name], copied[name]) for name in own)
    assert snapshots.steps(pack(folder, tmp_path / "alone").path) == [9]
    with pytest.raises(SettingsError, match="step 3"):
        pack(folder, tmp_path / "unkept", steps=(3,))
    assert not (tmp_path / "unkept").exists()


def test_the_command_line_asks_a_model_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = finished(tmp_path / "run", training=steps(9, learning_rate=0.05))
    told = []
    for step in ("0", "9"):
        for command, more in (("fill", ["--text", "The [MASK] sat."]), ("attention", ["--text", "The cat sat."])):
            assert main([command, "--run", str(folder.path), "--at-step", step, "--json", *more]) == 0
            told.append(json.loads(capsys.readouterr().out))
    assert told[0] != told[2] and told[1]["maps"] != told[3]["maps"]
    assert main(["runs", "show", str(folder.path)]) == 0
    assert "0, 1, 2, 4, 8, 9" in capsys.readouterr().out
    assert main(["runs", "show", str(folder.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["at_step"] == [0, 1, 2, 4, 8, 9]
    assert main(["fill", "--run", str(folder.path), "--at-step", "3", "--text", "[MASK]"]) == 2
    assert "0, 1, 2, 4, 8, 9" in capsys.readouterr().err


def test_numbers_that_half_precision_cannot_hold_are_kept_as_they_are(tmp_path: Path) -> None:
    """How often word2vec's noise draws a token of a long text: 70,000 and more."""
    weights = {"counts": torch.tensor([1.0, 70_000.0]), "matrix": torch.rand(2, 3), "ids": torch.tensor([70_000])}
    snapshots._keep(tmp_path, 1, weights)
    kept, _ = checkpoint.load_weights(tmp_path, 1)
    assert torch.equal(kept["counts"], weights["counts"]) and torch.equal(kept["ids"], weights["ids"])
    assert torch.equal(kept["matrix"], weights["matrix"].half())
    packed = quantised({"counts": weights["counts"]})
    assert torch.equal(packed["counts"], weights["counts"])
