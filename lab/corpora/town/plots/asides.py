"""Asides: small events that no plot needs, in which the large word classes of everyday life have their place."""

from collections.abc import Sequence

from lab.corpora.town.daily import DAILY
from lab.corpora.town.teller import Teller

# The roles of an aside that has others than the hero and a symbol named like the event.
ROLES: dict[str, tuple[str, ...]] = {
    "habit": ("habit", "often"),
    "question": ("question", "passer"),
    "remark": ("remark", "passer"),
    "forecast": ("forecast", "passer"),
    "meet": ("passer",),
    "chat": ("topic", "passer"),
    "stood": ("group", "beside", "state"),
    "folk": ("crew", "known", "passer"),
    "ware": ("ware", "price"),
    "advice": ("advice", "passer"),
}
# What a person is like, by life.
ALWAYS = ("hobby", "dish", "dislike", "looks", "trait", "tongue", "country", "dream", "month", "programme")
OF_AGE = (*ALWAYS, "furniture", "belief", "habit", "carried", "song", "proud", "chore")
PORTRAITS = {
    "child": (*ALWAYS, "game", "calling", "homework", "screen"),
    "worker": (*OF_AGE, "relative", "screen", "commute"),
    "elder": (*OF_AGE, "ache"),
}
MORNINGS = ("meal", "drink", "news", "broadcast", "view", "clock", "news")
STREETS = (
    *("question", "remark", "remark", "forecast", "meet", "chat", "stood", "stood", "stood", "folk", "folk"),
    *("ware", "poster", "smell", "sound", "animal", "tree", "flower", "advice"),
)
INDOORS = ("drink", "broadcast", "reading", "reading", "sound", "smell")


def portrait(t: Teller, share: float = 0.55) -> None:
    """What the hero likes, has, thinks or wants, told of this share of heroes."""
    _told(t, share, PORTRAITS[t.life])


def morning(t: Teller, share: float = 0.5, link: str = "one_day") -> str:
    """How a day opens. Returns the link that is left for what happens then: none where the aside has taken it."""
    return "" if _told(t, share, MORNINGS, link) else link


def quiet(t: Teller, share: float = 0.5, link: str = "one_day") -> str:
    """A quiet hour indoors. Returns the link that is left for what happens then, as a morning does."""
    return "" if _told(t, share, INDOORS, link) else link


def passing(t: Teller, share: float = 0.5) -> None:
    """Whom and what one meets on the way."""
    _told(t, share, STREETS)


def _told(t: Teller, share: float, kinds: Sequence[str], link: str = "") -> bool:
    """Whether an aside of one of these kinds was told: in this share of stories, and never in a brief one."""
    if t.brief or not t.chance(share):
        return False
    kind = t.one(kinds)
    t.happens(kind, link, **{role: t.ranked(DAILY[role]) for role in ROLES.get(kind, (kind,))})
    return True
