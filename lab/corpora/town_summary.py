"""Summaries of the small town's stories: one sentence that says who it was about, what happened and how it ended."""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town_tasks.told import Told, TownTask, hooks, texts
from lab.examples import Example


def summarised(told: Told) -> list[Example]:
    """The story and its summary."""
    ends = told.phrases["ends"]
    summary = ends["sentence"].format(
        name=told.words.names[told.story.hero.name],
        topic=told.phrases["topics"][told.story.plot],
        end=ends["good" if told.story.label else "bad"],
    )
    return [Example(told.text, targets=(summary,), story=told.number)]


@CORPORA.add(
    "town_summary",
    title="Town: summaries",
    zh=("小镇：摘要", "小镇故事与一句话摘要：谁、什么事、结局如何，用于序列到序列。"),
    order=26,
    **hooks("seq2seq", summarised),
)
def town_summary(s: TownTask) -> list[Document]:
    """Stories of the town with one sentence each that sums them up: for sequence to sequence."""
    return texts(s)
