"""The fields of a labelled example, read from the cells of a table: what may stand in each, and what is wrong if not.

A cell may be a CSV file's text or whatever JSON has. Every reader raises SettingsError with the line at fault.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from lab.corpora.files.faults import Faults, at_line
from lab.examples import OUTSIDE, Example, Span, by_character, joined, numbered, trimmed
from lab.settings import SettingsError

Record = tuple[int, dict[str, Any]]  # the number of a line, and its cells by field
SIGN = "|"  # what stands between the choices in one cell


def given(cell: Any) -> bool:
    """Whether there is something in a cell."""
    return cell is not None and str(cell).strip() not in ("", "nan", "NaN")  # as a number, too: what some writers put


def class_name(line: int, cell: Any) -> str:
    """The name of a class: a word or a whole number."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer():  # so pandas writes whole numbers where some are missing
        return str(int(cell))
    if not isinstance(cell, str | int) or not given(cell):
        raise at_line(line, "has no label; a label is a word or a whole number", "没有标签；标签是文字或整数")
    return str(cell).strip()


def text(line: int, cell: Any) -> str:
    """A text that is not empty."""
    if not isinstance(cell, str) or not cell.strip():
        raise at_line(line, "has no text", "没有文字")
    return cell


def examples(
    records: Sequence[Record], holds: Sequence[str], labels: Sequence[str] = (), passed: Faults | None = None
) -> tuple[list[Example], list[str]]:
    """The examples of a table's ``records``, each of which has the cells that they ``holds``, and the names of the
    classes in the order of their numbers, the tag of no entity first. Where ``labels`` are given, those of another
    file, no others are taken. Records that are no examples are added to those ``passed`` over, where they may be."""
    records = records if passed is None else [record for record in records if _sound(*record, passed)]
    named = [_labels_of(line, cells) for line, cells in records]
    names = list(labels or numbered(name for each in named for name in each))
    names.sort(key=lambda name: "tags" in holds and name != OUTSIDE)
    numbers = {name: number for number, name in enumerate(names)}
    for (line, _), each in zip(records, named, strict=True):
        if strange := next((name for name in each if name not in numbers), None):
            raise at_line(
                line,
                f"has the label {strange[:40]!r}, which no text to learn from has",
                f"的标签 {strange[:40]!r} 在训练文本中没有出现",
            )
    rows = zip(records, named, strict=True)
    made = [_example(line, cells, [numbers[name] for name in each]) for (line, cells), each in rows]
    return _in_stories(made), names


def _sound(line: int, cells: dict[str, Any], passed: Faults) -> bool:
    """Whether an example can be made of a record. What is wrong if not is added to ``passed``."""
    try:
        _example(line, cells, [0 for _ in _labels_of(line, cells)])
    except SettingsError as fault:
        passed.append(fault)
        return False
    return True


def _labels_of(line: int, cells: dict[str, Any]) -> list[str]:
    """The names of the classes in a row: that of its text, or those of its words."""
    if "tags" in cells:
        return _tagged(line, cells)[1]
    return [class_name(line, cells["label"])] if "label" in cells and "choices" not in cells else []


def _example(line: int, cells: dict[str, Any], numbers: list[int]) -> Example:
    if "tags" in cells:
        whole, spans = joined(_tagged(line, cells)[0])
        return Example(whole, words=spans, tags=tuple(numbers))
    read = text(line, cells["text"])
    made: dict[str, Any] = {field: _READ[field](line, cells[field]) for field in cells.keys() & _READ.keys()}
    if "choices" in cells:
        made["label"] = _choice(line, cells["label"], made["choices"])
    elif numbers:
        made["label"] = numbers[0]
    if "answers" in cells:
        made["answers"] = _answers(line, cells["answers"], read)
    return Example(read, **made)


