"""Labelled examples from files: what each task needs, in whatever columns it stands, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from lab.catalog import TASKS
from lab.corpora.labelled import Labelled, examples, held_out
from lab.data.corpus import labelled_split
from lab.data.reading import parts_of
from lab.examples import Example, Examples
from lab.runs.run import Run
from lab.settings import SettingsError


def wrote(folder: Path, content: str | list[dict[str, Any]], name: str = "data.txt") -> str:
    lines = content if isinstance(content, str) else "\n".join(json.dumps(row, ensure_ascii=False) for row in content)
    (folder / name).write_text(lines, encoding="utf-8", newline="")
    return str(folder / name)


def read(folder: Path, task: str, content: str | list[dict[str, Any]], **settings: Any) -> Examples:
    return examples(Labelled(path=wrote(folder, content), **settings), TASKS[task])


def test_pairs_are_read_under_their_usual_names_or_those_one_gives(tmp_path: Path) -> None:
    rows = [{"premise": "a", "hypothesis": "b", "label": "yes"}, {"premise": "c", "hypothesis": "d", "label": "no"}]
    found = read(tmp_path, "pairs", rows)
    assert found.labels == ("no", "yes") and [each.story for each in found.examples] == [0, 1]
    assert found.examples[0] == Example("a", pair="b", label=1, story=0)
    table = "s1,s2,gold\na,b,yes\nc,d,no\n"
    named = read(tmp_path, "pairs", table, text_column="s1", pair_column="s2", label_column="gold")
    assert named == found


def test_tags_are_read_from_lists_and_from_texts_with_blanks(tmp_path: Path) -> None:
    rows = [{"tokens": ["Ann", "saw", "小镇"], "tags": ["B-PER", "O", "B-LOC"]}]
    found = read(tmp_path, "tokens", rows)
    assert found.labels == ("O", "B-LOC", "B-PER", "I-LOC")
    only = found.examples[0]
    assert only.text == "Ann saw 小镇" and only.tags == (2, 0, 1, 3)
    assert [only.text[start:end] for start, end in only.words] == ["Ann", "saw", "小", "镇"]
    assert read(tmp_path, "tokens", "words,tags\nAnn saw 小镇,B-PER O B-LOC\n") == found


def test_answers_are_read_as_squad_gives_them_and_by_their_text(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"context": "a b a", "question": "q", "answers": {"text": ["a"], "answer_start": [4]}},
        {"context": "a b a", "question": "r", "answers": [{"text": "b", "answer_start": 2}]},
        {"context": "a b a", "question": "s", "answers": "b a"},
        {"context": "c", "question": "t", "answers": {"text": [], "answer_start": []}},
        {"context": "c", "question": "u", "answers": None},
    ]
    found = read(tmp_path, "questions", rows, skip_unlabelled=True).examples
    assert [each.answers for each in found] == [((4, 5),), ((2, 3),), ((2, 5),), (), ()]
    assert [each.story for each in found] == [0, 0, 0, 1, 1], "questions about one text are never parted"


def test_blanks_at_the_ends_of_an_answer_are_no_part_of_it(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"context": "in Paris .", "question": "q", "answers": {"text": [" Paris"], "answer_start": [2]}},
        {"context": "in Paris .", "question": "r", "answers": " Paris "},
    ]
    assert [each.answers for each in read(tmp_path, "questions", rows).examples] == [((3, 8),), ((3, 8),)]


def test_values_choices_and_targets_are_read(tmp_path: Path) -> None:
    rows = [{"sentence1": "a", "sentence2": "b", "score": 2.5}]
    assert read(tmp_path, "similarity", rows).examples[0].value == 2.5
    several = read(tmp_path, "choice", "question,choices,answer\nq,one | two,two\nr,a|b|c,0\n").examples
    assert [(each.choices, each.label) for each in several] == [(("one", "two"), 1), (("a", "b", "c"), 0)]
    written = read(
        tmp_path, "seq2seq", [{"document": "d", "summaries": ["s", "t"]}, {"document": "e", "summaries": "u"}]
    )
    assert [each.targets for each in written.examples] == [("s", "t"), ("u",)]


@pytest.mark.parametrize(
    ("task", "row", "part"),
    [
        ("pairs", {"text": "a", "label": 1}, "there is no column 'pair'; there are: text, label"),
        ("tokens", {"tokens": ["a", "b"], "tags": ["O"]}, "line 1 has 2 words and 1 tags"),
        ("tokens", {"tokens": [], "tags": []}, "line 1 has no words"),
        ("tokens", {"tokens": ["a", None], "tags": ["O", "O"]}, "line 1 has no words"),
        ("questions", {"context": "a", "question": "q", "answers": "z"}, "'z', which does not stand in its text"),
        (
            "questions",
            {"context": "ab", "question": "q", "answers": {"text": ["b"], "answer_start": [0]}},
            "does not stand in its text",
        ),
        ("questions", {"context": "a", "question": "q", "answers": 3}, "an answer that is no text"),
        ("similarity", {"text": "a", "pair": "b", "value": "much"}, "line 1 has no finite number"),
        ("similarity", {"text": "a", "pair": "b", "value": float("nan")}, "line 1 has no finite number"),
        ("choice", {"text": "a", "choices": ["b"], "label": 0}, "has not two choices"),
        ("choice", {"text": "a", "choices": ["b", "c"], "label": 2}, "names no choice"),
        ("seq2seq", {"text": "a", "target": ""}, "line 1 has no text"),
    ],
)
def test_what_a_row_lacks_is_said_in_one_sentence(task: str, row: dict[str, Any], part: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="line|column") as said:
        read(tmp_path, task, [row])
    assert part in said.value.en and "\n" not in said.value.en and said.value.zh != said.value.en


def test_rows_that_lack_something_may_be_left_out(tmp_path: Path) -> None:
    rows = [{"text": "a", "pair": "b", "value": 1}, {"text": "a", "pair": None, "value": 1}]
    found = read(tmp_path, "similarity", rows, skip_unlabelled=True)
    assert len(found.examples) == 1 and found.left_out == 1


def test_a_test_file_has_the_names_of_the_file_that_is_learnt_from(tmp_path: Path) -> None:
    learnt = wrote(tmp_path, [{"tokens": ["a", "b"], "tags": ["B-X", "O"]}])
    test = wrote(tmp_path, [{"tokens": ["c"], "tags": ["B-X"]}], "test.jsonl")
    s = Labelled(path=learnt, test=test)
    labels = examples(s, TASKS["tokens"]).labels
    held = held_out(s, TASKS["tokens"], labels)
    assert held is not None and held[0].tags == (labels.index("B-X"),)
    strange = wrote(tmp_path, [{"tokens": ["c"], "tags": ["B-Y"]}], "strange.jsonl")
    with pytest.raises(SettingsError, match="'B-Y', which no text to learn from has"):
        held_out(Labelled(path=learnt, test=strange), TASKS["tokens"], labels)


def test_the_first_of_a_test_file_sorted_by_class_are_a_fair_sample(tmp_path: Path) -> None:
    rows = [{"text": f"text {n}", "label": n // 500} for n in range(1000)]
    path = wrote(tmp_path, rows)
    held = held_out(Labelled(path=path, test=path), TASKS["classify"], ("0", "1"))
    assert held is not None and 80 < sum(each.label == 1 for each in held[:200]) < 120
    assert sorted(each.text for each in held) == sorted(str(row["text"]) for row in rows), "each once"
    assert held == held_out(Labelled(path=path, test=path), TASKS["classify"], ("0", "1")), "always the same"


def test_what_is_asked_of_one_text_stays_on_one_side() -> None:
    asked = [Example(f"text {n // 4}", pair=str(n), story=n // 4) for n in range(80)]
    train, valid = labelled_split(asked)
    assert not {each.story for each in train} & {each.story for each in valid} and len(valid) == 8


@pytest.mark.parametrize("task", ["classify", "tokens"])
def test_a_text_that_a_file_repeats_is_learnt_from_or_checked_on_but_not_both(task: str, tmp_path: Path) -> None:
    texts = [f"text {n % 40}" for n in range(120)]
    rows = [{"text": text, "label": n % 2, "tags": ["B-X", "O"]} for n, text in enumerate(texts)]
    train, valid = labelled_split(read(tmp_path, task, rows).examples)
    assert len(valid) == 12 and len(train) == 108 and not {each.text for each in train} & {each.text for each in valid}


def test_a_corpus_without_what_a_task_needs_says_so() -> None:
    run = Run(kind="finetune", model="bert", task="tokens", corpus="town_en", training={"steps": 1})
    with pytest.raises(SettingsError, match="town_en holds no labels for tokens: name a file that has text, tags"):
        parts_of(run)
