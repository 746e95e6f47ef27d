"""How a story becomes text: what the listener has heard so far, and sentences with gaps for the roles of an event.

A saying is a sentence such as ``{who} put {what} {spot:at}.`` A gap names a role and, after the colon, the form in
which a language says it; without a form the language decides between name, pronoun and description.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.corpora.town.draws import Account
from lab.corpora.town.frames import Event, Person, Story, Thing

PEOPLE = ("who", "whom")
THINGS = ("what", "tool", "food")
_GAP = re.compile(r"\{(\w+)(?::(\w+))?\}")


class Telling:
    """What the listener has heard so far: who and what was mentioned, in which sentence last, and how surprising all of
    it was."""

    def __init__(self, hero: Person, random: Callable[[], float], account: Account) -> None:
        self.hero = hero
        self.random = random
        self.account = account
        self.sentence = 0
        self._people: dict[str, dict[str, int]] = {"f": {}, "m": {}}
        self._things: dict[str, int] = {}
        self._subject = self._subject_before = ""
        self._last_thing = ""

    def next_sentence(self) -> None:
        """A new sentence begins."""
        self.sentence += 1
        self._subject_before, self._subject = self._subject, ""

    def chance(self, share: float) -> bool:
        """Whether to say it in the way that is taken in this share of all cases."""
        return self.account.chance(self.random() < share, share)

    def knows(self, one: Person | Thing) -> bool:
        """Whether the person or thing was mentioned before."""
        return one.kind in self._things if isinstance(one, Thing) else one.name in self._people[one.gender]

    def mention(self, person: Person) -> None:
        """The person is mentioned now; the first of a sentence is its subject. By name or pronoun, it is told who."""
        self.account.hear(person.name)
        self._people[person.gender][person.name] = self.sentence
        self._subject = self._subject or person.name

    def mention_thing(self, thing: Thing) -> None:
        """The thing is mentioned now."""
        self.account.hear(thing.kind)
        self._things[thing.kind] = self.sentence
        self._last_thing = thing.kind

    def now(self, person: Person) -> bool:
        """Whether this very sentence has mentioned the person."""
        return self._people[person.gender].get(person.name) == self.sentence

    def clear(self, person: Person) -> bool:
        """Whether a pronoun can only mean this person: nobody else of the gender was mentioned lately, or the
        sentence goes on with the subject of the one before."""
        others, recent = self._people[person.gender], self.sentence - 1
        if others.get(person.name, -1) < recent:
            return False
        if not self._subject and self._subject_before == person.name:
            return True
        return all(name == person.name or last < recent for name, last in others.items())

    def clear_thing(self, thing: Thing) -> bool:
        """Whether "it" can only mean this thing: it was mentioned lately, and nothing else since."""
        return self._last_thing == thing.kind and self._things[thing.kind] >= self.sentence - 1


Form = Callable[[Telling, Any], str]


@dataclass(frozen=True, slots=True)
class Saying:
    """A way to say an event: a text with %s for each gap, and the role and form of what is said there."""

    text: str
    gaps: tuple[tuple[str, Form], ...]
    forms: tuple[str, ...]  # the name of each gap's form

    def told(self, telling: Telling, roles: Mapping[str, Any]) -> str:
        """The sentence, without its link."""
        return self.text % tuple([say(telling, roles[role]) for role, say in self.gaps])

    def told_with_mentions(self, telling: Telling, roles: Mapping[str, Any]) -> tuple[str, list["Mention"]]:
        """The same, and which of its characters say what."""
        first, *rest = (part.replace("%%", "%") for part in self.text.split("%s"))
        text, mentions = first, list[Mention]()
        for (role, say), form, behind in zip(self.gaps, self.forms, rest, strict=True):
            wording = say(telling, roles[role])
            mentions.append(Mention(role, form, len(text), len(text) + len(wording)))
            text += wording + behind
        return text, mentions


@dataclass(frozen=True, slots=True)
class Mention:
    """Where the text says a role of an event, and in which form."""

    role: str
    form: str
    start: int  # characters, from and up to
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """An event as it was told, which may take more than one sentence."""

    event: Event
    way: int  # the number of its saying
    text: str
    mentions: tuple[Mention, ...]

    def said(self, mention: Mention) -> str:
        """The words of a mention."""
        return self.text[mention.start : mention.end]


@dataclass(frozen=True, kw_only=True)
class Language:
    """How one language says people, things, symbols, events and the links between them."""

    people: Mapping[str, Form]
    things: Mapping[str, Form]
    symbols: Mapping[str, Mapping[Any, Mapping[str, str]]]  # role, symbol, form
    links: Mapping[str, Sequence[str]]
    sayings: Mapping[str, Sequence[str]]
    between: str
    finish: Callable[[str, str], str]  # a link and a sentence, as one sentence

    def compiled(self) -> dict[str, list[Saying]]:
        """The sayings with their gaps resolved to functions."""
        return {kind: [self._compile(text) for text in texts] for kind, texts in self.sayings.items()}

    def _compile(self, text: str) -> Saying:
        open_gaps = _GAP.findall(text)
        gaps = tuple((role, self._form(role, form)) for role, form in open_gaps)
        return Saying(_GAP.sub("%s", text.replace("%", "%%")), gaps, tuple(form for _, form in open_gaps))

    def _form(self, role: str, form: str) -> Form:
        if role in PEOPLE:
            return self.people[form]
        if role in THINGS:
            return self.things[form]
        words = {symbol: forms[form] for symbol, forms in self.symbols[role].items()}

        def say(telling: Telling, symbol: Any) -> str:
            telling.account.hear(symbol)
            return words[symbol]

        return say


class Narrator:
    """Tells stories in one language."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._sayings = language.compiled()

    def tell(self, story: Story, random: Callable[[], float], account: Account | None = None) -> str:
        """The story as text. ``random`` only chooses between pronouns, names and descriptions. ``account`` is that of a
        listener, to which the surprisal of this telling is added."""
        telling = Telling(story.hero, random, account or Account(story.nats))
        sayings, finish = self._sayings, self._language.finish
        return self._language.between.join(
            finish(opening, sayings[event.kind][way].told(telling, event.roles))
            for event, way, opening in self._events(story, telling)
        )

    @property
    def between(self) -> str:
        """What stands between two sentences."""
        return self._language.between

    def narrate(self, story: Story, random: Callable[[], float]) -> list[Sentence]:
        """The same story in the same words, sentence by sentence, and who says what where."""
        telling = Telling(story.hero, random, Account(story.nats))
        return [self._sentence(event, way, opening, telling) for event, way, opening in self._events(story, telling)]

    def ways(self, event: Event) -> int:
        """In how many ways the event can be told."""
        return len(self._sayings[event.kind])

    def openings(self, event: Event) -> int:
        """In how many ways the event can be linked to those before."""
        return len(self._language.links[event.link])

    def alone(self, event: Event, way: int, hero: Person, random: Callable[[], float]) -> Sentence:
        """One event, told in this way to somebody who has heard nothing before."""
        telling = Telling(hero, random, Account())
        telling.next_sentence()
        return self._sentence(event, way, "", telling)

    def _events(self, story: Story, telling: Telling) -> Iterator[tuple[Event, int, str]]:
        """Each event, the number of its saying and what links it to those before, while it is told."""
        account, links = telling.account, self._language.links
        for event in story.events:
            telling.next_sentence()
            way, link = account.pick(event.way, self.ways(event)), links[event.link]
            yield event, way, link[account.pick(event.link_way, len(link))]

    def _sentence(self, event: Event, way: int, opening: str, telling: Telling) -> Sentence:
        body, mentions = self._sayings[event.kind][way].told_with_mentions(telling, event.roles)
        text = self._language.finish(opening, body)
        behind = len(text) - len(body)  # the body ends the sentence
        moved = (
            Mention(mention.role, mention.form, mention.start + behind, mention.end + behind) for mention in mentions
        )
        return Sentence(event, way, text, tuple(moved))
