"""Corpora larger than memory: read piece by piece they are the same ids, also after a kill, damage or a change."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import finished, plan, steps

from lab.bench.faulting.outcome import outcome
from lab.catalog import CORPORA, TOKENIZERS, sized
from lab.corpora import text_file
from lab.data import large_text, shards
from lab.data.corpus import Prepared, prepared
from lab.data.large_text import LargeText, Stretch
from lab.data.shards import FILES
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer

LINES = [f"Line {n} tells of {n % 7} cats. “And {n % 3} dogs?” he asked!\n" + "\n" * (n % 4) for n in range(220)]
TEXT = "".join(LINES) + "第一句。第二句！\r\nNaïve words\rand an end without a line"


@pytest.fixture(autouse=True)
def tiny_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(shards, "PIECE", 700)
    monkeypatch.setattr(large_text, "BLOCK", 333)


def in_pieces(monkeypatch: pytest.MonkeyPatch, *, large: bool) -> None:
    monkeypatch.setattr(text_file, "LARGE", 0 if large else 50)


def run_on(path: Path, **values: Any) -> Run:
    return plan(corpus="file", corpus_settings={"path": str(path)}, **values)


def read(run: Run) -> tuple[Prepared, Path]:
    """The corpus of a run, and the folder that its shards lie in."""
    ready = prepared(run)
    (folder,) = (path for path in Path(ready.train.ids.filename).parents if path.name.endswith("-shards"))
    return ready, folder


def assert_same(one: Prepared, other: Prepared) -> None:
    assert one.tokenizer.save() == other.tokenizer.save()
    for mine, theirs in ((one.train, other.train), (one.valid, other.valid)):
        for name in FILES:
            assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name


def folder_of(tmp_path: Path, number: int) -> Path:
    """The text in so many files of a folder, or in one."""
    if number == 1:
        (tmp_path / "text.txt").write_bytes(TEXT.encode("utf-8-sig"))
        return tmp_path / "text.txt"
    (tmp_path / "texts").mkdir()
    for n in range(number):
        (tmp_path / "texts" / f"{n:02}.txt").write_bytes("".join(LINES[n::number]).encode())
    (tmp_path / "texts" / "blank.txt").write_text(" \n")
    return tmp_path / "texts"


@pytest.mark.parametrize("tokenizer", ["byte_bpe", "wordpiece", "char_bpe"])
@pytest.mark.parametrize("files", [1, 3, 25])
def test_a_text_read_in_pieces_is_the_text_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, tokenizer: str
) -> None:
    settings = sized(TOKENIZERS[tokenizer], 300)
    run = run_on(folder_of(tmp_path, files), tokenizer=tokenizer, tokenizer_settings=settings)
    in_pieces(monkeypatch, large=False)
    whole = prepared(run)
    in_pieces(monkeypatch, large=True)
    pieces, folder = read(run)
    assert_same(pieces, whole)
    assert isinstance(pieces.train.ids, np.memmap) and pieces.train.ids.dtype == np.uint16
    assert len(list(folder.rglob("index.json"))) == 2


def test_a_run_on_shards_is_the_run_on_the_whole_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = {"corpus": "file", "corpus_settings": {"path": str(folder_of(tmp_path, 1))}, "pair": "nsp"}
    folders = []
    for large in (False, True):
        in_pieces(monkeypatch, large=large)
        folders.append(finished(tmp_path / str(large), **run, training=steps(3)))
    assert outcome(folders[0]) == outcome(folders[1])


class Killed(BaseException):
    """Nothing that any code would catch."""


def test_who_is_killed_goes_on_behind_the_last_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_on(folder_of(tmp_path, 1))
    in_pieces(monkeypatch, large=True)
    encode, pieces = Tokenizer.encode, list[str]()

    def dying(self: Tokenizer, text: str) -> Any:
        pieces.append(text)
        if len(pieces) == 6:
            raise Killed
        return encode(self, text)

    monkeypatch.setattr(Tokenizer, "encode", dying)
    with pytest.raises(Killed):
        prepared(run)
    (torn,) = (tmp_path / "home" / "cache").glob("*-shards/0/ids")
    with torn.open("ab") as file:
        file.write(b"half a shard")  # written, and not yet named
    _, folder = read(run)
    assert pieces[6] == pieces[5] and len(set(pieces)) == len(pieces) - 1  # no other piece was read twice
    monkeypatch.setattr(Tokenizer, "encode", encode)
    again, _ = read(run)
    in_pieces(monkeypatch, large=False)
    assert_same(again, prepared(run))
    assert folder == torn.parents[1]


def test_a_damaged_shard_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_on(folder_of(tmp_path, 1))
    in_pieces(monkeypatch, large=True)
    ready, folder = read(run)
    whole = np.array(ready.train.ids)
    with (folder / "0" / "ids").open("r+b") as file:
        file.seek(len(whole))  # in the middle: two bytes an id
        file.write(b"\xff\xff")
    assert np.array_equal(read(run)[0].train.ids, whole)


def test_a_text_that_has_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder_of(tmp_path, 1)
    in_pieces(monkeypatch, large=True)
    first, folder = read(run_on(path))
    path.write_text(TEXT.replace("Line 7 ", "Line 8 "))
    second, other = read(run_on(path))
    assert folder != other and not np.array_equal(first.train.ids, second.train.ids)


def test_no_more_than_a_piece_is_held(tmp_path: Path) -> None:
    text = Stretch(folder_of(tmp_path, 1), "utf-8-sig", 0, len(TEXT))
    pieces = [piece for piece, _ in text.pieces(500)]
    assert max(map(len, pieces)) <= 500 and "".join(pieces) == TEXT.replace("\r\n", "\n").replace("\r", "\n")
    assert all(
        later[0] == "\n" and not earlier[-1].isspace() for earlier, later in zip(pieces, pieces[1:], strict=False)
    )


def test_a_text_without_lines_is_cut_between_words_and_one_without_blanks_anywhere(tmp_path: Path) -> None:
    for text in ("word " * 400, "字" * 2000):
        (tmp_path / "one.txt").write_text(text)
        pieces = [piece for piece, _ in Stretch(tmp_path / "one.txt", "utf-8", 0, len(text)).pieces(300)]
        assert "".join(pieces) == text and max(map(len, pieces)) <= 300
        assert all(piece.startswith(" ") for piece in pieces[1:]) == (" " in text)


def test_what_cannot_be_read_is_refused_in_words(tmp_path: Path) -> None:
    cases = {"begins as utf-8 but": "naïve".encode("latin-1"), "is a binary file": b"a\0b", "is empty": b" \n"}
    for sentence, data in cases.items():
        (tmp_path / "x.txt").write_bytes(data)
        with pytest.raises(SettingsError, match=sentence):
            _ = LargeText({tmp_path / "x.txt": "utf-8"}).digest


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030", "utf-8"])
def test_a_large_text_may_be_in_the_encodings_of_small_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    (tmp_path / "x.txt").write_bytes("我在家里看书。\n他不在学校。\n".encode(encoding) * 200)
    run = run_on(tmp_path / "x.txt", tokenizer_settings={"vocabulary": 300})
    in_pieces(monkeypatch, large=False)
    whole = prepared(run)
    in_pieces(monkeypatch, large=True)
    assert_same(read(run)[0], whole)


def test_a_text_beyond_its_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("word " * 300_000)
    large = CORPORA["file"].large
    assert large is not None
    with pytest.raises(SettingsError, match="larger than the limit of 1 MB"):
        large(CORPORA["file"].settings.load({"path": str(tmp_path / "x.txt"), "megabytes": 1}))
