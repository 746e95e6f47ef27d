"""Every family with every task that it can take: eight examples are learnt, kept, resumed bit by bit and answered."""

from pathlib import Path
from typing import Any

import pytest
from labelled import ROWS, TEXTS, file_of, pairs, parent_of
from tiny import steps

from lab.bench.faulting.outcome import outcome
from lab.catalog import MODELS, OBJECTIVES, TASKS, fits
from lab.data.reading import parts_of
from lab.inference.answering import answer
from lab.inference.model import load
from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training.evaluate import evaluate
from lab.training.run_request import finetuning
from lab.training.train import train

STEPS = 16


@pytest.fixture(scope="session")
def parents(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run of each family to start from, made when it is asked for."""
    made: dict[str, RunFolder] = {}
    root = tmp_path_factory.mktemp("parents")

    def parent(model: str) -> RunFolder:
        if model not in made:
            made[model] = parent_of(model, root / model)
        return made[model]

    return parent


def tuning(parent: RunFolder, task: str, folder: Path, steps_of: int = STEPS, **how: Any) -> Run:
    """Fine-tuning on the eight examples, which are those to be checked on, too."""
    path = file_of(task, folder)
    chosen: dict[Any, Any] = {
        "corpus": {"path": path, "test": path},
        "training": steps(steps_of, learning_rate=1e-2, batch=8, warmup=0.0, schedule="constant"),
        "tuning": how,
    }
    return finetuning(parent, task=task, corpus="labelled", chosen=chosen, parent=str(parent.path))


def losses(folder: RunFolder) -> list[float]:
    records, _ = MetricsLog(folder.path / "metrics.jsonl").read()
    return [record["loss"] for record in records if record["kind"] == "train"]


@pytest.mark.parametrize(("model", "task"), pairs())
def test_eight_examples_are_learnt_kept_and_answered(model: str, task: str, parents: Any, tmp_path: Path) -> None:
    run = tuning(parents(model), task, tmp_path)
    whole, parts = (RunFolder.create(run, tmp_path / name) for name in ("whole", "parts"))
    for _ in train(whole):
        pass
    for step in train(parts):
        if step.step == STEPS // 2:
            break
    for _ in train(parts):
        pass
    assert outcome(parts) == outcome(whole), "resumed, it is the same bit by bit"
    told = losses(whole)
    assert min(told[-4:]) < 0.9 * told[0]
    trained = load(whole)
    for example in parts_of(run).train[:2]:
        said = answer(trained, example)
        assert len(said.tags) == len(example.tags)
        assert not said.chances or sum(said.chances) == pytest.approx(1)
    found = evaluate(trained, whole)
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
