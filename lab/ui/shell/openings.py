"""What a page asks for when a visitor opens it: all at once, so that a distant server costs one journey and not one for
each part; and in turn where the answer to one question is part of another."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lab.ui.components.memo import Opener

SILENT = {"api_visibility": "private"}
LONGEST = 60_000  # milliseconds that one question waits for another: all of a class may open the page at once
PATIENCE = 10_000  # milliseconds that what a visitor does waits for an answer: no longer than people do


@dataclass(eq=False)
class Opening:
    """One question: the ids of the components that it reads and of those that its answer changes."""

    reads: frozenset[int]
    writes: frozenset[int]
    event: Any
    number: int | None = None  # by which the browser knows that it has been answered, once somebody waits for it

    @property
    def then(self) -> Callable[..., Any]:
        """The event that it has been answered."""
        event: Callable[..., Any] = self.event.then
        return event

    def touches(self, reads: frozenset[int], writes: frozenset[int]) -> bool:
        """Whether it makes a difference which of two questions is answered first."""
        return bool(self.writes & (reads | writes) or self.reads & writes)


class Openings:
    """The questions of all pages, each page's in the order in which they are to be thought of."""

    def __init__(self) -> None:
        self._of: dict[str, list[Opening]] = {}
        self._openers: dict[str, Opener] = {}
        self._opened: dict[str, Any] = {}
        self._awaited = 0

    def begin(self, page: str) -> None:
        """Let a page be opened. Its folds, which the address names, come first."""
        opener = self._openers[page] = Opener(page)
        script = "() => { window.lab.unfold(); }"
        self._opened[page] = opener.opened(None, None, None, js=script, **SILENT)
        opener.reopened(None, None, None, js=script, **SILENT)
        self._of[page] = []

    def reopened(self, page: str) -> Callable[..., Any]:
        """The event that a visitor comes back to the page."""
        event: Callable[..., Any] = self._openers[page].reopened
        return event

    def ask(
        self, page: str, reads: Iterable[Any], writes: Iterable[Any], listen: Callable[[Callable[..., Any]], Any]
    ) -> Opening:
        """Put one more question to a page: ``listen`` is handed the event at which its handler is to run.

        Gradio answers all that listen to one event one after the other; what follows an event is asked at once.
        """
        read, written = (frozenset(each._id for each in components) for components in (reads, writes))
        before = [opening for opening in self._of[page] if opening.touches(read, written)]
        opened = self._opened[page]
        if before:
            opened = opened.then(None, None, None, js=f"() => {self._answered(before, LONGEST)}", **SILENT)
        opening = Opening(read, written, listen(opened.then))
        self._of[page].append(opening)
        return opening

    def behind(self, opening: Opening) -> str:
        """The ``js=`` of an event whose answer must not be overtaken by that to ``opening``: it waits for that one."""
        return f"(...values) => {self._answered([opening], PATIENCE)}.then(() => values)"

    def _answered(self, openings: Iterable[Opening], longest: int) -> str:
        """A promise of nothing, as JavaScript: that all of them are answered, or that the milliseconds are over."""
        return f"window.lab.standing({[self._number(opening) for opening in openings]}, {longest})"

    def _number(self, opening: Opening) -> int:
        if opening.number is None:
            self._awaited += 1
            opening.number = self._awaited
            script = f"() => {{ window.lab.stands({opening.number}); }}"
            opening.then(None, None, None, js=script, **SILENT)
        return opening.number
