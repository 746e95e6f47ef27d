"""Vectors of a word in its senses: where it stands, what each layer has of it, and whether a probe tells them apart."""

from pathlib import Path

import numpy as np
import pytest
import torch
from labelled import parent_of

from lab.analysis.sense_map import commonest, leave_one_out, nearest_sense, principal_plane
from lab.batch import collate
from lab.inference.inputs import framed, reading
from lab.inference.model import Trained, load
from lab.inference.neighbours import token_table
from lab.inference.probe import watching
from lab.inference.word_senses import place_of, word_vectors
from lab.settings import SettingsError


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return load(parent_of("bert", tmp_path_factory.mktemp("senses") / "bert"))


@pytest.mark.parametrize(
    ("word", "text", "place"),
    [
        ("bank", "The banks, not the bankers: a bank.", (4, 9)),
        ("Bank", "By the BANK.", (7, 11)),
        ("花", "他花了三块钱买花。", (1, 2)),
        ("light", "a lighthouse", None),
        ("a.b", "aXb a.b", (4, 7)),
    ],
)
def test_a_word_is_found_whole_and_its_signs_mean_nothing(word: str, text: str, place: tuple[int, int] | None) -> None:
    assert place_of(word, text) == place


def test_the_static_vector_is_the_same_in_every_sentence_and_the_others_are_not(bert: Trained) -> None:
    first, second = (word_vectors(bert, text, (2, 6)) for text in ("I love it", "I love you"))
    assert len(first) == 2, "the table and one block"
    assert torch.equal(first[0], second[0]) and not torch.allclose(first[1], second[1], atol=1e-4)
    table, ids = token_table(bert), bert.tokenizer.encode(" love")
    assert table is not None and torch.allclose(first[0], table[torch.from_numpy(ids)].mean(0))


def test_the_states_are_those_above_the_word(bert: Trained) -> None:
    """Found by hand: [CLS] stands before the text, and the tokens of the word behind those of what is before it."""
    text = "I love it"
    ids, before = bert.tokenizer.encode(text), len(bert.tokenizer.encode("I"))
    many = len(bert.tokenizer.encode("I love")) - before
    exercise = reading(bert, framed(bert, ids))
    with torch.no_grad(), watching(bert.model) as seen:
        bert.model(collate(exercise))
    wanted = seen.hidden[-1][0, 1 + before : 1 + before + many].mean(0)
    assert torch.allclose(word_vectors(bert, text, (2, 6))[-1], wanted, atol=1e-5)


def test_of_a_long_text_the_part_around_the_word_is_read(bert: Trained) -> None:
    text = "no " * 200 + "love" + " no" * 200
    assert all(torch.isfinite(vector).all() for vector in word_vectors(bert, text, (600, 604)))
    assert not torch.allclose(word_vectors(bert, text, (600, 604))[-1], word_vectors(bert, "love", (0, 4))[-1])


@pytest.mark.parametrize("model", ["gpt", "elmo", "word2vec", "lstm", "xlnet"])
def test_families_that_read_with_one_stack_have_vectors(model: str, tmp_path: Path) -> None:
    vectors = word_vectors(load(parent_of(model, tmp_path / model)), "I love it", (2, 6))
    assert len(vectors) == (1 if model == "word2vec" else 2) and all(torch.isfinite(each).all() for each in vectors)


def test_a_model_of_two_stacks_says_why_it_has_none(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="single stack"):
        word_vectors(load(parent_of("t5", tmp_path / "t5")), "I love it", (2, 6))


# ---- the plane and the probe


def test_the_principal_plane_of_points_on_a_line_is_that_line() -> None:
    plane = principal_plane(np.array([[0.0, 0.0, 1.0], [3.0, 4.0, 1.0], [6.0, 8.0, 1.0]]))
    assert plane.points[:, 0] == pytest.approx([-5, 0, 5]) and plane.points[:, 1] == pytest.approx([0, 0, 0])
    assert plane.shares == pytest.approx((1.0, 0.0))


def test_the_principal_plane_agrees_with_the_covariance_s_eigenvectors() -> None:
    cloud = np.random.default_rng(1).normal(size=(30, 5)) * [5, 3, 1, 1, 1]
    plane, values = principal_plane(cloud), np.linalg.eigvalsh(np.cov(cloud.T))[::-1]
    assert plane.shares == pytest.approx(values[:2] / values.sum())
    assert plane.points.var(0, ddof=1) == pytest.approx(values[:2])


def test_vectors_that_are_all_alike_are_one_point() -> None:
    plane = principal_plane(np.ones((4, 7)))
    assert not plane.points.any() and plane.shares == (0.0, 0.0)


def test_each_sentence_is_judged_by_the_others_alone() -> None:
    """Two clouds a right angle apart, and one sentence that stands among the wrong ones: five of six are right."""
    vectors = np.array([[1, 0], [1, 0.1], [1, -0.1], [0, 1], [0.1, 1], [1, 0.05]])
    assert leave_one_out(vectors, [0, 0, 0, 1, 1, 1]) == pytest.approx(5 / 6)
    assert leave_one_out(vectors[:5], [0, 0, 0, 1, 1]) == 1.0
    assert nearest_sense(vectors[:5], [0, 0, 0, 1, 1], np.array([0.2, 9.0])) == 1


def test_a_static_vector_is_right_as_often_as_the_commonest_sense() -> None:
    """Not less, although without the one that is held out its sense is the rarer one."""
    for senses in ([0, 0, 1, 1], [0, 0, 0, 1, 1]):
        assert leave_one_out(np.ones((len(senses), 3)), senses) == commonest(senses)
    assert leave_one_out(np.eye(3), [0, 0, 1]) is None and leave_one_out(np.eye(2), [0, 0]) is None
