"""How much two sentences of the small town mean the same, from 0 to 5, by what the events behind them share.

5: one event told in two ways. 3: the same kind of event with somebody or something else. 1: two events of one story.
0: events of different kinds from two stories.
"""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town.frames import Event, Person
from lab.corpora.town.story import tell
from lab.corpora.town_tasks.told import Told, TownTask, hooks, texts
from lab.examples import Example

SAME, ALIKE, NEAR, FAR = 5.0, 3.0, 1.0, 0.0
EACH = 2  # pairs of a story
TRIED = 60  # stories among which one with the same kind of event is looked for


def likened(told: Told) -> list[Example]:
    """Some sentences of the story, each beside another that is like it to a degree which the dice choose."""
    pairs = list[Example]()
    for _ in range(EACH):
        event = told.dice.choice(told.story.events)
        value = told.dice.choice((SAME, ALIKE, NEAR, FAR))
        ways = told.narrator.ways(event)
        way = told.dice.randrange(ways)
        other, hero = _beside(told, event, value)
        if other is None or (value == SAME and ways == 1):
            continue
        among = [n for n in range(told.narrator.ways(other)) if value != SAME or n != way]
        texts = (
            told.narrator.alone(event, way, told.story.hero, told.dice.random).text,
            told.narrator.alone(other, told.dice.choice(among), hero, told.dice.random).text,
        )
        if texts[0] != texts[1]:  # what makes two events differ need not be said
            pairs.append(Example(texts[0], pair=texts[1], value=value, story=told.number))
    return pairs


def _beside(told: Told, event: Event, value: float) -> tuple[Event | None, Person]:
    """Another event, as like the first one as the value says, and the hero of its story."""
    hero = told.story.hero
    if value == SAME:
        return event, hero
    if value == NEAR:
        others = [other for other in told.story.events if other.kind != event.kind]
        return (told.dice.choice(others) if others else None), hero
    for _ in range(TRIED):
        story = tell(told.dice.randrange(2**31), told.number)
        kinds = [other for other in story.events if (other.kind == event.kind) is (value == ALIKE)]
        if kinds and (other := told.dice.choice(kinds)).roles != event.roles:
            return other, story.hero
    return None, hero


@CORPORA.add(
    "town_similarity",
    title="Town: similarity",
    zh=("小镇：语义相似度", "小镇故事中的两句话及其相似程度（0 到 5），用于回归。"),
    order=29,
    **hooks("similarity", likened),
)
def town_similarity(s: TownTask) -> list[Document]:
    """Two sentences of the town and how much they mean the same, from 0 to 5: for regression."""
    return texts(s)
