"""What a vocabulary's size costs: one training is as good as many, and every figure can be worked out by hand."""

import json
import math
import threading
import time
from functools import cache

import numpy as np
import pytest

from lab.analysis.tokenizer_time import foretold
from lab.analysis.vocabulary_sweep import SIZES, _bits, beginning, sweep
from lab.batch import Document
from lab.catalog import CORPORA, TOKENIZERS, sized
from lab.cli import bar
from lab.cli.main import main
from lab.data.corpus import split
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.tokenizers.parts.growing_sizes import letters, truncated

ROOMS = (300, 320, 400, 550, 50_000)
CHINESE = "".join(map(chr, range(0x4E00, 0x4E00 + 350)))  # more letters than the smaller sizes have room for


@cache
def told() -> tuple[str, ...]:
    stories = [each.text for each in CORPORA["town"].build(CORPORA["town"].settings.load({"stories": 60}))]
    return (*stories, CHINESE * 2)


def train(kind: str, size: int) -> Tokenizer:
    entry = TOKENIZERS[kind]
    found: Tokenizer = entry.build(told(), entry.settings.load(sized(entry, size)))
    return found


@pytest.mark.parametrize("kind", [name for name in TOKENIZERS.names() if name != "unigram"])
def test_a_smaller_size_of_one_training_is_a_training_of_that_size(kind: str) -> None:
    grown = list(TOKENIZERS[kind].growing(told(), ROOMS))
    assert [each.vocabulary.size for each in grown[:-1]] == list(ROOMS)[: len(grown) - 1]
    for size, each in zip(ROOMS, grown, strict=False):
        assert each.inner.to_str() == train(kind, size).inner.to_str(), size


@pytest.mark.parametrize("kind", ["byte_bpe", "char_bpe", "wordpiece"])
def test_merges_are_nested(kind: str) -> None:
    """Cutting the last tokens off again and again is the same as never having learnt them."""
    largest = train(kind, 50_000)
    first = letters(largest)
    assert len(set(CHINESE)) < first < largest.vocabulary.size if kind != "byte_bpe" else first == 262
    for size in (first, first + 1, first + 37, largest.vocabulary.size):
        assert truncated(largest, size).inner.to_str() == train(kind, size).inner.to_str()


def test_unigram_drops_pieces_on_one_path() -> None:
    """The largest is a training of its own; the smaller ones begin with more seeds, and cut a text about as well."""
    grown = list(TOKENIZERS["unigram"].growing(told(), ROOMS))
    assert grown[-1].inner.to_str() == train("unigram", 50_000).inner.to_str()
    for size, each in zip(ROOMS[:-1], grown, strict=False):
        assert each.vocabulary.size == size
        n, own = (sum(map(len, known.encode_all(told()))) for known in (each, train("unigram", size)))
        assert n == pytest.approx(own, rel=0.05)


def test_bits_by_hand() -> None:
    """Three and one were seen, each counted once more: four and two of six, and one of each costs its logarithm."""
    assert _bits(np.array([3.0, 1.0]), np.array([1.0, 1.0])) == pytest.approx(math.log2(6 / 4) + math.log2(6 / 2))


def test_a_curve_by_hand() -> None:
    """The last tenth is two times "ac\\n". Of 54 letters a was seen 18 times, the line's end as well, and c never."""
    documents = [*[Document("ab\n")] * 18, *[Document("ac\n")] * 2]
    (plain,) = sweep(TOKENIZERS["bytes"], documents).points  # bytes know c: it costs most
    assert (plain.size, plain.tokens, plain.lost) == (262, 1.0, 0.0)
    assert plain.bits == pytest.approx(sum(-math.log2(times / (54 + 262)) for times in (19, 1, 19)) / 3)
    (few,) = sweep(TOKENIZERS["characters"], documents).points  # six special ones, a, b, the line's end: c is lost
    assert (few.size, few.tokens, few.lost) == (9, 1.0, pytest.approx(1 / 3))
    assert few.bits == pytest.approx((sum(-math.log2(times / (54 + 9)) for times in (19, 1, 19)) + 8) / 3)


@pytest.mark.parametrize("kind", TOKENIZERS.names())
def test_the_words_one_by_one_cost_what_the_text_costs(kind: str) -> None:
    documents = [Document(text) for text in (*told(), "  a  b \n\n\t it's 3.14 naïve 👩‍🚀 " * 9)]
    found = sweep(TOKENIZERS[kind], documents, (300, 600))
    learnt, held = ([each.text for each in part] for part in split(documents))
    for each, known in zip(found.points, TOKENIZERS[kind].growing(learnt, (300, 600)), strict=True):
        ids = known.encode_all(held)
        assert each.tokens * found.held == pytest.approx(sum(map(len, ids)))
        back = "".join(known.decode(row[~known.vocabulary.is_special(row)]) for row in ids)
        assert 0 <= each.lost < 1 and (each.lost == 0) == (back == "".join(held))
        if TOKENIZERS[kind].keeps != "letters":  # those that add no blanks of their own
            assert each.lost == pytest.approx(1 - len(back.encode()) / len("".join(held).encode()))


def test_a_curve_ends_where_the_corpus_does() -> None:
    found = sweep(TOKENIZERS["byte_bpe"], [Document(each) for each in told()])
    assert found.ends and found.points[-1].size < SIZES[-1]
    assert not sweep(TOKENIZERS["byte_bpe"], [Document(each) for each in told()], (300, 400)).ends
    assert json.loads(json.dumps(found.dump()))["points"][0][0] == 300


@pytest.mark.parametrize("text", ["", " \n ", "x"])
def test_a_text_without_two_parts_is_one_sentence(text: str) -> None:
    with pytest.raises(SettingsError, match="too short for a curve"):
        sweep(TOKENIZERS["byte_bpe"], [Document(text)])


def test_only_the_beginning_of_a_long_corpus_is_read() -> None:
    assert [each.text for each in beginning([Document("abc"), Document("def"), Document("g")], 4)] == ["abc", "d"]


def test_a_forecast_grows_with_the_text() -> None:
    def learn(part: list[str]) -> None:
        read.append(sum(map(len, part)))

    read: list[int] = []
    assert foretold(learn, ["x" * 1000]).characters == 1000 and read == [1000]
    assert foretold(learn, ["x" * 100_000] * 9).characters == 900_000 and read[1:] == [2**15, 2**17]


def test_the_terminal_says_what_each_size_costs(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tokenizer", "sizes", "--corpus", "town_en", "--stories", "40", "--kind", "characters"]
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["kind"] for each in document["curves"]] == ["characters"] and document["corpus"] == "town_en"
    assert main(words) == 0
    assert "tokens per character" in capsys.readouterr().out


def test_a_bar_runs_along_the_forecast(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows more and more of the time, and grows where the forecast was too short."""
    monkeypatch.setattr(bar, "BEAT", 0.02)
    with bar.along(0.05, "learning"):
        time.sleep(0.3)
    drawn = [each for each in capsys.readouterr().err.split("\r") if "learning" in each]
    assert len(drawn) > 3 and "0 s of about 0 s" in drawn[0]
    with pytest.raises(KeyError), bar.along(9.0, "learning"):
        raise KeyError
    assert not any(each.name == "bar" for each in threading.enumerate())
