"""In-context learning on the Generate page: how often models name the label of a text behind 0, 1, 2 ... examples in
their prompt, with nothing trained."""

import functools
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from lab.catalog import CORPORA, OBJECTIVES, TASKS
from lab.corpora.town_stories import Tongue
from lab.data.reading import parts_in
from lab.examples import Example, Prediction
from lab.inference.in_context import answers_in_context, prompt
from lab.inference.model import Trained
from lab.runs.run import Run
from lab.serve.limits import limits, within
from lab.serve.ownership import seen
from lab.settings import SettingsError
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import percent, short
from lab.ui.shell.inputs import whole_seed
from lab.ui.words import say

SHOTS = (0, 1, 2, 4, 8)
READY = {"grammar": ("town_acceptability", "classify"), "follows": ("town_pairs", "pairs")}  # a corpus and its task
CHINESE = {"sound": "通顺", "broken": "有误", "entailment": "蕴含", "neutral": "无关", "contradiction": "矛盾"}
LINES, FEWEST, MODELS = 40, 4, 4  # examples that are asked about; those without which nothing is; models beside one
Answered = tuple[Prediction, list[Example]]  # what was said behind these examples
SECONDS = 60.0  # after which nothing more is begun
BAR = "|"  # between a text and its label
COLUMNS = ("model", "shots", "room", "right")


def goes_on(run: Run) -> bool:
    """Whether the run's model goes on with a text."""
    return run.task is None and OBJECTIVES[run.objective].left_to_right


def nothing(why: Any) -> Values:
    """No picture, no table and no prompt, and why."""
    table = {"columns": [say(f"generate.shots.{name}") for name in COLUMNS], "rows": [], "empty": ""}
    return {"picture": {"series": [], "empty": why, "dials": False, "height": 300}, "table": table, "prompt": []}


def others(visitor_mark: str, chosen: Sequence[str] | None) -> Any:
    """The models of this moment that can be compared."""
    runs = visitor.choices(visitor_mark, goes_on)
    names = {name for _, name in runs}
    return gr.update(choices=runs, value=[name for name in chosen or [] if name in names])


@functools.cache
def ready(name: str, language: Tongue) -> str:
    """Labelled lines of the town, labels and all in one language."""
    corpus, task = CORPORA[READY[name][0]], TASKS[READY[name][1]]
    settings = corpus.settings.load({"stories": 2 * LINES, "language": language})
    parts = parts_in(corpus, settings, task)
    texts = [" ".join(filter(None, (each.text, each.pair))) for each in parts.train]
    names = [CHINESE[label] if language == "zh" else label for label in parts.labels]
    labels = [names[each.label or 0] for each in parts.train]
    lines = [f"{text} {BAR} {label}" for text, label in zip(texts, labels, strict=True)]
    return "\n".join(sorted(lines, key=len)[:LINES])  # short ones: several have room in a small context


def labelled(text: str) -> tuple[list[Example], tuple[str, ...]]:
    """The examples of lines "text | label". Raises SettingsError where they are too few, or all of one label."""
    pairs = [line.rpartition(BAR) for line in text.splitlines() if line.strip()][:LINES]
    for number, (before, bar, label) in enumerate(pairs):
        if not (bar and before.strip() and label.strip()):
            raise SettingsError(
                f"line {number + 1} has no label: write the text, a {BAR} and its label",
                f"第 {number + 1} 行没有标签：请写上文本、{BAR} 和标签",
            )
    labels = tuple(sorted({label.strip() for *_, label in pairs}))
    if len(pairs) < FEWEST or len(labels) < 2:
        raise SettingsError(
            f"give at least {FEWEST} lines with two different labels", f"请至少给出 {FEWEST} 行，且有两种不同的标签"
        )
    return [Example(before.strip(), label=labels.index(label.strip())) for before, _, label in pairs], labels


def compare(run: str, beside: Sequence[str] | None, text: str, calibrated: bool, seed: float) -> Iterator[Values]:
    """The picture, the table and a prompt, which grow model by model and shot by shot."""
    within(text, limits().prompt)
    if not run or not visitor.trained(run).left_to_right:
        yield nothing(say("generate.no_runs"))
        return
    examples, labels = labelled(text)
    answer, until = nothing(""), time.monotonic() + SECONDS
    answer["picture"] |= axes(examples)
    for name in dict.fromkeys([run, *(beside or [])][: 1 + MODELS]):
        trained = visitor.trained(name)
        line: dict[str, Any] = {"name": called(trained, name), "dots": True, "x": [], "y": [], "low": [], "high": []}
        answer["picture"]["series"].append(line)
        for shots in SHOTS:
            if shots >= len(examples) or time.monotonic() > until:
                break
            answered = [
                *answers_in_context(trained, examples, examples, labels, shots, whole_seed(seed), bool(calibrated))
            ]
            add(line, answer["table"]["rows"], shots, examples, answered)
            answer["prompt"] = first(examples[0], *answered[0], labels)
            yield answer


def axes(examples: Sequence[Example]) -> dict[str, Any]:
    """What the picture shows beside the models: the share of the commonest label."""
    majority = max(Counter(each.label for each in examples).values()) / len(examples)
    return {
        "x": say("generate.shots.x"),
        "y": say("generate.shots.y"),
        "low": 0,
        "high": 1,
        "legend": True,
        "baselines": [{"name": say("generate.shots.majority"), "y": round(majority, 4)}],
    }


def add(
    line: dict[str, Any], rows: list[Any], shots: int, examples: Sequence[Example], answered: Sequence[Answered]
) -> None:
    """A point of a model's line, with one standard error to either side, and its row."""
    right = sum(said.label == each.label for (said, _), each in zip(answered, examples, strict=True))
    share, room = right / len(examples), sum(len(shown) for _, shown in answered) / len(answered)
    error = math.sqrt(share * (1 - share) / len(examples))
    line["x"].append(shots)
    line["y"].append(round(share, 4))
    line["low"].append(round(max(0.0, share - error), 4))
    line["high"].append(round(min(1.0, share + error), 4))
    rows.append([line["name"], str(shots), f"{room:.1f}", f"{right} / {len(examples)} ({percent(share)})"])


def first(example: Example, said: Prediction, shown: Sequence[Example], labels: Sequence[str]) -> list[Any]:
    """The prompt of the first example as the model reads it, and how likely it holds each label behind it."""
    chances = " · ".join(f"{label} {percent(chance)}" for label, chance in zip(labels, said.chances, strict=True))
    truth = labels[example.label or 0]
    return [
        ["note", say("generate.shots.prompt")],
        ["code", prompt(example, shown, labels)],
        ["p", say("generate.shots.said", chances=chances, truth=truth)],
    ]


def called(trained: Trained, name: str) -> Any:
    """A model with its size."""
    folder = seen(name.partition("@")[0])
    return say("generate.shots.named", name=visitor.label(folder.run, folder), n=short(trained.parameters))
