"""Sentence vectors with nothing trained: which states they are made of, and how well they tell texts that are alike."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import finished, steps

from lab.cli.main import main
from lab.data.reading import Parts
from lab.examples import Example
from lab.inference import sentence_vectors as by_embedding
from lab.inference.model import Trained, load
from lab.inference.sentence_vectors import measured_by_embedding, sentence_vectors
from lab.inference.word_senses import word_vectors
from lab.settings import SettingsError


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return load(finished(tmp_path_factory.mktemp("bert"), training=steps(2)))


def test_the_mean_is_that_of_the_text_s_own_tokens_and_cls_is_apart(bert: Trained) -> None:
    """A word that is the whole text covers all of its tokens: [CLS] and [SEP] are no part of their mean."""
    word = word_vectors(bert, "bakery", (0, 6))
    vectors = sentence_vectors(bert, "bakery")
    assert len(vectors) == len(word) == 2
    mean, cls = vectors[-1]
    assert torch.allclose(mean, word[-1], atol=1e-6) and not torch.allclose(mean, cls, atol=1e-3)


def test_where_there_is_no_cls_the_last_token_sums_up(tmp_path: Path) -> None:
    gpt = load(finished(tmp_path, model="gpt", training=steps(1)))
    one, other = (sentence_vectors(gpt, text)[-1] for text in ("a", "ab a"))
    assert torch.allclose(one[0], one[1])  # a single token is the mean and the last
    assert not torch.allclose(other[0], other[1], atol=1e-3)


@pytest.mark.parametrize("model", ["elmo", "xlnet", "lstm", "word2vec", "glove"])
def test_families_with_one_stack_or_a_table_have_vectors(model: str, tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model=model, training=steps(1)))
    vectors = sentence_vectors(trained, "The cat sat.")
    assert vectors and all(len(each) == 2 and each.isfinite().all() for each in vectors)


@pytest.mark.parametrize(("model", "why"), [("t5", "another"), ("ngram", "no vectors")])
def test_who_has_none_says_why(model: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=why):
        sentence_vectors(load(finished(tmp_path, model=model, training=steps(1))), "The cat sat.")


def test_cosines_are_held_against_the_truth_layer_by_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Angles of 0, 45 and 90 degrees: by the mean in the order of the truth, by [CLS] against it."""
    angles = {"a": (0.0, 0.0), "b": (0.0, 90.0), "c": (45.0, 45.0), "d": (90.0, 0.0)}

    def turned(trained: Any, text: str) -> list[torch.Tensor]:
        angle = torch.deg2rad(torch.tensor(angles[text]))
        return [torch.ones(2, 2), torch.stack([angle.cos(), angle.sin()], -1)]

    monkeypatch.setattr(by_embedding, "sentence_vectors", turned)
    valid = [Example("a", pair=other, value=value) for other, value in (("b", 5.0), ("c", 3.0), ("d", 1.0))]
    found = measured_by_embedding(None, Parts([], valid))  # type: ignore[arg-type]
    assert (found["spearman_mean"], found["spearman_cls"], found["texts"]) == (1.0, -1.0, 3)
    assert found["by_layer"] == {"mean": [0.0, 1.0], "cls": [0.0, -1.0]}
    assert {*found["baselines"]} == {"constant", "overlap"}


def test_the_command_measures_a_run_that_was_not_fine_tuned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = finished(tmp_path / "bert", training=steps(1))
    words = ["evaluate", "--run", str(run.path), "--by-embedding"]
    town = ["--corpus", "town_similarity", "--stories", "60"]
    assert main([*words, *town, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert -1 <= found["spearman_mean"] <= 1 and len(found["by_layer"]["cls"]) == 2
    assert main([*words, *town]) == 0 and "mean by layer" in capsys.readouterr().out
    assert main(words) == 2 and "--corpus" in capsys.readouterr().err
