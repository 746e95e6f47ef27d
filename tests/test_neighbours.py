"""Neighbours and analogies: by the angle, without what was asked for, for whatever has a table of tokens."""

import json

import pytest
import torch
from tiny import finished
from torch import nn

from lab.cli.main import main
from lab.engine.model import Trained, load
from lab.engine.neighbours import analogy, directions, neighbours, token_of
from lab.settings import SettingsError


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """A model whose vectors are set by hand: a and b are apart from c and d by the same step; e is a twice as long."""
    found = load(finished(tmp_path_factory.mktemp("near") / "run", model="word2vec", training={"steps": 1, "batch": 4}))
    table = found.model.embed.tokens.weight  # type: ignore[union-attr]
    with torch.no_grad():
        table.copy_(torch.eye(table.shape[1])[-1] * -1)  # type: ignore[operator, index]
        for word, vector in {"a": (1, 0, 1), "b": (0, 1, 1), "c": (1, 0, -1), "d": (0, 1, -1), "e": (2, 0, 2)}.items():
            row = token_of(found, word)
            table[row] = 0  # type: ignore[index, operator]
            table[row, :3] = torch.tensor(vector, dtype=torch.float32)  # type: ignore[index, operator]
    return found


def test_the_nearest_is_the_one_in_the_same_direction_whatever_its_length(trained: Trained) -> None:
    found = neighbours(trained, "a", best=2)
    assert found[0].token.strip() == "e" and found[0].cosine == pytest.approx(1)
    assert found[1].token.strip() == "b" and found[1].cosine == pytest.approx(0.5)


def test_an_analogy_completes_the_parallelogram_without_naming_what_was_given(trained: Trained) -> None:
    assert analogy(trained, ["a", "b", "c"], best=1)[0].token.strip() == "d"


def test_vectors_have_length_one_and_special_tokens_are_never_near(trained: Trained) -> None:
    assert directions(trained).norm(dim=1).tolist() == pytest.approx([1.0] * trained.tokenizer.vocabulary.size)
    every = neighbours(trained, "a", best=10**6)
    assert not {each.id for each in every} & set(trained.tokenizer.vocabulary.specials.values())


def test_what_is_no_token_or_has_no_vectors_is_refused_in_words(trained: Trained, tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SettingsError, match="'a long text' is not one token"):
        neighbours(trained, "a long text")
    counted = load(finished(tmp_path / "n", model="ngram", training={"steps": 1, "batch": 4}))
    assert not [part for part in counted.model.modules() if isinstance(part, nn.Embedding)]
    with pytest.raises(SettingsError, match="no vectors"):
        neighbours(counted, "a")


def test_the_command_line_answers_in_json(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    run = str(finished(tmp_path / "run", model="lstm", training={"steps": 1, "batch": 4}).path)
    assert main(["neighbours", "--run", run, "--word", "a", "--best", "3", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nearest"]) == 3
    assert main(["neighbours", "--run", run, "--analogy", "a", "b", "c", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["analogy"] == ["a", "b", "c"]
    assert main(["neighbours", "--run", run]) == 2
