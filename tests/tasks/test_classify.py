"""Sentence classification: rows by hand, what does not fit, and who may look at whom."""

import numpy as np
import pytest
import torch
from by_hand import VOCABULARY, reader
from tiny import plan

from lab.catalog import MODELS, OBJECTIVES, TASKS, fits
from lab.examples import Example, Prediction
from lab.inference.model import made
from lab.settings import Settings
from lab.tasks.classify import classify
from lab.tasks.parts.batching import batch_of, stacked

BEGIN, SEPARATE, PAD = VOCABULARY.begin, VOCABULARY.separate, VOCABULARY.pad


def test_texts_are_framed_and_padded_to_the_longest() -> None:
    units = [classify(Example(text, label=1), Settings(), reader(10))[0] for text in ("678", "9", "")]
    exercise = stacked([unit.exercise for unit in units], PAD)
    assert exercise.shown.tolist() == [[2, 6, 7, 8, 3], [2, 9, 3, 0, 0], [2, 3, 0, 0, 0]]
    assert exercise.real is not None
    assert exercise.real.astype(int).tolist() == [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]]
    assert not exercise.asked.any()
    assert exercise.shown.dtype == np.int64
    batch = batch_of(units, TASKS["classify"], VOCABULARY)
    assert batch.asked is None and batch.label is not None and batch.label.tolist() == [1, 1, 1]


def test_a_long_text_keeps_its_end_and_its_frame() -> None:
    unit = classify(Example("678967"), Settings(), reader(5))[0]
    assert unit.exercise.shown.tolist() == [[2, 9, 6, 7, 3]]


def test_who_may_look_at_whom_is_handed_on() -> None:
    assert classify(Example("6"), Settings(), reader(5, visible="causal"))[0].exercise.visible == "causal"


def test_a_closed_frame_ends_with_the_token_that_sums_up() -> None:
    units = [classify(Example(text), Settings(), reader(8, frame="closed"))[0] for text in ("678", "6789" * 3)]
    exercise = stacked([unit.exercise for unit in units], PAD)
    assert exercise.shown.tolist() == [
        [6, 7, 8, SEPARATE, BEGIN, PAD, PAD, PAD],
        [8, 9, 6, 7, 8, 9, SEPARATE, BEGIN],
    ]
    assert exercise.segments is not None and exercise.segments.sum(1).tolist() == [1, 1]
    assert exercise.shown[exercise.segments == 1].tolist() == [BEGIN, BEGIN]


def test_the_likeliest_class_is_named_and_measured() -> None:
    task, unit = TASKS["classify"], classify(Example("6"), Settings(), reader(5))
    scores = [np.array([[0.0, np.log(3)]], dtype=np.float32)]
    assert task.predict is not None
    said = task.predict(Example("6"), unit, scores, ("no", "yes"), Settings())
    assert said.label == 1 and said.chances == pytest.approx((0.25, 0.75))
    truth = [Example("a", label=1), Example("b", label=0)]
    found = task.measure([said, said], truth, ("no", "yes"))
    assert found["accuracy"] == 0.5 and found["confusion"] == [[0, 1], [0, 1]]
    assert task.measure([Prediction(label=1)], truth[:1], ("no", "yes", "maybe"))["accuracy"] == 1.0
    assert task.measure([], [], ("no", "yes"))["confusion"] == [[0, 0], [0, 0]], "of nobody nothing is said"
    learnt = [*truth, Example("c", label=1)]
    assert task.yardsticks(learnt, truth, ("no", "yes")) == {
        "even": 0.5,
        "majority": 0.5,
        "majority_macro_f1": pytest.approx(1 / 3, abs=1e-6),
    }
    assert task.yardsticks(truth[:1], truth, ("no", "yes"))["even"] == 0.5, "of those it can name, not those it saw"


LEFT_TO_RIGHT = [m.name for m in MODELS if "visible" in m.traits and "pools" in m.traits and fits(m, OBJECTIVES["clm"])]


@pytest.mark.parametrize("name", LEFT_TO_RIGHT)
def test_a_class_is_named_by_whoever_has_seen_the_whole_text(name: str) -> None:
    """Two texts that differ in their last word: a first token that may look back only has seen neither end."""
    run = plan(model=name, objective="clm")
    model = made(run, VOCABULARY.size, 2).eval()
    units = [classify(Example(text), Settings(), reader(10, visible="causal"))[0] for text in ("678", "679", "6")]
    assert all(unit.exercise.visible == "causal" for unit in units)
    with torch.no_grad():
        together = model(batch_of(units, TASKS["classify"], VOCABULARY)).sequence
        alone = model(batch_of(units[2:], TASKS["classify"], VOCABULARY)).sequence
    assert not torch.allclose(together[0], together[1], atol=1e-5), "the end was not read"
    assert torch.allclose(together[2], alone[0], atol=1e-5), "padding was read"
