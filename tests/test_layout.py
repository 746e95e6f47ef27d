"""Where rows begin and end: every id once, whole sentences, and pairs that give back what they did not use."""

from collections import Counter
from functools import partial
from math import sqrt

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tiny import plan, shape

from lab.analysis.preview import corrupt
from lab.batch import Document
from lab.catalog import OBJECTIVES
from lab.data.batches import Batches
from lab.data.corpus import trained_tokenizer
from lab.data.rows import Passage, chunks, packed
from lab.data.stream import Stream
from lab.noise import Dice
from lab.objectives.nsp import Nsp, nsp, used
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.vocabulary import SPECIALS, Vocabulary

WORDS = Vocabulary(size=200, specials={name: n for n, name in enumerate(SPECIALS)})
END = WORDS.end


@pytest.fixture(scope="module")
def known() -> Tokenizer:
    return trained_tokenizer(plan(), [Document("One two three. Four five six seven.")])


def edges(*lengths: int) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def stream(*documents: list[int]) -> Stream:
    """Documents with sentences of these lengths; each ends with the end of a text, and ids say where they stand."""
    lengths = [length for document in documents for length in document]
    places = edges(*lengths)
    ids = 6 + np.arange(places[-1]) % 190
    ids[edges(*map(sum, documents))[1:] - 1] = END
    return Stream(ids, places, edges(*map(len, documents)))


@pytest.mark.parametrize(
    ("room", "crossing", "rows"),
    [
        (6, True, [(0, 5), (5, 11)]),  # the peer's blocks of 6: 5 4 3 2 1 | 8 7 6 1 9 1
        (6, False, [(0, 5), (5, 9), (9, 11)]),
        (3, True, [(0, 3), (3, 5), (5, 8), (8, 11)]),  # too long for a row: cut, and filled up
        (3, False, [(0, 3), (3, 5), (5, 8), (8, 9), (9, 11)]),
        (11, True, [(0, 11)]),
    ],
)
def test_three_documents_of_one_sentence_by_hand(room: int, crossing: bool, rows: list[tuple[int, int]]) -> None:
    places = edges(5, 4, 2)
    assert [*map(tuple, packed(places, places[1:], room, crossing=crossing).tolist())] == rows


def test_a_row_of_which_nothing_can_be_asked_is_left_out() -> None:
    places = edges(4, 1, 2)
    assert packed(places, places[1:], 3, crossing=False, least=2).tolist() == [[0, 3], [5, 7]], "1 is left of 4, and 1"
    with pytest.raises(SettingsError, match="no document has 3 tokens"):
        packed(places[1:], places[2:], 3, crossing=False, least=3)


@given(st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=5), min_size=1, max_size=6), st.integers(2, 20))
@settings(deadline=None, max_examples=150)
def test_rows_hold_every_id_once_and_break_only_between_sentences(documents: list[list[int]], room: int) -> None:
    text = stream(*documents)
    ends = np.flatnonzero(text.ids == END) + 1
    for crossing in (True, False):
        rows = packed(text.sentences, ends, room, crossing=crossing)
        assert rows[0, 0] == 0 and rows[-1, 1] == len(text.ids) and (rows[1:, 0] == rows[:-1, 1]).all()
        assert ((rows[:, 1] - rows[:, 0]) <= room).all() and (rows[:, 1] > rows[:, 0]).all()
        inside = [end for _, end in rows.tolist() if end not in text.sentences]
        if not crossing:
            assert not any((start < ends[:-1]).any() and ((start < ends) & (ends < end)).any() for start, end in rows)
        if max(map(max, documents)) <= room:
            assert not inside


@pytest.mark.parametrize("packing", ["full_sentences", "doc_sentences"])
def test_rows_are_padded_and_read_once_in_an_epoch(packing: str) -> None:
    how = {"steps": 1, "batch": 4, "threads": 1, "packing": packing}
    text = stream([3, 4, 5], [6, 2], [1, 1, 1], [9])
    feed = Batches(plan(training=how, objective_settings={"mask": 0.0, "random": 0.0}), text, WORDS)
    read = []
    for step in range(feed.rows):
        batch = feed.batch(step, 1)
        (row,) = batch.shown.tolist()
        real = [True] * len(row) if batch.real is None else batch.real[0].tolist()
        assert row[0] == WORDS.begin and row[sum(real) - 1] == WORDS.separate and all(real[: sum(real)])
        inner = row[1 : sum(real) - 1]
        assert packing == "full_sentences" or END not in inner[:-1]
        read.append(inner)
    first = {row[0]: row for row in read}
    whole = text.ids.tolist()
    assert sorted(token for row in read for token in row) == sorted(whole) and len(first) == len(read)
    wide = feed.batch(0, feed.rows)
    assert wide.real is not None and not (wide.shown[~wide.real] != WORDS.pad).any() and wide.asked is not None
    assert wide.real.flatten()[wide.asked].all()


