"""Word senses of the small town: which of its meanings a word has in a sentence, as bank, spring and bat, or 花 and 打.

The event that a sentence tells says which, or the role in which the word stands; the word alone does not.
"""

import re
from collections.abc import Iterator

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town.wording import Sentence
from lab.corpora.town_tasks.told import Told, Tongue, TownTask, hooks, phrases, texts
from lab.examples import Example

TONGUES: tuple[Tongue, ...] = ("en", "zh")
NAMES = tuple(  # of both languages' words
    f"{word} ({sense})"
    for language in TONGUES
    for word, senses in phrases(language)["senses"].items()
    for sense in senses
)


def told_senses(told: Told) -> list[Example]:
    """Each sentence of the story that has a word of several senses, with the word beside it."""
    return [
        Example(sentence.text, pair=word, label=NAMES.index(f"{word} ({sense})"), story=told.number)
        for sentence in told.sentences
        for word, sense in _senses(told, sentence)
    ]


def _senses(told: Told, sentence: Sentence) -> Iterator[tuple[str, str]]:
    for word, senses in told.phrases["senses"].items():
        pattern = re.escape(word) if told.language == "zh" else rf"\b{word}s?\b"
        places = [match.start() for match in re.finditer(pattern, sentence.text)]
        meant = {sense for place in places for sense, signs in senses.items() if {*_about(sentence, place)} & {*signs}}
        if len(places) == len(meant) == 1:
            yield word, meant.pop()


def _about(sentence: Sentence, place: int) -> Iterator[str]:
    """What decides what a word at this place means: the role that says it, or else the event."""
    for mention in sentence.mentions:
        if mention.start <= place < mention.end:
            yield f"{mention.role}:{sentence.event.roles[mention.role]}"
            if mention.role not in ("what", "tool"):
                return
    yield sentence.event.kind


@CORPORA.add(
    "town_senses",
    title="Town: word senses",
    zh=("小镇：词义", "小镇故事中的多义词（bank、spring、花、打 等）在句中的意思，用于句对分类。"),
    order=27,
    **hooks("pairs", told_senses, NAMES),
)
def town_senses(s: TownTask) -> list[Document]:
    """Sentences of the town, a word of several senses in each, and which it has there: for sentence pairs."""
    return texts(s)
