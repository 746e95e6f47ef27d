"""The glossary: each term of the field in English and Chinese, in one sentence, and where the lab shows it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.settings import SettingsError, nearest

GLOSSARY = Path(__file__).parents[1] / "assets" / "glossary.json"
# The groups in which terms are listed. The last holds the lab's own words; their synonyms are the field's.
TOPICS = {
    "text": ("Text and tokens", "文本与词元"),
    "model": ("Models", "模型"),
    "objective": ("Objectives", "训练目标"),
    "training": ("Training", "训练"),
    "measure": ("Evaluation", "评测"),
    "generation": ("Generation", "生成"),
    "lab": ("The lab's own words", "本实验室的说法"),
}


@dataclass(frozen=True, kw_only=True)
class Term:
    """One term. Of its names the first leads and the others are synonyms; ``see`` is the query of a page's address.

    ``marked`` lists the names that pages explain where they stand; None is all of them. Words that mean other things
    in plain language are left out there.
    """

    key: str
    topic: str
    en: tuple[str, ...]
    zh: tuple[str, ...]
    says_en: str
    says_zh: str
    see: str
    marked: tuple[str, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Every name in both languages, the leading ones first."""
        return (self.en[0], self.zh[0], *self.en[1:], *self.zh[1:])


@cache
def glossary() -> Mapping[str, Term]:
    """All terms by key, in the order of the topics."""
    read = json.loads(GLOSSARY.read_text(encoding="utf-8"))
    terms = {key: _term(key, fields) for key, fields in read.items()}
    order = list(TOPICS)
    return dict(sorted(terms.items(), key=lambda item: order.index(item[1].topic)))


def _term(key: str, fields: dict[str, str | list[str]]) -> Term:
    kept = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return Term(key=key, **kept)  # type: ignore[arg-type]  # a field that is none is a TypeError


def find(name: str) -> Term:
    """The term of that name in either language: by its key or leading name, else by a synonym."""
    terms = glossary()
    asked = _plain(name)
    for names in (lambda term: (term.key, term.en[0], term.zh[0]), lambda term: term.names):
        for term in terms.values():
            if asked in map(_plain, names(term)):
                return term
    spellings = [spelling for term in terms.values() for spelling in term.names]
    en, zh = nearest(name, spellings)
    if "did you mean" not in en:
        en, zh = "; python -m lab glossary lists all terms", "；python -m lab glossary 列出全部术语"
    raise SettingsError(f"the glossary has no term {name!r}{en}", f"术语表中没有 {name!r}{zh}")


def _plain(name: str) -> str:
    """A name without what people spell in different ways: case, hyphens, and the s of a plural."""
    return name.strip().casefold().replace("–", " ").replace("-", " ").replace("_", " ").removesuffix("s")
