"""Coreference and agreement in told stories: which words mean the same, and which verb agrees with which subject.

Both are read off the roles of a story's events. The verb of "The vases beside the fountain were painted red" was chosen
by the number of its subject, which need not be the noun next to it (Linzen et al. 2016). Chinese verbs do not agree.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.corpora.town.frames import Person, Role, Thing
from lab.corpora.town.wording import Mention
from lab.corpora.town_tasks.told import Told
from lab.examples import Span

PRONOUNS = {
    *("she her he him his it its they them their".split()),
    *("她 她的 他 他的 它 它的 她们 他们 它们".split()),
}
VERB = "was"  # the form of a verb that agrees with its role: "was" or "were"


@dataclass(frozen=True)
class Linked:
    """A text and, of some of its words, those they belong to: characters, from and up to."""

    text: str
    links: tuple[tuple[Span, tuple[Span, ...]], ...]


def coreference(told: Told) -> Linked:
    """The story with each pronoun that stands for somebody or something named before, and where."""
    named: list[tuple[Role, Span]] = []
    links: list[tuple[Span, tuple[Span, ...]]] = []
    for role, said, span in _mentions(told):
        before = tuple(place for other, place in named if other == role)
        if said.lower() in PRONOUNS and before:
            links.append((span, before))
        named.append((role, span))
    return Linked(told.text, tuple(links))


def agreement(told: Told) -> list[Linked]:
    """Every sentence with a verb that agrees with a subject further away than the word before it."""
    linked = list[Linked]()
    for sentence in told.sentences:
        links = [
            ((verb.start, verb.end), tuple((of.start, of.end) for of in sentence.mentions if _subject(of, verb)))
            for verb in sentence.mentions
            if verb.form == VERB
        ]
        links = [(verb, subject) for verb, subject in links if subject]
        if links:
            linked.append(Linked(sentence.text, tuple(links)))
    return linked


def _subject(mention: Mention, verb: Mention) -> bool:
    return mention.role == verb.role and mention.form != VERB and mention.end + 1 < verb.start


def _mentions(told: Told) -> Iterator[tuple[Role, str, Span]]:
    """The people and things of a story as they are mentioned, in order: who or what, what is said, and where."""
    for at, sentence in zip(told.starts, told.sentences, strict=True):
        for mention in sorted(sentence.mentions, key=lambda each: each.start):
            role = sentence.event.roles[mention.role]
            if isinstance(role, Person | Thing) and mention.form != VERB:
                yield role, sentence.said(mention), (at + mention.start, at + mention.end)
