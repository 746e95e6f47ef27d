"""Vocabulary size sweeps for a visitor: computed in a child process, one kind at a time, and kept."""

import hashlib
import json
from functools import cache
from typing import Any

from lab.analysis.tokenizer_time import foretold
from lab.analysis.vocabulary_sweep import READ, sweep
from lab.batch import Document
from lab.catalog import CORPORA, TOKENIZERS
from lab.data.corpus import beginning
from lab.runs.files import write
from lab.runs.folder import home
from lab.sandbox import Limits
from lab.serve.child import call
from lab.serve.tokenizers import SHIPPED

SECONDS = 240.0  # the longest that one kind may take
CURVES = SHIPPED / "town-sizes.json"  # what the terminal's ``tokenizer sizes`` says of the town


def at_hand(corpus: str, values: dict[str, Any], kind: str) -> dict[str, Any] | None:
    """What ``curve`` would give, if it can do so at once."""
    if not values and kind in _shipped().get(corpus, {}):
        shipped: dict[str, Any] = _shipped()[corpus][kind]
        return shipped
    try:
        kept: dict[str, Any] = json.loads(_path(corpus, values, kind).read_text(encoding="utf-8"))
        return kept
    except (OSError, ValueError):
        return None


def curve(corpus: str, values: dict[str, Any], kind: str) -> dict[str, Any]:
    """What the sizes of one kind cost on a corpus, as ``VocabularySweep.dump`` says it. A path among the corpus's
    settings must be one of ``uploads.kept``: its text never changes."""
    swept = at_hand(corpus, values, kind)
    if swept is None:
        swept = call("lab.serve.curves:reckon", corpus, values, kind, limits=Limits(seconds=SECONDS))
        path = _path(corpus, values, kind)
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, json.dumps(swept))
    return swept


def wait(corpus: str, values: dict[str, Any]) -> float:
    """About how many seconds the curves that are not at hand will take."""
    missing = [kind for kind in TOKENIZERS.names() if at_hand(corpus, values, kind) is None]
    if not missing:
        return 0.0
    return float(call("lab.serve.curves:foretell", corpus, values, missing))


def reckon(corpus: str, values: dict[str, Any], kind: str) -> dict[str, Any]:
    """What ``curve`` asks of the child."""
    return sweep(TOKENIZERS[kind], _documents(corpus, values)).dump()


def foretell(corpus: str, values: dict[str, Any], kinds: list[str]) -> float:
    """What ``wait`` asks of the child."""
    texts = [document.text for document in beginning(_documents(corpus, values), READ)]

    def learn(part: list[str]) -> None:
        for kind in kinds:
            sweep(TOKENIZERS[kind], [Document(text) for text in part])

    return foretold(learn, texts).seconds


def _documents(corpus: str, values: dict[str, Any]) -> list[Document]:
    documents: list[Document] = CORPORA[corpus].build(CORPORA[corpus].settings.load(values))
    return documents


def _path(corpus: str, values: dict[str, Any], kind: str) -> Any:
    question = json.dumps([corpus, values, kind, str(home())], sort_keys=True)
    return home() / "cache" / f"{hashlib.sha256(question.encode()).hexdigest()[:32]}-sweep.json"


@cache
def _shipped() -> dict[str, dict[str, Any]]:
    if not CURVES.is_file():
        return {}
    document = json.loads(CURVES.read_text(encoding="utf-8"))
    return {document["corpus"]: {row["kind"]: row for row in document["curves"]}}
