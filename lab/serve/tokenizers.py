"""Tokenizers trained while a visitor waits: in a child process, kept in the cache, loaded once."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from lab.batch import Document
from lab.catalog import CORPORA, TOKENIZERS
from lab.engine.data import kept_tokenizer
from lab.engine.run import home
from lab.serve.child import call
from lab.settings import SettingsError
from lab.vocab import Tokenizer

SHIPPED = Path(__file__).resolve().parents[2] / "assets" / "tokenizers"  # CORPUS-KIND-VOCABULARY
SECONDS = 90.0  # the longest that a visitor waits
LARGEST = 32 * 2**20  # bytes; more text makes no better tokenizer, only a slower one

_known: dict[str, dict[str, str]] = {}  # what this process has been told: question to answer


def trained(corpus: str, values: dict[str, Any], vocabulary: int) -> dict[str, str]:
    """Every kind of tokenizer trained on a corpus: kind to the name under which ``load`` finds it.

    ``values`` are the corpus's settings. A path among them must be one of ``uploads.kept``: its text never changes.
    """
    for kind in TOKENIZERS:
        kind.settings.load({"vocabulary": vocabulary})  # what the visitor can put right is said without a child
    found = at_hand(corpus, values, vocabulary)
    if found is None:
        found = call("lab.serve.tokenizers:train", corpus, values, vocabulary, seconds=SECONDS)
        _known[_question(corpus, values, vocabulary)] = found
    return dict(found)


def at_hand(corpus: str, values: dict[str, Any], vocabulary: int) -> dict[str, str] | None:
    """What ``trained`` would give, if it can do so at once."""
    shipped = {kind.name: f"{corpus}-{kind.name}-{vocabulary}" for kind in TOKENIZERS}
    if not values and all((SHIPPED / name).is_dir() for name in shipped.values()):
        return shipped
    found = _known.get(_question(corpus, values, vocabulary))
    return found if found and all(_file(name).is_file() for name in found.values()) else None


def _question(corpus: str, values: dict[str, Any], vocabulary: int) -> str:
    return json.dumps([corpus, values, vocabulary, str(home())], sort_keys=True)


def train(corpus: str, values: dict[str, Any], vocabulary: int) -> dict[str, str]:
    """What ``trained`` asks of the child."""
    entry = CORPORA[corpus]
    documents: list[Document] = entry.build(entry.settings.load(values))
    size = {"vocabulary": vocabulary}
    return {kind.name: kept_tokenizer(kind, kind.settings.load(size), documents).stem for kind in TOKENIZERS}


def load(name: str) -> Tokenizer:
    """A tokenizer by the name that ``trained`` gave it."""
    if not name or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        raise SettingsError("there is no such tokenizer", "没有这个分词器")
    path = _file(name)
    if not path.is_file():
        raise SettingsError("this tokenizer is no longer kept: train it again", "这个分词器已不在缓存中：请重新训练")
    return _load(str(path), path.stat().st_mtime_ns)


@lru_cache(maxsize=32)
def _load(path: str, _changed: int) -> Tokenizer:
    return Tokenizer.load(Path(path).read_text(encoding="utf-8"))


def _file(name: str) -> Path:
    shipped = SHIPPED / name / "tokenizer.json"
    return shipped if shipped.is_file() else home() / "cache" / f"{name}.json"
