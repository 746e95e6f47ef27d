"""A story in the making: draws its people, things and weather, and keeps names and kinds apart."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from lab.corpora.town import world
from lab.corpora.town.frames import Event, Person, Role, Thing

T = TypeVar("T")
AGES = {"child": (7, 14), "worker": (28, 58), "elder": (66, 84)}
TROUBLES = ("worry", "worry", "sadness", "anger", "fear", "tiredness", "hope", "hope", "trust")


class Teller:
    """Collects the events of one story. ``good`` says whether its hero reaches the goal; ``brief`` leaves out
    whatever the story does not need."""

    def __init__(self, random: Callable[[], float], life: str, good: bool, brief: bool) -> None:
        self.random = random
        self.life = life
        self.good = good
        self.brief = brief
        self.events: list[Event] = []
        self._taken: set[str] = set()
        self._next_link = ""
        self._worn: Thing | None = None
        self.hero = self.person("")

    def one(self, options: Sequence[T]) -> T:
        """One of the options, all equally likely."""
        return options[int(self.random() * len(options))]

    def two(self, options: Sequence[T]) -> tuple[T, T]:
        """Two different options."""
        first = int(self.random() * len(options))
        second = int(self.random() * (len(options) - 1))
        return options[first], options[second + (second >= first)]

    def chance(self, share: float) -> bool:
        """True in this share of all stories."""
        return self.random() < share

    def person(self, tie: str, gender: Literal["f", "m"] | None = None, job: str = "") -> Person:
        """Somebody whose name is new in this story."""
        sex: Literal["f", "m"] = gender or ("f" if self.chance(0.5) else "m")
        name = self._fresh(world.WOMEN if sex == "f" else world.MEN)
        low, high = AGES[self.life]
        age = low + int(self.random() * (high - low + 1))
        work = job or ("pupil" if self.life == "child" else self.one(list(world.JOBS)))
        return Person(name, sex, age, work, tie)

    def fellow(self, ties: Sequence[tuple[str, str]] = world.FRIENDS, job: str = "") -> Person:
        """Somebody with a name whom the hero knows: ties come in pairs, for a woman and for a man."""
        woman, man = self.one(ties)
        return self.person(woman, "f", job) if self.chance(0.5) else self.person(man, "m", job)

    def stranger(self, job: str) -> Person:
        """Somebody whom the hero does not know, called by name and job."""
        return self.fellow(world.STRANGER, job)

    def kin(self, ties: Sequence[str] = ()) -> Person:
        """A relative, called by what they are to the hero."""
        tie = self.one(ties or world.KIN_OF_AGE[self.life])
        return Person(tie, "f" if world.GENDER_OF_KIN[tie] == "f" else "m", 0, "", tie)

    def thing(self, kinds: Sequence[str] | str, owned: bool = False) -> Thing:
        """A thing of a kind that is new in this story; ``owned`` makes it the hero's."""
        kind = self._fresh([kinds] if isinstance(kinds, str) else kinds)
        qualities = world.THINGS[kind]
        quality = self.one(qualities) if qualities else ""
        return Thing(kind, quality, self.hero if owned else None)

    def place(self) -> str:
        """Somewhere to go to that is not the hero's place of work."""
        work = world.JOBS.get(self.hero.job)
        return self.one([place for place in world.PLACES if place != work or self.life != "worker"])

    def happens(self, kind: str, link: str = "", **roles: Role) -> None:
        """The next event; the hero is the one who acts unless another is named."""
        self.occurs(kind, link, **{"who": self.hero} | roles)

    def occurs(self, kind: str, link: str = "", **roles: Role) -> None:
        """The next event, in which the hero has no part."""
        self.events.append(Event(kind, roles, link or self._next_link, self.random()))
        self._next_link = ""

    def maybe(self, share: float, kind: str, link: str = "", **roles: Role) -> None:
        """An event that only this share of stories tells."""
        if self.chance(share) and not self.brief:
            self.happens(kind, link, **roles)

    def introduce(self) -> None:
        """Who the story is about."""
        near, years = self.one(world.NEAR), 2 + int(self.random() * 6)
        if self.life == "worker":
            self.happens("worker", where=world.JOBS[self.hero.job], near=near, years=years)
        else:
            self.happens(self.life, near=near, years=years + 30)

    def one_day(self) -> None:
        """The next event happens one day."""
        self._next_link = "one_day"

    def outdoors(self, kinds: Sequence[str] = tuple(world.WEATHER), link: str = "", dressed: bool = True) -> None:
        """Draws the weather, tells it, and dresses the hero for it. It opens a new day unless a link is given."""
        weather = self.one(kinds)
        seasons, clothes = world.WEATHER[weather]
        if link:
            self.occurs(f"{weather}_now", link)
        else:
            self.occurs(weather, season=self.one(seasons), part=self.one(world.PARTS))
        if dressed and self.chance(0.6) and not self.brief:
            self._worn = self.thing(clothes, owned=True)
            kind = "open_umbrella" if self._worn.kind == "umbrella" else "put_on"
            self.happens(kind, what=self._worn, why=weather)

    def temper(self, label: bool) -> None:
        """What the hero is like, which more often than not is the tone of the end."""
        bright = label if self.chance(0.7) else not label
        self.events.insert(1, Event("cheerful" if bright else "gloomy", {"who": self.hero}, way=self.random()))

    def trouble(self, share: float = 0.6) -> None:
        """How the hero takes an obstacle; it does not give the end away."""
        self.maybe(share, self.one(TROUBLES))

    def finish(self, label: bool) -> None:
        """How it all ended, and how that felt."""
        if self._worn and self._worn.kind in world.HUNG and len(self.events) < 8 and self.chance(0.5):
            self.happens("hang_up", "home", what=self._worn)
        if len(self.events) < 8 and self.chance(0.5):
            self.temper(label)
        self.happens("happy_end" if label else "sad_end")

    def _fresh(self, options: Sequence[str]) -> str:
        option = self.one(options)
        while option in self._taken:
            option = self.one(options)
        self._taken.add(option)
        return option
