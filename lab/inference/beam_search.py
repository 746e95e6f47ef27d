"""Beam search: of all ways to go on, keep at each step the few that are likeliest as a whole.

H beams (hypotheses that are kept)   V vocabulary
"""

from dataclasses import dataclass
from typing import Literal

import torch

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
    score: float  # of all tokens since the prompt, in nats
    fate: Fate


@dataclass(frozen=True)
class Hypothesis:
    """A text that the search has ended with. ``last`` is the number of its last candidate."""

    last: int
    ids: tuple[int, ...]  # behind the prompt, the end of the text among them where it was reached
    logprob: float  # of all of them, in nats
    score: float  # that by their number to the power of the length penalty


@dataclass(frozen=True)
class Search:
    """All that a beam search has looked at: ``steps`` hold the numbers of the candidates, the best first."""

    candidates: list[Candidate]
    steps: list[list[int]]
    best: list[Hypothesis]  # at most H, the best first

    def path(self, number: int) -> list[int]:
        """The tokens from the prompt to a candidate."""
        ids: list[int] = []
        while number >= 0:
            ids.append(self.candidates[number].token)
            number = self.candidates[number].parent
        return ids[::-1]


def beam_search(trained: Trained, prompt: str, beams: int = 4, tokens: int = 20, length_penalty: float = 1.0) -> Search:
    """Continue or answer ``prompt`` by the sequence of at most ``tokens`` tokens whose log-probability, divided by its
    length to the power of ``length_penalty``, is highest among those that the search meets.

    At each step the 2 H likeliest candidates are looked at, so that H are left to go on even where H of them end; only
    those among the first H may end. It stops where the best that goes on could no longer come in among the H that have
    ended, were it to end now (as in transformers with ``early_stopping=False``). Source: Sutskever et al. 2014, section
    3.2; the length penalty is that of transformers, not the one of Wu et al. 2016.
    """
    texts = Together(continuation(trained, prompt), 1)
    tokens = min(tokens, texts.room)
    search = Search([], [], [])
    kept, scores = [-1], torch.zeros(1)  # the candidates that go on, and their scores: (H,)
    for length in range(1, tokens + 1):
        logprobs = texts.next_logits().log_softmax(-1)  # (H, V)
        totals = (scores[:, None] + logprobs).flatten()
        totals, order = totals.topk(min(2 * beams, int(totals.isfinite().sum())))
        parents, ids = (order // logprobs.shape[-1]).tolist(), (order % logprobs.shape[-1]).tolist()
        going, step = list[int](), list[int]()  # places among these candidates; their numbers
        for place, (parent, token, score) in enumerate(zip(parents, ids, totals.tolist(), strict=True)):
            over = token == texts.end or length == tokens
            fate: Fate = "dropped"
            if over and place < beams:
                fate = "ended"
            elif not over and len(going) < beams:
                going.append(place)
                fate = "kept"
            step.append(len(search.candidates))
            logprob = float(logprobs[parent, token])
            search.candidates.append(Candidate(kept[parent], token, logprob, score, fate))
            if fate == "ended":
                path = tuple(search.path(step[-1]))
                search.best.append(Hypothesis(step[-1], path, score, score / length**length_penalty))
        search.steps.append(step)
        search.best.sort(key=lambda hypothesis: -hypothesis.score)
        del search.best[beams:]
        if not going:
            break
        kept, scores = [step[place] for place in going], totals[going]
        hope = float(scores[0]) / length**length_penalty
        if len(search.best) == beams and hope <= search.best[-1].score:
            break
        texts.branch([parents[place] for place in going], [ids[place] for place in going])
    return search
