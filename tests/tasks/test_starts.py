"""What a start is worth: arms that differ in nothing else, and a table with bands."""

import json
from pathlib import Path
from typing import Any

import pytest
from labelled import file_of, parent_of

from lab.catalog import BENCHMARKS
from lab.cli.main import main
from lab.experiments.starts import Band, Experiment, Outcome, Start, bands, outcomes, starts_of
from lab.settings import SettingsError


def scored(start: str, budget: int, *scores: float) -> list[Outcome]:
    return [Outcome(start, budget, seed, score, 1.0, {}) for seed, score in enumerate(scores)]


def test_a_band_is_the_middle_the_least_and_the_greatest_of_all_seeds() -> None:
    found = [*scored("a", 10, 0.3, 0.9, 0.5), *scored("b", 10, 0.2), *scored("a", 30, 0.5, 0.7)]
    table = bands(found)
    assert table == {
        ("a", 10): Band(0.5, 0.3, 0.9),
        ("b", 10): Band(0.2, 0.2, 0.2),
        ("a", 30): Band(pytest.approx(0.6), 0.5, 0.7),
    }


def test_each_way_of_reading_has_one_random_start(tmp_path: Path) -> None:
    first, second, other = (
        parent_of("bert", tmp_path / "masked"),
        parent_of("bert", tmp_path / "again"),
        parent_of("bert", tmp_path / "causal", objective="clm"),
    )
    assert [start.name for start in starts_of([first, second])] == ["random", "masked", "again"]
    names = [start.name for start in starts_of([first, other])]
    assert names == ["random, as masked", "random, as causal", "masked", "causal"]


def test_arms_differ_in_nothing_but_their_weights(tmp_path: Path) -> None:
    data = file_of("classify", tmp_path)
    experiment = Experiment(
        task="classify",
        corpus="labelled",
        corpus_settings={"path": data, "test": data},
        budgets=(2, 8),
        seeds=(0, 1),
        training={"steps": 2, "batch": 2, "threads": 1},
    )
    starts = starts_of([parent_of("bert", tmp_path / "parent")])
    found = [*outcomes(experiment, starts)]
    assert [(each.seed, each.budget, each.start) for each in found] == [
        (seed, budget, start) for seed in (0, 1) for budget in (2, 8) for start in ("random", "parent")
    ]
    assert all(0 <= each.score <= 1 and each.baselines["even"] > 0 for each in found)
    again = [*outcomes(experiment, starts[:1])]
    assert [each.score for each in again] == [each.score for each in found if each.start == "random"]


def test_a_start_that_sums_up_in_a_way_of_its_own_takes_part_where_others_take_the_mean(tmp_path: Path) -> None:
    data = file_of("classify", tmp_path)
    experiment = Experiment(
        task="classify",
        corpus="labelled",
        corpus_settings={"path": data, "test": data},
        budgets=(8,),
        seeds=(0,),
        training={"steps": 2, "batch": 2, "threads": 1},
        tuning={"pooling": "mean"},
    )
    starts = [Start(name, parent_of(name, tmp_path / name)) for name in ("bert", "lstm")]
    assert [each.start for each in outcomes(experiment, starts)] == ["bert", "lstm"]


@pytest.mark.parametrize(("task", "model"), [("tokens", "bert"), ("seq2seq", "gpt")])
def test_the_bench_prints_a_table_and_a_document(task: str, model: str, tmp_path: Path, capsys: Any) -> None:
    parent, data = parent_of(model, tmp_path / "start"), file_of(task, tmp_path)
    words = ("bench", "finetune", "--runs", parent.path, "--task", task, "--corpus", data, "--test", data)
    column = ("--label-column", "target") if task == "seq2seq" else ()
    small = ("--budgets", "2,8", "--seeds", 2, "--steps", 1, "--batch", 2, "--threads", 1)
    assert main([str(word) for word in (*words, *small, *column, "--json")]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert [(band["start"], band["budget"]) for band in document["bands"]] == [
        ("random", 2),
        ("start", 2),
        ("random", 8),
        ("start", 8),
    ]
    assert len(document["outcomes"]) == 8 == len(said.err.splitlines())
    assert main([str(word) for word in (*words, *small, *column)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith(document["score"].replace("_", " ")) and "8 labels" in shown[0]
    assert [line.split()[0] for line in shown[1:]] == ["random", "start", "baselines"]


@pytest.mark.parametrize("budgets", ["", "ten", "1,10", "10,-3"])
def test_what_is_no_label_budget_is_said(budgets: str) -> None:
    with pytest.raises(SettingsError, match="budgets are whole numbers"):
        BENCHMARKS["finetune"].settings(budgets=budgets)
