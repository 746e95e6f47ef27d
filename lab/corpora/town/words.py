"""What a language calls the people, things and places of the small town, and how it tells what happens there.

The words are data: assets/corpora/town, two files a language. A fault in them is one sentence that names the entry.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "corpora" / "town"

Forms = dict[str, str]  # the forms of a word that the sayings ask for; a word with one form has it under ""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Noun:
    """The noun for a thing, and what opens its first mention: an article, a quantity, a measure word."""

    opener: str
    noun: str
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """The noun for a place, why one goes there, and where one then is: a preposition, or the noun with its place."""

    noun: str
    at: str
    errand: str


@dataclass(frozen=True, kw_only=True)
class Words:
    """All words of one language, by the symbols that plots use."""

    names: dict[str, str]
    jobs: dict[str, str]
    ties: dict[str, Forms]  # by gender, where it matters
    things: dict[str, Noun]
    qualities: dict[str, str]
    places: dict[str, Place]
    symbols: dict[str, dict[str, Forms]]  # role, symbol, form
    links: dict[str, list[str]]
    sayings: dict[str, list[str]]


def read(language: str, folder: Path = FOLDER) -> Words:
    """The words of "english" or "chinese". A file that is missing or wrong raises ValueError."""
    tables = _parsed(folder / f"{language}_words.toml")
    sayings = _parsed(folder / f"{language}_sayings.toml")
    try:
        return Words(
            names=_each(_text, tables["names"], "names"),
            jobs=_each(_text, tables["jobs"], "jobs"),
            ties=_each(_forms, tables["ties"], "ties"),
            things=_each(_noun, tables["things"], "things"),
            qualities=_each(_text, tables["qualities"], "qualities"),
            places=_each(_place, tables["places"], "places"),
            symbols={
                role: _each(_forms, words, f"symbols.{role}")
                for role, words in _each(dict, tables["symbols"], "symbols").items()
            },
            links=_each(_ways, tables["links"], "links"),
            sayings=_each(_ways, sayings, "sayings"),
        )
    except KeyError as missing:
        raise ValueError(f"the {language} words of the town lack the table {missing}") from None
    except ValueError as fault:
        raise ValueError(f"in the {language} words of the town, {fault}") from None


def _parsed(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"the words of the town lack the file {file.name}") from None
    except ValueError as fault:
        raise ValueError(f"{file.name} is not valid TOML: {fault}") from None


def _each(reader: Callable[[Any], T], table: Any, name: str) -> dict[str, T]:
    """A table whose every entry ``reader`` understands."""
    if not isinstance(table, dict):
        raise ValueError(f"{name} must be a table")
    words = {}
    for symbol, value in table.items():
        try:
            words[symbol] = reader(value)
        except (TypeError, ValueError):
            raise ValueError(f"{name}.{symbol} cannot be {value!r}") from None
    return words


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _ways(value: Any) -> list[str]:
    if not isinstance(value, list) or not value:
        raise TypeError
    return [_text(way) for way in value]


def _forms(value: Any) -> Forms:
    return {form: _text(word) for form, word in value.items()} if isinstance(value, dict) else {"": _text(value)}


def _noun(value: Any) -> Noun:
    plural = dict(value).get("plural", False)
    if not isinstance(plural, bool):
        raise TypeError
    return Noun(**_forms({key: word for key, word in value.items() if key != "plural"}), plural=plural)


def _place(value: Any) -> Place:
    return Place(**_forms(dict(value)))
