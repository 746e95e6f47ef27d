"""What a story of the small town is about: its plot, one of a few dozen."""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town.story import PLOTS
from lab.corpora.town_tasks.told import Told, TownTask, hooks, texts
from lab.examples import Example

TOPICS = tuple(sorted(plot.__name__ for plot, _ in PLOTS))


def topic(told: Told) -> list[Example]:
    """The story and the number of its plot."""
    return [Example(told.text, label=TOPICS.index(told.story.plot), story=told.number)]


@CORPORA.add(
    "town_topic",
    title="Town: topics",
    zh=("小镇：主题", "小镇故事及其主题（四十余种情节之一），用于分类。"),
    order=20,
    **hooks("classify", topic, TOPICS),
)
def town_topic(s: TownTask) -> list[Document]:
    """Stories of the town with what each is about, one of some forty plots: for classification."""
    return texts(s)
