"""From a corpus to batches: nothing is lost on the way, and batch n is a function of the run and n alone."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import plan, steps

from lab.batch import Batch, Document, Pair
from lab.catalog import CORPORA, MODELS, OBJECTIVES, fits
from lab.data.batches import Batches
from lab.data.corpus import labelled_split, recurring, split, trained_tokenizer
from lab.data.labelled_batches import LabelledBatches
from lab.data.stream import Stream, sentences_of, stream_of
from lab.data.template import framed, framed_pairs
from lab.runs.run import ANYWHERE, PACKINGS
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.training.evaluate import truth
from lab.training.unread import unread
from lab.vocabulary import SPECIALS, Vocabulary

WORDS = Vocabulary(size=200, specials={name: n for n, name in enumerate(SPECIALS)})
TEXT = st.text(alphabet="ab .!?\n。！”\u00a0\u2028é中", max_size=80)


def stream(length: int, *, sentence: int = 5, passage: int = 4, size: int = WORDS.size) -> Stream:
    """Ids that say where they stand, in sentences and passages of a fixed length."""
    ids = 6 + np.arange(length) % (size - 6)
    starts = np.append(np.arange(0, length, sentence), length)
    passages = np.append(np.arange(0, len(starts) - 1, passage), len(starts) - 1)
    return Stream(ids, starts, passages)


def with_special_tokens(objective: str) -> Vocabulary:
    """The words, the last of them marks of an objective."""
    names = [*SPECIALS, *OBJECTIVES[objective].packing.special_tokens]
    places = [*range(len(SPECIALS)), *range(WORDS.size, WORDS.size + len(names) - len(SPECIALS))]
    return Vocabulary(size=max(places) + 1 + WORDS.size, specials=dict(zip(names, places, strict=True)))


def same(a: Batch, b: Batch) -> bool:
    pairs = [(getattr(a, f.name), getattr(b, f.name)) for f in fields(Batch)]
    return all(torch.equal(x, y) if isinstance(x, torch.Tensor) else x == y for x, y in pairs)


@given(st.lists(TEXT, min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_a_split_corpus_put_together_is_the_corpus(texts: list[str]) -> None:
    train, valid = split([Document(text) for text in texts])
    assert "".join(document.text for document in [*train, *valid]) == "".join(texts)
    if len(texts) >= 20:
        assert len(valid) == len(texts) - round(0.9 * len(texts))


@given(TEXT)
@settings(max_examples=200, deadline=None)
def test_sentences_put_together_are_the_text(text: str) -> None:
    assert "".join(sentences_of(text)) == text


def test_sentences_end_where_a_reader_ends_them() -> None:
    assert sentences_of('He left. "Why?" she asked.\nNo 3.5 here.') == [
        "He left.",
        ' "Why?"',
        " she asked.",
        "\nNo 3.5 here.",
    ]
    assert sentences_of("他走了。“为什么？”她问。") == ["他走了。", "“为什么？”", "她问。"]


def test_a_run_of_stops_is_read_once() -> None:
    """Tried from each of its stops anew, this would take most of an hour."""
    assert sentences_of("." * 200_000 + "a b. c") == ["." * 200_000 + "a b.", " c"]
    assert sentences_of('..." he said. So... yes...no.. . .') == ['..."', " he said.", " So...", " yes...no..", " . ."]


def test_labelled_texts_are_never_cut_in_two() -> None:
    train, valid = split([Document(f"text {n}", label=n % 2) for n in range(10)])
    assert len(train) == 9 and len(valid) == 1
    assert all(document.label is not None for document in [*train, *valid])


def test_labelled_texts_that_are_sorted_are_dealt_out() -> None:
    train, valid = labelled_split([Document(f"text {n}", label=n // 100) for n in range(200)])
    assert {document.label for document in valid} == {0, 1}
    assert sorted(document.text for document in [*train, *valid]) == sorted(f"text {n}" for n in range(200))


def test_every_label_is_learnt_from_and_checked_in_its_share() -> None:
    times = {0: 500, 1: 40, 2: 4, 3: 2, 4: 1}
    documents = [Document(f"{label} {n}", label=label) for label, count in times.items() for n in range(count)]
    train, valid = labelled_split(documents)
    held = {label: sum(document.label == label for document in valid) for label in times}
    assert held == {0: 50, 1: 4, 2: 1, 3: 1, 4: 0}  # one text of its kind is learnt from
    assert sorted(document.text for document in [*train, *valid]) == sorted(document.text for document in documents)
    assert labelled_split(documents) == (train, valid)


def test_a_stream_is_the_documents_end_to_end(byte_tokenizer: Tokenizer) -> None:
    texts = ["One. Two!\nThree", "", "四。五"]
    found = stream_of([Document(text) for text in texts], byte_tokenizer)
    end = byte_tokenizer.vocabulary.end
    assert byte_tokenizer.decode(found.ids[found.ids != end]) == "".join(texts)
    assert (found.ids == end).sum() == 2  # a document without text has no end either
    assert found.sentences[-1] == len(found.ids) and found.passages[-1] == len(found.sentences) - 1


@pytest.fixture(scope="module")
def byte_tokenizer() -> Tokenizer:
    return trained_tokenizer(plan(), [Document("the cat sat on the mat. the cat sat.")])


@pytest.mark.parametrize(
    "parts", [{}, {"pair": "nsp"}, {"model": "gpt"}, {"objective_settings": {"dynamic": False}}], ids=str
)
def test_a_batch_depends_on_the_run_and_its_number_alone(parts: dict[str, Any]) -> None:
    fresh, used = (Batches(plan(**parts), stream(400), WORDS) for _ in range(2))
    for step in (5, 0, 9):
        used.batch(step, 4)
    assert same(fresh.batch(3, 4), used.batch(3, 4))
    assert not same(fresh.batch(3, 4), fresh.batch(4, 4))


def test_what_happens_to_a_row_does_not_depend_on_its_neighbours() -> None:
    feed = Batches(plan(), stream(400), WORDS)
    assert torch.equal(feed.batch(0, 8).shown[:4], feed.batch(0, 4).shown)


def test_an_epoch_reads_every_row_once_and_the_next_one_cuts_anew() -> None:
    feed = Batches(plan(objective_settings={"mask": 0.0, "random": 0.0}), stream(6 + 14 * 10), WORDS)  # nothing hidden
    starts = [int(row[1]) for step in range(feed.rows) for row in feed.batch(step, 1).shown]
    assert sorted(starts) == [6 + 14 * n for n in range(feed.rows)]
    again = [int(row[1]) for step in range(feed.rows, 2 * feed.rows) for row in feed.batch(step, 1).shown]
    assert {start % 14 for start in again} != {6}


def test_static_masks_stay_and_dynamic_ones_change() -> None:
    def masks(dynamic: bool, epoch: int, **copies: int) -> dict[bytes, bytes]:
        feed = Batches(plan(objective_settings={"dynamic": dynamic, **copies}), stream(90), WORDS)
        batches = [feed.batch(epoch * feed.rows + n, 1) for n in range(feed.rows)]
        return {batch.shown.numpy().tobytes(): batch.asked.numpy().tobytes() for batch in batches}

    assert masks(False, 0) == masks(False, 1)
    assert masks(True, 0) != masks(True, 1)
    ten = [masks(False, epoch, copies=10) for epoch in range(20)]
    assert ten[:10] == ten[10:] == [masks(True, epoch) for epoch in range(10)]  # each copy is an epoch, read again
    assert all(one != other for number, one in enumerate(ten[:10]) for other in ten[:number])


def test_left_to_right_every_token_but_the_first_is_asked_exactly_once() -> None:
    for rest in (0, 1, 4, 14):
        feed = Batches(plan(model="gpt"), stream(16 + 15 * 6 + rest), WORDS, validating=True)
        answers = np.concatenate([batch.answers.numpy() for batch in feed.everything(size=3)])
        assert answers.tolist() == [*range(7, 7 + 15 * 7 + rest)]


@pytest.mark.parametrize("model", ["gpt", "lstm"])
@pytest.mark.parametrize("rest", [0, 1, 9, 15])
def test_rows_that_overlap_ask_what_follows_their_last_token(model: str, rest: int) -> None:
    ids = stream(1 + 16 * 6 + rest)
    asked: dict[bool, list[int]] = {}
    for overlap in (True, False):
        feed = Batches(plan(model=model, training=steps(1, overlap=overlap)), ids, WORDS)
        batches = [feed.batch(step, 2) for step in range(3)]
        assert feed.rows == 6 and {batch.shown.shape for batch in batches} == {(2, 16)}
        asked[overlap] = sorted(
            int(answer) for batch in batches if batch.answers is not None for answer in batch.answers
        )
        again = feed.batch(3, 6)  # of the next epoch, which cuts anew
        assert len(again.answers if again.answers is not None else []) == 6 * (16 if overlap else 15)
    first = 6
    assert asked[True] == [*range(first + 1, first + 1 + 16 * 6)]  # every token but the first, once
    assert asked[False] == [token for token in asked[True] if (token - first) % 16]


def test_the_last_token_of_a_row_is_asked_about_behind_the_whole_row() -> None:
    """What a prefix is drawn of is the row and what follows it; nobody looks at the answer."""
    feed = Batches(plan(model="bert", objective="prefix_lm"), stream(190), WORDS)
    for step in range(10):
        batch = feed.batch(step, 4)
        assert isinstance(batch.visible, torch.Tensor) and batch.visible.shape == (4, 16, 16)
        assert batch.asked is not None and batch.answers is not None
        assert {*range(15, 64, 16)} <= {*batch.asked.tolist()} and batch.visible[:, 15].all()
        assert torch.equal(batch.answers, batch.shown.flatten()[batch.asked] + 1)  # the ids are in order


def test_rows_in_whole_sentences_and_other_objectives_do_not_overlap() -> None:
    """Whoever asks for it all the same is told so, since nothing would read it."""
    for values in ({"model": "gpt"}, {"model": "bert"}, {"model": "elmo"}, {"model": "bert", "objective": "prefix_lm"}):
        for packing in PACKINGS:
            run = plan(**values, training=steps(1, packing=packing))
            assert run.asks_last == (packing == ANYWHERE and OBJECTIVES[run.objective].left_to_right)
            assert ("overlap" in unread(run)) is not run.asks_last
            batch = Batches(run, stream(400), WORDS).batch(0, 4)
            assert batch.asked is not None and run.asks_last == bool((batch.asked % batch.shown.shape[1] == 15).any())


def test_a_model_that_counts_what_it_is_shown_is_asked_no_more_than_that() -> None:
    run = plan(model="ngram", training=steps(1))
    batch = Batches(run, stream(400), WORDS).batch(0, 4)
    assert batch.asked is not None and len(batch.asked) == 4 * 15 and "overlap" in unread(run)


@pytest.mark.parametrize("dealt", [split, labelled_split])
@pytest.mark.parametrize("stories", [13, 15, 50])
def test_a_story_and_its_translation_are_never_parted(dealt: Any, stories: int) -> None:
    train, valid = dealt(CORPORA["town"].build(CORPORA["town"].settings(stories=stories)))
    assert len(train) + len(valid) == 2 * stories and train and valid
    assert not {each.story for each in train} & {each.story for each in valid}


def test_sentences_that_recur_are_counted() -> None:
    edges, parts = np.array([0, 2, 5]), np.array([0, 2])
    learnt = Stream(np.array([6, 7, 8, 9, 10]), edges, parts)
    assert recurring(learnt, Stream(np.array([6, 7, 8, 9, 11]), edges, parts)) == 0.5
    assert recurring(learnt, learnt) == 1.0 and recurring(learnt, Stream(np.zeros(0), edges[:1], parts[:1])) == 0.0


@pytest.mark.parametrize("stride", [1, 4, 7, 15])
def test_a_stride_asks_every_token_once_and_shows_it_more_of_its_past(stride: int) -> None:
    feed = Batches(plan(model="gpt"), stream(50), WORDS, validating=True)
    pasts, answers = [], []
    for batch in feed.everything(size=3, stride=stride):
        pasts += (batch.asked % batch.shown.shape[1]).tolist()
        answers += batch.answers.tolist()
    assert answers == [*range(7, 7 + 49)]
    assert min(pasts[15:]) == 15 - stride


def test_a_stride_is_for_models_that_read_from_left_to_right_and_no_longer_than_what_they_read() -> None:
    with pytest.raises(SettingsError, match="from left to right"):
        Batches(plan(), stream(50), WORDS, validating=True).windows(4)
    for stride in (0, 16):
        with pytest.raises(SettingsError, match="between 1 and 15"):
            Batches(plan(model="gpt"), stream(50), WORDS, validating=True).windows(stride)


@pytest.mark.parametrize("objective", [entry.name for entry in OBJECTIVES if entry.stage == "token"])
def test_what_is_left_behind_whole_windows_is_read_too(objective: str) -> None:
    model = next(entry for entry in MODELS if fits(entry, OBJECTIVES[objective]))
    words = with_special_tokens(objective)
    room = Batches(plan(model=model.name, objective=objective), stream(60), words, validating=True).room
    for rest in (1, 2, 5):
        feed = Batches(plan(model=model.name, objective=objective), stream(2 * room + rest), words, validating=True)
        assert feed.windows()[-1, 1] == 2 * room + rest and sum(1 for _ in feed.everything()) > 1


def test_a_frame_of_special_tokens_stands_around_what_is_read_on_both_sides() -> None:
    feed = Batches(plan(objective_settings={"mask": 0.0, "random": 0.0}), stream(14 * 4 + 3), WORDS, validating=True)
    rows = [row for batch in feed.everything() for row in batch.shown.numpy()]
    assert all(row[0] == WORDS.begin and row[-1] == WORDS.separate for row in rows)
    assert np.concatenate([row[1:-1] for row in rows]).tolist() == [*range(6, 6 + 14 * 4 + 3)]


def test_a_corpus_shorter_than_a_context_is_refused_for_learning_and_read_shorter_for_checking() -> None:
    with pytest.raises(SettingsError, match="10 tokens .* fewer than one context of 16"):
        Batches(plan(), stream(10), WORDS)
    assert next(Batches(plan(), stream(10), WORDS, validating=True).validation()).shown.shape == (1, 11)


@pytest.mark.parametrize(("model", "pair", "tokens"), [("bert", None, 1), ("gpt", None, 2), ("bert", "nsp", 2)])
def test_a_text_with_nothing_to_ask_is_refused_in_words(model: str, pair: str | None, tokens: int) -> None:
    with pytest.raises(SettingsError, match=f"to be checked on, .* has {tokens} tokens"):
        Batches(plan(model=model, pair=pair), stream(tokens), WORDS, validating=True)


@pytest.mark.parametrize(
    "text", ["a word " * 2600 + "\n", "a word " * 1300 + "\n" + "b " * 5000 + "\n", "猫坐着" * 900 + "\n"]
)
def test_a_paragraph_that_ends_in_a_line_end_leaves_a_part_to_be_checked_on(text: str) -> None:
    train, valid = split([Document(text)])
    assert train[0].text + valid[0].text == text
    assert 0.05 * len(text) <= len(valid[0].text) <= 0.1 * len(text) + 1


def test_pairs_are_framed_padded_and_told_apart() -> None:
    pairs = [
        Pair(first=np.array([7, 8]), second=np.array([9]), answer=1),
        Pair(first=np.array([7]), second=np.array([8]), answer=0),
    ]
    ids, segments, real, answers = framed_pairs(pairs, WORDS)
    cls, sep, pad = WORDS.begin, WORDS.separate, WORDS.pad
    assert ids.tolist() == [[cls, 7, 8, sep, 9, sep], [cls, 7, sep, 8, sep, pad]]
    assert segments.tolist() == [[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0]]
    assert real.tolist() == [[True] * 6, [True] * 5 + [False]]
    assert answers.tolist() == [1, 0]


def test_a_pair_holds_neighbours_or_strangers_and_fits_the_context() -> None:
    words = Vocabulary(size=500, specials=WORDS.specials)
    feed = Batches(plan(pair="nsp"), stream(400, size=500), words)
    batch = feed.batch(0, 64)
    assert batch.label is not None and batch.segments is not None and batch.shown.shape[1] <= 16
    assert {0, 1} == set(batch.label.tolist())
    original = batch.shown.clone().reshape(-1)
    original[batch.asked] = batch.answers
    for row, segment, label in zip(original.reshape(batch.shown.shape), batch.segments, batch.label, strict=True):
        first, second = (row[(row > 5) & (segment == part)] for part in (0, 1))
        assert len(first) and len(second)
        assert label == 1 or second[0] > first[-1]  # ids count up along the text


def test_labelled_rows_keep_their_labels_and_come_once_an_epoch(byte_tokenizer: Tokenizer) -> None:
    documents = [Document("cat " * (n + 1), label=n) for n in range(7)]
    feed = LabelledBatches(plan(), documents, byte_tokenizer)
    batches = [feed.batch(step, 1) for step in range(7)]
    assert sorted(int(batch.label[0]) for batch in batches if batch.label is not None) == [*range(7)]
    for batch in feed.validation():
        assert batch.asked is None and batch.label is not None and batch.label.tolist() == [*range(7)]


def test_a_model_that_remembers_is_given_what_stands_before_each_row() -> None:
    run = plan(model="xlnet", shape={"width": 16, "depth": 1, "heads": 2, "context": 16, "memory": 5})
    feed = Batches(run, stream(100), WORDS)
    for batch in (feed.batch(0, 4), feed.batch(7, 4), *feed.validation(), *feed.everything()):
        assert batch.before is not None and batch.before.shape == (len(batch.shown), 5)
        first = batch.shown[:, 0] - 6  # the ids say where they stand
        assert torch.equal(batch.before - 6, (first[:, None] + torch.arange(-5, 0)) % 100)
    forgetful = plan(model="xlnet", shape={"width": 16, "depth": 1, "heads": 2, "context": 16, "memory": 0})
    assert Batches(forgetful, stream(100), WORDS).batch(0, 4).before is None


@pytest.mark.parametrize("packing", ["anywhere", "full_sentences"])
def test_a_row_read_backwards_remembers_what_stands_behind_it(packing: str) -> None:
    shape = {"width": 16, "depth": 1, "heads": 2, "context": 16, "memory": 5}
    both = {"objective_settings": {"backwards": 0.5}, "training": {"steps": 1, "packing": packing}}
    feed = Batches(plan(model="xlnet", shape=shape, **both), stream(100), WORDS)
    met = set()
    for batch in (feed.batch(0, 8), feed.batch(7, 8), *feed.validation()):
        assert batch.before is not None and batch.backwards is not None
        for row, before, back in zip(batch.shown - 6, batch.before - 6, batch.backwards.tolist(), strict=True):
            step = -1 if back else 1  # the ids say where they stand
            assert int(row[1] - row[0]) == step
            assert torch.equal(before, (row[0] + step * torch.arange(-5, 0)) % 100)
            met.add(back)
        truths, answers = truth(batch)
        assert ((answers - truths == 1) | (truths < 6) | (answers == 6)).all()  # the token before it, in the text
    assert met == {True, False}


def test_text_is_framed_as_the_objective_says() -> None:
    ids = np.array([[7, 8], [9, 10]])
    begin, separate = WORDS.begin, WORDS.separate
    assert framed(ids, "plain", WORDS).tolist() == ids.tolist()
    assert framed(ids, "bounded", WORDS).tolist() == [[begin, 7, 8, separate], [begin, 9, 10, separate]]
    assert framed(ids[0], "closed", WORDS).tolist() == [7, 8, separate, begin]
