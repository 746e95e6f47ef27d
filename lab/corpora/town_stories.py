"""The built-in corpus: short connected stories of a small town, told from a seed in English or in Chinese.

Both languages tell the same stories. Each story is labelled: 1 where it ends happily, 0 where it does not.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Literal

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town.chinese import CHINESE
from lab.corpora.town.draws import Account
from lab.corpora.town.english import ENGLISH
from lab.corpora.town.frames import Story
from lab.corpora.town.posterior import BestGuess, retellings
from lab.corpora.town.story import tell
from lab.settings import Settings, knob

Tongue = Literal["en", "zh"]
CLASSES = ("ends badly", "ends well")
NARRATORS = {"en": ENGLISH, "zh": CHINESE}
WORD = {"en": re.compile(r"\w+(?:['\u2019]\w+)*"), "zh": re.compile(r"\w")}  # what is masked


@dataclass(frozen=True, kw_only=True)
class Town(Settings):
    stories: int = knob(4000, "Number of stories", "故事数量", low=10, high=1_000_000, step=10)
    seed: int = knob(0, "Seed of the town", "小镇的随机种子", low=0, high=2**31 - 1, step=1)


@CORPORA.add(
    "town_en",
    title="The small town (English)",
    zh=("小镇故事（英文）", "由事件框架生成的英文小故事，带有结局好坏的标签，想要多少就有多少。"),
    settings=Town,
    order=1,
    language="en",
    labelled=True,
    classes=CLASSES,
)
def town_en(s: Town) -> list[Document]:
    """Short English stories made from frames of events, labelled by their endings, as many as you like."""
    return [document(s.seed, number, "en") for number in range(s.stories)]


@CORPORA.add(
    "town_zh",
    title="The small town (Chinese)",
    zh=("小镇故事（中文）", "同样的小镇故事，用中文讲述，带有结局好坏的标签。"),
    settings=Town,
    order=2,
    language="zh",
    labelled=True,
    classes=CLASSES,
)
def town_zh(s: Town) -> list[Document]:
    """The same stories of the same town told in Chinese, labelled by their endings."""
    return [document(s.seed, number, "zh") for number in range(s.stories)]


def document(seed: int, number: int, language: Tongue) -> Document:
    """Story ``number`` of the town that ``seed`` makes, whatever else is told."""
    return documents(seed, number, (language,))[0]


def documents(seed: int, number: int, languages: Sequence[Tongue]) -> list[Document]:
    """The same story in one language after the other. The surprisal of each is that for somebody who has heard the
    story in those before it."""
    story, told = tell(seed, number), list[Document]()
    account = Account(story.nats)
    for language in languages:
        before = sum(document.nats or 0.0 for document in told)
        text = render(story, seed, number, language, account)
        told.append(Document(text, story.label, number, account.nats - before))
    return told


def render(story: Story, seed: int, number: int, language: Tongue, account: Account | None = None) -> str:
    """The story in words. Only ``random()`` is drawn: its numbers are the same in every version of Python."""
    return NARRATORS[language].tell(story, _numbers(seed, number, language), account)


@lru_cache(maxsize=64)
def retold(seed: int, number: int, language: Tongue) -> dict[str, float]:
    """A story and those that may differ from it in one word, each with its surprisal in nats."""
    return retellings(seed, number, NARRATORS[language], lambda: _numbers(seed, number, language))


def best_guess(stories: Town, language: Tongue, first: int) -> BestGuess:
    """How well the words (in Chinese, the characters) of the ``first`` stories can be guessed, one masked at a time."""
    guess = BestGuess()
    for number in range(min(first, stories.stories)):
        guess.add(retold(stories.seed, number, language), document(stories.seed, number, language).text, WORD[language])
    return guess


def _numbers(seed: int, number: int, language: Tongue) -> Callable[[], float]:
    return Random(f"{seed}:{number}:{language}").random
