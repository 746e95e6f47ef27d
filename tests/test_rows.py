"""A table of texts: each row is a document, whatever the file, and no row is read twice."""

import json
from pathlib import Path

import pandas
import pytest

from lab.catalog import CORPORA
from lab.cli.flags import corpus_of
from lab.corpora.files.table import preview
from lab.data.corpus import split
from lab.settings import SettingsError

TEXTS = ["The cat sat.\nIt slept.", "他说：“你好，世界。”", 'She said "no", twice, 🙂']


def written(folder: Path, ending: str, texts: list[str]) -> Path:
    file = folder / f"texts{ending}"
    table = pandas.DataFrame({"n": range(len(texts)), "text": texts})
    if ending == ".parquet":
        table.to_parquet(file)
    elif ending == ".csv":
        table.to_csv(file, index=False)
    else:
        table.to_json(file, orient="records", lines=True, force_ascii=False)
    return file


def read(path: Path, **also: object) -> list[str]:
    entry = CORPORA["rows"]
    return [document.text for document in entry.build(entry.settings(path=str(path), **also))]


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_each_row_is_a_document_and_duplicates_are_dropped(
    tmp_path: Path, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = written(tmp_path, ending, [*TEXTS, TEXTS[0], "  "])
    assert sorted(read(file)) == sorted(TEXTS)
    assert f"1 of the {len(TEXTS) + 1} texts" in caplog.text and "duplicates" in caplog.text
    assert corpus_of(str(file))[0].name == "rows"
    assert corpus_of(str(file), reader="labelled")[0].name == "labelled"


def test_what_is_held_out_does_not_depend_on_the_order_of_the_rows(tmp_path: Path) -> None:
    texts = [f"text number {n}" for n in range(100)]
    forth = CORPORA["rows"].build(CORPORA["rows"].settings(path=str(written(tmp_path, ".jsonl", texts))))
    back = CORPORA["rows"].build(CORPORA["rows"].settings(path=str(written(tmp_path, ".jsonl", texts[::-1]))))
    assert split(forth) == split(back) and len(split(forth)[1]) == 10


def test_no_more_documents_are_read_than_were_asked_for(tmp_path: Path) -> None:
    assert len(read(written(tmp_path, ".csv", TEXTS), documents=2)) == 2


def test_a_row_of_words_is_read_as_token_classification_reads_it(tmp_path: Path) -> None:
    rows = [["Rose", "lived", "here", "."], ["露丝", "住在", "这里", "。"], []]
    file = tmp_path / "words.jsonl"
    file.write_text("\n".join(json.dumps({"tokens": words}) for words in rows), encoding="utf-8")
    assert sorted(read(file, column="tokens")) == ["Rose lived here .", "露丝住在这里。"]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.jsonl", b'{"text": "good"}\n{"text": ', "line 2 is not valid JSON"),
        ("a.jsonl", b"{}\n" + b"[" * 100_000, "there is no column 'text'"),
        ("a.jsonl", b'not json\n{"text": "good"}', "a.jsonl': line 1 is not valid JSON"),
        ("a.JSON", b"text,label\ngood,1", "a.JSON': line 1 is not valid JSON"),
        ("a.jsonl", b'{"text": "good"}\n[1]', "line 2 is not a JSON object"),
        ("a.jsonl", b'{"text": 3}', "line 1 has something else than text"),
        ("a.jsonl", b'{"text": ["a", 3]}', "line 1 has something else than text"),
        ("a.csv", b"a,b\n1,2", "a.csv': there is no column 'text'; there are: a, b"),
        ("a.csv", b'text\n"open', "quotation mark"),
        ("a.csv", b"text\n   \n", "holds no text"),
        ("a.parquet", b"PK\x03\x04 a zip", "is no Parquet file"),
    ],
)
def test_a_broken_table_is_one_sentence(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError, match=sentence) as error:
        read(tmp_path / name)
    assert "\n" not in str(error.value)


def test_a_table_whose_name_says_so_may_begin_with_a_brace(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("[id],text\n1,good\n{2},fine\n", encoding="utf-8")
    assert sorted(read(tmp_path / "a.csv")) == ["fine", "good"]
    assert preview(str(tmp_path / "a.csv"))[0] == ["[id]", "text"]


def test_a_row_of_a_million_characters_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\n" + "long " * 200_000, encoding="utf-8")
    (text,) = read(tmp_path / "a.csv")
    assert len(text) >= 999_999
    assert json.loads(json.dumps(text)) == text
