"""What samplers such as Mirostat keep over a text on the Generate page, worked out once for each place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from torch import Tensor

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.inference.sampler_chain import Chain, keeps_state, stages, states_after
from lab.samplers.parts.surprise import MOST, Feedback, surprises
from lab.ui.shell.lru import Kept
from lab.ui.words import titled


class Text(Protocol):
    """A text whose logits may be asked for at each place."""

    def logits_at(self, ids: Sequence[int]) -> Tensor:
        """The logits behind these tokens: (V,)."""

    def holding(self, ids: Sequence[int], states: Mapping[str, float]) -> SoFar:
        """What samplers see where these tokens are written."""


@dataclass(frozen=True)
class Place:
    """What is kept behind a token, and how many bits the token surprised the first sampler that keeps a bound."""

    states: Mapping[str, float] = field(default_factory=dict)
    surprise: float = 0.0


_places = Kept(20_000)  # by model, prompt, chain and the tokens behind the prompt


class States:
    """What the samplers of a chain keep at each place of a text."""

    def __init__(self, text: tuple[Any, ...], chain: Chain, asked: Text) -> None:
        self._key = (text, repr(chain))
        self._chain, self._text = chain, asked

    def before(self, ids: Sequence[int]) -> Mapping[str, float]:
        """What they have kept before the token behind these."""
        return self._behind(ids)[-1].states if keeps_state(self._chain) else {}

    def picture(self, ids: Sequence[int]) -> dict[str, Any] | None:
        """The first sampler that keeps a bound on surprise: mu before each token and the next, what each token
        surprised, and what is aimed at, in bits."""
        place = self._bounded()
        if place is None:
            return None
        entry = SAMPLERS[self._chain[place][0]]
        settings = entry.settings.load(self._chain[place][1])
        assert isinstance(settings, Feedback)
        places = self._behind(ids)
        return {
            "title": titled(entry),
            "mu": [round(entry.kept(settings, SoFar(states=each.states)), 3) for each in places],
            "surprise": [round(each.surprise, 3) for each in places[1:]],
            "tau": settings.tau,
        }

    def _bounded(self) -> int | None:
        """Where in the chain the first sampler stands that keeps a bound."""
        kinds = (SAMPLERS[name].settings for name, _ in self._chain)
        return next((place for place, kind in enumerate(kinds) if issubclass(kind, Feedback)), None)

    def _behind(self, ids: Sequence[int]) -> list[Place]:
        """The beginning, and the place behind each token."""
        places = [Place()]
        for n, token in enumerate(ids):
            work_out = partial(self._next, ids[:n], places[-1], token)
            places.append(_places.get((self._key, *ids[: n + 1]), work_out))
        return places

    def _next(self, ids: Sequence[int], last: Place, token: int) -> Place:
        logits, so_far = self._text.logits_at(ids), self._text.holding(ids, last.states)
        reached = [logits, *stages(logits, self._chain, so_far)][self._bounded() or 0]
        surprise = min(float(surprises(reached)[token]), MOST)
        return Place(states_after(logits, self._chain, so_far, token), surprise)
