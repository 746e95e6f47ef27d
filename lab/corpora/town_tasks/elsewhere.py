"""What else happens in the small town: events of stories that no example is about, each with the hero of its story.

An event that tells nothing of its story, as the weather or a cup of tea, happens in many plots. These belong to a few.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lab.corpora.town.frames import Event, Person
from lab.corpora.town.story import tell
from lab.corpora.town_tasks.told import APART, Told

STORIES = 3000  # told to know what happens elsewhere
FEW = 3  # plots to which an event may belong

Happened = tuple[Event, Person]


@dataclass(frozen=True)
class Elsewhere:
    """The plots of each kind of event that belongs to a few, and such events in which their hero takes part."""

    plots: Mapping[str, set[str]]
    events: Sequence[Happened]
    of_kind: Mapping[str, Sequence[Happened]]


def elsewhere(told: Told) -> Elsewhere:
    """What happens in other stories of the same part of the town, those of its middle, where no corpus comes to."""
    return _elsewhere(told.seed, told.number // APART * APART + APART // 2)


@lru_cache(maxsize=8)
def _elsewhere(seed: int, first: int) -> Elsewhere:
    stories = [tell(seed, first + number) for number in range(STORIES)]
    plots, of_kind = defaultdict[str, set[str]](set), defaultdict[str, list[Happened]](list)
    for story in stories:
        for event in story.events:
            plots[event.kind].add(story.plot)
    belong = {kind: of for kind, of in plots.items() if len(of) <= FEW}
    for story in stories:
        for event in turns(story.events, story.hero, belong):
            of_kind[event.kind].append((event, story.hero))
    return Elsewhere(belong, [each for happened in of_kind.values() for each in happened], of_kind)


def turns(events: Sequence[Event], hero: Person, belong: Mapping[str, set[str]]) -> list[Event]:
    """What a story goes on with: its hero's events that belong to the plot, but for the first, with which it begins."""
    return [event for event in events if event.kind in belong and hero in event.roles.values()][1:]
