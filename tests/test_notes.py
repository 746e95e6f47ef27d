"""Notes that are kept with a run, and the tags in them."""

from pathlib import Path

import pytest
from tiny import plan

from lab.cli.main import main
from lab.runs.folder import RunFolder
from lab.runs.notes import MOST, NOTES, TAGS, notes_of, tags, take_note


def test_words_behind_a_hash_are_tags_once_each() -> None:
    assert tags("#first try, see #first and #小镇: a#b ##c #d.e-f # g") == ["first", "小镇", "d.e-f"]
    assert tags("结果#不错 ＃全角，学习率#太高。##x") == ["不错", "全角", "太高"]
    assert len(tags(" ".join(f"#{n}" for n in range(50)))) == TAGS and tags("") == []


@pytest.mark.parametrize("text", ["plain", "<b>#x</b>\n{{y}} 🦜", "  spaced\u202e ", "\ud800", "\0\x1b", "x" * 9000])
def test_a_note_is_kept_as_it_was_written_without_what_cannot_be_seen(text: str, tmp_path: Path) -> None:
    folder = RunFolder.create(plan(model="gpt"), tmp_path)
    kept = take_note(folder, text)
    assert notes_of(folder) == kept and len(kept) <= MOST and "\0" not in kept
    assert take_note(folder, "  ") == "" and not (folder.path / NOTES).exists()


def test_a_damaged_note_is_none(tmp_path: Path) -> None:
    folder = RunFolder.create(plan(model="gpt"), tmp_path)
    for damaged in ("{", "[]", '{"text": 5}'):
        (folder.path / NOTES).write_text(damaged)
        assert notes_of(folder) == ""


def test_the_command_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = RunFolder.create(plan(model="gpt"), tmp_path)
    take_note(folder, "the one with #dropout")
    assert main(["runs", "show", str(folder.path)]) == 0 and "the one with #dropout" in capsys.readouterr().out
