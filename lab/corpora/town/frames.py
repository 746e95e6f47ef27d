"""What happens in the small town, without a word of any language: people, things, events and stories.

Names, kinds and roles are symbols. A language gives each symbol its words (english.py, chinese.py), so that one story
can be told in every language, and so that who did what to whom can be asked about without reading a text.
"""

from dataclasses import dataclass, field
from typing import Literal

from lab.corpora.town.draws import Way


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of the town. ``tie`` is what the person is to the hero of the story; the hero has none."""

    name: str  # unlike any other in the story; a relative who has no name is called by the tie
    gender: Literal["f", "m"]
    age: int
    job: str
    tie: str = ""


@dataclass(frozen=True, slots=True)
class Thing:
    """An object, animal or dish. A story has at most one thing of a kind."""

    kind: str
    quality: str = ""
    owner: Person | None = None


Role = Person | Thing | str | int


@dataclass(slots=True)  # not frozen: that would take a tenth of the time of telling a story
class Event:
    """One thing that happens. ``link`` says how it follows from what was told before: so, but, later, ...
    ``way`` and ``link_way`` pick among the ways to say event and link, so that all languages pick the same ones.

    The roles that take part: who does it and to whom (people), what, with which tool, which food (things), and
    symbols for all that is neither: where, spot, why, season, ...
    """

    kind: str
    roles: dict[str, Role] = field(default_factory=dict)
    link: str = ""
    way: Way = Way()
    link_way: Way = Way()


@dataclass(frozen=True, slots=True)
class Story:
    """A chain of events around one person. ``label`` is 1 where it ends happily, else 0. ``nats`` is the surprisal of
    which events there are, whatever takes part in them."""

    plot: str
    label: int
    hero: Person
    events: tuple[Event, ...]
    nats: float = 0.0
