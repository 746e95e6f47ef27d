"""Labelled examples of a page's choice: a corpus that comes with the lab, or a file of the visitor's own, and about how
many examples it has to learn from."""

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lab.catalog import CORPORA, TASKS
from lab.corpora.text_file import WHOLE
from lab.data.corpus import HELD_OUT
from lab.data.reading import examples_in, too_few
from lab.entries import CorpusEntry, TaskEntry
from lab.examples import Example, Examples
from lab.serve.labelled_uploads import examined
from lab.serve.uploads import kept
from lab.settings import SettingsError
from lab.training.run_request import flags
from lab.ui.runs.plan import OWN, stories
from lab.ui.shell.visitor import flags_of

SAMPLE = 100  # stories of which one sees how many examples a story gives
SPARE = 1.1  # times as many stories as the sample asks for: others give fewer
PARTS_ZH = {"text": "文本", "pair": "第二段文本", "choices": "选项", "label": "标签"}
EVERY = "all"  # the label budget that has no end


class FaultyFile(SettingsError):
    """What is wrong with the visitor's file of labelled texts."""


@dataclass(frozen=True)
class LabelledTexts:
    """A corpus with its settings, how many examples it has to learn from, and how many beside those it is checked on,
    None where these stand in a file of their own; how many classes these tell apart, 0 where they have none; and the
    first few of them."""

    corpus: str
    settings: Mapping[str, Any]
    learnt: int
    held: int | None
    classes: int
    first: Examples


def corpora(task: TaskEntry) -> list[CorpusEntry]:
    """The corpora of the lab that hold examples for a task."""
    stories_with_ends = task.holds == ("text", "label")
    return [entry for entry in CORPORA if entry.task == task.name or (stories_with_ends and entry.language)]


def parts(task: TaskEntry) -> list[str]:
    """What a column of a file is needed for: what the task reads, and what it is to say of it."""
    return [field if field in ("text", "pair", "choices") else "label" for field in task.holds]


def labelled(asked: Mapping[str, Any], task: TaskEntry, budget: int | None) -> LabelledTexts:
    """The labelled examples of a choice, so many that the budget can be met where the lab tells stories itself."""
    choice = str(asked["data"])
    if choice == OWN:
        return _own(asked, task)
    if choice not in {entry.name for entry in corpora(task)}:
        raise SettingsError(
            f"choose labelled texts for {task.title.lower()}", f"请选择可用于{task.title_zh}的带标签文本"
        )
    wanted = dict(asked.get("corpus_settings", {}))
    if CORPORA[choice].task:
        wanted["language"] = str(asked.get("language") or "en")
    return _of_the_town(choice, wanted, task, budget)


def _of_the_town(choice: str, wanted: Mapping[str, Any], task: TaskEntry, budget: int | None) -> LabelledTexts:
    values = stories(wanted, choice)
    first = of_stories(choice, str(values.get("language", "")), task.name)
    ratio = len(first.examples) / SAMPLE
    shared = not CORPORA[choice].task  # the examples to check on are taken from the same stories
    if budget is not None:
        enough = math.ceil(SPARE * budget / ratio / (1 - HELD_OUT * shared))
        values = stories({**values, "stories": max(values["stories"], enough)}, choice)
    every = values["stories"] * ratio
    held = every * HELD_OUT if shared else every / 9
    return LabelledTexts(choice, values, round(every - held * shared), round(held), len(first.labels), first)


def _own(asked: Mapping[str, Any], task: TaskEntry) -> LabelledTexts:
    columns = {f"{part}_column": str(asked.get(f"{part}_column") or "") for part in parts(task)}
    if not asked.get("text"):
        raise SettingsError("upload a file with labelled texts first", "请先上传带标签的文件")
    if not all(columns.values()) or len({*columns.values()}) < len(columns):
        raise SettingsError(
            f"choose a column of its own for each of: {', '.join(parts(task))}",
            f"请为以下每项各选一列：{'、'.join(PARTS_ZH[part] for part in parts(task))}",
        )
    skip, test = asked.get("skip") is True, str(asked.get("test") or "")
    try:
        table = examined(str(asked["text"]), task.name, columns, skip, test)
    except SettingsError as error:
        raise FaultyFile(error.en, error.zh) from None
    settings = {**columns, "skip_unlabelled": skip, "megabytes": WHOLE, "path": str(kept(str(asked["text"])))}
    settings["test"] = str(kept(test)) if test else ""
    texts, classes = int(table["texts"]), len(table["classes"])
    first = Examples([_example(fields) for fields in table["first"]], tuple(str(name) for name, _ in table["classes"]))
    held = None if test else int(table["held"])
    if held == 0:
        raise too_few()
    return LabelledTexts("labelled", settings, texts - (held or 0), held, classes, first)


@lru_cache(maxsize=64)
def of_stories(corpus: str, language: str, task: str) -> Examples:
    """What the first stories of the town give, from which one sees how many examples one gives on average."""
    entry = CORPORA[corpus]
    values = {"stories": SAMPLE, **({"language": language} if language else {})}
    return examples_in(entry, entry.settings.load(values), TASKS[task])


def _example(fields: Mapping[str, Any]) -> Example:
    """An example as it came from the child, where tuples are lists."""
    return Example(**{name: _fixed(value) for name, value in fields.items()})


def _fixed(value: Any) -> Any:
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


def budget_of(asked: Mapping[str, Any]) -> int | None:
    """The label budget that was chosen; None for all that there are."""
    wanted = asked.get("labels", EVERY)
    if wanted in (EVERY, "", None):
        return None
    if not str(wanted).isdecimal() or not 2 <= int(str(wanted)[:9]) <= 10_000:
        raise SettingsError("choose a label budget between 2 and 10,000", "标注预算请选择 2 到 10,000")
    return int(str(wanted))


def evaluation(run: str, corpus: str, settings: Mapping[str, Any], *words: str) -> str:
    """The command that measures a run on labelled examples in the terminal, as the ``words`` say."""
    values = {key: value for key, value in settings.items() if key not in ("path", "megabytes")}
    own = corpus == "labelled"
    if own:
        values["test"] = "my-test.csv" if values.get("test") else ""
    line = ["--corpus", "my-texts.csv" if own else corpus, *words, *flags("corpus", CORPORA[corpus].settings, values)]
    return f"python -m lab evaluate {flags_of(run)} {shlex.join(line)}"
