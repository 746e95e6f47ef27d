"""The other tasks: what they make of examples, and what they read from answers, by hand."""

from itertools import product

import numpy as np
import pytest
import torch
from by_hand import VOCABULARY, reader

from lab.batch import Output
from lab.catalog import TASKS
from lab.examples import Example, Prediction, Unit, by_character, joined, numbered, words_in
from lab.settings import Settings
from lab.tasks.choice import choice
from lab.tasks.pairs import pairs
from lab.tasks.parts.batching import batch_of, scores_of
from lab.tasks.parts.reader import shortened, windows
from lab.tasks.questions import Questions, best_span, learnt, located, questions
from lab.tasks.seq2seq import Seq2SeqSettings, seq2seq
from lab.tasks.similarity import similarity
from lab.tasks.tokens import first_words, tokens

BEGIN, SEPARATE, PAD, MASK, END = (getattr(VOCABULARY, name) for name in ("begin", "separate", "pad", "mask", "end"))
NAMES = ("O", "B-A", "I-A")


def shown(unit: Unit) -> list[list[int]]:
    rows: list[list[int]] = unit.exercise.shown.tolist()
    return rows


# --- two texts in a row


def test_two_texts_stand_in_one_row_as_two_segments() -> None:
    unit = pairs(Example("67", pair="8", label=2), Settings(), reader(10))[0]
    assert shown(unit) == [[BEGIN, 6, 7, SEPARATE, 8, SEPARATE]] and unit.label == 2
    assert unit.exercise.segments is not None and unit.exercise.segments.tolist() == [[0, 0, 0, 0, 1, 1]]
    closed = pairs(Example("67", pair="8"), Settings(), reader(10, frame="closed"))[0]
    assert shown(closed) == [[6, 7, SEPARATE, 8, SEPARATE, BEGIN]]
    assert closed.exercise.segments is not None and closed.exercise.segments.tolist() == [[0, 0, 0, 1, 1, 2]]


def test_the_longer_text_is_cut_as_berts_own_code_cuts_it() -> None:
    for first, second, room in product(range(7), range(7), range(1, 9)):
        one, other = list(range(first)), list(range(second))
        while len(one) + len(other) > room:
            (one if len(one) > len(other) else other).pop()
        kept = shortened(np.arange(first), np.arange(second), room)
        assert [each.tolist() for each in kept] == [one, other], (first, second, room)


def test_a_value_is_learnt_by_its_square_and_judged_by_order() -> None:
    units = [similarity(Example("6", pair="7", value=value), Settings(), reader(8))[0] for value in (1.0, 3.0)]
    task = TASKS["similarity"]
    batch = batch_of(units, task, VOCABULARY)
    loss, count = task.loss(Output(sequence=torch.tensor([[1.5], [1.0]])), batch)
    assert loss.item() == pytest.approx((0.25 + 4) / 2) and count == 2
    truth = [Example("", value=value) for value in (1, 2, 3)]
    found = task.measure([Prediction(value=value) for value in (0.1, 0.5, 9)], truth, ())
    assert found["spearman"] == 1.0 and found["pearson"] < 1
    same = [Example("a b", pair="a b", value=1), Example("a b", pair="c", value=0)]
    assert task.yardsticks(same, same, ()) == {"constant": 0.0, "overlap": 1.0}


def test_the_rows_of_one_question_compete_and_those_of_another_do_not() -> None:
    task = TASKS["choice"]
    units = [
        choice(Example("6", choices=("7", "89"), label=1), Settings(), reader(10))[0],
        choice(Example("7", choices=("6", "8", "9"), label=0), Settings(), reader(10))[0],
    ]
    assert shown(units[0]) == [[BEGIN, 6, SEPARATE, 7, SEPARATE, PAD], [BEGIN, 6, SEPARATE, 8, 9, SEPARATE]]
    batch = batch_of(units, task, VOCABULARY)
    assert batch.unit is not None and batch.unit.tolist() == [0, 0, 1, 1, 1] and batch.shown.shape == (5, 6)
    scores = torch.tensor([[0.0], [np.log(3)], [0.0], [0.0], [0.0]])
    loss, count = task.loss(Output(sequence=scores), batch)
    assert loss.item() == pytest.approx((-np.log(3 / 4) - np.log(1 / 3)) / 2) and count == 2
    assert task.predict is not None
    said = task.predict(Example(""), units[:1], [scores[:2].numpy()], (), Settings())
    assert said.label == 1 and said.chances == pytest.approx((0.25, 0.75))


