"""CoNLL: a word and its tag a line, read as the JSON lines that hold the same."""

import json
from pathlib import Path

import pytest

from lab.catalog import TASKS
from lab.corpora.files.conll import is_conll
from lab.corpora.files.table import preview
from lab.corpora.labelled import Labelled, examples
from lab.settings import SettingsError

TEXTS = [
    (["Anna", "met", "Tom", "#"], ["B-PER", "O", "B-PER", "O"]),
    (["小", "明", "去", "北京"], ["B-PER", "I-PER", "O", "B-LOC"]),
]
LINES = "\n".join(json.dumps({"tokens": words, "tags": tags}) for words, tags in TEXTS)


def written(between: str = " ", more: str = "", before: str = "", end: str = "\n\n") -> str:
    """The texts as CoNLL, with columns ``between`` word and tag."""
    rows = [zip(words, tags, strict=True) for words, tags in TEXTS]
    return before + end.join("\n".join(f"{word}{more}{between}{tag}" for word, tag in row) for row in rows)


def kept(folder: Path, content: str) -> Labelled:
    path = folder / "named.txt"
    path.write_text(content, encoding="utf-8")
    return Labelled(path=str(path))


@pytest.mark.parametrize(
    "content",
    [
        written(),
        written("\t"),
        written(more=" NN B-NP", end="\n \n\n"),
        written(before="-DOCSTART- -X- O O\n\n# sent_id = 1\n"),
        written() + "\n\n",
    ],
)
def test_it_holds_what_json_lines_hold(content: str, tmp_path: Path) -> None:
    read = examples(kept(tmp_path, content), TASKS["tokens"])
    assert read == examples(kept(tmp_path, LINES), TASKS["tokens"])
    assert [len(example.words) for example in read.examples] == [4, 5]  # Chinese words are taken apart
    assert preview(kept(tmp_path, content).path)[0] == ["tokens", "tags"]
    assert preview(kept(tmp_path, content).path)[1][0]["tokens"] == TEXTS[0][0]


@pytest.mark.parametrize(
    "content",
    [
        "text,label\nAnna met Tom,B-PER\n",
        "text\tlabel\nit was good\tO\n",
        "good O\nbad O",  # no entity anywhere
        "B-PER\nO\n",
        "Anna B-PER\nmet Tom O\n",  # not as many columns everywhere
        "a text\n",
        LINES,
    ],
)
def test_a_table_or_a_text_is_none(content: str) -> None:
    assert not is_conll(content)


def test_a_word_without_a_tag_is_named_by_its_line(tmp_path: Path) -> None:
    far = "\n\n".join([written()] * 100)  # behind what is looked at to tell what the file is
    with pytest.raises(SettingsError, match=f"line {far.count(chr(10)) + 3} has a word without a tag"):
        examples(kept(tmp_path, far + "\n\nTom"), TASKS["tokens"])
