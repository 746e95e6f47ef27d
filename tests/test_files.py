"""Files that processes share: who holds a lock, also while its folder is being removed."""

import shutil
from pathlib import Path
from typing import Any

import filelock
import pytest

from lab.runs import files
from lab.settings import SettingsError


def test_a_lock_is_held_while_somebody_holds_it_and_no_longer(tmp_path: Path) -> None:
    lock = tmp_path / "worker.lock"
    assert not files.held(lock)
    with filelock.FileLock(lock):
        assert files.held(lock)
    assert not files.held(lock)


def test_a_lock_whose_folder_goes_while_it_is_asked_is_held_by_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "fetch.lock").touch()

    def too_late(lock: filelock.FileLock, **options: Any) -> None:
        shutil.rmtree(folder)
        Path(lock.lock_file).open("r+").close()  # as the library opens it: its folder may go after it was made sure of

    monkeypatch.setattr(filelock.FileLock, "acquire", too_late)
    assert not files.held(folder / "fetch.lock") and not folder.exists()


def test_a_folder_where_nothing_may_be_written_is_refused_before_anything_is_learnt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.must_be_makeable(tmp_path / "new" / "kept")
    assert [*tmp_path.iterdir()] == []  # and is not made yet
    monkeypatch.setattr("os.access", lambda place, mode: place != tmp_path)  # a superuser may write everywhere
    with pytest.raises(SettingsError, match=f"nothing may be written in {tmp_path}: name another"):
        files.must_be_makeable(tmp_path / "new" / "kept")