# --- tags


def test_the_first_token_of_each_word_is_asked_and_no_other() -> None:
    example = Example("67 8", words=((0, 2), (3, 4)), tags=(1, 0))
    asked = [first_words(np.array([[0, 1], [1, 2], [2, 4]]), example.words).tolist()]
    assert asked == [[0, -1, 1]], "a token may begin with the blank before its word"
    assert first_words(np.array([[0, 2], [2, 3]]), ((0, 1), (1, 2), (2, 3))).tolist() == [0, 2]
    assert first_words(np.array([[0, 1], [1, 1], [1, 2]]), ((0, 1), (1, 2))).tolist() == [0, -1, 2 - 1]


def test_tags_stand_at_words_and_long_texts_are_read_in_pieces() -> None:
    example = Example("67896", words=((0, 1), (1, 3), (3, 4), (4, 5)), tags=(1, 2, 0, 1))
    units = tokens(example, Settings(), reader(5))
    assert [shown(unit) for unit in units] == [[[BEGIN, 6, 7, 8, SEPARATE]], [[BEGIN, 8, 9, 6, SEPARATE]]]
    batch = batch_of(units, TASKS["tokens"], VOCABULARY)
    assert batch.tags is not None
    assert batch.tags.tolist() == [[-100, 1, 2, -100, -100], [-100, -100, 0, 1, -100]]


def test_a_word_without_a_token_goes_on_as_the_one_before() -> None:
    task = TASKS["tokens"]
    example = Example("678", words=((0, 1), (1, 2), (2, 3)))
    units = tokens(example, Settings(), reader(8))
    table = np.zeros((5, 3), dtype=np.float32)
    table[1, 1] = table[3, 0] = 1
    hidden = Unit(exercise=units[0].exercise, words=np.array([-1, 0, -1, 2, -1]), spans=units[0].spans)
    assert task.predict is not None
    assert task.predict(example, [hidden], [table], NAMES, Settings()).tags == (1, 2, 0)


def test_only_the_asked_tokens_are_learnt() -> None:
    task = TASKS["tokens"]
    units = tokens(Example("67", words=((0, 2),), tags=(1,)), Settings(), reader(8))
    batch = batch_of(units, task, VOCABULARY)
    each = torch.zeros(1, 4, 3)
    each[0, 2] = torch.tensor([100.0, -100, -100])  # not asked
    loss, count = task.loss(Output(each=each), batch)
    assert loss.item() == pytest.approx(np.log(3)) and count == 1


def test_tags_are_measured_by_word_and_by_entity() -> None:
    task = TASKS["tokens"]
    truth = [Example("a b c", words=((0, 1), (2, 3), (4, 5)), tags=(1, 2, 0))]
    found = task.measure([Prediction(tags=(1, 0, 0))], truth, NAMES)
    assert found["accuracy"] == pytest.approx(2 / 3, abs=1e-6) and found["entity_f1"] == 0
    assert task.measure([Prediction(tags=(1, 2, 0))], truth, NAMES)["entity_f1"] == 1
    assert "entity_f1" not in task.measure([Prediction(tags=(0, 0, 1))], truth, ("NOUN", "VERB", "X"))
    lines = task.yardsticks(truth, truth, NAMES)
    assert lines["by_word_f1"] == 1 and lines["majority"] == pytest.approx(1 / 3, abs=1e-6)


# --- questions


def test_a_question_stands_before_its_text_and_the_answer_is_found_by_character() -> None:
    example = Example("6789", pair="99", answers=((1, 3),))
    unit = questions(example, Questions(), reader(12))[0]
    assert shown(unit) == [[BEGIN, 9, 9, SEPARATE, 6, 7, 8, 9, SEPARATE]]
    assert unit.answer == (5, 6) and unit.rest == 0
    closed = questions(example, Questions(), reader(12, frame="closed"))[0]
    assert shown(closed) == [[6, 7, 8, 9, SEPARATE, 9, 9, SEPARATE, BEGIN]] and closed.answer == (1, 2)
    silent = Example("6789", pair="99")
    assert questions(silent, Questions(), reader(12))[0].answer == (0, 0)
    assert questions(silent, Questions(), reader(12, visible="causal"))[0].answer == (8, 8)


