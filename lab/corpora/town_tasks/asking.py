"""Questions about a told story: one of its events, told in another way, with a question word for one of its roles."""

from collections.abc import Iterator

from lab.corpora.town.frames import Event, Person
from lab.corpora.town.wording import PEOPLE, Mention, Sentence
from lab.corpora.town_tasks.told import Told
from lab.examples import Span

STOPS = ".。"


def questions(told: Told, event: Event) -> Iterator[tuple[str, str, int]]:
    """Every question about an event: the role that is asked, the question, and which way of telling it is made of."""
    for way in range(told.narrator.ways(event)):
        sentence = told.narrator.alone(event, way, told.story.hero, told.dice.random)
        body = sentence.text[:-1]
        if sentence.text[-1] not in STOPS or any(stop in body for stop in STOPS + '"“”!?！？'):
            continue
        for mention in sentence.mentions:
            word = told.phrases["asked"].get(mention.role, {}).get(mention.form)
            if word and sum(each.role == mention.role for each in sentence.mentions) == 1:
                text = body[: mention.start] + word + body[mention.end :] + told.phrases["end"]
                yield mention.role, text[0].upper() + text[1:], way


def answer(told: Told, number: int, role: str) -> Span | None:
    """The characters of the story in which a sentence says who or what takes this role; None where it is a pronoun or
    is not said."""
    sentence, at = told.sentences[number], told.starts[number]
    for mention in sentence.mentions:
        start, end = _kernel(told, sentence, mention)
        told_so = mention.role == role and mention.form in told.phrases["asked"].get(role, {})
        if told_so and sentence.text[start:end].lower() not in told.phrases["pronouns"]:
            return at + start, at + end
    return None


def _kernel(told: Told, sentence: Sentence, mention: Mention) -> Span:
    """Of somebody with a name the name alone, of all others all that is said."""
    role = sentence.event.roles[mention.role]
    if mention.role in PEOPLE and isinstance(role, Person) and role.name in told.words.names:
        place = sentence.said(mention).find(told.words.names[role.name])
        if place >= 0:
            start = mention.start + place
            return start, start + len(told.words.names[role.name])
    return mention.start, mention.end
