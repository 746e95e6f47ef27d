"""Labelled data that somebody else made: Parquet beside CSV and JSON lines, and what is wrong is one sentence."""

import builtins
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from labelled import ROWS, file_of, parent_of
from pyarrow import parquet

from lab.catalog import TASKS
from lab.cli.main import main
from lab.corpora.files.table import preview
from lab.corpora.labelled import Labelled, examples
from lab.runs.folder import home
from lab.settings import SettingsError


def packed(folder: Path, rows: list[dict[str, Any]], name: str = "data.parquet", **how: Any) -> str:
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / name, **how)
    return str(folder / name)


def sentence(path: str, task: str = "classify", **settings: Any) -> str:
    with pytest.raises(SettingsError) as said:
        examples(Labelled(path=path, **settings), TASKS[task])
    assert "\n" not in said.value.en + said.value.zh and len(said.value.en) < 400
    assert any("一" <= character <= "鿿" for character in said.value.zh)
    return said.value.en


@pytest.mark.parametrize("task", TASKS.names())
def test_parquet_holds_what_json_lines_hold(task: str, tmp_path: Path) -> None:
    found = examples(Labelled(path=packed(tmp_path, ROWS[task])), TASKS[task])
    assert found == examples(Labelled(path=file_of(task, tmp_path)), TASKS[task]) and len(found.examples) == 8


def test_the_first_rows_of_parquet_are_shown(tmp_path: Path) -> None:
    path = packed(tmp_path, [{"n": n, "text": f"第{n}行 🙂", "label": None} for n in range(500)], row_group_size=100)
    names, rows = preview(path, rows=150)
    assert names == ["n", "text", "label"] and len(rows) == 150
    assert rows[149] == {"n": 149, "text": "第149行 🙂", "label": None}


def test_rows_without_a_label_are_left_out_of_parquet_and_counted(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"text": t, "label": v} for t, v in [("a", "x"), ("b", None), (None, "y"), ("c", "y")]
    ]
    path = packed(tmp_path, rows)
    assert "line 2 has no label" in sentence(path)
    assert examples(Labelled(path=path, skip_unlabelled=True), TASKS["classify"]).left_out == 2
    numbers = packed(tmp_path, [{"text": "a", "pair": "b", "value": value} for value in (1.0, float("nan"))])
    assert "line 2 has no finite number" in sentence(numbers, "similarity")
    assert examples(Labelled(path=numbers, skip_unlabelled=True), TASKS["similarity"]).left_out == 1


def broken(kind: str, folder: Path) -> str:
    if kind == "a milliard rows in a few bytes":
        return packed(folder, [{"text": "a", "label": "x"}] * 200_000)
    path = Path(packed(folder, [{"text": "a" * 100, "label": "x"}, {"text": "b" * 100, "label": "y"}]))
    content = path.read_bytes()
    spoilt = {
        "a zip": b"PK\x03\x04" + bytes(60),
        "nothing": b"",
        "its beginning alone": content[:200],
        "its end alone": content[-200:],
        "noise inside": content[:8] + b"\xff" * 120 + content[128:],
        "text": b"text,label\na,x\nb,y\n",
    }
    path.write_bytes(spoilt[kind])
    return str(path)


@pytest.mark.parametrize("kind", ["a zip", "nothing", "its beginning alone", "its end alone", "noise inside", "text"])
def test_what_is_no_parquet_is_said_to_be_none(kind: str, tmp_path: Path) -> None:
    assert "is no Parquet file" in sentence(broken(kind, tmp_path))


def test_what_unpacks_to_too_much_is_not_unpacked(tmp_path: Path) -> None:
    path = broken("a milliard rows in a few bytes", tmp_path)
    assert Path(path).stat().st_size < 100_000 and "larger than the limit of 1 MB" in sentence(path, megabytes=1)
    wide = packed(tmp_path, [{"text": "a" * 10**7, "label": "x"}] * 3, use_dictionary=False, compression="zstd")
    assert Path(wide).stat().st_size < 10**6 and "larger than the limit of 1 MB" in sentence(wide, megabytes=1)


def test_without_pyarrow_one_hears_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, known = packed(tmp_path, [{"text": "a", "label": "x"}]), builtins.__import__

    def absent(name: str, *arguments: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return known(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", absent)
    assert "need the package pyarrow" in sentence(path)


def test_a_formula_is_a_text_and_a_row_may_have_a_million_characters(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    formula, long = "=cmd|'/c calc'!A1", "好🙂" * 500_000
    path.write_text(f'text,label\n"{formula}",+1\n{long},@SUM(1)\n', encoding="utf-8")
    found = examples(Labelled(path=str(path)), TASKS["classify"])
    assert [each.text for each in found.examples] == [formula, long] and found.labels == ("+1", "@SUM(1)")


HOSTILE: dict[str, tuple[str, bytes, str]] = {
    "one class": ("a.csv", b"text,label\na,x\nb,x\n", "only 1 class"),
    "NaN": ("a.jsonl", b'{"text": "a", "label": NaN}\n', "line 1 has no label"),
    "two encodings": ("a.csv", "text,label\n你好，世界,x\n".encode() + "坏,y\n".encode("gb18030"), "encoding"),
    "a zip": ("a.parquet", b"PK\x03\x04" + bytes(60), "is no Parquet file"),
    "a picture": ("a.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(60), "binary file"),
    "no rows": ("a.csv", b"text,label\n", "no rows"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_cannot_be_learnt_from_leaves_nothing_behind(kind: str, tmp_path: Path, capsys: Any) -> None:
    name, content, part = HOSTILE[kind]
    (tmp_path / name).write_bytes(content)
    parent, before = parent_of("bert", tmp_path / "parent"), {*home().glob("*")}
    words = ("finetune", "--run", str(parent.path), "--data", str(tmp_path / name), "--out", str(tmp_path / "run"))
    assert main([*words, "--threads", "1"]) == 2
    said = capsys.readouterr().err
    assert part in said and said.count("\n") == 1 and "Traceback" not in said
    assert not (tmp_path / "run").exists() and {*home().glob("*")} == before
