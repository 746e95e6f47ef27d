"""A story in the making: draws its people, things and weather, and keeps names and kinds apart."""

from bisect import bisect
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from math import log
from typing import Literal, TypeVar

from lab.corpora.town import world
from lab.corpora.town.draws import Account, Number, Symbol, Way
from lab.corpora.town.frames import Event, Person, Role, Thing

T = TypeVar("T")
AGES = {"child": (7, 14), "worker": (28, 58), "elder": (66, 84)}
TROUBLES = ("worry", "worry", "sadness", "anger", "fear", "tiredness", "hope", "hope", "trust")
RANKED_FROM = 2  # the weight of option number k is 1 / (k + 2): Zipf's law, with a flatter head


class Teller:
    """Collects the events of one story. ``good`` says whether its hero reaches the goal; ``brief`` leaves out
    whatever the story does not need. ``account`` is the surprisal of which events there are."""

    def __init__(self, random: Callable[[], float], life: str, good: bool, brief: bool) -> None:
        self.random = random
        self.life = life
        self.good = good
        self.brief = brief
        self.account = Account()
        self.events: list[Event] = []
        self._taken: set[str] = set()
        self._next_link = ""
        self._worn: Thing | None = None
        self.hero = self.person("")

    def draw(self, options: Sequence[T]) -> T:
        """Any of the options; all are equally likely."""
        return options[int(self.random() * len(options))]

    def draw_rank(self, edges: Sequence[float]) -> int:
        """The number of a rank, whose weights were added up."""
        return bisect(edges, self.random() * edges[-1])

    def draw_chance(self, share: float) -> bool:
        """True in this share of all cases."""
        return self.random() < share

    def draw_way(self) -> Way:
        """A way to say something."""
        return Way(self.random())

    def one(self, options: Sequence[str]) -> Symbol:
        """One of the options, all equally likely; one that stands there twice is twice as likely."""
        option = self.draw(options)
        return Symbol(option, log(len(options) / options.count(option)))

    def ranked(self, options: Sequence[str]) -> Symbol:
        """One of the options, all different, the earlier ones more often: number k with weight 1 / (k + 2)."""
        edges = _ranks(len(options))
        number = self.draw_rank(edges)
        return Symbol(options[number], log(edges[-1] * (number + RANKED_FROM)))

    def two(self, options: Sequence[str]) -> tuple[Symbol, Symbol]:
        """Two different options."""
        first = self.one(options)
        return first, self.one([option for option in options if option != first])

    def number(self, least: int, count: int) -> Number:
        """A whole number, one of ``count`` from ``least`` on."""
        return Number(self.draw(range(least, least + count)), count)

    def chance(self, share: float) -> bool:
        """True in this share of all stories: other events happen then, so that a listener can tell."""
        return self.account.chance(self.draw_chance(share), share)

    def person(self, tie: str, gender: Literal["f", "m"] | None = None, job: str = "", nats: float = 0.0) -> Person:
        """Somebody whose name is new in this story. ``nats`` is the surprisal of the gender, where it was drawn: the
        name tells it."""
        if gender is None:
            gender, nats = self._gender(), log(2)
        name = self._fresh(world.WOMEN if gender == "f" else world.MEN)
        low, high = AGES[self.life]
        age = self.number(low, high - low + 1)
        work = job or ("pupil" if self.life == "child" else self.one(_JOBS))
        return Person(Symbol(name, name.nats + nats), gender, age, work, tie)

    def fellow(self, ties: Sequence[tuple[str, str]] = world.FRIENDS, job: str = "") -> Person:
        """Somebody with a name whom the hero knows: ties come in pairs, for a woman and for a man."""
        woman, man = self.draw(ties)
        gender = self._gender()
        tie, among = (woman, [pair[0] for pair in ties]) if gender == "f" else (man, [pair[1] for pair in ties])
        return self.person(Symbol(tie, log(len(ties) / among.count(tie))), gender, job, log(2))

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

    def place(self) -> Symbol:
        """Somewhere to go to that is not the hero's place of work."""
        work = world.JOBS.get(self.hero.job)
        return self.one([place for place in world.PLACES if place != work or self.life != "worker"])

    def happens(self, kind: str, link: str = "", **roles: Role) -> None:
        """The next event; the hero is the one who acts unless another is named."""
        self.occurs(kind, link, **{"who": self.hero} | roles)

    def occurs(self, kind: str, link: str = "", **roles: Role) -> None:
        """The next event, in which the hero has no part. Its kind may be drawn: a listener can tell."""
        self.account.learn(kind)
        self.events.append(Event(str(kind), roles, link or self._next_link, self.draw_way(), self.draw_way()))
        self._next_link = ""

    def maybe(self, share: float, kind: str, link: str = "", **roles: Role) -> None:
        """An event that only this share of stories tells."""
        if not self.brief and self.chance(share):
            self.happens(kind, link, **roles)

    def introduce(self) -> None:
        """Who the story is about."""
        near = self.one(world.NEAR)
        if self.life == "worker":
            self.happens("worker", where=world.JOBS[self.hero.job], near=near, years=self.number(2, 6))
        else:
            self.happens(self.life, near=near, years=self.number(32, 6))

    def one_day(self) -> None:
        """The next event happens one day."""
        self._next_link = "one_day"

    def outdoors(self, kinds: Sequence[str] = tuple(world.WEATHER), link: str = "", dressed: bool = True) -> None:
        """Draws the weather, tells it, and dresses the hero for it. It opens a new day unless a link is given."""
        weather = self.one(kinds)
        self.account.learn(weather)
        seasons, clothes = world.WEATHER[weather]
        if link:
            self.occurs(f"{weather}_now", link)
        else:
            self.occurs(weather, season=self.one(seasons), part=self.one(world.PARTS))
        if dressed and not self.brief and self.chance(0.6):
            self._worn = self.thing(clothes, owned=True)
            kind = "open_umbrella" if self._worn.kind == "umbrella" else "put_on"
            self.happens(kind, what=self._worn, why=str(weather))

    def temper(self, label: bool) -> None:
        """What the hero is like, which more often than not is the tone of the end."""
        bright = label if self.chance(0.7) else not label
        kind = "cheerful" if bright else "gloomy"
        self.events.insert(1, Event(kind, {"who": self.hero}, way=self.draw_way(), link_way=self.draw_way()))

    def trouble(self, share: float = 0.6) -> None:
        """How the hero takes an obstacle; it does not give the end away."""
        if not self.brief and self.chance(share):
            self.happens(self.one(TROUBLES))

    def finish(self, label: bool) -> None:
        """How it all ended, and how that felt."""
        if self._worn and self._worn.kind in world.HUNG and len(self.events) < 8 and self.chance(0.5):
            self.happens("hang_up", "home", what=self._worn)
        if len(self.events) < 8 and self.chance(0.5):
            self.temper(label)
        self.happens("happy_end" if label else "sad_end")

    def _gender(self) -> Literal["f", "m"]:
        return "f" if self.draw(("f", "m")) == "f" else "m"

    def _fresh(self, options: Sequence[str]) -> Symbol:
        known = not self._taken.isdisjoint(options)  # seldom, and sooner asked than all are gone through
        option = self.one([option for option in options if option not in self._taken] if known else options)
        self._taken.add(option)
        return option


_JOBS = tuple(world.JOBS)


@cache
def _ranks(count: int) -> list[float]:
    """The weights of so many ranks, added up."""
    return [*accumulate(1 / (rank + RANKED_FROM) for rank in range(count))]
