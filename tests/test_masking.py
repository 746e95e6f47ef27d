"""The mismatch of masking: the same tokens in three views, arms that are what they say, and what [MASK] does to a
text."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import finished, steps
from torch import Tensor

from lab.batch import Batch, Output
from lab.bench.masking import Maskings
from lab.catalog import BENCHMARKS
from lab.data.batches import Batches
from lab.experiments import masking
from lab.experiments.masking import VIEWS, Arm, answered, run_of
from lab.inference.mask_shift import mask_shift
from lab.inference.model import Trained, load
from lab.runs.folder import RunFolder
from lab.settings import SettingsError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return finished(tmp_path_factory.mktemp("bert") / "run", training=steps(12))


class Copies(torch.nn.Module):
    """Says of each asked token what stands there."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.register_buffer("rows", torch.eye(size))

    def forward(self, batch: Batch) -> Output:
        return Output(tokens=self.get_buffer("rows")[batch.shown.flatten()[batch.asked]])


def test_whoever_copies_is_right_where_the_token_itself_stands_and_nowhere_else(folder: RunFolder) -> None:
    known = load(folder)
    copier = Trained(known.run, Copies(known.tokenizer.vocabulary.size), known.tokenizer, (), 0)
    found = answered(copier, folder)
    assert [found[view].copied for view in VIEWS] == [1, 1, 1]
    assert (found["masked"].right, found["kept"].right) == (0, 1)
    assert found["random"].right < 0.1, "a random token is rarely the one that belongs there"


def test_every_view_asks_about_the_same_tokens_of_the_same_text(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[tuple[Tensor, Tensor]]()

    class Kept(Batches):
        def validation(self, limit: int = 1, size: int = 32) -> Iterator[Batch]:
            for batch in super().validation(limit, size):
                assert batch.asked is not None and batch.answers is not None
                seen.append((batch.asked, batch.answers))
                yield batch

    monkeypatch.setattr(masking, "Batches", Kept)
    answered(load(folder), folder)
    once = len(seen) // len(VIEWS)
    assert once
    for number in range(once):
        for view in range(1, len(VIEWS)):
            assert all(map(torch.equal, seen[number], seen[number + view * once]))


def test_an_arm_says_which_shares_it_has_and_its_run_has_them() -> None:
    assert Arm("80/10/10").settings == {"mask": 0.8, "random": 0.1}
    assert Arm("80/0/20").settings == {"mask": 0.8, "random": 0.2}, "the middle number is what is kept"
    settings = run_of(Arm("80/20/0"), "town_en", {}, {"steps": 1}).settings_of("objective")
    assert (settings.mask, settings.random) == (0.8, 0.0)


@pytest.mark.parametrize("wrong", ["", "80", "80/10", "80/10/20", "80/10/x", "-80/90/90"])
def test_what_is_no_arm_is_refused_in_a_sentence(wrong: str) -> None:
    with pytest.raises(SettingsError, match="add up to 100"):
        Maskings(arms=wrong)


def test_the_benchmark_measures_every_arm_with_every_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masking, "SHAPE", {"width": 16, "depth": 1, "heads": 2, "context": 16})
    entry, also = BENCHMARKS["masking"], {"stories": 40}
    asked = Maskings(arms="80/10/10,100/0/0", seeds=2, steps=2, labels=4, tuning_steps=2, threads=1)
    document, rows = entry.build(("town_en", also), asked, lambda line: None)
    assert [(each["arm"], each["seed"]) for each in document["measured"]] == [
        (arm, seed) for seed in (0, 1) for arm in ("80/10/10", "100/0/0")
    ]
    for each in document["measured"]:
        assert set(each["answers"]) == set(VIEWS) and set(each["scores"]) == {"full", "frozen"}
    assert len(rows) == 2 and "--arms 80/10/10,100/0/0" in document["command"]


def test_a_fine_tuned_model_and_one_of_another_objective_are_not_asked(tmp_path: Path) -> None:
    other = finished(tmp_path / "run", model="gpt", objective="clm", training=steps(1))
    with pytest.raises(SettingsError, match="masked language modelling"):
        answered(load(other), other)


# ---- how far a text moves


def test_other_tokens_do_not_move_before_they_have_looked_and_move_behind_that(folder: RunFolder) -> None:
    moved = mask_shift(load(folder), "The cat sat on the mat.")
    assert len(moved) == 2 and moved[0] == pytest.approx(0, abs=1e-6) and moved[1] > 0


def test_the_mean_is_over_the_words_by_hand(folder: RunFolder) -> None:
    trained = load(folder)
    words = trained.tokenizer.vocabulary
    ids = np.concatenate([[words.begin], trained.tokenizer.encode("a b"), [words.separate]])
    owner = words.words(ids[None])[0]
    shifts = []
    for word in {*owner[owner >= 0].tolist()}:
        states = []
        for row in (ids, np.where(owner == word, words.mask, ids)):
            seen: list[Tensor] = []
            hook = trained.model.get_submodule("stack").register_forward_hook(lambda *each: seen.append(each[2]))  # noqa: B023
            with torch.no_grad():
                trained.model(Batch(shown=torch.from_numpy(row)[None]))
            hook.remove()
            states.append(seen[0][0])
        angles = torch.nn.functional.cosine_similarity(states[0], states[1], dim=-1)[torch.from_numpy(owner != word)]
        shifts.append(1 - float(angles.mean()))
    assert mask_shift(trained, "a b")[-1] == pytest.approx(float(np.mean(shifts)), abs=1e-5)


@pytest.mark.parametrize("text", ["露丝住在车站附近。", "👍", "[MASK] here", "x " * 100_000])
def test_any_text_with_a_word_moves_somehow(folder: RunFolder, text: str) -> None:
    assert all(0 <= value <= 2 or value == pytest.approx(0, abs=1e-6) for value in mask_shift(load(folder), text))


def test_where_nothing_can_be_masked_a_sentence_says_why(folder: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="type some text"):
        mask_shift(load(folder), "")
    with pytest.raises(SettingsError, match=r"not shown \[MASK\]"):
        mask_shift(load(finished(tmp_path / "run", model="gpt", objective="clm", training=steps(1))), "a b")
