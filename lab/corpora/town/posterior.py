"""The posterior of a masked word: what may stand in a gap of a story, given all the rest, and how likely each is.

By Bayes' rule, a word is as likely there as the story with that word is, among all the stories that have the same rest.
A story that differs in one word has been drawn alike but for one draw and for those that hang on it (another gender
takes another name), or is told alike but for one choice of words: so each draw is made otherwise, and all others are
kept. Stories that differ in one word by two draws of which neither hangs on the other are missed. Where there are any,
what is given here is too sure: the loss that follows is a lower bound. A tiny town whose stories are all counted has
none.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import Any, TypeVar

from lab.corpora.town.draws import Account, Way
from lab.corpora.town.frames import Story
from lab.corpora.town.story import tell
from lab.corpora.town.teller import Teller
from lab.corpora.town.wording import Narrator

T = TypeVar("T")
HANGING = 2  # draws in a row that may hang on the one that is made otherwise
CHANCES = (True, False)


class Recalling(Teller):
    """Draws what was drawn before, but for what is to be ``otherwise``, by the number of the draw. ``made`` holds each
    draw and what it was among; ``unsettled`` is the first whose old outcome was no longer to be had."""

    def __init__(self, recalled: Sequence[Any], otherwise: Mapping[int, Any], *begun: Any, **more: Any) -> None:
        self._recalled, self._otherwise = recalled, otherwise
        self.made: list[tuple[Any, Sequence[Any]]] = []
        self.unsettled: int | None = None
        super().__init__(*begun, **more)  # which draws the hero

    def draw(self, options: Sequence[T]) -> T:
        return self._settled(options, lambda: Teller.draw(self, options))

    def draw_rank(self, edges: Sequence[float]) -> int:
        return self._settled(range(len(edges)), lambda: Teller.draw_rank(self, edges))

    def draw_chance(self, share: float) -> bool:
        return self._settled(CHANCES, lambda: Teller.draw_chance(self, share))

    def draw_way(self) -> Way:
        return self._settled((), lambda: Teller.draw_way(self))

    def _settled(self, options: Sequence[T], anew: Callable[[], T]) -> T:
        at = len(self.made)
        before: Any = self._recalled[at] if at < len(self._recalled) else None
        if at in self._otherwise:
            outcome: T = self._otherwise[at]
        elif before in options or (not options and isinstance(before, float)):
            outcome = before
        else:
            outcome = anew()
            self.unsettled = at if self.unsettled is None else self.unsettled
        self.made.append((outcome, options))
        return outcome


def retellings(
    seed: int, number: int, narrator: Narrator, begun: Callable[[], Callable[[], float]]
) -> dict[str, float]:
    """Story ``number`` of a town and those that may differ from it in one word, each with its surprisal in nats.
    ``begun`` gives the source of numbers by which the narrator tells the story, from its beginning."""
    texts: dict[str, float] = {}

    def told(story: Story, numbers: Callable[[], float]) -> None:
        account = Account(story.nats)
        text = narrator.tell(story, numbers, account)
        texts[text] = min(account.nats, texts.get(text, account.nats))

    first, *others = _drawn_otherwise(seed, number)
    used = _Numbers(begun())
    told(first, used)
    for story in [*_said_otherwise(first, narrator), *others]:
        told(story, begun())
    for at in range(len(used.given)):
        for forced in (0.0, 1 - 1e-9):  # one of them is what happened
            told(first, _Numbers(begun(), {at: forced}))
    return texts


def fillings(
    texts: Mapping[str, float], text: str, start: int, end: int, fits: Callable[[str], bool] = lambda filling: True
) -> dict[str, float]:
    """What may stand from character ``start`` up to ``end`` of a story, and the probability of each, the likeliest
    first. ``texts`` are its retellings; ``fits`` says what else is known of the gap, such as that it is one word."""
    before, behind = text[:start], text[end:]
    room = len(before) + len(behind)
    nats = {
        other[start : len(other) - len(behind)]: surprisal
        for other, surprisal in texts.items()
        if len(other) >= room and other.startswith(before) and other.endswith(behind)
        if other == text or fits(other[start : len(other) - len(behind)])
    }
    least = min(nats.values())
    likely = sorted(((exp(least - surprisal), filling) for filling, surprisal in nats.items()), reverse=True)
    total = sum(weight for weight, _ in likely)
    return {filling: weight / total for weight, filling in likely}


@dataclass
class BestGuess:
    """How well the words of stories can be guessed, each of them masked in turn, by whoever knows all the rest."""

    words: int = 0
    right: float = 0.0  # how many are expected to be
    nats: float = 0.0  # of all words together

    def add(self, texts: Mapping[str, float], text: str, word: re.Pattern[str]) -> None:
        """Count the words of one more story."""
        for gap in word.finditer(text):
            likely = fillings(texts, text, *gap.span(), lambda filling: bool(word.fullmatch(filling)))
            self.words += 1
            self.right += next(iter(likely.values()))
            self.nats -= log(likely[gap.group()])


class _Numbers:
    """Numbers from 0 to 1, some of which are forced; remembers what it gave."""

    def __init__(self, random: Callable[[], float], forced: Mapping[int, float] | None = None) -> None:
        self._random, self._forced, self.given = random, forced or {}, list[float]()

    def __call__(self) -> float:
        number = self._random()
        self.given.append(self._forced.get(len(self.given), number))
        return self.given[-1]


def _drawn_otherwise(seed: int, number: int) -> Iterator[Story]:
    """The story, and every other one in which a single draw, with what hangs on it, has another outcome."""
    story, teller = _drawn(seed, number, (), {})
    yield story
    recalled = [outcome for outcome, _ in teller.made]
    waiting = deque(
        {at: option}
        for at, (outcome, options) in enumerate(teller.made)
        for option in dict.fromkeys(options)
        if option != outcome
    )
    while waiting:
        otherwise = waiting.popleft()
        story, teller = _drawn(seed, number, recalled, otherwise)
        at = teller.unsettled
        first = next(iter(otherwise))
        happens = teller.made[first][1] is CHANCES  # another event: a whole sentence differs, whatever hangs on it
        if at is None or happens or len(otherwise) > HANGING:
            yield story
        else:
            waiting.extend({**otherwise, at: option} for option in dict.fromkeys(teller.made[at][1]))


def _drawn(seed: int, number: int, recalled: Sequence[Any], otherwise: Mapping[int, Any]) -> tuple[Story, Recalling]:
    tellers: list[Recalling] = []

    def begin(*given: Any, **more: Any) -> Recalling:
        tellers.append(Recalling(recalled, otherwise, *given, **more))
        return tellers[0]

    return tell(seed, number, begin), tellers[0]


def _said_otherwise(story: Story, narrator: Narrator) -> Iterator[Story]:
    """The same story with one event, or the link to it, said in another way."""
    for at, event in enumerate(story.events):
        for field, count in (("way", narrator.ways(event)), ("link_way", narrator.openings(event))):
            for way in range(count):
                changed: dict[str, Any] = {field: Way((way + 0.5) / count)}
                yield replace(story, events=(*story.events[:at], replace(event, **changed), *story.events[at + 1 :]))
