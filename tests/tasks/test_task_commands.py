"""The tasks from the terminal: fine-tuned, measured and asked, and the command that a page shows does the same."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from labelled import file_of, parent_of

from lab.catalog import TASKS
from lab.cli.main import main
from lab.examples import Example, Prediction
from lab.inference.model import Trained, load
from lab.runs.folder import RunFolder
from lab.tasks.metrics.wilson import wilson
from lab.training.evaluate_task import evaluate_task
from lab.training.run_request import command

PARENT = dict.fromkeys(TASKS.names(), "bert") | {"seq2seq": "bart"}
ASKED: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "classify": (("--text", "I love it"), {"classes"}),
    "pairs": (("--text", "I love it", "--pair", "yes"), {"classes"}),
    "similarity": (("--text", "I love it", "--pair", "yes"), {"value"}),
    "choice": (("--text", "I love it", "--choice", "it", "--choice", "no"), {"classes"}),
    "tokens": (("--text", "Ann is in 小镇"), {"words", "tags"}),
    "questions": (("--text", "Ann is in Rome", "--pair", "who"), {"answer", "characters", "probability"}),
    "seq2seq": (("--text", "I love it"), {"text"}),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("place")
    for model in {*PARENT.values()}:
        parent_of(model, root / model)
    return root


def said(capsys: Any, *words: object) -> dict[str, Any]:
    assert main([str(word) for word in (*words, "--json")]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def refused(capsys: Any, *words: object) -> str:
    assert main([str(word) for word in words]) == 2
    err: str = capsys.readouterr().err
    return err


@pytest.mark.parametrize("task", TASKS.names())
def test_a_task_is_learnt_measured_and_asked(task: str, place: Path, capsys: Any) -> None:
    out, data = place / task, file_of(task, place)
    how = ("--how", "lora", "--rank", 2, "--steps", 2, "--batch", 4, "--threads", 1)
    words = ("finetune", "--run", place / PARENT[task], "--task", task, "--data", data, "--test", data, *how)
    assert said(capsys, *words, "--out", out)["steps"] == 2
    run = RunFolder(out).run
    assert run.task == task and run.tuning.how == "lora" and run.tuning.rank == 2
    found = said(capsys, "evaluate", "--run", out, "--corpus", data)
    assert found["texts"] == 8 and {*found["interval"]} == {"of", "low", "high"} and TASKS[task].score in found
    if TASKS[task].score == "accuracy":
        within = found["interval"]
        assert [within["low"], within["high"]] == pytest.approx(wilson(found["accuracy"], 8), abs=1e-6)
    asked, keys = ASKED[task]
    assert {*said(capsys, "answer", "--run", out, *asked)} == keys
    assert main(["answer", "--run", str(out), *asked]) == 0
    shown = shlex.split(command(run, data).replace("my-test.csv", data))[3:]
    assert main([*shown, "--out", str(place / f"{task}-again")]) == 0
    capsys.readouterr()
    again = RunFolder(place / f"{task}-again").run
    assert (again.task_settings, again.tuning_settings) == (run.task_settings, run.tuning_settings)


def test_a_tagger_is_measured_on_a_file_without_entities(place: Path, capsys: Any) -> None:
    plain, out = place / "plain.jsonl", place / "tagger"
    plain.write_text('{"tokens": ["it", "is"], "tags": ["O", "O"]}\n', encoding="utf-8")
    words = ("--task", "tokens", "--data", file_of("tokens", place), "--steps", 1, "--batch", 2, "--threads", 1)
    said(capsys, "finetune", "--run", place / "bert", *words, "--out", out)
    found = said(capsys, "evaluate", "--run", out, "--corpus", plain)
    assert found["texts"] == 1 and found["recall"] == 0
    assert "at least 2 classes" in refused(
        capsys, "finetune", "--run", place / "bert", "--task", "tokens", "--data", plain, "--steps", 1
    )


def test_the_few_for_which_a_target_is_written_are_a_fair_sample(
    place: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out, asked = file_of("seq2seq", place), place / "sorted", list[str]()
    words = ("finetune", "--run", place / "bart", "--task", "seq2seq", "--data", data, "--test", data)
    said(capsys, *words, "--steps", 1, "--batch", 2, "--threads", 1, "--out", out)

    def answer(trained: Trained, example: Example) -> Prediction:
        asked.extend(example.targets)
        return Prediction(text="good")

    monkeypatch.setattr("lab.training.evaluate_task.answer", answer)
    monkeypatch.setattr("lab.training.evaluate_task.WRITTEN", 4)
    by_target = [Example(f"text {n}", targets=("bad", "good")[n // 10 :][:1]) for n in range(20)]
    assert evaluate_task(load(RunFolder(out)), by_target)["written"] == 4
    assert {*asked} == {"bad", "good"}, "not the first ones of a file that is sorted"


def test_a_flag_of_another_way_of_tuning_is_refused(place: Path, capsys: Any) -> None:
    words = ("finetune", "--run", place / "bert", "--data", file_of("classify", place), "--steps", 1)
    assert "--rank belongs to --how lora" in refused(capsys, *words, "--rank", 3)
    assert "--everywhere belongs to --how lora" in refused(capsys, *words, "--how", "last", "--everywhere")
    assert "--prefix belongs to --how prefix" in refused(capsys, *words, "--how", "lora", "--prefix", 3)


def test_the_flags_of_a_task_are_its_own(place: Path, capsys: Any) -> None:
    data = file_of("questions", place)
    words = ("--steps", 1, "--batch", 2, "--threads", 1, "--stride", 0.3, "--out", place / "wide")
    said(capsys, "finetune", "--run", place / "bert", "--task", "questions", "--corpus", data, "--test", data, *words)
    assert RunFolder(place / "wide").run.settings_of("task").stride == 0.3
    found = refused(capsys, "finetune", "--run", place / "bert", "--data", data, "--stride", 0.3)
    assert "does not know '--stride'" in found


def test_what_a_question_lacks_is_said(place: Path, capsys: Any) -> None:
    run = parent_of("bert", place / "plain")
    assert "not fine-tuned" in refused(capsys, "answer", "--run", run.path, "--text", "a")
    for task, flag in (("pairs", "--pair"), ("choice", "--choice")):
        data = file_of(task, place)
        out = place / f"ask-{task}"
        words = ("--data", data, "--test", data, "--steps", 1, "--batch", 2, "--threads", 1, "--out", out)
        said(capsys, "finetune", "--run", run.path, "--task", task, *words)
        assert flag in refused(capsys, "answer", "--run", out, "--text", "a")
    assert "the run does not know the label" in refused(
        capsys, "evaluate", "--run", place / "ask-pairs", "--corpus", strange(place)
    )


def strange(place: Path) -> Path:
    path = place / "strange.jsonl"
    path.write_text(
        '{"text": "a", "pair": "b", "label": 0}\n{"text": "a", "pair": "b", "label": 7}\n', encoding="utf-8"
    )
    return path