def test_packing_beside_pairs_is_refused_in_words() -> None:
    with pytest.raises(SettingsError, match="packing doc_sentences is for a text without pairs"):
        plan(pair="nsp", training={"steps": 1, "packing": "doc_sentences"})


def test_a_text_is_packed_as_a_corpus_is(known: Tokenizer) -> None:
    text = "One two. Three.\n\nFour five six. Seven."
    how = {"longest": 64, "packing": "doc_sentences"}
    entry = OBJECTIVES["clm"]
    rows = [corrupt(text, entry, known, row=n, **how).original for n in (0, 1)]
    assert [known.decode(row[:-1]) for row in rows] == ["One two. Three.", "Four five six. Seven."]
    whole = corrupt(text, entry, known, longest=64, packing="full_sentences").original
    assert whole.tolist() == np.concatenate(rows).tolist()
    with pytest.raises(SettingsError, match="there is no row 2: the text has rows 0 to 1"):
        corrupt(text, entry, known, row=2, **how)


def test_what_a_random_pair_does_not_use_begins_the_next_one() -> None:
    text = stream(*[[1 + n % 4 for n in range(30)]] * 8)
    s, seed = Nsp(), 5
    every = np.arange(len(text.sentences) - 1)
    found = chunks(text.sentences, text.passages, 20, s.short, (Dice(1, every), Dice(seed, every)), partial(used, s))
    said, answers = [], Counter[int]()
    for row, (first, last, wanted) in enumerate(found):
        own = [*Passage(text.ids, text.sentences, first, last)]
        pair = nsp(own, lambda: [np.array([199])], 1000, s, Dice(seed, row), wanted)
        answers[pair.answer] += 1
        said += [*pair.first.tolist(), *(pair.second.tolist() if pair.answer == 0 else [])]
    assert said == text.ids.tolist()
    assert min(answers.values()) > 10


def test_one_run_in_ten_is_short_and_of_any_length() -> None:
    text = stream([1] * 200_000)
    every = np.arange(200_000)
    found = chunks(text.sentences, text.passages, 21, 0.1, (Dice(2, every), Dice(3, every)))
    lengths = np.array([last - first for first, last, _ in found[:-1]])
    n, short = len(lengths), (lengths < 21).sum()
    assert abs(short / n - 0.1 * 19 / 20) < 4 * sqrt(0.095 * 0.905 / n)
    times = np.bincount(lengths, minlength=21)[2:21]
    assert ((times - short / 19) ** 2 / (short / 19)).sum() < 42.3  # chi-square, 18 degrees, one in a thousand


def test_a_random_second_part_is_from_another_document() -> None:
    text = stream(*[[2, 3, 4, 3, 2, 3]] * 6)
    ids = np.where(text.ids == END, END, 6 + np.arange(len(text.ids)))  # every id says where it stands
    feed = Batches(plan(pair="nsp", shape=shape("bert") | {"context": 32}), Stream(ids, *text_edges(text)), WORDS)
    seen = Counter[int]()
    for step in range(60):
        batch = feed.batch(step, 4)
        assert batch.label is not None and batch.segments is not None and batch.asked is not None
        real = torch.ones_like(batch.shown).bool() if batch.real is None else batch.real
        whole = batch.shown.flatten().clone()
        whole[batch.asked] = batch.answers
        for n, row in enumerate(whole.reshape(batch.shown.shape)):
            parts = [row[(batch.segments[n] == part) & real[n] & (row > END)] - 6 for part in (0, 1)]
            documents = [set((part // 17).tolist()) for part in parts]
            assert all(len(each) <= 1 for each in documents)
            seen[int(batch.label[n])] += 1
            if documents[0] and documents[1]:
                assert (documents[0] == documents[1]) == (batch.label[n] == 0)
    assert min(seen.values()) > 60


def text_edges(text: Stream) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return text.sentences, text.passages


def test_each_epoch_lays_its_pairs_out_anew_and_reads_each_once() -> None:
    text = stream(*[[2, 3, 4, 3, 2, 3]] * 6)
    feed, again = (Batches(plan(pair="nsp"), text, WORDS) for _ in range(2))
    far = again.batch(40, 3)
    for step in range(40):
        feed.batch(step, 3)
    assert feed.batch(40, 3).shown.tolist() == far.shown.tolist()
    counts = {len(feed._chunks(0, epoch)) for epoch in range(6)}
    assert len(counts) > 1 and feed._behind[1] == feed.rows
    places = np.arange(feed._behind[2])
    epochs, order = feed._located(places)
    assert [*zip(epochs.tolist(), order.tolist(), strict=True)] == [
        (epoch, n) for epoch in (0, 1) for n in range(len(feed._chunks(0, epoch)))
    ]
