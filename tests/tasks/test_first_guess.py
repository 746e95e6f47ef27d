"""A new head begins by saying each class as often as it occurs, or the mean of the values, and nothing more."""

from pathlib import Path

import numpy as np
import pytest
import torch
from labelled import parent_of, told, tuning

from lab.catalog import TASKS
from lab.data.first_guess import first_guess
from lab.examples import Example
from lab.runs.folder import RunFolder
from lab.training.session import opened
from lab.training.train import train

TAGGED = [
    Example("a b", words=((0, 1), (2, 3)), tags=(0, 0)),
    Example("c d", words=((0, 1), (2, 3)), tags=(0, 1)),
]


def test_the_guess_is_the_log_of_each_classs_share() -> None:
    unequal = [Example("", label=label) for label in (0, 0, 0, 1)]
    assert np.exp(first_guess(TASKS["classify"], unequal, 2)) == pytest.approx([0.75, 0.25])
    assert np.exp(first_guess(TASKS["tokens"], TAGGED, 3)) == pytest.approx([0.6, 0.2, 0.2]), "nobody has the third"


def test_where_classes_are_weighted_those_that_occur_are_as_likely() -> None:
    unequal = [Example("", label=label) for label in (0, 0, 0, 1)]
    guess = first_guess(TASKS["classify"], unequal, 2, weighted=True)
    assert np.exp(guess) == pytest.approx([0.5, 0.5])


def test_a_value_is_guessed_by_the_mean_and_what_has_no_classes_by_nothing() -> None:
    valued = [Example("", value=value) for value in (1.0, 2.0, 6.0)]
    assert first_guess(TASKS["similarity"], valued, 0) == pytest.approx([3.0])
    for task in ("questions", "choice", "seq2seq"):
        assert first_guess(TASKS[task], TAGGED, 2) is None


@pytest.mark.parametrize(
    ("model", "task", "head"),
    [
        ("bert", "classify", "sequence.out"),
        ("bert", "tokens", "each.out"),
        ("bert", "similarity", "sequence.out"),
        ("elmo", "tokens", "each.out"),
    ],
)
@pytest.mark.parametrize("how", ["full", "frozen"])
def test_the_head_of_a_run_begins_with_the_guess(model: str, task: str, head: str, how: str, tmp_path: Path) -> None:
    folder = RunFolder.create(tuning(parent_of(model, tmp_path / "parent"), task, tmp_path, how=how), tmp_path / "run")
    session = opened(folder)
    guess = session.train_batches.first_guess
    assert guess is not None
    torch.testing.assert_close(session.model.get_parameter(f"{head}.bias").detach(), torch.from_numpy(guess))


@pytest.mark.parametrize("model", ["gpt", "bert"])
def test_a_head_without_a_bias_and_one_without_classes_begin_as_they_are(model: str, tmp_path: Path) -> None:
    task = {"gpt": "classify", "bert": "questions"}[model]
    folder = RunFolder.create(tuning(parent_of(model, tmp_path / "parent"), task, tmp_path), tmp_path / "run")
    biases = [p for name, p in opened(folder).model.named_parameters() if name.startswith(("sequence.out", "each.out"))]
    assert all(not bias.any() for bias in biases if bias.ndim == 1)


def test_the_first_loss_is_about_that_of_always_saying_each_class_as_often_as_it_occurs(tmp_path: Path) -> None:
    run = tuning(parent_of("bert", tmp_path / "parent"), "tokens", tmp_path, steps_of=1)
    folder = RunFolder.create(run, tmp_path / "run")
    guess = opened(folder).train_batches.first_guess
    [*train(folder)]
    entropy = float(-(np.exp(guess) * guess).sum())
    assert told(folder, "train")[0]["loss"] == pytest.approx(entropy, abs=0.6)


def test_what_a_run_has_learnt_is_not_guessed_anew_when_it_goes_on(tmp_path: Path) -> None:
    run = tuning(parent_of("bert", tmp_path / "parent"), "tokens", tmp_path, steps_of=3)
    folder = RunFolder.create(run, tmp_path / "run")
    [*train(folder)]
    session = opened(folder)
    guess = session.train_batches.first_guess
    assert guess is not None
    assert not torch.equal(session.model.get_parameter("each.out.bias").detach(), torch.from_numpy(guess))
