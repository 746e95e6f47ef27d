"""What a told story says about its people and things, one fact at a time, and statements that claim such facts.

Facts are read off the roles of an event: somebody's age or work, where they live, the season, a thing's quality.
Only what might be otherwise is a fact: of a quality, what another one excludes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lab.corpora.town import world
from lab.corpora.town.chinese import number as chinese_number
from lab.corpora.town.english import article
from lab.corpora.town.english import number as english_number
from lab.corpora.town.frames import Person, Thing
from lab.corpora.town.teller import AGES
from lab.corpora.town_tasks.qualities import excluded
from lab.corpora.town_tasks.told import Told

NOWHERE = -1  # the number of the sentence that tells what none tells
_OF_PEOPLE = {"age": ("age",), "job": ("job",), "aged": ("age", "job")}  # what a form of a person tells


@dataclass(frozen=True)
class Fact:
    """Something that a sentence of a story says: of whom or what, and what of it. ``value`` is a symbol or a number."""

    kind: str
    value: str
    number: int = NOWHERE  # of the sentence
    thing: Thing | None = None


def facts(told: Told) -> list[Fact]:
    """All that the story says of these kinds, each as often as it is said. Of people, only the hero counts."""
    return [fact for number in range(len(told.sentences)) for fact in _in_sentence(told, number)]


def _in_sentence(told: Told, number: int) -> Iterator[Fact]:
    sentence = told.sentences[number]
    for mention in sentence.mentions:
        role = sentence.event.roles[mention.role]
        if isinstance(role, Person):
            kinds = _OF_PEOPLE.get(mention.form, ()) if role == told.story.hero else ()
            for kind in kinds[: 2 if role.job in told.words.jobs else 1]:  # a pupil has no job
                yield Fact(kind, str(getattr(role, kind)), number)
        elif isinstance(role, Thing):
            quality = told.words.qualities.get(role.quality, "")
            if quality and quality in sentence.said(mention) and excluded(role):
                yield Fact("quality", role.quality, number, role)
        elif mention.role in ("season", "part") or (mention.role in ("near", "where") and sentence.event.kind in AGES):
            yield Fact(mention.role, str(role), number)


def otherwise(told: Told, fact: Fact) -> Fact:
    """The same fact with another value, which it might as well have had and which cannot hold beside the true one."""
    options = excluded(fact.thing) if fact.thing else [v for v in _options(told, fact.kind) if v != fact.value]
    return replace(fact, value=told.dice.choice(options), number=NOWHERE)


def anything(told: Told, kind: str) -> Fact:
    """A fact of a kind, whatever its value; not of a thing."""
    return Fact(kind, told.dice.choice(_options(told, kind)))


def speaks_of(told: Told, kind: str, text: str) -> bool:
    """Whether some word for a value of the kind stands in a text, whatever it says there; not of a thing."""
    words = [*(_word(told, kind, value) for value in _options(told, kind)), *told.phrases["hints"].get(kind, ())]
    edge = "" if told.language == "zh" else r"\b"
    return re.search(f"{edge}({'|'.join(words)}){edge}", text, re.IGNORECASE) is not None


def _options(told: Told, kind: str) -> list[str]:
    if kind == "age":
        low, high = AGES[life(told)]
        return [str(age) for age in range(low, high + 1)]
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
    name, value = words.names[told.story.hero.name], _word(told, fact.kind, fact.value)
    more = {"was": "was"}
    if fact.thing:
        noun = words.things[fact.thing.kind]
        name = f"{noun.opener}{value}{noun.noun}" if chinese else noun.noun
        more = {"was": "were" if noun.plural else "was"}
    elif not chinese and fact.kind == "job":
        value = article(value)
    elif not chinese and fact.kind == "near":
        value = f"the {value}"
    elif not chinese and fact.kind == "where":
        value = f"{words.places[fact.value].at} the {value}"
    text: str = told.phrases["facts"][fact.kind].format(name=name, value=value, **more)
    return text


def _word(told: Told, kind: str, value: str) -> str:
    """What the language calls a value, without an article or a preposition."""
    words, chinese = told.words, told.language == "zh"
    if kind == "age":
        return (chinese_number if chinese else english_number)(int(value))
    if kind == "job":
        return words.jobs[value]
    if kind == "quality":
        return words.qualities[value]
    if kind == "where" or (kind == "near" and not chinese):
        return words.places[value].noun
    return words.symbols[kind][value][""]
