"""Named entities of the small town: people, jobs, places and times, by word in English, by character in Chinese.

Labelled is what the roles of an event say. A place that a sentence happens to name beside its roles is not.
"""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town_tasks.naming import TAGS, entities, tags_of, words_of
from lab.corpora.town_tasks.told import Told, TownTask, hooks, texts
from lab.examples import Example


def tagged(told: Told) -> list[Example]:
    """The story with a BIO tag for each word."""
    words = words_of(told.text, told.language)
    return [Example(told.text, words=tuple(words), tags=tags_of(words, entities(told)), story=told.number)]


@CORPORA.add(
    "town_entities",
    title="Town: named entities",
    zh=("小镇：命名实体", "小镇故事中的人名、职业、地点与时间（BIO 标注；中文按字），用于词元分类。"),
    order=22,
    **hooks("tokens", tagged, TAGS),
)
def town_entities(s: TownTask) -> list[Document]:
    """Stories of the town whose people, jobs, places and times are tagged: for token classification."""
    return texts(s)
