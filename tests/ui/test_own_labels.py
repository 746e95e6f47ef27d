"""A visitor's own labelled file on the Fine-tune page: its columns, its classes, and that it can be learnt from."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench import ANN, Still, parent, still, taught

from lab.catalog import TASKS
from lab.ui.pages.finetune import cost, dataset
from lab.ui.words import in_language

__all__ = ["parent", "still", "taught"]  # fixtures

NAMED = [
    row
    for name in "明红芳丽军华平伟"
    for row in (
        (f"小 {name} 去 北 京", "B-PER I-PER O B-LOC I-LOC"),
        (f"王 {name} 在 上 海", "B-PER I-PER O B-LOC I-LOC"),
        (f"今 天 {name} 好", "O O O O"),
    )
]
TABLE = "\n".join(",".join(row) for row in NAMED)
PAIRS = [(words.split(), tags.split()) for words, tags in NAMED]
FILES = {
    "named.csv": f"文本,标签\n{TABLE}",
    "odd.csv": f"甲,乙\n{TABLE}",  # tags are longer than the texts, and no name is usual
    "turned.csv": "乙,甲\n" + "\n".join(",".join(reversed(row)) for row in NAMED),
    "bare.csv": TABLE,
    "lists.jsonl": "\n".join(json.dumps({"tokens": words, "tags": tags}) for words, tags in PAIRS),
    "conll.txt": "\n\n".join("\n".join(map(" ".join, zip(words, tags, strict=True))) for words, tags in PAIRS),
}
CHINESE = {
    "classify": ("标签,评论", "好{n},这家酒店很好"),
    "pairs": ("句子1,句子2,标签", "今天下雨,明天下雨,{n}"),
    "tokens": ("句子,标注", "小 明 {n},B-PER I-PER O"),
    "questions": ("文章,问题,答案", "小明去北京了,小明去哪里,北京"),
    "similarity": ("句子1,句子2,分数", "今天下雨,明天下雨,{n}.5"),
    "choice": ("问题,选项,答案", "一加一是几,二|三,{n}"),
    "seq2seq": ("原文,译文", "hello there,你好"),
}


def put(folder: Path, name: str, content: str, task: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the page says of a file, and what its controls then say."""
    file = folder / name
    file.write_text(content, encoding="utf-8")
    taken = dataset.take_file(str(file), task)
    chosen = {name: taken[name]["value"] for name in (f"{part}_column" for part in dataset.PARTS)}
    said = dataset.look_at(taken["text"], task, False, "", *chosen.values())
    return said, {"data": "own", "text": taken["text"], **chosen}


@pytest.mark.parametrize("name", list(FILES))
def test_a_file_of_tags_is_understood_and_can_be_learnt_from(parent: str, name: str, tmp_path: Path) -> None:
    said, chosen = put(tmp_path, name, FILES[name], "tokens")
    facts = " ".join(in_language(text, "en") for kind, text in said["facts"] if kind == "note")
    assert "24 texts, whose words have 5 tags: O (48), B-LOC (16), B-PER (16), I-LOC (16), I-PER (16)" in facts
    assert "uneven" not in facts  # O always is
    wanted = {"parent": "parent", "task": "tokens", "epochs": 1, "training": {"batch": 4}, "seed": 0}
    priced = cost.cost(ANN, {**wanted, **chosen})
    assert priced["forecast"]["tiles"]
    assert "too few to learn from" in in_language(priced["objection"][0][1], "en") and len(priced["objection"]) == 1


@pytest.mark.parametrize("task", TASKS.names())
def test_columns_with_chinese_names_are_found(still: Still, task: str, tmp_path: Path) -> None:
    head, row = CHINESE[task]
    _, chosen = put(tmp_path, "table.csv", "\n".join([head, *(row.format(n=n % 2) for n in range(20))]), task)
    order = {"classify": (1, 0)}.get(task, range(9))
    names = [name for name in (chosen.get(f"{part}_column") for part in dataset.PARTS) if name]
    assert sorted(names) == sorted(head.split(",")) and names[0] == head.split(",")[order[0]]
