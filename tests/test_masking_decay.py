"""Masking ratio decay: a run begins with more gaps than its objective has, and ends with as many."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import finished, plan, steps

from lab.catalog import MODELS, OBJECTIVES
from lab.entries import Masking
from lab.runs.run import Run
from lab.training.presets import as_published
from lab.training.session import opened
from lab.training.train import train

MASKING = [entry.name for entry in OBJECTIVES if issubclass(entry.settings, Masking)]


def rates(run: Run) -> list[float]:
    return [round(run.objective_at(progress).share, 6) for progress in (0.0, 0.5, 0.8, 1.0)]


def test_the_rate_falls_evenly_to_that_of_the_objective() -> None:
    assert rates(plan(training=steps(10))) == [0.4, 0.275, 0.2, 0.15]
    assert rates(plan(training=steps(10, initial_masking=0.65))) == [0.65, 0.4, 0.25, 0.15]
    assert rates(plan(training=steps(10), objective_settings={"share": 0.6})) == [0.6] * 4
    assert rates(plan(training=steps(10), objective_settings={"dynamic": False})) == [0.15] * 4  # drawn once for all
    assert rates(plan(training=steps(10, **as_published(MODELS["bert"])))) == [0.15] * 4


def test_what_masks_nothing_is_as_it_is() -> None:
    assert set(MASKING) == {"mlm", "whole_word", "ngram", "span", "phrases", "macbert", "rtd"}
    run = plan(model="gpt", objective="clm", training=steps(10))
    assert run.objective_at(0.0) == run.settings_of("objective")


def test_a_run_asks_more_at_first_and_is_validated_as_its_objective_asks(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", training=steps(4, batch=64))
    session = opened(folder, print)
    batches: Any = session.train_batches

    def asked(progress: float) -> float:
        return len(batches.batch(0, 64, progress=progress).asked) / (64 * 14)  # [CLS] and [SEP] are never asked

    assert asked(0.0) == pytest.approx(0.4, abs=0.02) and asked(1.0) == pytest.approx(0.15, abs=0.02)
    few, many = (batches.batch(0, 64, progress=progress).asked.numpy() for progress in (1.0, 0.5))
    assert np.isin(few, many).all()  # the same gaps and more
    checked: Any = next(session.valid_batches.validation())
    assert len(checked.asked) / (14 * len(checked.shown)) == pytest.approx(0.15, abs=0.03)


def test_a_run_of_an_earlier_version_goes_on_as_it_began() -> None:
    document = plan(training=steps(10)).plan.dump()
    del document["initial_masking"]
    earlier = Run.load(replace(plan(training=steps(10)), training=document).dump())
    assert rates(earlier) == [0.15] * 4 and earlier.learning_rate == 6e-3
    assert Run.load(plan(training=steps(10)).dump()).learning_rate == 4e-3


def test_training_asks_as_far_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    honest = Run.objective_at

    def noted(run: Run, progress: float) -> Any:
        seen.append(progress)
        return honest(run, progress)

    monkeypatch.setattr(Run, "objective_at", noted)
    folder = finished(tmp_path / "run", training=steps(4))
    list(train(folder))
    assert seen == [0.0, 0.25, 0.5, 0.75]
