"""``answer``: what a fine-tuned run says of a text: its class, its words' tags, an answer in it, another text."""

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from lab.analysis.preview import nothing_to_read
from lab.catalog import TASKS
from lab.cli.answer import Answer, table
from lab.cli.flags import Parser
from lab.cli.run_named import run_named
from lab.entries import TaskEntry
from lab.examples import Example, Prediction, words_in
from lab.inference.answering import answer as told
from lab.inference.model import Trained, load
from lab.settings import SettingsError


def answer_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.add_argument("--run", required=True, metavar="RUN", help="a fine-tuned run's folder, or its name")
    parser.add_argument("--text", required=True, metavar="T", help="the text; for questions, the one to look in")
    parser.add_argument("--pair", default="", metavar="T", help="a second text, or the question")
    parser.add_argument("--choice", action="append", metavar="T", help="one of several choices; give it for each")


def answer(asked: Namespace) -> Answer:
    """What the run says, by its task."""
    trained = load(run_named(asked.run))
    if trained.run.task is None:
        raise SettingsError(
            "this run was not fine-tuned for a task: fine-tune it first", "这个训练没有经过任务微调：请先微调"
        )
    task = TASKS[trained.run.task]
    example = _example(asked, task)
    prediction = told(trained, example)
    document = _document(task, example, prediction, trained)
    return Answer(document, _lines(document))


def _example(asked: Namespace, task: TaskEntry) -> Example:
    choices = asked.choice or ()
    if not asked.text.strip():
        raise nothing_to_read()
    if "pair" in task.holds and not asked.pair:
        raise SettingsError(f"{task.name} reads two texts: give the second with --pair", "请用 --pair 给出第二段文字")
    if "choices" in task.holds and len(choices) < 2:
        raise SettingsError("give each of the choices with --choice", "请用 --choice 逐个给出选项")
    if len({*choices}) < len(choices):
        raise SettingsError("a choice is given twice: leave one out", "有重复的选项：请去掉一个")
    for held, flag, given in (("pair", "--pair", asked.pair), ("choices", "--choice", asked.choice)):
        if given and held not in task.holds:
            raise SettingsError(f"{task.name} takes no {flag}: leave it out", f"{task.name} 不用 {flag}：请去掉")
    if "tags" not in task.holds:
        return Example(asked.text, pair=asked.pair, choices=tuple(choices))
    return Example(asked.text, words=words_in(asked.text))


def _document(task: TaskEntry, example: Example, prediction: Prediction, trained: Trained) -> dict[str, Any]:
    """The part of a prediction that belongs to the task."""
    if "tags" in task.holds:
        words = [example.text[start:end] for start, end in example.words]
        return {"words": words, "tags": [trained.labels[tag] for tag in prediction.tags]}
    if "answers" in task.holds:
        return {"answer": prediction.text, "characters": prediction.answer, "probability": prediction.score}
    if "targets" in task.holds:
        return {"text": prediction.text}
    if "value" in task.holds:
        return {"value": prediction.value}
    names = example.choices or trained.labels
    order = sorted(range(len(names)), key=lambda number: -prediction.chances[number])
    return {"classes": [{"class": names[number], "probability": prediction.chances[number]} for number in order]}


def _lines(document: dict[str, Any]) -> str:
    if "classes" in document:
        return table([[each["class"], f"{each['probability']:.1%}"] for each in document["classes"]])
    if "tags" in document:
        return table([[word, tag] for word, tag in zip(document["words"], document["tags"], strict=True)])
    if "answer" in document:
        return f"{document['answer'] or '(no answer in the text)'}  {document['probability']:.1%}"
    return str(document["text"] if "text" in document else f"{document['value']:.4g}")
