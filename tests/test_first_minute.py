"""How soon a run beats counting, and that a class sees a young run learn."""

from pathlib import Path

import pytest
from tiny import finished

from lab.bench.first_minute import FirstMinute, at, beaten, first_minute, judged, line
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Training
from lab.settings import SettingsError
from lab.training.budget import EARLY, Budget

LOSSES = [[0.0, 7.0], [10.0, 5.0], [15.5, 3.9], [20.0, 4.1], [30.0, 3.5], [60.0, 3.0]]


def test_a_run_has_beaten_the_line_once_it_stays_below() -> None:
    assert beaten(LOSSES, 4.0) == 30.0 and beaten(LOSSES, 4.5) == 15.5
    assert beaten(LOSSES, 3.0) == float("inf") and beaten(LOSSES, 8.0) == 0.0


def test_the_loss_at_a_mark_is_the_newest_known() -> None:
    assert at(LOSSES, 15) == 3.9 and at(LOSSES, 25) == 4.1 and at(LOSSES, 60) == 3.0


def test_of_several_seeds_the_middle_one_counts() -> None:
    runs = [
        {"baselines": {"bigram": 4.0}, "steps": steps, "losses": [[seconds, loss] for seconds, loss in losses]}
        for steps, losses in (
            (90, [(0, 7.0), (10, 3.9), (60, 3.0)]),
            (100, [(0, 7.0), (20, 3.9), (60, 3.2)]),
            (110, [(0, 7.0), (60, 4.5)]),
        )
    ]
    found = judged(runs)
    assert found["below"] == 20 and found["losses"] == {15: 7.0, 30: 3.9, 60: 3.2} and found["steps"] == 100
    assert "below it after 20 s" in line("gpt", found) and "3.20 at 60 s" in line("gpt", found)
    assert judged(runs[1:])["below"] is None and "not below it" in line("gpt", judged(runs[2:]))


def test_the_bench_trains_the_default_recipe() -> None:
    told: list[str] = []
    document, lines = first_minute(("town_en", {"stories": 400}), FirstMinute(families="gpt", seconds=5), told.append)
    assert lines == told and document["families"]["gpt"]["steps"] > 2
    assert document["families"]["gpt"]["baseline"] > 0


def test_a_family_that_does_not_exist_is_said() -> None:
    with pytest.raises(SettingsError, match="did you mean 'gpt'"):
        FirstMinute(families="gptt")


def test_a_young_run_is_looked_at_whenever_its_age_has_doubled() -> None:
    budget, looks = Budget(Training(seconds=100)), []
    for step in range(400):
        budget.count(0.1)
        if budget.doubled():
            looks.append(round(budget.seconds))
        if step % 50 == 0:
            budget.spend(0.01)
    assert looks == list(EARLY)
    counted = Budget(Training(steps=400))
    counted.count(10.0)
    assert not counted.doubled()  # its metrics log is the same on every machine


def test_a_run_by_the_clock_says_in_its_first_seconds_how_good_it_is(tmp_path: Path) -> None:
    folder = finished(tmp_path, training={"seconds": 3, "batch": 4, "threads": 1})
    records, _ = MetricsLog(folder.path / "metrics.jsonl").read()
    seconds = {record["step"]: record["seconds"] for record in records if record["kind"] == "train"}
    checked = [seconds.get(record["step"], 0.0) for record in records if record["kind"] == "check"]
    assert any(1.0 <= second < 1.5 for second in checked) and any(2.0 <= second < 2.5 for second in checked)


def test_checks_take_a_small_share_of_a_run_that_the_clock_ends() -> None:
    budget, looks = Budget(Training(seconds=100)), 0
    while not budget.spent:
        budget.count(0.3)
        if budget.passed(20) and budget.affords_a_look:
            budget.looked(3.0)  # 20 of these would take 60 of its 100 seconds
            looks += 1
    assert looks == 3  # 8 seconds hold two; the one at the end is made in any case
    assert budget.affords_a_look
    again = Budget(Training(seconds=100))
    again.restore(5, {"seconds": 50.0, "looking": 10.0})
    assert not again.affords_a_look  # what a run that was killed had spent is not forgotten
    counted = Budget(Training(steps=400))
    counted.looked(1000.0)
    assert counted.affords_a_look  # its metrics log is the same on every machine
