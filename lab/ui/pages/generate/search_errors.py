"""Search errors: texts that beam search loses, though they score higher than what it ends with."""

from collections.abc import Iterator, Sequence
from typing import Any

from lab.inference.beam_search import Hypothesis, Search, beam_search
from lab.inference.model import Trained
from lab.ui.pages.generate.bounded import in_time
from lab.ui.pages.generate.real_texts import tongue
from lab.ui.words import say

NEAR = 1e-4  # by which two scores may differ that are sums of the same numbers
BEGINNINGS = {  # behind which one is looked for, in turn
    "en": (
        "I don't know",
        "My mother",
        "Nobody",
        "The old man",
        "The window was",
        "The key was",
        "It was raining, so",
        "I have never",
        "If you",
        "In the morning the",
        "Tom went to the",
        "When the train",
    ),
    "zh": (
        "昨天",
        "我不知道",
        "老师问",
        "他的妈妈",
        "天气很冷，",
        "王芳是",
        "他们在",
        "小红很高兴，因为",
        "小明今天早上去",
        "如果你",
    ),
}


def verdict(found: Search, greedy: Hypothesis) -> dict[str, Any]:
    """How what greedy decoding writes stands to the best that the search has found."""
    best = found.best[0]
    scores = {"greedy": f"{greedy.score:.3f}", "best": f"{best.score:.3f}"}
    if best.ids == greedy.ids:
        return say("generate.beam.same")
    if beaten(found, greedy):
        return say("generate.beam.error", step=lost(found, greedy.ids), **scores)
    return say("generate.beam.other", **scores)


def beaten(found: Search, greedy: Hypothesis) -> bool:
    """Whether greedy decoding has found a text with a higher score."""
    return greedy.score > found.best[0].score + NEAR


def lost(found: Search, ids: Sequence[int]) -> int:
    """The step, counted from 1, at which the search let go of a text."""
    for number, step in enumerate(found.steps, 1):
        going = [found.path(each) for each in step if found.candidates[each].fate != "dropped"]
        if [*ids[:number]] not in going:
            return number
    return len(found.steps)


def errs_behind(trained: Trained, text: str, beams: int, tokens: int, length_penalty: float) -> tuple[str | None, int]:
    """The next beginning in the language of the text behind which greedy decoding beats the search, None where there is
    none; and how many were tried."""
    beginnings = BEGINNINGS[tongue(text)]
    behind = beginnings.index(text) + 1 if text in beginnings else 0

    def tried() -> Iterator[str | None]:
        for beginning in beginnings[behind:] + beginnings[:behind]:
            found, greedy = (beam_search(trained, beginning, n, tokens, length_penalty) for n in (beams, 1))
            if found.best and greedy.best and beaten(found, greedy.best[0]):
                yield beginning
                return
            yield None

    every, _ = in_time(tried())
    return every[-1], len(every)