def test_a_long_text_is_read_in_windows_that_overlap_and_one_of_them_has_the_answer() -> None:
    example = Example("6789678967", pair="9", answers=((4, 6),))
    units = questions(example, Questions(stride=0.5), reader(8))  # room for four tokens, two further each time
    texts = [shown(unit)[0][3:-1] for unit in units]
    assert texts == [[6, 7, 8, 9], [8, 9, 6, 7], [6, 7, 8, 9], [8, 9, 6, 7]]
    assert [unit.answer for unit in units] == [(0, 0), (5, 6), (3, 4), (0, 0)]


def test_as_many_windows_without_the_answer_are_learnt_as_with_it() -> None:
    told = Example("6789" * 5, pair="9", answers=((4, 6),))
    units = questions(told, Questions(stride=0.5), reader(8))  # nine windows, two with the answer
    taught = learnt(units)
    assert [unit.answer != (0, 0) for unit in taught] == [True, True, False, False]
    assert [next(n for n, unit in enumerate(units) if unit is each) for each in taught] == [1, 2, 3, 7]
    assert len(learnt(questions(Example("6789" * 5, pair="9"), Questions(), reader(8)))) == 1
    short = questions(Example("67", pair="9", answers=((0, 1),)), Questions(), reader(8))
    assert learnt(short) == short


def test_an_answer_of_which_a_part_is_missing_is_not_there() -> None:
    spans = np.array([[-1, -1], [0, 2], [2, 5]])
    assert located(spans, (1, 4)) == (1, 2) and located(spans, (2, 3)) == (2, 2)
    assert located(spans, (4, 6)) is None and located(spans, (7, 8)) is None


def test_the_best_stretch_is_neither_backwards_nor_too_long_nor_outside() -> None:
    first, last = np.array([9.0, 1, 5, 0]), np.array([9.0, 6, 2, 4])
    logits, inside = np.stack([first, last], 1), np.array([False, True, True, True])
    assert best_span(logits, inside, 9) == (2, 3, 9.0), "5 + 6 would be backwards"
    assert best_span(logits, inside, 1) == (1, 1, 7.0)


def test_no_answer_is_said_where_every_window_would_rather_rest() -> None:
    task, example = TASKS["questions"], Example("67", pair="9")
    units = questions(example, Questions(), reader(8))
    table = np.zeros((6, 2), dtype=np.float32)
    assert task.predict is not None
    table[3, 0] = table[4, 1] = 1.0
    said = task.predict(example, units, [table], (), Questions())
    assert said.answer == (0, 2) and said.text == "67" and 0 < said.score < 1
    table[0] = 2.0
    assert task.predict(example, units, [table], (), Questions()).answer is None
    two = task.predict(example, units * 2, [table, table * 0 + [[0.0, 0.1]]], (), Questions())
    assert two.answer is not None, "one window that sees an answer is enough"


def test_questions_are_measured_as_squad_does() -> None:
    task = TASKS["questions"]
    truth = [Example("The big cat", answers=((4, 11),)), Example("nothing")]
    found = task.measure([Prediction(text="the cat"), Prediction()], truth, ())
    assert found == {"exact_match": 0.5, "f1": pytest.approx((2 / 3 + 1) / 2, abs=1e-6)}
    assert task.yardsticks(truth, truth, ())["silent"] == 0.5


def test_windows_cover_a_text_and_end_with_it() -> None:
    assert windows(4, 4, 2) == [range(0, 4)] and windows(0, 4, 2) == [range(0, 0)]
    assert windows(5, 4, 2) == [range(0, 4), range(1, 5)]
    assert windows(10, 4, 4) == [range(0, 4), range(4, 8), range(6, 10)]


# --- writing


def test_a_decoder_is_asked_for_the_target_alone() -> None:
    unit = seq2seq(Example("67", targets=("89",)), Seq2SeqSettings(), reader(12, visible="causal", objective="clm"))[0]
    assert shown(unit) == [[6, 7, SEPARATE, 8, 9]] and unit.exercise.visible == "causal" and unit.exercise.following
    assert unit.exercise.asked.tolist() == [[False, False, True, True, True]]
    assert unit.exercise.answers[unit.exercise.asked].tolist() == [8, 9, END]


def test_a_prefix_is_seen_whole() -> None:
    unit = seq2seq(Example("67", targets=("8",)), Seq2SeqSettings(), reader(12, objective="prefix_lm"))[0]
    assert unit.exercise.table().astype(int).tolist() == [[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1]]


