"""What is in a corpus, counted; and corpora mixed into one file from which a run learns."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from lab.analysis.corpus_statistics import CorpusStatistics
from lab.batch import Document
from lab.cli.corpus import shortened
from lab.cli.main import main


def lab(*words: object) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    return code, out.getvalue(), err.getvalue()


def test_a_corpus_is_counted() -> None:
    texts = ["The cat's hat.\nThe cat 🙂", "他说你好，你好。", "The cat's hat.\nThe cat 🙂"]
    found = CorpusStatistics.of(map(Document, texts))
    assert (found.documents, found.duplicates, found.lines, found.longest_line) == (3, 1, 5, 14)
    assert (found.characters, found.size) == (24 + 8 + 24, 27 + 24 + 27)
    assert (found.words, found.kinds) == (10, 4)  # the, cat's, hat, cat
    assert (found.chinese, found.different, found.latin) == (6, 4, 32)
    assert found.nats is None
    assert CorpusStatistics.of([Document("a", nats=1.5), Document("b", nats=2.0)]).nats == 3.5


def test_a_line_end_begins_no_line() -> None:
    for text, lines in (("a\nb\n", 2), ("a\nb", 2), ("a\n\n", 2), ("\n", 1), ("", 0)):
        assert CorpusStatistics.of([Document(text)]).lines == lines


def test_rare_chinese_characters_are_no_words() -> None:
    found = CorpusStatistics.of([Document("𠮷野家 𠮷 cat、〇々 \ud842")])  # U+20BB7 lies beyond the first 65,536
    assert (found.chinese, found.different, found.words, found.latin) == (6, 5, 1, 3)


def test_a_long_document_is_cut_at_ends_of_lines() -> None:
    lines = ["a" * 6, "b" * 3, "c" * 20, "d"]
    parts = [part.text for part in shortened(Document("\n".join(lines), 1), 12)]
    assert parts == ["aaaaaa\nbbb", "c" * 20, "d"] and "\n".join(parts) == "\n".join(lines)
    assert [part.text for part in shortened(Document("a\nb"), 0)] == ["a\nb"]


def test_corpora_are_mixed_into_one_table_of_texts(tmp_path: Path) -> None:
    out = tmp_path / "mixed.jsonl"
    (tmp_path / "book.txt").write_text("first line\nsecond line\n" * 20, encoding="utf-8")
    assert lab("corpus", "--corpus", "town_zh", "--stories", 30, "--out", out)[0] == 0
    assert lab("corpus", "--corpus", tmp_path / "book.txt", "--longest", 100, "--out", out)[0] == 2  # not overwritten
    code, told, _ = lab(
        "corpus", "--corpus", tmp_path / "book.txt", "--longest", 100, "--out", out, "--append", "--json"
    )
    document: dict[str, Any] = json.loads(told)
    assert code == 0 and document["lines"] == 40 and document["longest_line"] == 11 and document["documents"] == 5
    rows = [json.loads(row)["text"] for row in out.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 35 and sum("first line" in row for row in rows) == 5
    again = json.loads(lab("corpus", "--corpus", out, "--json")[1])
    assert again["chinese"] > 1000 and again["documents"] + again["duplicates"] >= 31


def test_rows_are_appended_to_whole_rows_and_to_json_lines_alone(tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("One more.\n", encoding="utf-8")
    out, no_table = tmp_path / "rows.jsonl", tmp_path / "notes.md"
    out.write_text('{"text": "a"}')  # no line end
    no_table.write_text('{"text": "a"}\nnotes\n')
    words = ("corpus", "--corpus", tmp_path / "more.txt", "--append")
    assert lab(*words, "--out", out)[0] == 0
    assert [json.loads(row)["text"] for row in out.read_text(encoding="utf-8").splitlines()] == ["a", "One more.\n"]
    code, _, err = lab(*words, "--out", no_table)
    assert code == 2 and "holds no JSON lines (line 2)" in err and no_table.read_text() == '{"text": "a"}\nnotes\n'
    no_table.write_text("[" * 100_000)
    assert lab(*words, "--out", no_table)[0] == 2
    assert lab(*words)[0] == lab(*words[:-1], "--longest", -5)[0] == lab(*words[:-1], "--posterior", -5)[0] == 2


def test_the_entropy_of_the_town_is_told_and_that_of_a_file_is_not(tmp_path: Path) -> None:
    assert "nats per character" in lab("corpus", "--stories", 20)[1]
    (tmp_path / "a.txt").write_text("nothing known of this", encoding="utf-8")
    assert "entropy" not in lab("corpus", "--corpus", tmp_path / "a.txt")[1]


def test_how_well_a_masked_word_can_be_guessed_is_told_of_the_town_alone(tmp_path: Path) -> None:
    town = ("corpus", "--corpus", "town_zh", "--stories", 10, "--posterior", 3)
    guess = json.loads(lab(*town, "--json")[1])["posterior"]
    assert 0.9 * guess["words"] < guess["right"] <= guess["words"] and 0 < guess["nats"] < 0.1 * guess["words"]
    assert f"at best, of {guess['words']:,}" in lab(*town)[1] and "at best" not in lab(*town[:-2])[1]
    (tmp_path / "a.txt").write_text("nothing known of this", encoding="utf-8")
    code, _, said = lab("corpus", "--corpus", tmp_path / "a.txt", "--posterior", 3)
    assert code == 2 and "town_en" in said
