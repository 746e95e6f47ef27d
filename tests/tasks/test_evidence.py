"""Which tokens speak for a class: a linear model by hand, and every family that can classify."""

from pathlib import Path

import numpy as np
import pytest
import torch
from labelled import parent_of
from test_every_task import tuning
from torch import Tensor, nn

from lab.batch import Batch, Exercise, Output, collate
from lab.catalog import MODELS, TASKS, fits
from lab.examples import Example
from lab.inference.evidence import evidence, gradient_times_input, occlusion, score, stand_in
from lab.inference.model import Trained, heads_of, made
from lab.runs.folder import RunFolder
from lab.settings import SettingsError

FAMILIES = [model.name for model in MODELS if fits(model, TASKS["classify"])]
WITHOUT_TABLE = {"elmo"}  # its tokens are spelt by characters
WORTH = torch.tensor([[0.0, 0.0], [3.0, 1.0], [-2.0, 0.0], [5.0, 5.0]])  # of each id, for each class
MASK = 0  # which is worth nothing


class Linear(nn.Module):
    """The sum of what the tokens are worth."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding.from_pretrained(WORTH)

    def forward(self, batch: Batch) -> Output:
        vectors: Tensor = self.table(batch.shown)  # (B, T, C)
        return Output(sequence=vectors.sum(1))


def row(*ids: int) -> Exercise:
    shown = np.array([ids], dtype=np.int64)
    return Exercise(shown=shown, asked=np.zeros(shown.shape, dtype=bool), answers=shown)


def test_where_a_model_is_linear_both_say_what_each_token_is_worth() -> None:
    text, places = row(1, 2, 3, 1), np.arange(4)
    by_hand = [1.0, -1.0, 0.0, 1.0]  # half of how much more a token is worth to the first class than to the second
    slopes = gradient_times_input(Linear(), collate(text), 0)
    assert slopes is not None and slopes.tolist() == by_hand
    assert sum(by_hand) == score(Linear(), collate(text), 0).item()
    assert occlusion(Linear(), text, 0, places, MASK).tolist() == by_hand
    assert occlusion(Linear(), text, 0, places, None).tolist() == by_hand
    assert occlusion(Linear(), text, 1, places, None).tolist() == [-each for each in by_hand]


def test_another_token_in_its_place_changes_what_one_is_worth() -> None:
    assert occlusion(Linear(), row(1, 2), 0, np.array([0]), 1).tolist() == [0.0]
    assert occlusion(Linear(), row(1, 2), 0, np.array([0]), 2).tolist() == [2.0]


@pytest.fixture(scope="module")
def parents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parents")


def chance(model: str, parents: Path, task: str = "classify") -> Trained:
    """A model of the family whose every number is chance."""
    path = parents / model
    parent = RunFolder.open(path) if path.exists() else parent_of(model, path)
    run, tokenizer, labels = tuning(parent, task, parents), parent.tokenizer(), ("bad", "fine", "good")
    assert tokenizer is not None
    torch.manual_seed(0)
    return Trained(run, made(run, tokenizer.vocabulary.size, *heads_of(run, labels)).eval(), tokenizer, labels)


@pytest.mark.parametrize("model", FAMILIES)
def test_every_family_says_what_speaks_for_a_class(model: str, parents: Path) -> None:
    trained = chance(model, parents)
    found = evidence(trained, Example("我 love 👍"), 2)
    assert found.occlusion is not None and (found.gradient is None) == (model in WITHOUT_TABLE)
    for told in filter(None, (found.gradient, found.occlusion)):
        assert len(told) == len(found.pieces) and np.isfinite(told).all()
        assert all((value == 0) >= piece.special for value, piece in zip(told, found.pieces, strict=True))
    others = [evidence(trained, Example("我 love 👍"), label).occlusion for label in (0, 1)]
    assert np.allclose(np.sum([found.occlusion, *others], axis=0), 0, atol=1e-4), "what speaks for all speaks for none"


def test_occlusion_is_the_difference_of_two_forward_passes(parents: Path) -> None:
    trained, example = chance("bert", parents, "pairs"), Example("I love it", pair="no")
    found, mask = evidence(trained, example, 0), trained.tokenizer.vocabulary.mask
    assert stand_in(trained) == mask and found.occlusion is not None
    exercise = TASKS["pairs"].build(example, trained.run.settings_of("task"), trained.reader)[0].exercise
    hidden = exercise.shown.copy()
    hidden[0, 1] = mask
    batches = (collate(exercise), collate(Exercise(**{**vars(exercise), "shown": hidden})))
    whole, without = (score(trained.model, batch, 0).item() for batch in batches)
    assert found.occlusion[1] == pytest.approx(whole - without, abs=1e-5) and whole != without


def test_who_has_never_read_a_mask_reads_nothing_in_its_place(parents: Path) -> None:
    assert stand_in(chance("gpt", parents)) is None and stand_in(chance("bert", parents)) is not None


def test_nothing_is_left_behind_in_the_model_and_an_empty_text_has_no_evidence(parents: Path) -> None:
    trained = chance("bert", parents)
    found = evidence(trained, Example(""), 0)
    assert not any(found.occlusion or ()) and not any(found.gradient or ())
    assert all(weight.grad is None for weight in trained.model.parameters())


def test_a_text_that_is_too_long_is_not_taken_apart(parents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained, example = chance("bert", parents), Example("I love it")
    length = len(evidence(trained, example, 0).pieces)
    monkeypatch.setattr("lab.inference.evidence.ROOM", length * (length - 2) - 1)  # two of them are special
    found = evidence(trained, example, 0)
    assert found.occlusion is None and found.gradient is not None


def test_a_run_that_names_no_class_is_refused(parents: Path) -> None:
    with pytest.raises(SettingsError, match="has none"):
        evidence(chance("bert", parents, "similarity"), Example("a", pair="b"), 0)
