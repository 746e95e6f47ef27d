"""How a story of the small town goes on after two of its sentences: its next event, among three of other stories.

All four are told of the same people, alone and by name, so that only what was told before decides. One of the wrong
ones may be the right event with another object or place than the story has told of. As a rule some of them share more
words with the story than the right one does: to count shared words is to guess.
"""

from collections.abc import Iterator
from dataclasses import replace

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town.frames import Event, Person, Role, Thing
from lab.corpora.town.wording import PEOPLE
from lab.corpora.town_tasks.elsewhere import Happened, elsewhere, turns
from lab.corpora.town_tasks.naming import words_of
from lab.corpora.town_tasks.told import Told, TownTask, hooks, recast, texts
from lab.examples import Example

TOLD = 2  # sentences before the event: as much as small models read
WRONG = 3
TRIED = 40  # events among which the wrong ones are looked for
TWISTS = 6  # of the right event, with something else in it
NEARER = (0, 1, 1, 2, 2, 3, 3)  # how many of the wrong ones are to share more words with the stretch


def continued(told: Told) -> list[Example]:
    """A stretch of the story, and four ways to go on."""
    number = _turn(told)
    if number is None:
        return []
    before, sentence = told.sentences[max(0, number - TOLD) : number], told.sentences[number]
    stretch = told.narrator.between.join(each.text for each in before).strip()
    right = told.narrator.alone(sentence.event, sentence.way, told.story.hero, told.dice.random).text
    wrong = _wrong(told, number, stretch, right)
    if len(wrong) < WRONG or not _names_the_hero(told, right):
        return []
    choices = [right, *wrong]
    told.dice.shuffle(choices)
    return [Example(stretch, choices=tuple(choices), label=choices.index(right), story=told.number)]


def _turn(told: Told) -> int | None:
    """The number of an event of the plot that follows upon another; None where the story has none."""
    belong = elsewhere(told).plots
    following = turns(told.story.events, told.story.hero, belong)
    numbers = [
        number
        for number, event in enumerate(told.story.events)
        if any(event is each for each in following)
        and any(before.kind in belong for before in told.story.events[max(0, number - TOLD) : number])
    ]
    return told.dice.choice(numbers) if numbers else None


def _wrong(told: Told, number: int, stretch: str, right: str) -> list[str]:
    """Three others, so many of them nearer to the stretch than the right one as the dice will."""
    nearer, bound, wanted = list[str](), _shared(told, stretch, right), told.dice.choice(NEARER)
    farther = list[str]()
    for text in _others(told, number):
        near = _shared(told, stretch, text)
        if text not in (right, *nearer, *farther) and near != bound:
            (nearer if near > bound else farther).append(text)
        if len(nearer) >= wanted and len(farther) >= WRONG - wanted:
            break
    least = max(min(wanted, len(nearer)), WRONG - len(farther))
    return nearer[:least] + farther[: WRONG - least]


def _others(told: Told, number: int) -> Iterator[str]:
    """What the story does not go on with: at most one twist of what it does, then what happens in other plots."""
    events = [_twisted(told, number), *(_foreign(told) for _ in range(TRIED))]
    for event in events:
        if event is not None:
            way = told.dice.randrange(told.narrator.ways(event))
            text = told.narrator.alone(event, way, told.story.hero, told.dice.random).text
            if _names_the_hero(told, text):
                yield text


def _twisted(told: Told, number: int) -> Event | None:
    """The event with something or somewhere else in the place of what the story has told of; None where there is
    nothing of the kind."""
    event = told.story.events[number]
    before = told.story.events[max(0, number - TOLD) : number]
    known = [_symbol(role) for each in before for role in each.roles.values()]
    open_to = [
        name
        for name, role in event.roles.items()
        if name not in PEOPLE and not isinstance(role, int) and _symbol(role) in known
    ]
    for _ in range(TWISTS if open_to else 0):
        name = told.dice.choice(open_to)
        role, (other, _) = event.roles[name], told.dice.choice(elsewhere(told).of_kind[event.kind])
        new = other.roles[name]
        if _symbol(new) != _symbol(role):
            if isinstance(new, Thing) and isinstance(role, Thing):
                new = replace(new, owner=role.owner)
            return replace(event, roles={**event.roles, name: new})
    return None


def _foreign(told: Told) -> Event | None:
    """An event of another plot, as if it had happened to the people of this story; None where it has not enough."""
    around = elsewhere(told)
    event, hero = told.dice.choice(around.events)
    here = {each.kind for each in told.story.events}
    if event.kind in here or told.story.plot in around.plots[event.kind]:
        return None
    others = [person for person in told.people if person != told.story.hero]
    return _cast(told, (event, hero), others)


def _cast(told: Told, happened: Happened, others: list[Person]) -> Event | None:
    """The event with this story's hero for its own, and with others of this story for whoever else has a name."""
    event, hero = happened
    told.dice.shuffle(others)
    parts = {hero: told.story.hero}

    def other(person: Person) -> Person:
        if person not in parts and person.name != person.tie and others:
            parts[person] = others.pop()
        return parts.get(person, person)

    cast = recast(event, other)
    return cast if all(person.name == person.tie or person in parts.values() for person in _people(cast)) else None


def _people(event: Event) -> Iterator[Person]:
    for role in event.roles.values():
        person = role.owner if isinstance(role, Thing) else role
        if isinstance(person, Person):
            yield person


def _symbol(role: Role) -> Role:
    """What a role is, whichever of its kind."""
    return role.kind if isinstance(role, Thing) else role


def _names_the_hero(told: Told, text: str) -> bool:
    return told.words.names[told.story.hero.name] in text


def _shared(told: Told, one: str, other: str) -> float:
    """The share of words that two texts have in common."""
    first, second = ({text[a:b].lower() for a, b in words_of(text, told.language)} for text in (one, other))
    return len(first & second) / len(first | second)


@CORPORA.add(
    "town_choice",
    title="Town: multiple choice",
    zh=("小镇：多项选择", "小镇故事的片段与四个后续，只有一个是故事真正的后续，用于多项选择。"),
    order=30,
    **hooks("choice", continued),
)
def town_choice(s: TownTask) -> list[Document]:
    """Stretches of the town's stories and four ways to go on, one of them the story's own: for multiple choice."""
    return texts(s)
