"""``glossary``: the field's terms in English and Chinese, all of them or one."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict

from lab.cli.answer import Answer, table
from lab.cli.flags import Parser
from lab.glossary import TOPICS, Term, find
from lab.glossary import glossary as terms


def glossary_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.add_argument(
        "term", nargs="*", metavar="TERM", help="a term or a synonym, English or Chinese; all if left out"
    )


def glossary(asked: Namespace) -> Answer:
    """Every term with its Chinese name and its sentence, or one term with its synonyms and its place in the lab."""
    if asked.term:
        term = find(" ".join(asked.term))
        return Answer({"term": asdict(term)}, _whole(term))
    blocks = []
    for topic, (title, _) in TOPICS.items():
        rows = [["", term.en[0], term.zh[0], term.says_en] for term in terms().values() if term.topic == topic]
        blocks.append(f"{title}\n{table(rows)}")
    return Answer({"terms": [asdict(term) for term in terms().values()]}, "\n\n".join(blocks))


def _whole(term: Term) -> str:
    lines = [
        f"{term.en[0]} · {term.zh[0]}",
        f"  {term.says_en}",
        f"  {term.says_zh}",
        f"  also: {', '.join((*term.en[1:], *term.zh[1:]))}" if len(term.names) > 2 else "",
        f"  see: python -m lab app, then ?{term.see}",
    ]
    return "\n".join(line for line in lines if line)
