"""Tokenizer training for a visitor: in a child process, kept in the cache, loaded once."""

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from lab.batch import Document
from lab.catalog import CORPORA, TOKENIZERS, sized
from lab.data.corpus import kept_tokenizer
from lab.runs.folder import home
from lab.sandbox import Limits
from lab.serve.child import call
from lab.settings import Settings, SettingsError
from lab.tokenizer import Tokenizer

SHIPPED = Path(__file__).resolve().parents[2] / "assets" / "tokenizers"  # CORPUS-KIND-VOCABULARY
SECONDS = 90.0  # the longest that a visitor waits
LARGEST = 32 * 2**20  # bytes; more text makes no better tokenizer, only a slower one

_known: dict[str, str] = {}  # what this process has been told: question to answer


def trained(corpus: str, values: dict[str, Any], vocabulary: int, kinds: Sequence[str]) -> dict[str, str]:
    """Tokenizers of these kinds trained on a corpus: kind to the name under which ``load`` finds it.

    ``values`` are the corpus's settings. A path among them must be one of ``uploads.kept``: its text never changes.
    """
    for kind in kinds:
        _settings(kind, vocabulary)  # what the visitor can put right is said without a child
    names = {kind: at_hand(corpus, values, vocabulary, kind) for kind in kinds}
    missing = [kind for kind, name in names.items() if not name]
    if missing:
        asked = (corpus, values, vocabulary, missing)
        fresh = call("lab.serve.tokenizers:train", *asked, limits=Limits(seconds=SECONDS))
        for kind, name in fresh.items():
            _known[_question(corpus, values, vocabulary, kind)] = names[kind] = name
    return names


def at_hand(corpus: str, values: dict[str, Any], vocabulary: int, kind: str) -> str:
    """What ``trained`` would give for one kind, if it can do so at once; else nothing."""
    shipped = f"{corpus}-{kind}-{vocabulary}"
    if not values and (SHIPPED / shipped).is_dir():
        return shipped
    name = _known.get(_question(corpus, values, vocabulary, kind), "")
    return name if name and _file(name).is_file() else ""


def _question(corpus: str, values: dict[str, Any], vocabulary: int, kind: str) -> str:
    return json.dumps([corpus, values, vocabulary, kind, str(home())], sort_keys=True)


def _settings(kind: str, vocabulary: int) -> Settings:
    return TOKENIZERS[kind].settings.load(sized(TOKENIZERS[kind], vocabulary))


def train(corpus: str, values: dict[str, Any], vocabulary: int, kinds: Sequence[str]) -> dict[str, str]:
    """What ``trained`` asks of the child."""
    entry = CORPORA[corpus]
    documents: list[Document] = entry.build(entry.settings.load(values))
    return {kind: kept_tokenizer(TOKENIZERS[kind], _settings(kind, vocabulary), documents).stem for kind in kinds}


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
