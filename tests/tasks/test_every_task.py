"""Every family with every task that it can take: eight examples are learnt, kept, resumed bit by bit and answered."""

from pathlib import Path
from typing import Any

import pytest
from labelled import ROWS, STEPS, TEXTS, losses, pairs, trained, tuning

from lab.bench.faulting.outcome import outcome
from lab.catalog import MODELS, OBJECTIVES, TASKS, fits
from lab.data.reading import parts_of
from lab.inference.answering import answer
from lab.inference.model import load
from lab.runs.folder import RunFolder
from lab.settings import SettingsError
from lab.training.evaluate import evaluate

# What a run takes up again is its model's state and its task's: every family is stopped once, and every task.
STOPPED = {*{model: (model, task) for model, task in pairs()}.values()} | {
    *{task: (model, task) for model, task in pairs()}.values()
}


@pytest.mark.parametrize(("model", "task"), pairs())
def test_eight_examples_are_learnt_kept_and_answered(model: str, task: str, parents: Any, tmp_path: Path) -> None:
    run = tuning(parents(model), task, tmp_path)
    whole = trained(RunFolder.create(run, tmp_path / "whole"))
    if (model, task) in STOPPED:
        parts = RunFolder.create(run, tmp_path / "parts")
        trained(trained(parts, until=STEPS // 2))
        assert outcome(parts) == outcome(whole), "resumed, it is the same bit by bit"
    told = losses(whole)
    assert min(told[-4:]) < 0.9 * told[0]
    kept = load(whole)
    for example in parts_of(run).train[:2]:
        said = answer(kept, example)
        assert len(said.tags) == len(example.tags)
        assert not said.chances or sum(said.chances) == pytest.approx(1)
    found = evaluate(kept, whole)
    assert TASKS[task].score in found and found["texts"] == 8 and found["baselines"]


def test_every_task_is_tried() -> None:
    assert {task for _, task in pairs()} == set(ROWS) == set(TASKS.names()) and len(TEXTS) == 8


def test_who_cannot_take_a_task_says_why() -> None:
    unable = {(m.name, t.name) for m in MODELS for t in TASKS if not fits(m, t)}
    assert {model for model, task in unable if task == "classify"} == {"t5", "t5_v11", "ngram"}
    assert {model for model, task in unable if task == "seq2seq"} == {
        "ngram",
        "bilstm",
        "elmo",
        "glove",
        "word2vec",
        "spanbert",
    }


def test_a_model_that_only_fills_gaps_is_not_asked_to_write(parents: Any, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="does not write"):
        tuning(parents("bert"), "seq2seq", tmp_path)
    with pytest.raises(SettingsError, match="fine-tune it with seq2seq"):
        tuning(parents("t5"), "classify", tmp_path)
    assert not OBJECTIVES["mlm"].writes and OBJECTIVES["clm"].writes
