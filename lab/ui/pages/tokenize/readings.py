"""Tokenizations of a text: its tokens, what they cost, what comes back, and how BPE learns from it."""

import io
import json
import re
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import tokenizers as library
from numpy.typing import NDArray

from lab.catalog import CORPORA, TOKENIZERS
from lab.data.corpus import town_documents
from lab.exchange.tokenizer_files import keep
from lab.text import stretches
from lab.tokenizer import Tokenizer
from lab.tokenizers.parts.cutting import WORDS, counted
from lab.tokenizers.parts.merging import TIES, Merging
from lab.ui.words import pair, say, titled, upper

READ, CHIPS, CHARACTERS = 3_000, 400, 600  # characters that are read, tokens and characters that are drawn
LETTERS, MERGES, RIVALS = 4_000, 150, 6  # of a text that the merge player learns from; its steps; the pairs it shows
FEW, STORIES = 3, 6  # merges that are worth a look, and stories that stand in for a text that has fewer
LONG = 8  # tokens of this length or more are one bar
# Letters of scripts that put no space between words: Thai, Lao, Burmese, Khmer, Chinese and Japanese.
SPACELESS = re.compile("[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
PARAGRAPHS = Path(__file__).resolve().parents[4] / "assets" / "languages.json"

Parts = list[list[str]]  # text and its mark, by turns


@dataclass(frozen=True)
class Cut:
    """A text as one tokenizer cuts it."""

    text: str
    ids: NDArray[np.int64]  # (T,)
    spans: NDArray[np.int64]  # (T, 2) the characters that each token covers
    tokenizer: Tokenizer

    @property
    def lost(self) -> NDArray[np.bool_]:
        """The tokens that are unknown: (T,)."""
        return self.ids == self.tokenizer.vocabulary.unknown


@dataclass(frozen=True)
class Shown:
    """A tokenizer and what it is called here."""

    tokenizer: Tokenizer
    name: str
    title: Any
    about: Any = ""


def of_kind(tokenizer: Tokenizer) -> Shown:
    """One that the lab has trained."""
    entry = TOKENIZERS[tokenizer.kind]
    summary = pair(entry.summary, entry.summary_zh)
    return Shown(tokenizer, entry.name, titled(entry), summary)


def of_stranger(tokenizer: Tokenizer, title: str, notes: Sequence[Sequence[str]]) -> Shown:
    """One that the visitor has brought, under the name of its file."""
    en, zh = ("; ".join(str(note[n]) for note in notes) for n in (0, 1))
    return Shown(tokenizer, "brought", title, pair(upper(en), zh) if notes else say("tokenize.brought.whole"))


def packed(tokenizer: Tokenizer, name: str) -> bytes:
    """A zip with a folder that transformers' AutoTokenizer loads."""
    whole = io.BytesIO()
    with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        keep(tokenizer, Path(place))
        for path in sorted(Path(place).iterdir()):
            archive.write(path, f"{name}/{path.name}")
    return whole.getvalue()


def cut_up(text: str, shown: Sequence[Shown], note: Any = None) -> dict[str, Any]:
    """A value for Cuts: the text through each of the tokenizers."""
    rows = []
    for entry in shown:
        cells = row(Cut(text, *entry.tokenizer.encode_with_spans(text), entry.tokenizer))
        rows.append({"name": entry.name, "title": entry.title, "about": entry.about, **cells})
    return {"text": text[:CHARACTERS], "rows": rows, "note": note or ""}


def row(cut: Cut) -> dict[str, Any]:
    """One tokenizer's tokens, what they cost, and what comes back."""
    head = Cut(cut.text[:CHARACTERS], cut.ids[:CHIPS], cut.spans[:CHIPS], cut.tokenizer)
    back, gone = there_and_back(cut)
    verdict = say("tokenize.lost", n=f"{gone:,}", all=f"{len(cut.text):,}") if gone else say("tokenize.lossless")
    return {
        "tokens": chips(head),
        "more": len(cut.ids) - len(head.ids),
        "measures": measures(cut),
        "lengths": lengths(cut),
        "back": back if gone else [],
        "said": verdict if cut.text else "",
    }


def chips(cut: Cut) -> list[list[Any]]:
    """What is drawn of each token, and which characters of the text it covers."""
    drawn = []
    for piece, (first, last), lost in zip(cut.tokenizer.pieces(cut.ids), cut.spans.tolist(), cut.lost, strict=True):
        kind = "unknown" if lost else "part" if "\ufffd" in piece.text and b"\xef\xbf\xbd" not in piece.bytes else ""
        # Where no blank is kept, it is not drawn either: ## says what goes on with a word.
        shown = cut.tokenizer.inner.id_to_token(piece.id) if cut.tokenizer.opens_blank else piece.text
        drawn.append([shown, piece.id, piece.bytes.hex().upper(), first, last, kind])
    return drawn


def measures(cut: Cut) -> list[dict[str, Any]]:
    """What the tokens cost, each beside its yardstick."""
    n, size, everything = len(cut.ids), len(cut.text.encode()), cut.tokenizer.vocabulary.size
    words = spaced_words(cut.text)
    used = len(np.unique(cut.ids))
    values: list[tuple[str, Any, dict[str, Any]]] = [
        ("n", n, {"note": say("tokenize.n.note", all=f"{len(cut.text):,}")}),
        ("word", n / words if words else "–", {"note": say("tokenize.word.note")}),
        ("rate", n / max(len(cut.text), 1), {"note": say("tokenize.rate.note")}),
        ("byte", n / max(size, 1), {"note": say("tokenize.byte.note")}),
        ("unknown", float(cut.lost.mean()) if n else 0.0, {"share": True, "note": say("tokenize.unknown.note")}),
        ("used", used / everything, {"share": True, "note": say("tokenize.used.note", size=f"{everything:,}")}),
    ]
    return [{"name": say(f"tokenize.{name}"), "value": value if n else "–", **more} for name, value, more in values]


def spaced_words(text: str) -> int:
    """How many words white space parts. In a text that is mostly of a script without spaces it parts none."""
    letters = sum(map(str.isalpha, text))
    return 0 if 2 * len(SPACELESS.findall(text)) > letters else len(text.split())


def lengths(cut: Cut) -> list[int]:
    """How many tokens cover one character, two, and so on."""
    longs = np.clip(cut.spans[:, 1] - cut.spans[:, 0], 1, LONG)
    return [int(count) for count in np.bincount(longs, minlength=LONG + 1)[1:]]


def there_and_back(cut: Cut) -> tuple[Parts, int]:
    """What decoding gives back, where it is not the text, and how many characters of the text are lost.

    Lost is what a token cannot give back, and what no token covers; "replaced" is what was not in the text.
    """
    parts: list[tuple[bytes, str]] = []
    gone, at, begins = 0, 0, cut.tokenizer.opens_blank
    for piece, (first, last), lost in zip(
        cut.tokenizer.pieces(cut.ids), cut.spans.tolist(), cut.lost.tolist(), strict=True
    ):
        source, between = cut.text[max(first, at) : last].encode(), cut.text[at:first]
        spelt = (" " * begins + piece.text).encode() if lost else piece.bytes
        blank = begins and spelt[:1] == b" " and source[:1] != b" "
        added = blank and not between.endswith(" ") and at > 0
        gone += len(between) - (blank and between.endswith(" "))
        parts += [(b" ", "replaced" if added else "")] * (blank and at > 0)
        spelt = spelt[blank:]
        part = "\ufffd" in piece.text and not lost  # bytes of a character: whole, once its last byte is there
        wrong = "wrong" if lost else "" if part or spelt == source else "replaced"
        gone += len(cut.text[max(first, at) : last]) if wrong else 0
        parts.append((spelt, wrong))
        at = max(at, last)
    gone += len(cut.text) - at
    return _joined(parts), gone


def _joined(parts: Sequence[tuple[bytes, str]]) -> Parts:
    """Neighbours of one mark as one, as text."""
    joined: list[tuple[bytes, str]] = []
    for spelt, mark in parts:
        if joined and joined[-1][1] == mark:
            joined[-1] = (joined[-1][0] + spelt, mark)
        else:
            joined.append((spelt, mark))
    return [[spelt.decode("utf-8", "replace")[:CHARACTERS], mark] for spelt, mark in joined[:CHARACTERS]]


# ---- how BPE learns


def lesson(text: str, language: str = "en") -> dict[str, Any]:
    """A value for MergePlayer: the words of the text, and the merges by either rule for ties. A text with hardly any
    merges gives way to stories of the town, in its language, or in the page's where it has no letters."""
    own = _lesson(text[:LETTERS])
    merges = len(own["ties"][0]["merges"])
    if merges >= FEW:
        return own
    first = next(filter(str.isalpha, text), "")
    chinese = "一" <= first <= "鿿" if first else language == "zh"
    note = say("tokenize.merges.story", n=merges) if text else say("tokenize.merges.empty")
    return {**_lesson(_stories("town_zh" if chinese else "town_en")), "note": note}


@cache
def _stories(corpus: str) -> str:
    stories = town_documents(corpus, CORPORA[corpus].settings.load({"stories": 10}))  # no town is smaller
    return "".join(story.text for story in stories[:STORIES])


@lru_cache(maxsize=64)
def _lesson(text: str) -> dict[str, Any]:
    words = [(word, times) for word, times in _words(text) if word.strip()]
    letters = sorted({letter for word, _ in words for letter in word})
    ties = [{"rule": rule, "merges": _merges(words, letters, rule)} for rule in TIES]
    return {"words": [[word, times] for word, times in words], "ties": ties}


def _words(text: str) -> list[tuple[str, int]]:
    inner = library.Tokenizer(library.models.BPE())
    inner.pre_tokenizer = library.pre_tokenizers.Split(WORDS, "isolated")
    return counted(inner, list(stretches(text))).most_common()


def _merges(words: Sequence[tuple[str, int]], letters: Sequence[str], rule: str) -> list[list[Any]]:
    """Each merge with the pairs that stood in front when it was chosen."""
    merging = Merging([(list(word), times) for word, times in words], letters, ties=rule)
    steps, front = iter(merging), merging.front(RIVALS)
    merges = []
    for merge in islice(steps, MERGES):
        rivals = [[*rival, count] for rival, count in front]
        merges.append([merge.left, merge.right, merge.count, merge.words, rivals])
        front = merging.front(RIVALS)
    return merges


# ---- what a paragraph costs


def paragraphs(shown: Sequence[Shown]) -> dict[str, Any]:
    """A value for Paragraphs: one paragraph in twelve languages through each tokenizer."""
    kinds = [{"name": entry.name, "title": entry.title} for entry in shown]
    texts = [language["text"] for language in languages()]
    cuts = [entry.tokenizer.encode_all(texts) for entry in shown]
    nothing = [entry.tokenizer.vocabulary.unknown for entry in shown]
    rows = []
    for number, language in enumerate(languages()):
        ids = [column[number] for column in cuts]
        unknown = [float((cut == lost).mean()) for cut, lost in zip(ids, nothing, strict=True)]
        rows.append(
            {
                "name": pair(*language["name"]),
                "code": language["code"],
                "text": language["text"],
                "tokens": [len(column) for column in ids],
                "unknown": [round(share, 4) for share in unknown],
            }
        )
    return {"kinds": kinds, "rows": rows}


@cache
def languages() -> list[dict[str, Any]]:
    """The same paragraph in twelve languages."""
    document: list[dict[str, Any]] = json.loads(PARAGRAPHS.read_text(encoding="utf-8"))
    return document
