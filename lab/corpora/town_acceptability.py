"""Acceptability in the small town: sentences as they are told, and the same with their grammar broken.

Broken is the order of two neighbouring words, or the agreement of a word that the narrator chose by its role: an
English pronoun gets the case of another place in a sentence, a Chinese noun the measure word of another noun.
"""

from lab.batch import Document
from lab.catalog import CORPORA
from lab.corpora.town.frames import Thing
from lab.corpora.town.wording import Sentence
from lab.corpora.town_tasks.naming import words_of
from lab.corpora.town_tasks.told import Told, TownTask, hooks, texts
from lab.examples import Example

LABELS = ("broken", "sound")
EACH = 3  # sentences of a story
CASES = {"she": "her", "he": "him", "him": "he", "his": "him", "they": "them", "them": "they", "their": "them"}


def judged(told: Told) -> list[Example]:
    """Some sentences of the story, half of them broken."""
    made = list[Example]()
    for sentence in told.dice.sample(told.sentences, min(EACH, len(told.sentences))):
        sound = told.dice.random() < 0.5
        text = sentence.text if sound else _broken(told, sentence)
        if text is not None:
            made.append(Example(text, label=int(sound), story=told.number))
    return made


def _broken(told: Told, sentence: Sentence) -> str | None:
    """The sentence with its agreement broken where there is some to break, and the dice will; else its order."""
    disagreeing = _disagreeing(told, sentence) if told.dice.random() < 0.5 else []
    return told.dice.choice(disagreeing) if disagreeing else _disordered(told, sentence.text)


def _disagreeing(told: Told, sentence: Sentence) -> list[str]:
    """Every way to break the agreement of one word."""
    wrong = list[str]()
    for mention in sentence.mentions:
        wording, role = sentence.said(mention), sentence.event.roles[mention.role]
        before, behind = sentence.text[: mention.start], sentence.text[mention.end :]
        if told.language == "en" and wording.lower() in CASES:
            other = CASES[wording.lower()]
            wrong.append(before + (other.capitalize() if wording[0].isupper() else other) + behind)
        if told.language == "zh" and isinstance(role, Thing):
            opener = told.words.things[role.kind].opener
            others = sorted({thing.opener for thing in told.words.things.values()} - {opener})
            if len(opener) == 1 and opener in wording:
                wrong.append(before + wording.replace(opener, told.dice.choice(others), 1) + behind)
    return wrong


def _disordered(told: Told, text: str) -> str | None:
    """The text with two neighbouring words in each other's place, of which neither is a sign; no name is broken up."""
    words, names = words_of(text, told.language), [told.words.names[person.name] for person in told.people]
    places = [
        number
        for number, ((a, b), (c, d)) in enumerate(zip(words, words[1:], strict=False))
        if text[a:b].isalpha() and text[c:d].isalpha() and text[a:b].lower() != text[c:d].lower()
        if not any(text[a:d] in name for name in names)
    ]
    if not places:
        return None
    number = told.dice.choice(places)
    (a, b), (c, d) = words[number], words[number + 1]
    first, second = text[a:b], text[c:d]
    if text[a].isupper() and a == 0 and told.language == "en":
        first = first if first in " ".join(names).split() else first.lower()
        second = second.capitalize()
    return text[:a] + second + text[b:c] + first + text[d:]


@CORPORA.add(
    "town_acceptability",
    title="Town: acceptability",
    zh=("小镇：可接受性", "小镇故事中的句子，一半被打乱语序或破坏一致关系，用于分类。"),
    order=28,
    **hooks("classify", judged, LABELS),
)
def town_acceptability(s: TownTask) -> list[Document]:
    """Sentences of the town, half of them with broken order or agreement: for classification."""
    return texts(s)
