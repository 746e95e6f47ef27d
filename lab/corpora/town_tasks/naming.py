"""Named entities of a told story: people, jobs, places and times, where the roles of its events say them."""

import re
from collections.abc import Iterator, Sequence

from lab.corpora.town.frames import Person
from lab.corpora.town.wording import PEOPLE, Mention, Sentence
from lab.corpora.town_tasks.told import Told
from lab.examples import OUTSIDE, Span

KINDS = ("PER", "JOB", "PLACE", "TIME")
TAGS = (OUTSIDE, *(f"{mark}-{kind}" for kind in KINDS for mark in "BI"))
TIMES = {"season", "part", "month", "clock", "often", "years", "hours", "weeks"}
PLACES = {"where", "near"}
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*|'s\b|[^\w\s]")  # in English
_SIGN = re.compile(r"\S")

Entity = tuple[int, int, str]  # characters, from and up to; kind


def entities(told: Told) -> list[Entity]:
    """The entities of the whole text, in order; none inside another."""
    people = {
        (start + at, end + at, kind)
        for at, sentence in zip(told.starts, told.sentences, strict=True)
        for mention in sentence.mentions
        for start, end, kind in _within(told, sentence, mention)
    }
    kept = list[Entity]()
    for entity in sorted(people, key=lambda each: (each[0], -each[1])):
        if not kept or entity[0] >= kept[-1][1]:
            kept.append(entity)
    return kept


def _within(told: Told, sentence: Sentence, mention: Mention) -> Iterator[Entity]:
    """The entities inside what was said for a role: the names in it, and what the role itself is."""
    said, at, role = sentence.said(mention), mention.start, sentence.event.roles[mention.role]
    for person in told.people:
        yield from _found(said, told.words.names[person.name], at, "PER")
    if mention.role in PEOPLE and isinstance(role, Person) and role.job in told.words.jobs:
        yield from _found(said, told.words.jobs[role.job], at, "JOB")
    if mention.role == "job":
        yield from _found(said, told.words.jobs[str(role)], at, "JOB")
    if mention.role in PLACES:
        noun = told.words.places[str(role)].noun
        yield from _found(said, noun if noun in said else said, at, "PLACE")  # Chinese has shorter names, too
    if mention.role in TIMES:
        yield at, at + len(said), "TIME"


def _found(text: str, name: str, at: int, kind: str) -> Iterator[Entity]:
    """Where the name stands in what was said, not inside a longer word."""
    place = text.find(name)
    if place >= 0 and not any(_letter(text, edge) for edge in (place - 1, place + len(name)) if name.isascii()):
        yield at + place, at + place + len(name), kind


def _letter(text: str, place: int) -> bool:
    return 0 <= place < len(text) and text[place].isalpha()


def words_of(text: str, language: str) -> list[Span]:
    """The words of a text; in Chinese its characters."""
    return [match.span() for match in (_SIGN if language == "zh" else _WORD).finditer(text)]


def tags_of(words: Sequence[Span], entities: Sequence[Entity]) -> tuple[int, ...]:
    """The number of each word's tag. Both run from left to right."""
    tags, number = list[int](), 0
    for start, end in words:
        while number < len(entities) and entities[number][1] <= start:
            number += 1
        inside = number < len(entities) and entities[number][0] < end
        begins = inside and not (tags and words[len(tags) - 1][0] >= entities[number][0])
        tags.append(TAGS.index(f"{'B' if begins else 'I'}-{entities[number][2]}") if inside else 0)
    return tuple(tags)
