"""What a told story says about its people and things, one fact at a time, and statements that claim such facts.

Facts are read off the roles of an event: somebody's age or work, where they live, the season, a thing's quality.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.corpora.town import world
from lab.corpora.town.chinese import number as chinese_number
from lab.corpora.town.english import article
from lab.corpora.town.english import number as english_number
from lab.corpora.town.frames import Person, Thing
from lab.corpora.town.teller import AGES
from lab.corpora.town_tasks.told import Told

KINDS = ("age", "job", "near", "where", "season", "part", "quality")
_OF_PEOPLE = {"age": "age", "job": "job", "aged": "age"}  # forms of a person that tell one


@dataclass(frozen=True)
class Fact:
    """Something that a sentence of a story says: of whom or what, and what of it. ``value`` is a symbol or a number."""

    kind: str
    value: str
    number: int  # of the sentence
    thing: Thing | None = None


def facts(told: Told) -> list[Fact]:
    """All that the story says of these kinds, each as often as it is said. Of people, only the hero counts."""
    return [fact for number in range(len(told.sentences)) for fact in _in_sentence(told, number)]


def _in_sentence(told: Told, number: int) -> Iterator[Fact]:
    sentence = told.sentences[number]
    for mention in sentence.mentions:
        role = sentence.event.roles[mention.role]
        if isinstance(role, Person):
            if role == told.story.hero and mention.form in _OF_PEOPLE:
                kind = _OF_PEOPLE[mention.form]
                yield Fact(kind, str(getattr(role, kind)), number)
        elif isinstance(role, Thing):
            quality = told.words.qualities.get(role.quality, "")
            if quality and quality in sentence.said(mention):
                yield Fact("quality", role.quality, number, role)
        elif mention.role in ("season", "part") or (mention.role in ("near", "where") and sentence.event.kind in AGES):
            yield Fact(mention.role, str(role), number)


def otherwise(told: Told, fact: Fact) -> Fact | None:
    """The same fact with another value, which it might as well have had; None where there is none."""
    options = [value for value in _options(told, fact.kind, fact.thing) if value != fact.value]
    return replace(fact, value=told.dice.choice(options)) if options else None


def anything(told: Told, kind: str, number: int) -> Fact:
    """A fact of a kind, whatever its value."""
    return Fact(kind, told.dice.choice(_options(told, kind, None)), number)


def _options(told: Told, kind: str, thing: Thing | None) -> list[str]:
    if kind == "age":
        low, high = AGES[life(told)]
        return [str(age) for age in range(low, high + 1)]
    if kind == "quality":
        return [quality for quality in dict.fromkeys(world.THINGS[thing.kind]) if quality] if thing else []
    return {
        "job": [*world.JOBS],
        "near": [*world.NEAR],
        "where": [*dict.fromkeys(world.JOBS.values())],
        "season": ["spring", "summer", "autumn", "winter"],
        "part": [*world.PARTS],
    }[kind]


def life(told: Told) -> str:
    """Which time of life the hero is in."""
    return next(event.kind for event in told.story.events if event.kind in AGES)


def statement(told: Told, fact: Fact) -> str:
    """The fact as a sentence of its own, with the hero's name."""
    words, chinese = told.words, told.language == "zh"
    name, value = words.names[told.story.hero.name], fact.value
    more = {"was": "was"}
    if fact.kind == "age":
        value = (chinese_number if chinese else english_number)(int(value))
    elif fact.kind == "job":
        value = words.jobs[value] if chinese else article(words.jobs[value])
    elif fact.kind == "near":
        value = words.symbols["near"][value][""] if chinese else f"the {words.places[value].noun}"
    elif fact.kind == "where":
        place = words.places[value]
        value = place.noun if chinese else f"{place.at} the {place.noun}"
    elif fact.kind == "quality":
        assert fact.thing is not None
        noun, quality = words.things[fact.thing.kind], words.qualities[value]
        name = f"{noun.opener}{quality}{noun.noun}" if chinese else noun.noun
        value, more = quality, {"was": "were" if noun.plural else "was"}
    else:
        value = words.symbols[fact.kind][value][""]
    text: str = told.phrases["facts"][fact.kind].format(name=name, value=value, **more)
    return text
