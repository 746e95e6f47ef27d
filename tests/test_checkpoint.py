"""A kill at any instant, also in the middle of saving, costs time and nothing else; and damage never goes unseen."""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import events, finished, go_on, plan, steps

from lab.bench.faulting.damage import damages
from lab.bench.faulting.disk import FAULTS, FailingDisk, disk_faults
from lab.bench.faulting.killing import worker_kills
from lab.bench.faulting.outcome import outcome
from lab.bench.faulting.web import members, server_kills
from lab.runs import checkpoint
from lab.runs.checkpoint import State
from lab.runs.folder import RunFolder
from lab.settings import SettingsError

RUN: dict[str, Any] = {
    "training": steps(120),
    "shape": {"width": 16, "depth": 1, "heads": 2, "context": 16, "dropout": 0.1},
}
KILLS = 12


def forgets_the_optimizer(path: str) -> None:
    """A broken twin of training: it resumes without the optimizer's state."""
    checkpoint.unpack_optimizer = lambda *_: None  # type: ignore[assignment]
    go_on(path, save_always=True, pause=0.01)


def trusts_what_it_finds(path: str) -> None:
    """A broken twin: it writes straight into the final folder and never looks at a checksum."""

    def save(root: Path, what: State) -> None:
        final = root / f"step-{what.step:08d}"
        final.mkdir(parents=True, exist_ok=True)
        whole = root / "whole"
        real_save(whole, what)
        for part in sorted((whole / final.name).iterdir(), reverse=True):
            shutil.copyfile(part, final / part.name)
            time.sleep(0.05)

    real_save = checkpoint.save
    checkpoint.save, checkpoint.intact = save, lambda _: True
    go_on(path, save_always=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The outcome of the run that was never killed."""
    return outcome(finished(tmp_path_factory.mktemp("whole"), **RUN))


def test_a_run_killed_again_and_again_ends_as_one_never_killed(tmp_path: Path, whole: dict[str, Any]) -> None:
    tally = worker_kills(plan(**RUN), whole, tmp_path, KILLS, random.Random(0))
    assert tally.faults >= KILLS / 2, "too few of the kills came in time to say anything"
    assert (tally.lost, tally.altered) == (0, 0)
    folder = RunFolder(tmp_path / "killed-0")
    assert folder.status() == "finished" and "resumed" in events(folder)
    kept = sorted(path.name for path in (folder.path / "checkpoints").iterdir())
    assert kept == ["step-00000119", "step-00000120"]


@pytest.mark.parametrize("twin", [forgets_the_optimizer, trusts_what_it_finds])
def test_the_test_above_finds_a_broken_twin(tmp_path: Path, whole: dict[str, Any], twin: Callable[[str], None]) -> None:
    tally = worker_kills(plan(**RUN), whole, tmp_path, 4, random.Random(1), twin)
    assert tally.lost + tally.altered == 1


def test_every_call_of_a_save_to_the_disk_may_fail(tmp_path: Path) -> None:
    run = plan(**RUN | {"training": steps(4)})
    for fault in FAULTS:
        tally = disk_faults(run, fault, tmp_path / fault, every=9)
        assert tally.faults > 4 and (tally.lost, tally.altered) == (0, 0), fault


def test_a_disk_fails_at_the_call_that_it_should(tmp_path: Path) -> None:
    disk = FailingDisk("ENOSPC", 2)
    sys.setprofile(disk)
    try:
        with pytest.raises(OSError, match="No space"):
            (tmp_path / "a").write_bytes(b"opened, then not written")
    finally:
        sys.setprofile(None)
    assert disk.calls == 2 and (tmp_path / "a").read_bytes() == b""


def test_damage_done_to_a_run_is_undone_by_training(tmp_path: Path, whole: dict[str, Any]) -> None:
    folder = finished(tmp_path / "whole", **RUN)
    tally = damages(folder, whole, tmp_path, 3, random.Random(0))
    assert (tally.faults, tally.lost, tally.altered) == (3, 0, 0)
    assert damages(folder, whole | {"step": 7}, tmp_path, 1, random.Random(0)).altered == 1


def test_a_killed_server_leaves_nothing_behind(tmp_path: Path, whole: dict[str, Any]) -> None:
    tally = server_kills(plan(**RUN), whole, tmp_path, 1, random.Random(0))
    assert (tally.lost, tally.altered, tally.orphans) == (0, 0, 0)


def test_processes_that_are_left_over_are_seen() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as process:
        assert members(process.pid) == [process.pid]
        process.kill()
    assert members(process.pid) == []


def flat(step: int = 1, value: float = 0.5) -> State:
    return State(step, {"w": torch.full((3, 2), value)}, {"0.step": torch.tensor(1.0)}, {"rng_state": [1, 2]})


def test_what_was_saved_is_what_is_loaded(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, flat(7))
    found, damaged = checkpoint.load(tmp_path)
    assert found is not None and found.step == 7 and found.facts == {"rng_state": [1, 2]} and not damaged
    assert torch.equal(found.weights["w"], flat().weights["w"]) and found.optimizer["0.step"] == 1


@pytest.mark.parametrize("name", ["weights.safetensors", "optimizer.safetensors", "state.json", "MANIFEST.json"])
def test_no_flipped_bit_goes_unseen(tmp_path: Path, name: str) -> None:
    checkpoint.save(tmp_path, flat(1))
    checkpoint.save(tmp_path, flat(2))
    file, dice = tmp_path / "step-00000002" / name, random.Random(0)
    clean = file.read_bytes()
    for _ in range(40):
        data = bytearray(clean)
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        file.write_bytes(data)
        found, damaged = checkpoint.load(tmp_path)
        assert found is not None and found.step == 1 and damaged == ["step-00000002"]
        assert checkpoint.load_weights(tmp_path)[1] == 1
    file.write_bytes(clean)
    assert checkpoint.load(tmp_path)[1] == []


@pytest.mark.parametrize("name", ["weights.safetensors", "MANIFEST.json"])
def test_a_missing_or_short_file_is_damage(tmp_path: Path, name: str) -> None:
    checkpoint.save(tmp_path, flat(1))
    checkpoint.save(tmp_path, flat(2))
    file = tmp_path / "step-00000002" / name
    file.write_bytes(file.read_bytes()[:-1])
    assert checkpoint.load(tmp_path)[1] == ["step-00000002"]
    file.unlink()
    assert checkpoint.load(tmp_path)[1] == ["step-00000002"]


def test_two_checkpoints_are_kept_and_leftovers_of_killed_saves_are_cleared(tmp_path: Path) -> None:
    (tmp_path / ".tmp-3-99999").mkdir()
    for step in (1, 2, 3):
        checkpoint.save(tmp_path, flat(step))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00000002", "step-00000003"]


def test_a_save_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.save(tmp_path, flat(1))

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    for part in ("serialized", "_sync", "_digest"):
        with monkeypatch.context() as patch:
            patch.setattr(checkpoint, part, full)
            with pytest.raises(OSError, match="No space"):
                checkpoint.save(tmp_path, flat(2))
        assert [path.name for path in tmp_path.iterdir()] == ["step-00000001"]
    assert checkpoint.load(tmp_path)[0] is not None


def test_weights_of_another_shape_or_name_are_refused() -> None:
    with pytest.raises(SettingsError, match="bias differs"):
        checkpoint.set_weights(torch.nn.Linear(2, 2), {"weight": torch.zeros(2, 2)})
    with pytest.raises(SettingsError, match="weight differs"):
        checkpoint.set_weights(torch.nn.Linear(2, 2), {"weight": torch.zeros(3, 3), "bias": torch.zeros(2)})


def test_a_checkpoint_from_before_the_generator_s_state_had_its_name_is_read(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, replace(flat(), facts={"chance": {"cpu": [1, 2]}, "tokens": 7}))
    kept, _ = checkpoint.load(tmp_path)
    assert kept is not None and kept.facts == {"rng_state": {"cpu": [1, 2]}, "tokens": 7}
