"""Uploaded texts: each is kept under the digest of what it says, where a run finds it whenever it goes on.

Files are read in a child process, under a limit of time, because nobody knows what is in them.
"""

import hashlib
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from lab.catalog import CORPORA, TASKS
from lab.corpora.files.faults import Faults, without_file
from lab.corpora.files.parquet import is_parquet, json_lines
from lab.corpora.files.table import preview, read_table
from lab.corpora.rows import distinct, texts_of
from lab.corpora.text_file import MEGABYTE, WHOLE, encoding_of, read_text
from lab.data.corpus import HELD_OUT
from lab.data.stream import sentences_of
from lab.experiments.study import STUDY
from lab.runs.files import oldest_first, write
from lab.runs.folder import home
from lab.serve.child import call
from lab.serve.limits import limits, within
from lab.settings import SettingsError
from lab.text import clean
from lab.vocabulary import MASK

KEPT = 40  # times the largest upload: older texts that no run needs are then dropped
SAMPLE = 300  # characters of a text that are shown
BEGINNING = 100_000  # characters by which its language is told
SENTENCE = (40, 160)  # characters of a sentence to follow, a Chinese one counted twice
_MARK = re.compile(r"[0-9a-f]{64}")


def keep_file(path: str, name: str, reader: str = "lab.serve.uploads:read_and_keep") -> dict[str, Any]:
    """Keep an uploaded file's text. Gives its ``mark``, under which ``kept`` finds it, and what it looks like."""
    allowed = limits().upload
    try:
        if Path(path).stat().st_size > allowed:
            raise SettingsError(
                f"{name!r} is larger than {allowed // 2**20} MB, which is the most here",
                f"{name!r} 超过了这里的上限 {allowed // 2**20} MB",
            )
        about_text: dict[str, Any] = call(reader, path, str(_folder()), allowed // MEGABYTE + 1)
    except OSError:
        raise SettingsError("the upload did not arrive: choose the file again", "上传未完成：请重新选择文件") from None
    except SettingsError as error:
        raise about_file(error, path, name) from None
    _make_room(about_text["mark"])
    return about_text


def keep_texts(path: str, name: str) -> dict[str, Any]:
    """As ``keep_file``; of a table each text once, one after the other, from the column that probably holds them. The
    table is kept, too, for ``keep_column``."""
    return keep_file(path, name, "lab.serve.uploads:read_and_keep_texts")


def keep_column(mark: str, column: str) -> dict[str, Any]:
    """Keep the texts of another column of the table from which a kept text was taken. Raises SettingsError where there
    is no such column or no text in it."""
    before = about(mark)
    path = str(kept(str(before.get("table", ""))))
    known = {name: before[name] for name in ("encoding", "table", "columns")}
    try:
        about_text: dict[str, Any] = call("lab.serve.uploads:keep_texts_of", path, str(_folder()), WHOLE, column, known)
    except SettingsError as error:
        raise about_file(error, path, "") from None
    _make_room(about_text["mark"])
    return about_text


def keep_table(path: str, name: str) -> dict[str, Any]:
    """As ``keep_file``, of a table: what Parquet packs is kept as JSON lines."""
    return keep_file(path, name, "lab.serve.uploads:read_and_keep_table")


def keep_pasted(text: str) -> dict[str, Any]:
    """Keep a text that was typed or pasted."""
    if not text.strip():
        raise SettingsError("paste some text first", "请先粘贴一些文字")
    about_text = _keep(within(text, limits().pasted, or_file=True).replace("\r\n", "\n").replace("\r", "\n"), _folder())
    _make_room(about_text["mark"])
    return about_text


def read_and_keep(path: str, folder: str, megabytes: int) -> dict[str, Any]:
    """What ``keep_file`` asks of the child."""
    return _keep(read_text(Path(path), megabytes), Path(folder), encoding_of(Path(path)))


def read_and_keep_texts(path: str, folder: str, megabytes: int) -> dict[str, Any]:
    """What ``keep_texts`` asks of the child."""
    if Path(path).suffix.lower() not in CORPORA["rows"].endings:
        return read_and_keep(path, folder, megabytes)
    names, rows = preview(path, megabytes)
    known: dict[str, Any] = {"encoding": "utf-8" if is_parquet(Path(path)) else encoding_of(Path(path))}
    with suppress(SettingsError):  # unpacked it may be larger than what is kept: then its texts alone are
        known |= {"table": read_and_keep_table(path, folder, megabytes)["mark"], "columns": names}
    return keep_texts_of(path, folder, megabytes, text_column(names, rows), known)


def keep_texts_of(path: str, folder: str, megabytes: int, column: str, known: dict[str, Any]) -> dict[str, Any]:
    """What ``keep_column`` asks of the child; ``known`` is what the upload's facts say of its encoding and table."""
    passed = Faults()
    documents = distinct(texts_of(read_table(path, megabytes, [(column,)], passed)), 0, path)
    text = "\n".join(document.text for document in documents)
    return _keep(text, Path(folder), column=column, rows=len(documents), left_out=len(passed), **known)


def read_and_keep_table(path: str, folder: str, megabytes: int) -> dict[str, Any]:
    """What ``keep_table`` asks of the child."""
    file = Path(path)
    return (
        _keep(json_lines(file, megabytes), Path(folder)) if is_parquet(file) else read_and_keep(path, folder, megabytes)
    )


def kept(mark: str) -> Path:
    """Where a text is kept. Raises SettingsError for a mark that stands for none."""
    path = _folder() / f"{mark}.txt"
    if not _MARK.fullmatch(mark) or not path.is_file():
        raise SettingsError("your text is no longer kept here: upload it again", "你的文本已不在这里：请重新上传")
    return path


def text_column(names: list[str], rows: list[dict[str, Any]]) -> str:
    """The column that probably holds the texts: by its name, else the one with most to read."""
    usual = next((name for name in TASKS["classify"].columns["text"] if name in names), "")
    return usual or max(names, key=lambda name: sum(len(str(row.get(name, ""))) for row in rows))


def _keep(text: str, folder: Path, encoding: str = "utf-8", **more: Any) -> dict[str, Any]:
    text = clean(text)
    mark = hashlib.sha256(text.encode("utf-8")).hexdigest()
    path = folder / f"{mark}.txt"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        write(path, text)
    foreign = sum("\u4e00" <= character <= "\u9fff" for character in text[:BEGINNING])
    letters = sum(map(str.isalpha, text[:BEGINNING]))  # Chinese characters are letters, too
    lines = text.split("\n")
    said = [line for line in lines if line.strip()]
    facts = {
        "mark": mark,
        "characters": len(text),
        "lines": len(lines) - (lines[-1] == "" and len(lines) > 1),  # what ends a line begins no other
        "longest_line": max(map(len, lines)),
        "repeated": len(said) - len({*said}),
        "chinese": foreign / max(letters, 1),
        "encoding": encoding,
        "start": text.strip()[:SAMPLE],
        "language": "zh" if foreign * 10 > min(len(text), BEGINNING) else "en",
        "sentence": held_out_sentence(text),
        **more,
    }
    document = clean(json.dumps(facts, ensure_ascii=False))  # the name of a column may hold what no file can
    write(folder / f"{mark}.json", document)
    known: dict[str, Any] = json.loads(document)
    return known


def held_out_sentence(text: str) -> str:
    """A sentence of the last tenth, from which nothing is learnt: one that is neither short nor long; nothing where
    there is none."""
    for sentence in sentences_of(text[round(len(text) * (1 - HELD_OUT)) :][:100_000])[1:]:
        plain = " ".join(sentence.split())
        wide = sum(character > "\u2e7f" for character in plain)
        if SENTENCE[0] <= len(plain) + wide <= SENTENCE[1] and MASK not in plain and plain[-1:] in ".!?。！？":
            return plain
    return ""


def about(mark: str) -> dict[str, Any]:
    """What ``keep_file`` said of a kept text. Raises SettingsError for a mark that stands for none."""
    path = kept(mark)
    try:
        facts: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        return facts
    except (OSError, ValueError):
        return {"mark": mark, "characters": 0, "lines": 0, "start": "", "language": "en", "sentence": ""}


def _make_room(fresh: str) -> None:
    """Drop the oldest texts that no run needs, once there are too many."""
    texts = oldest_first(_folder().glob("*.txt"))
    size = sum(size for _, size in texts)
    if size <= KEPT * limits().upload:
        return
    needed = _needed()
    for path, its_size in texts:
        if size > KEPT * limits().upload and path.stem not in needed and path.stem != fresh:
            size -= its_size
            path.unlink(missing_ok=True)
            path.with_suffix(".json").unlink(missing_ok=True)


def _needed() -> set[str]:
    """The marks of all texts that a run or a study names, wherever in its settings."""
    documents = [path for name in ("run.json", STUDY) for path in home().glob(f"*/{name}")]
    found = set[str]()
    for path in documents:
        with suppress(OSError, ValueError):  # deleted this very moment
            found.update(_MARK.findall(path.read_text(encoding="utf-8")))
    return found


def about_file(error: SettingsError, path: str, name: str) -> SettingsError:
    """The same sentence about the file as the visitor knows it, not as the server calls it."""
    error = error if name else without_file(error, path)
    en, zh = (repr(name), f"{name!r} ") if name else ("the file", "该文件")
    return SettingsError(error.en.replace(repr(path), en), error.zh.replace(f"{path!r} ", zh).replace(repr(path), zh))


def _folder() -> Path:
    return home() / "uploads"
