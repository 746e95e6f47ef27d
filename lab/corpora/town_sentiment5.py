"""How well a story of the small town goes, in five steps: by its end, and by what its hero went through before."""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town_tasks.told import Told, TownTask, hooks, texts
from lab.examples import Example

STEPS = ("very bad", "bad", "mixed", "good", "very good")
TURNS = {"comfort", "spoilt"}  # a story that ends otherwise than its hero fared
LOW = {"worry", "sadness", "anger", "fear", "tiredness", "gloomy"}


def sentiment(told: Told) -> list[Example]:
    """Mixed where the end is not what the hero had earned; else by the end, and stronger where nothing spoke against
    it: no low mood before a happy end, one before a sad end."""
    kinds = {event.kind for event in told.story.events}
    low = bool(kinds & LOW)
    step = 2 if kinds & TURNS else (3 if low else 4) if told.story.label else (0 if low else 1)
    return [Example(told.text, label=step, story=told.number)]


@CORPORA.add(
    "town_sentiment5",
    title="Town: sentiment in five steps",
    zh=("小镇：五级情感", "小镇故事按结局与心情分为五级，从很坏到很好，用于分类。"),
    order=21,
    **hooks("classify", sentiment, STEPS),
)
def town_sentiment5(s: TownTask) -> list[Document]:
    """Stories of the town sorted into five steps from very bad to very good: for classification."""
    return texts(s)
