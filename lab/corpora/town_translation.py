"""Translation in the small town: each event as it is told in one language, and in the other."""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town_tasks.told import Told, TownTask, hooks, texts
from lab.corpora.town_tasks.told import told as retold
from lab.examples import Example


def translated(told: Told) -> list[Example]:
    """The sentences of the story with those of the other language, event by event."""
    other = retold(told.story, told.seed, told.number, "en" if told.language == "zh" else "zh")
    pairs = zip(told.sentences, other.sentences, strict=True)
    return [Example(here.text, targets=(there.text,), story=told.number) for here, there in pairs]


@CORPORA.add(
    "town_translation",
    title="Town: translation",
    zh=("小镇：翻译", "小镇故事的英汉平行句对，用于序列到序列。"),
    order=25,
    **hooks("seq2seq", translated),
)
def town_translation(s: TownTask) -> list[Document]:
    """Sentences of the town in one language and in the other: for sequence to sequence."""
    return texts(s)
