"""A kill at any instant, also in the middle of saving, costs time and nothing else; and damage never goes unseen."""

import random
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import events, finished, go_on, plan, state, steps

from lab.runs import checkpoint
from lab.runs.checkpoint import State
from lab.runs.folder import RunFolder
from lab.serve.workers import children

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


def saves_always(path: str) -> None:
    go_on(path, save_always=True, pause=0.01)


def killed(folder: RunFolder, worker: Callable[[str], None], kills: int, seed: int) -> int:
    """Train in processes that are killed at random instants of their work, then in one that is left in peace.
    Returns how many were killed in time; raises RuntimeError where the last one broke down."""
    dice, diary, hit = random.Random(seed), folder.path / "metrics.jsonl", 0
    for number in range(kills + 1):
        before = diary.stat().st_size if diary.exists() else 0
        process = children().Process(target=worker, args=(str(folder.path),))
        process.start()
        if number < kills:
            while process.is_alive() and not (saved(folder) and diary.stat().st_size > before):
                time.sleep(0.002)
            time.sleep(dice.uniform(0, 0.2))
            process.kill()
        process.join(60)
        hit += process.exitcode == -signal.SIGKILL
    if process.exitcode:
        raise RuntimeError("the run could not be resumed")
    return hit


def saved(folder: RunFolder) -> bool:
    """Whether there is a checkpoint to go on from: a kill before the first one tests nothing."""
    return checkpoint.newest(folder.path / "checkpoints") is not None


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The state of the run that was never killed."""
    return state(finished(tmp_path_factory.mktemp("whole"), **RUN))


def test_a_run_killed_again_and_again_ends_as_one_never_killed(tmp_path: Path, whole: dict[str, Any]) -> None:
    folder = RunFolder.create(plan(**RUN), tmp_path)
    hit = killed(folder, saves_always, KILLS, seed=0)
    assert hit >= KILLS / 2, "too few of the kills came in time to say anything"
    assert state(folder) == whole
    assert folder.status() == "finished" and "resumed" in events(folder)
    assert sorted(path.name for path in (tmp_path / "checkpoints").iterdir()) == ["step-00000119", "step-00000120"]


@pytest.mark.parametrize("twin", [forgets_the_optimizer, trusts_what_it_finds])
def test_the_test_above_finds_a_broken_twin(tmp_path: Path, whole: dict[str, Any], twin: Callable[[str], None]) -> None:
    folder = RunFolder.create(plan(**RUN), tmp_path)
    try:
        killed(folder, twin, 4, seed=1)
        same = state(folder) == whole
    except RuntimeError:
        same = False
    assert not same


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
    with pytest.raises(ValueError, match="do not match"):
        checkpoint.set_weights(torch.nn.Linear(2, 2), {"weight": torch.zeros(2, 2)})
    with pytest.raises(RuntimeError):
        checkpoint.set_weights(torch.nn.Linear(2, 2), {"weight": torch.zeros(3, 3), "bias": torch.zeros(2)})


def test_a_checkpoint_from_before_the_generator_s_state_had_its_name_is_read(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, replace(flat(), facts={"chance": {"cpu": [1, 2]}, "tokens": 7}))
    kept, _ = checkpoint.load(tmp_path)
    assert kept is not None and kept.facts == {"rng_state": {"cpu": [1, 2]}, "tokens": 7}
