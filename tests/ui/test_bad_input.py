"""Whatever is typed on the Tokenize page gives a result or one clear sentence: ten thousand strings in each field."""

import random
import re
import unicodedata
from functools import cache
from typing import Any

import pytest

from lab.catalog import TOKENIZERS, sized
from lab.serve import tokenizers
from lab.settings import SettingsError
from lab.text import clean
from lab.tokenizer import Tokenizer
from lab.tokenizers.parts.growing_sizes import INSIDE
from lab.ui.components.drawn import to_json
from lab.ui.pages.tokenize import handlers as tokenize
from lab.ui.pages.tokenize.readings import cut_up, lesson, of_kind
from lab.vocabulary import SPECIALS

POOLS = (
    "abcdefghijklm nopq.,'0",
    "\ud800\udfff\udc00\ud83d",  # halves of characters
    "\0\x01\x07\x1b\x7f\x85\u200b\u200f\u202e\ufeff\ufffd",
    "אבגדה שלום مرحبا ١٢",
    "小红用一二三。，、ヶ",
    "👩\u200d🚀🏽🇨🇳❤\ufe0f e\u0301",
    "\U00012000\ue000\U0010ffff\u0378",  # of no known alphabet, of none at all
    "<script>${x}{{y}}&%s\\'\"##Ġ--",
    " \t\n\r\u3000\xa0\u2028",
)
UNKNOWN = re.compile(r"(\[UNK\])+")


@cache
def strings() -> tuple[str, ...]:
    draw = random.Random(4)

    def string() -> str:
        pools = draw.sample(POOLS, draw.choice((1, 1, 2, 3)))
        return "".join(draw.choice(draw.choice(pools)) for _ in range(draw.choice((0, 1, 2, 5, 12, 30))))

    return tuple(string() for _ in range(10_000))


def shipped(kind: str) -> Tokenizer:
    return tokenizers.load(f"{tokenize.CORPUS}-{kind}-{tokenize.VOCABULARY}")


def letters(known: Tokenizer) -> set[str]:
    """The characters that a tokenizer has tokens for; Unigram writes a blank as ▁."""
    plain = {token.replace("▁", " ") for token in known.inner.get_vocab() if token not in SPECIALS}
    return {token.removeprefix(INSIDE) for token in plain if len(token.removeprefix(INSIDE)) == 1}


@pytest.mark.parametrize("kind", TOKENIZERS.names())
def test_every_tokenizer_keeps_its_promise(kind: str) -> None:
    known, keeps = shipped(kind), TOKENIZERS[kind].keeps
    have = letters(known)
    for text, ids in zip(strings(), known.encode_all(strings()), strict=True):
        assert not known.vocabulary.is_special(ids[ids != known.vocabulary.unknown]).any()
        back, whole = known.decode(ids, begins=True), clean(text)
        if keeps == "everything":
            assert back == whole
        elif keeps == "characters":  # each that is known comes back in its place
            expected = "".join(each if each in have else "[UNK]" for each in whole)
            assert UNKNOWN.sub("?", back) == UNKNOWN.sub("?", expected)
        elif known.vocabulary.unknown not in ids:  # all but the blanks, and signs that nobody sees
            seen = [
                [c for c in each if unicodedata.category(c)[0] not in "CZ" and c != "\ufffd"] for each in (back, whole)
            ]
            assert seen[0] == seen[1]


def test_any_text_is_cut_and_taught_from() -> None:
    shown = [of_kind(shipped(kind)) for kind in TOKENIZERS.names()]
    for number, text in enumerate(map(clean, strings())):
        each = shown[number % len(shown)]
        (row,) = cut_up(text, [each])["rows"]
        assert row["more"] >= 0 and to_json(row)
        if row["said"] and row["said"]["word"] == "tokenize.lossless":
            assert not row["back"]
        assert lesson(text)["ties"]
    for text in strings()[:200]:
        assert len(tokenize.show(text, "")["cuts"]["rows"]) == len(shown)


def test_any_string_in_the_other_fields_is_an_answer_or_a_sentence() -> None:
    said = {"problem": 0, "note": 0}
    for text in strings():
        (last,) = tokenize.learn("x", text, 2000, None, text)
        said[last["status"][0][0]] += 1
        assert tokenize.curves(text, None, text, 2000)["note"]["zh"]
        for read in (tokenize._loaded, tokenize._own):  # what the browser keeps for the page
            try:
                assert len(read(text)) in (0, len(TOKENIZERS.names()))
            except SettingsError as error:
                assert error.en and error.zh
    assert said["problem"] == len(strings())


@pytest.mark.parametrize("kind", TOKENIZERS.names())
def test_any_corpus_teaches_or_is_refused(kind: str) -> None:
    """One word, one letter, blanks only, no room for the alphabet, and texts that nobody has written."""
    entry = TOKENIZERS[kind]
    draws = strings()
    corpora = [["word"], ["a"], [" \n\t "], ["\ud83d"], ["\0"], ["שלום " * 9], ["".join(POOLS) * 3]]
    corpora += [list(draws[n : n + 40]) for n in range(0, 400, 40)] + [[], [""], ["", ""]]
    for texts in corpora:
        for vocabulary in (7, 40, 300):
            asked: dict[str, Any] = sized(entry, vocabulary)
            try:
                known: Tokenizer = entry.build(texts, entry.settings.load(asked))
            except SettingsError as error:
                assert error.en and error.zh and (not any(texts) or vocabulary < 262)
                continue
            assert known.vocabulary.size <= max(vocabulary, 262)
            for text in (*texts[:3], "another text 小 \ud83d"):
                ids = known.encode(text)
                if entry.keeps == "everything" or known.vocabulary.unknown not in ids and text in texts:
                    assert known.decode(ids, begins=True) == clean(text) or entry.keeps == "letters"


@pytest.mark.parametrize("kind", TOKENIZERS.names())
def test_a_million_characters_are_read(kind: str) -> None:
    """Without a blank anywhere, and of all that is awkward."""
    known = shipped(kind)
    awkward = clean("".join(strings()[:400]))
    text = "a" * 700_000 + (awkward * (300_000 // len(awkward) + 1))[:300_000]
    ids = known.encode(text)
    assert len(text) == 1_000_000 and len(ids) > 1000
    if TOKENIZERS[kind].keeps == "everything":
        assert known.decode(ids) == text


def test_a_million_characters_on_the_page() -> None:
    cuts, taught = tokenize.show("a" * 1_000_000, "").values()
    assert cuts["note"]["word"] == "tokenize.head" and len(to_json(cuts)) + len(to_json(taught)) < 300_000
