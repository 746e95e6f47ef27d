"""What visitors bring is kept as long as something needs it, and goes when there is too much of it."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from lab.experiments.study import STUDY
from lab.runs.files import oldest_first, write
from lab.runs.folder import home
from lab.serve import brought, following, uploads
from lab.serve.limits import limits
from lab.serve.uploads import keep_pasted, kept
from lab.settings import SettingsError


@pytest.fixture(autouse=True)
def little_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path))
    monkeypatch.setattr(uploads, "limits", lambda: replace(limits(), upload=0))


def there(mark: str) -> bool:
    try:
        return kept(mark).is_file()
    except SettingsError:
        return False


def test_texts_that_a_run_or_a_study_names_stay_when_room_is_made() -> None:
    marks = [keep_pasted(f"text {n}")["mark"] for n in range(1)]
    run, study = home() / "run-1", home() / "study-1"
    run.mkdir()
    study.mkdir()
    write(run / "run.json", f'{{"corpus_settings": {{"path": "x", "test": "uploads/{marks[0]}.txt"}}}}')
    marks.append(keep_pasted("of a study")["mark"])
    write(study / STUDY, f'{{"arms": [{{"path": "uploads/{marks[1]}.txt"}}]}}')
    marks += [keep_pasted(text)["mark"] for text in ("of nobody", "the last")]
    assert [there(mark) for mark in marks] == [True, True, False, True]


def test_many_who_make_room_at_once_do_not_stumble_over_each_other() -> None:
    faults: list[BaseException] = []

    def bring(who: int) -> None:
        try:
            for number in range(12):
                keep_pasted(f"{who} {number}")
        except BaseException as fault:
            faults.append(fault)

    together = [threading.Thread(target=bring, args=[who]) for who in range(6)]
    [thread.start() for thread in together]
    [thread.join() for thread in together]
    assert not faults


def test_files_that_go_while_they_are_looked_at_are_left_out(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "ab"]
    paths[0].write_text("12")
    assert oldest_first(paths) == [(paths[0], 2)]
    assert brought.notes("nothing-brought") == []


def test_a_measurement_that_cannot_begin_says_so_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = iter([BlockingIOError(11, "scarce")])

    def stream(*_: object, **__: object) -> object:
        for fault in calls:
            raise fault
        return iter([1, 2])

    monkeypatch.setattr(following.sandbox, "stream", stream)
    monkeypatch.setattr(following, "children", lambda: None)
    with pytest.raises(SettingsError, match="could not be made"):
        list(following.followed("lab.nothing:scarce", limits=following.Limits()))
    assert list(following.followed("lab.nothing:scarce", limits=following.Limits()))[-1] == [1, 2]
