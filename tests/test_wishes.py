"""What others wish of a run is looked up now and then, and heard soon."""

from pathlib import Path

import pytest

from lab.runs.folder import RunFolder
from lab.settings import SettingsError
from lab.training import wishes
from lab.training.wishes import Wishes


class Folder(RunFolder):
    """A run folder that counts how often somebody looks into it."""

    looks = 0

    def asked_to_stop(self) -> bool:
        self.looks += 1
        return super().asked_to_stop()


def test_a_disk_is_asked_less_often_than_there_are_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(wishes.time, "monotonic", lambda: now[0])
    (tmp_path / "run.json").touch()
    folder = Folder(tmp_path)
    heard = Wishes(folder)
    for step in range(45):  # steps of five milliseconds
        assert not heard.to_stop() and not heard.to_pause(step)
        now[0] += 0.005
    assert folder.looks == 5


def test_a_wish_is_heard_at_the_next_look_and_so_is_that_it_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run.json").touch()
    folder = RunFolder(tmp_path)
    heard = Wishes(folder)
    assert not heard.to_pause(4)
    folder.pause(after=5)
    monkeypatch.setattr(wishes, "EVERY", 0.0)
    assert not heard.to_pause(4) and heard.to_pause(5) and heard.to_pause(6) and not heard.to_stop()
    folder.go_on()
    assert not heard.to_pause(6)


def test_a_run_whose_folder_is_gone_learns_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wishes, "EVERY", 0.0)
    (tmp_path / "run.json").touch()
    heard = Wishes(RunFolder(tmp_path))
    assert not heard.to_stop()
    (tmp_path / "run.json").unlink()
    with pytest.raises(SettingsError, match="was deleted while it learnt"):
        heard.to_stop()