def test_an_encoder_decoder_reads_and_writes_as_its_objective_taught_it() -> None:
    unit = seq2seq(Example("67", targets=("89",)), Seq2SeqSettings(), reader(12, objective="denoising"))[0]
    exercise = unit.exercise
    assert exercise.source is not None and exercise.source.tolist() == [[BEGIN, 6, 7, SEPARATE]]
    assert shown(unit) == [[SEPARATE, BEGIN, 8, 9]]
    assert exercise.answers[exercise.asked].tolist() == [8, 9, SEPARATE]


def test_a_long_source_leaves_room_for_its_target() -> None:
    example = Example("6789" * 5, targets=("6789" * 5,))
    for objective, visible in (("clm", "causal"), ("denoising", "all")):
        unit = seq2seq(example, Seq2SeqSettings(), reader(10, visible=visible, objective=objective))[0]
        assert unit.exercise.shown.shape[1] <= 10
        assert unit.exercise.source is None or unit.exercise.source.shape[1] <= 10
        assert unit.exercise.asked.sum() == 6, "five tokens and the end"


def test_rows_of_different_lengths_are_padded_and_padding_is_not_asked() -> None:
    s, model = Seq2SeqSettings(), reader(12, objective="denoising")
    units = [seq2seq(Example(text, targets=(text,)), s, model)[0] for text in ("6", "789")]
    batch = batch_of(units, TASKS["seq2seq"], VOCABULARY)
    assert batch.asked is not None and batch.answers is not None and len(batch.answers) == 2 + 4
    assert not (batch.answers == PAD).any() and batch.source is not None and batch.source_real is not None
    assert batch.source_real.sum(1).tolist() == [3, 5]


def test_what_is_written_is_measured() -> None:
    task = TASKS["seq2seq"]
    truth = [Example("a", targets=("one two", "the other")), Example("b", targets=("three",))]
    found = task.measure([Prediction(text="the other"), Prediction(text="four")], truth, ())
    assert found["exact_match"] == 0.5 and found["rouge_l"] == 0.5 and found["bleu"] == 0
    assert set(task.yardsticks(truth, truth, ())) == {"copy", "commonest"}


# --- examples


def test_words_are_joined_as_each_script_writes_them() -> None:
    assert joined(["The", "cat", "."]) == ("The cat .", ((0, 3), (4, 7), (8, 9)))
    assert joined(["小", "镇", "NBA", "赛"]) == ("小镇 NBA 赛", ((0, 1), (1, 2), (3, 6), (7, 8)))


def test_chinese_words_are_taken_apart_and_begin_an_entity_once() -> None:
    assert by_character(["图书馆", "在", "Rome"], ["B-LOC", "O", "B-LOC"]) == (
        ["图", "书", "馆", "在", "Rome"],
        ["B-LOC", "I-LOC", "I-LOC", "O", "B-LOC"],
    )
    assert numbered(["10", "9", "9"]) == ("9", "10") and numbered(["b", "a1"]) == ("a1", "b")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ann's bus-stop is in Rome.", "Ann 's bus-stop is in Rome ."),
        ("He paid 3.50 (twice)!", "He paid 3.50 ( twice ) !"),
        ("她在Rome的图书馆。", "她 在 Rome 的 图 书 馆 。"),
        ("ok 🙂\n", "ok 🙂"),
        (" ", ""),
    ],
)
def test_a_sign_is_no_part_of_the_word_before_it(text: str, words: str) -> None:
    assert [text[start:end] for start, end in words_in(text)] == words.split()


def test_every_unit_is_handed_its_own_scores() -> None:
    units = [
        choice(Example("6", choices=("7", "8")), Settings(), reader(10))[0],
        choice(Example("7", choices=("6", "8", "9")), Settings(), reader(10))[0],
    ]
    of_rows = scores_of(units, Output(sequence=torch.arange(5.0)[:, None]), TASKS["choice"])
    assert [each[:, 0].tolist() for each in of_rows] == [[0, 1], [2, 3, 4]]
    pieces = tokens(Example("67896", words=((0, 5),)), Settings(), reader(5))
    of_tokens = scores_of(pieces, Output(each=torch.arange(20.0).view(2, 5, 2)), TASKS["tokens"])
    assert [each.shape for each in of_tokens] == [(5, 2), (5, 2)] and of_tokens[1][0].tolist() == [10, 11]
