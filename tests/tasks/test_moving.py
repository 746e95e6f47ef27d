"""What a fine-tuning run says of itself before it begins: how much of it moves, and how many labels it learns from."""

from pathlib import Path
from typing import Any

import pytest
from labelled import began, parent_of, tuning
from test_tuning import WAYS
from tiny import plan

from lab.analysis.moving import moved
from lab.data.reading import parts_of
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training.train import train


@pytest.mark.parametrize(
    ("model", "task", "how"), [*(("bert", "classify", how) for how in WAYS), ("t5", "seq2seq", "lora")]
)
def test_what_will_move_is_known_before_the_first_step(model: str, task: str, how: str, tmp_path: Path) -> None:
    parent = parent_of(model, tmp_path / "parent")
    run = tuning(parent, task, tmp_path, how=how, steps_of=1)
    tokenizer = parent.tokenizer()
    assert tokenizer is not None
    forecast = moved(run, tokenizer.vocabulary.size)
    folder = RunFolder.create(run, tmp_path / "run")
    [*train(folder)]
    assert (forecast.moving, forecast.parameters) == (began(folder)["moving"], began(folder)["parameters"])
    assert 0 < forecast.share <= 1 and (how in ("full", "gradual")) == (forecast.share > 0.5)


def test_a_model_without_attention_has_no_maps_to_adapt(tmp_path: Path) -> None:
    run = tuning(parent_of("lstm", tmp_path / "parent"), "classify", tmp_path, how="lora")
    with pytest.raises(SettingsError, match="choose another way"):
        moved(run, 300)


def budgeted(labels: int | None, **more: Any) -> Run:
    about: dict[str, Any] = {"kind": "finetune", "task": "classify", "tuning_settings": {"labels": labels}, **more}
    return plan(**about)


def test_a_larger_label_budget_has_all_that_a_smaller_one_has_and_is_checked_on_the_same_texts() -> None:
    few, more, every = (parts_of(budgeted(labels)) for labels in (5, 12, None))
    texts = [{example.text for example in parts.train} for parts in (few, more, every)]
    assert [len(parts.train) for parts in (few, more, every)] == [5, 12, 36]
    assert texts[0] < texts[1] < texts[2]
    assert few.valid == more.valid == every.valid and not texts[2] & {example.text for example in few.valid}
    assert parts_of(budgeted(10**6)).train == every.train


def test_another_seed_labels_other_texts() -> None:
    first, second = ({example.text for example in parts_of(budgeted(8, seed=seed)).train} for seed in (0, 1))
    assert first != second
