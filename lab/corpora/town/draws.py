"""Random draws that know how likely they were, and the account of those that a listener can tell from the story.

The probability of a text is the product of the probabilities of what was drawn for it. A draw that leaves no trace in
the text, such as the age of somebody whose age is not told, has no part in it: whatever it had been, the text would be
the same. So each drawn value carries its surprisal, and it is counted when the value is said for the first time.
"""

from dataclasses import dataclass, field
from math import log


class Symbol(str):
    """A symbol that was drawn. ``nats`` is its surprisal, -log p."""

    __slots__ = ("nats",)
    nats: float

    def __new__(cls, value: str, nats: float) -> "Symbol":
        symbol = super().__new__(cls, value)
        symbol.nats = nats
        return symbol


class Number(int):
    """A number that was drawn, all of ``count`` being equally likely."""

    nats: float

    def __new__(cls, value: int, count: int) -> "Number":
        number = super().__new__(cls, value)
        number.nats = log(count)
        return number


class Way(float):
    """A number from 0 to 1 that picks among the ways to say something, so that all languages pick alike."""


@dataclass
class Account:
    """The surprisal of what a listener has heard so far, in nats.

    Who hears the same story a second time, in another language, is surprised only by what is new in it.
    """

    nats: float = 0.0
    _heard: set[int] = field(default_factory=set)
    _known: dict[int, tuple[float, float]] = field(default_factory=dict)  # between what bounds a way is known to be

    def learn(self, value: str) -> None:
        """A symbol shows in what happens."""
        if isinstance(value, Symbol):
            self.nats += value.nats

    def hear(self, value: object) -> None:
        """A value of the story is said; if it was drawn and not said before, it surprises."""
        if id(value) not in self._heard and isinstance(value, (Symbol, Number)):
            self._heard.add(id(value))
            self.nats += value.nats

    def chance(self, happened: bool, share: float) -> bool:
        """Something happens or not that does in this share of all cases; a listener can tell."""
        self.nats -= log(share if happened else 1 - share)
        return happened

    def pick(self, way: Way, count: int) -> int:
        """The number of a way among ``count`` ways."""
        if count == 1:
            return 0
        number, key = int(way * count), id(way)
        low, high, known = number / count, (number + 1) / count, self._known
        if key in known:
            least, most = known[key]
            low, high = max(low, least), min(high, most)
            self.nats -= log((high - low) / (most - least))
        else:
            self.nats += log(count)
        known[key] = low, high
        return number