def _tagged(line: int, cells: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Words and the tag of each: lists, or texts with blanks between. Chinese words are taken apart."""
    words, tags = (cell.split() if isinstance(cell, str) else cell for cell in (cells["text"], cells["tags"]))
    if not all(isinstance(each, list) and each for each in (words, tags)) or not all(map(_is_word, [*words, *tags])):
        raise at_line(line, "has no words and a tag for each", "没有词以及每个词的标记")
    if len(words) != len(tags):
        raise at_line(line, f"has {len(words)} words and {len(tags)} tags", f"有 {len(words)} 个词，{len(tags)} 个标记")
    return by_character(words, [str(tag) for tag in tags])


def _is_word(cell: Any) -> bool:
    return isinstance(cell, str | int) and not isinstance(cell, bool) and bool(str(cell).strip())


def _number(line: int, cell: Any) -> float:
    try:
        value = math.nan if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise at_line(line, "has no finite number as its value", "没有有限的数值")
    return value


def _texts(line: int, cell: Any) -> tuple[str, ...]:
    return tuple(text(line, each) for each in (cell if isinstance(cell, list) and cell else [cell]))


def _choices(line: int, cell: Any) -> tuple[str, ...]:
    choices = [choice.strip() for choice in cell.split(SIGN)] if isinstance(cell, str) else cell
    if not isinstance(choices, list) or len(choices) < 2:
        raise at_line(line, f"has not two choices or more, with {SIGN} between", f"的选项不足两个（以 {SIGN} 分隔）")
    return tuple(text(line, choice) for choice in choices)


def _choice(line: int, cell: Any, choices: Sequence[str]) -> int:
    """Which choice is right: its number from 0, or the choice itself."""
    name = class_name(line, cell)
    if name in choices:
        return choices.index(name)
    if name.isdecimal() and int(name) < len(choices):
        return int(name)
    raise at_line(line, f"names no choice: {name[:40]!r}", f"的标签 {name[:40]!r} 不是任何一个选项")


def _answers(line: int, cell: Any, context: str) -> tuple[Span, ...]:
    """The spans of the context that answer: as SQuAD's files give them, or as their texts, of which each is looked
    for; nothing where there is no answer. Blanks at their ends are no part of them: tokens may not cover these."""
    if isinstance(cell, dict):  # {"text": [...], "answer_start": [...]}
        texts, starts = (cell.get(name) for name in ("text", "answer_start"))
        texts, starts = ([each] if isinstance(each, str | int) else each for each in (texts, starts))
    elif isinstance(cell, list) and cell and isinstance(cell[0], dict):  # [{"text": ..., "answer_start": ...}]
        texts, starts = ([each.get(name) for each in cell] for name in ("text", "answer_start"))
    else:
        texts, starts = [each for each in (cell if isinstance(cell, list) else [cell]) if given(each)], None
    if not isinstance(texts, list) or not all(isinstance(each, str) and each.strip() for each in texts):
        raise at_line(line, "has an answer that is no text", "的答案不是文字")
    starts = starts if isinstance(starts, list) and len(starts) == len(texts) else [context.find(e) for e in texts]
    for answer, start in zip(texts, starts, strict=True):
        if not isinstance(start, int) or start < 0 or context[start : start + len(answer)] != answer:
            raise at_line(
                line,
                f"has the answer {answer[:40]!r}, which does not stand in its text",
                f"的答案 {answer[:40]!r} 不在它的文字中",
            )
    return tuple(trimmed(context, start, start + len(answer)) for answer, start in zip(texts, starts, strict=True))


def _in_stories(made: Sequence[Example]) -> list[Example]:
    """The examples, those with one text numbered as one story: what was once said or asked of it tells about it."""
    stories: dict[str, int] = {}
    return [_told(example, stories.setdefault(example.text, len(stories))) for example in made]


def _told(example: Example, story: int) -> Example:
    return Example(**{**vars(example), "story": story})


_READ: dict[str, Callable[[int, Any], Any]] = {
    "pair": text,
    "choices": _choices,
    "value": _number,
    "targets": _texts,
}
