"""Glossary: the field's terms in both languages, each in one sentence and with its place in the lab."""

import shlex

from lab.glossary import TOPICS, glossary
from lab.ui.components.glossary import Glossary
from lab.ui.shell.frame import Frame
from lab.ui.words import pair

NAME = "glossary"


def build(frame: Frame) -> None:
    """The page."""
    frame.heading("glossary.title", "glossary.lead")
    topics = {topic: pair(*titles) for topic, titles in TOPICS.items()}
    terms = Glossary("", terms=glossary(), topics=topics, elem_id="glossary-terms")
    line = frame.command(command("")["command"])
    frame.share("term", terms)
    frame.listen(terms.change, command, terms, line)
    frame.opens(command, terms, line)


def command(key: str) -> dict[str, str]:
    """The command that prints the opened term, or all of them."""
    term = glossary().get(key)
    return {"command": "python -m lab glossary" + (f" {shlex.quote(term.en[0])}" if term else "")}
