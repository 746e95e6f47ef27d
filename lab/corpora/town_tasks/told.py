"""Labels for free: stories of the small town as they were told, with all that is known about them.

What a task asks for is read off the frames from which a story was made, never off its text. Training, validation and
test tell different stories; on demand no name of one is in another.
"""

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from random import Random
from typing import Any, Literal

from lab.batch import Document
from lab.corpora.town import world
from lab.corpora.town.chinese import CHINESE
from lab.corpora.town.chinese import WORDS as CHINESE_WORDS
from lab.corpora.town.english import ENGLISH
from lab.corpora.town.english import WORDS as ENGLISH_WORDS
from lab.corpora.town.frames import Event, Person, Role, Story, Thing
from lab.corpora.town.story import tell
from lab.corpora.town.wording import Narrator, Sentence
from lab.corpora.town.words import FOLDER, Words
from lab.entries import TaskEntry
from lab.examples import Example, Examples
from lab.settings import Settings, SettingsError, knob

PARTS = TRAIN, VALIDATION, TEST = ("train", "validation", "test")
APART = 10_000_000  # stories between the first ones of two parts
HELD = 9  # stories to learn from for one to be checked on
OTHERS = 5  # of so many names, one is kept for validation and one for test
Tongue = Literal["en", "zh"]


@dataclass(frozen=True, kw_only=True)
class TownTask(Settings):
    stories: int = knob(1000, "Number of stories", "故事数量", low=10, high=1_000_000, step=10)
    language: str = knob("en", "Language", "语言", choices=("en", "zh"))
    part: str = knob(TRAIN, "Which part of the town's stories", "取哪一部分故事", choices=PARTS)
    names_apart: bool = knob(False, "Other names in each part", "各部分使用不同的人名")
    seed: int = knob(0, "Seed of the town", "小镇的随机种子", low=0, high=2**31 - 1, step=1)


@dataclass(frozen=True)
class Told:
    """A story as it was told in one language, and dice of its own for whoever asks about it."""

    seed: int  # of the town
    number: int
    story: Story
    language: Tongue
    narrator: Narrator
    words: Words
    phrases: dict[str, Any]
    sentences: list[Sentence]
    dice: Random

    @property
    def text(self) -> str:
        """The whole story."""
        return self.narrator.between.join(sentence.text for sentence in self.sentences)

    @property
    def starts(self) -> list[int]:
        """Where in the text each sentence begins."""
        starts, at = list[int](), 0
        for sentence in self.sentences:
            starts.append(at)
            at += len(sentence.text) + len(self.narrator.between)
        return starts

    @property
    def people(self) -> list[Person]:
        """Everybody in the story who has a name."""
        by_name = {self.story.hero.name: self.story.hero}
        for event in self.story.events:
            for role in event.roles.values():
                person = role.owner if isinstance(role, Thing) else role
                if isinstance(person, Person) and person.name != person.tie:
                    by_name.setdefault(person.name, person)
        return [*by_name.values()]


Make = Callable[[Told], list[Example]]


def hooks(task: str, make: Make, labels: Sequence[str] = ()) -> dict[str, Any]:
    """The hooks of a corpus that holds examples for one task, made of each story."""

    @lru_cache(maxsize=4)  # an experiment fine-tunes again and again on the same stories
    def made(s: TownTask, part: str) -> tuple[Example, ...]:
        return tuple(example for told in told_stories(s, part) for example in make(told))

    def examples(s: TownTask, entry: TaskEntry) -> Examples:
        if entry.name != task:
            raise SettingsError(f"this corpus is for the task {task}", f"这个语料用于任务 {task}")
        return Examples(made(s, s.part), tuple(labels))

    def held_out(s: TownTask, entry: TaskEntry, labels: Sequence[str]) -> Sequence[Example]:
        return made(replace(s, stories=max(10, s.stories // HELD)), VALIDATION)

    return {"task": task, "examples": examples, "held_out": held_out, "labelled": False, "settings": TownTask}


def texts(s: TownTask) -> list[Document]:
    """The stories, as texts."""
    return [Document(told.text, story=told.number) for told in told_stories(s, s.part)]


def told_stories(s: TownTask, part: str, language: Tongue | None = None) -> Iterator[Told]:
    """The stories of a part of the town, one after the other."""
    tongue: Tongue = language or ("zh" if s.language == "zh" else "en")
    first = PARTS.index(part) * APART
    for number in range(first, first + s.stories):
        story = tell(s.seed, number)
        yield told(renamed(story, part) if s.names_apart else story, s.seed, number, tongue)


def told(story: Story, seed: int, number: int, language: Tongue) -> Told:
    """A story told in a language: the same words as in the corpora of stories."""
    narrator, words = (CHINESE, CHINESE_WORDS) if language == "zh" else (ENGLISH, ENGLISH_WORDS)
    sentences = narrator.narrate(story, Random(f"{seed}:{number}:{language}").random)
    dice = Random(f"{seed}:{number}:asked")
    return Told(seed, number, story, language, narrator, words, phrases(language), sentences, dice)


@cache
def phrases(language: Tongue) -> dict[str, Any]:
    """What a language needs to ask about stories."""
    file = FOLDER / f"{'chinese' if language == 'zh' else 'english'}_tasks.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def renamed(story: Story, part: str) -> Story:
    """The same story with names that no other part has."""
    names = dict[str, str]()

    def named(person: Person) -> Person:
        if person.name not in (*world.WOMEN, *world.MEN):
            return person
        if person.name not in names:
            every = world.WOMEN if person.gender == "f" else world.MEN
            own = [name for number, name in enumerate(every) if _part_of(number) == part]
            at = every.index(person.name) % len(own)
            names[person.name] = next(name for name in own[at:] + own[:at] if name not in names.values())
        return replace(person, name=names[person.name])

    hero = named(story.hero)
    return replace(story, hero=hero, events=tuple(recast(event, named) for event in story.events))


def _part_of(number: int) -> str:
    return {OTHERS - 2: VALIDATION, OTHERS - 1: TEST}.get(number % OTHERS, TRAIN)


def recast(event: Event, other: Callable[[Person], Person]) -> Event:
    """The same event with other people in it: who takes part, and to whom a thing belongs."""

    def again(role: Role) -> Role:
        if isinstance(role, Thing):
            return replace(role, owner=other(role.owner)) if role.owner else role
        return other(role) if isinstance(role, Person) else role

    return replace(event, roles={name: again(role) for name, role in event.roles.items()})


def with_hero(event: Event, old: Person, new: Person) -> Event:
    """The same event happening to somebody else."""
    return recast(event, lambda person: new if person == old else person)
