"""The small town in both languages: every story is told in English and then again in Chinese."""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town_stories import CLASSES, Town, documents


@CORPORA.add(
    "town",
    title="The small town (English and Chinese)",
    zh=("小镇故事（中英双语）", "同样的小镇故事，每个都用英文和中文各讲一遍。"),
    settings=Town,
    order=3,
    language="both",
    labelled=True,
    classes=CLASSES,
)
def town(s: Town) -> list[Document]:
    """Each story of the town told in English and in Chinese, labelled by its ending."""
    return [told for number in range(s.stories) for told in documents(s.seed, number, ("en", "zh"))]
