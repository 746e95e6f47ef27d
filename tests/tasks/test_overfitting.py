"""Every task is learnt by heart: who cannot is asked the wrong thing, whatever else is measured."""

from pathlib import Path
from typing import Any

import pytest
from labelled import ROWS, file_of, trained
from tiny import steps

from lab.catalog import TASKS
from lab.data.reading import parts_of
from lab.inference.answering import answer
from lab.inference.model import load
from lab.runs.folder import RunFolder
from lab.training.evaluate import evaluate
from lab.training.run_request import finetuning

WHO = dict.fromkeys(TASKS.names(), "bert") | {"seq2seq": "gpt"}
BEST = dict.fromkeys(TASKS.names(), 1.0) | {"seq2seq": 100.0, "similarity": 0.85}  # of two values many are ties


@pytest.mark.parametrize("task", TASKS.names())
def test_a_handful_of_examples_is_learnt_by_heart(task: str, parents: Any, tmp_path: Path) -> None:
    parent, path = parents(WHO[task]), file_of(task, tmp_path)
    chosen: dict[Any, Any] = {
        "corpus": {"path": path, "test": path},
        "training": steps(150, learning_rate=1e-2, batch=8),
        "tuning": {"evaluations": 1},
    }
    run = finetuning(parent, task=task, corpus="labelled", chosen=chosen, parent=str(parent.path))
    folder = trained(RunFolder.create(run, tmp_path / "run"))
    kept = load(folder)
    assert evaluate(kept, folder)[TASKS[task].score] >= BEST[task]
    for example in parts_of(run).train[:3]:
        said = answer(kept, example)
        if TASKS[task].holds[-1] == "label":
            assert said.label == example.label
        elif task == "questions":
            assert said.text == "".join(example.text[start:end].strip() for start, end in example.answers[:1])
        elif task == "seq2seq":
            assert said.text == example.targets[0]


def test_every_task_has_somebody_who_learns_it() -> None:
    assert WHO.keys() == ROWS.keys()
