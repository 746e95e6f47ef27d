"""Beam search: of all ways to go on, keep at each step the few that are likeliest as a whole; and the same in
groups that keep out of each other's way.

H beams (hypotheses that are kept)   V vocabulary
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from lab.inference.decoding import continuation
from lab.inference.model import Trained
from lab.inference.sampling import Together

Fate = Literal["kept", "ended", "dropped"]


@dataclass(frozen=True)
class Candidate:
    """A way to go on that was looked at: a token behind a hypothesis that was kept one step before."""

    parent: int  # the number of that candidate among all of the search; -1 for the prompt
    token: int
    logprob: float  # of the token, in nats
    score: float  # of all tokens since the prompt, in nats, less what they cost for being in earlier groups
    fate: Fate


@dataclass(frozen=True)
class Hypothesis:
    """A text that the search has ended with. ``last`` is the number of its last candidate."""

    last: int
    ids: tuple[int, ...]  # behind the prompt, the end of the text among them where it was reached
    logprob: float  # of all of them, in nats
    score: float  # that, less what they cost for being in earlier groups, by their number to the length penalty


@dataclass(frozen=True)
class Search:
    """All that a beam search has looked at: ``steps`` hold the numbers of the candidates, the best first."""

    candidates: list[Candidate]
    steps: list[list[int]]
    best: list[Hypothesis]  # at most H, the best first

    def line(self, number: int) -> list[Candidate]:
        """The candidates from the prompt to this one."""
        ancestors: list[Candidate] = []
        while number >= 0:
            ancestors.append(self.candidates[number])
            number = ancestors[-1].parent
        return ancestors[::-1]

    def path(self, number: int) -> list[int]:
        """The tokens from the prompt to a candidate."""
        return [candidate.token for candidate in self.line(number)]


class Beams:
    """The hypotheses of one search that go on: ``kept`` are the numbers of their candidates, ``scores`` (H,) theirs."""

    def __init__(self, beams: int, tokens: int, length_penalty: float, ends: Collection[int]) -> None:
        self.search = Search([], [], [])
        self.kept, self.scores = [-1], torch.zeros(1)
        self._beams, self._tokens, self._penalty, self._ends = beams, tokens, length_penalty, ends

    @property
    def written(self) -> list[int]:
        """The tokens that the hypotheses wrote at the last step, but for the end of the text."""
        last = [self.search.candidates[number] for number in self.search.steps[-1]]
        return [each.token for each in last if each.fate != "dropped" and each.token not in self._ends]

    def step(self, logprobs: Tensor, handicap: Tensor | float = 0.0) -> tuple[list[int], list[int]]:
        """Look at the likeliest candidates behind the hypotheses, by the log-probabilities (H, V) less a ``handicap``
        (V,). Returns for each that goes on the row that it grew from, and its token; none where the search is over."""
        length, search = len(self.search.steps) + 1, self.search
        totals = (self.scores[:, None] + logprobs - handicap).flatten()
        totals, order = totals.topk(min(2 * self._beams, int(totals.isfinite().sum())))
        parents, ids = (order // logprobs.shape[-1]).tolist(), (order % logprobs.shape[-1]).tolist()
        going, step = list[int](), list[int]()  # places among these candidates; their numbers
        for place, (parent, token, score) in enumerate(zip(parents, ids, totals.tolist(), strict=True)):
            over = token in self._ends or length == self._tokens
            fate: Fate = "dropped"
            if over and place < self._beams:
                fate = "ended"
            elif not over and len(going) < self._beams:
                going.append(place)
                fate = "kept"
            step.append(len(search.candidates))
            search.candidates.append(Candidate(self.kept[parent], token, float(logprobs[parent, token]), score, fate))
            if fate == "ended":
                line = search.line(step[-1])
                path, logprob = tuple(each.token for each in line), sum(each.logprob for each in line)
                search.best.append(Hypothesis(step[-1], path, logprob, score / length**self._penalty))
        search.steps.append(step)
        search.best.sort(key=lambda hypothesis: -hypothesis.score)
        del search.best[self._beams :]
        self.kept, self.scores = [step[place] for place in going], totals[going]
        if going and len(search.best) == self._beams:
            hope = float(self.scores[0]) / length**self._penalty
            going = going if hope > search.best[-1].score else []
        return [parents[place] for place in going], [ids[place] for place in going]


def beam_search(trained: Trained, prompt: str, beams: int = 4, tokens: int = 20, length_penalty: float = 1.0) -> Search:
    """Continue or answer ``prompt`` by the sequence of at most ``tokens`` tokens whose log-probability, divided by its
    length to the power of ``length_penalty``, is highest among those that the search meets.

    At each step the 2 H likeliest candidates are looked at, so that H are left to go on even where H of them end; only
    those among the first H may end. It stops where the best that goes on could no longer come in among the H that have
    ended, were it to end now (as in transformers with ``early_stopping=False``). Source: Sutskever et al. 2014, section
    3.2; the length penalty is that of transformers, not the one of Wu et al. 2016.
    """
    return diverse_beam_search(trained, prompt, beams, 1, 0.0, tokens, length_penalty)[0]


def diverse_beam_search(
    trained: Trained,
    prompt: str,
    beams: int = 2,
    groups: int = 3,
    diversity: float = 1.0,
    tokens: int = 20,
    length_penalty: float = 1.0,
) -> list[Search]:
    """The same in ``groups`` that search one after the other at each step, with so many ``beams`` each: a token costs
    ``diversity`` nats for every beam of an earlier group that writes it at this step (Hamming diversity; the end of the
    text costs nothing), and that stays in its score. Without diversity all groups find the same. Source: Vijayakumar et
    al. 2016, section 4.
    """
    texts = Together(continuation(trained, prompt), 1)
    tokens = min(tokens, texts.room)
    every = [Beams(beams, tokens, length_penalty, texts.ends) for _ in range(groups)]
    rows = {number: [0] for number in range(groups)}  # of the texts, by the group that searches on from them
    for _ in range(tokens):
        logprobs = texts.next_logits().log_softmax(-1)  # (all H, V)
        written = torch.zeros(logprobs.shape[-1])  # (V,) how many beams wrote each token at this step
        branches, ids = list[int](), list[int]()
        for number, own in [*rows.items()]:
            parents, following = every[number].step(logprobs[own], diversity * written)
            said = torch.tensor(every[number].written, dtype=torch.int64)
            written += said.bincount(minlength=len(written))
            rows[number] = [*range(len(ids), len(ids) + len(following))]
            branches, ids = [*branches, *(own[parent] for parent in parents)], [*ids, *following]
        rows = {number: own for number, own in rows.items() if own}
        if not rows:
            break
        texts.branch(branches, ids)
    return [group.search for group in every]
