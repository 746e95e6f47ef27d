"""A server keeps what its visitors made as long as there is room, and for a day at least."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tiny import plan

from lab.experiments.study import STUDY
from lab.runs.files import used
from lab.runs.folder import RunFolder, home
from lab.serve import keeping, workers
from lab.serve.limits import limits
from lab.serve.ownership import owned, owner_of
from lab.serve.workers import Workers
from lab.settings import SettingsError

DAY = 86_400.0
SIZE = 1_000  # bytes of weights in each folder of these tests


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path))
    yield tmp_path


def allow(monkeypatch: pytest.MonkeyPatch, **changed: int | None) -> None:
    monkeypatch.setattr(keeping, "limits", lambda: replace(limits(), **changed))


def folder(name: str, days: float, owner: str = "ann", document: str = "run.json") -> RunFolder:
    """A run that was last used so many days ago."""
    path = home() / name
    path.mkdir()
    (path / document).write_text(json.dumps({"owner": owner}))
    (path / "weights").write_text("x" * SIZE)
    grow_old(path, days)
    return RunFolder(path)


def grow_old(path: Path, days: float) -> None:
    os.utime(path, (time.time() - days * DAY,) * 2)


def test_what_nobody_has_used_for_a_day_goes_once_the_cache_is_too_large(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = place / "cache"
    cache.mkdir()
    for number, name in enumerate(["old", "older", "new", "read"]):
        (cache / name).write_text("x" * 100)
        os.utime(cache / name, (time.time() - 86400 * (name != "new") * (3 + number),) * 2)
    used(cache / "read")
    allow(monkeypatch, cached=300)
    keeping.make_room()
    assert {path.name for path in cache.iterdir()} == {"old", "new", "read"}
    allow(monkeypatch, cached=0)
    keeping.make_room()
    assert {path.name for path in cache.iterdir()} == {"new", "read"}


def test_the_runs_of_visitors_that_nobody_has_used_for_a_day_go_once_there_are_too_many(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder("oldest", 9)
    folder("study", 8, document=STUDY)
    folder("old", 7)
    folder("of-the-terminal", 20, owner="")
    folder("new", 0.5)
    waiting, running = folder("waiting", 6), folder("running", 6)
    (waiting.path / "ticket").write_text("1")
    grow_old(waiting.path, 6)
    (place / "uploads").mkdir()
    with running.lock:
        grow_old(running.path, 6)
        allow(monkeypatch, all_runs=None)
        assert keeping.make_room() and len([*place.iterdir()]) == 8
        allow(monkeypatch, all_runs=20 * SIZE)
        assert keeping.make_room() and len([*place.iterdir()]) == 8
        allow(monkeypatch, all_runs=5 * SIZE)  # with what else is in the folders one too many
        assert keeping.make_room() and not (place / "oldest").exists() and (place / "old").exists()
        allow(monkeypatch, all_runs=SIZE)
        assert not keeping.make_room()
    left = {path.name for path in place.iterdir()}
    assert left == {"of-the-terminal", "new", "waiting", "running", "uploads"}


def test_all_runs_take_no_more_than_a_share_of_the_disk(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder("old", 3)
    allow(monkeypatch, all_runs=10**15)
    assert keeping.make_room() and (place / "old").exists()
    monkeypatch.setattr(keeping, "DISK_SHARE", 0.0)
    assert keeping.make_room() and not (place / "old").exists()


def test_a_run_that_its_owner_looks_at_is_used(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, unseen = folder("seen", 3, owner_of("ann")), folder("unseen", 3, owner_of("ann"))
    owned("seen", "ann")
    allow(monkeypatch, all_runs=0)
    assert not keeping.make_room()
    assert seen.path.exists() and not unseen.path.exists()


def test_where_there_is_no_room_a_new_run_is_refused_until_one_is_deleted(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers.Workers, "tick", lambda self: None)
    serving = Workers()
    own = folder("own", 0)
    allow(monkeypatch, all_runs=SIZE)
    serving._room = keeping.make_room()
    with pytest.raises(SettingsError, match="delete some of yours"):
        serving.start(plan(owner="ann"))
    assert not serving.queue()
    own.delete()
    serving.start(plan(owner="ann"))
    assert len(serving.queue()) == 1
