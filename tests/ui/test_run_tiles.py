"""The tiles of a run: its validation loss as perplexity and beside the best baseline below which it is; its time."""

import math
from pathlib import Path
from typing import Any

import pytest

from lab.runs.folder import SHIPPED, RunFolder
from lab.runs.run import Run
from lab.ui.runs.follow import lines
from lab.ui.runs.run_log import Points, RunLog
from lab.ui.runs.run_tiles import tiles
from lab.ui.words import in_language

BASELINES = {"uniform": 16.0, "unigram": 6.5, "bigram": 4.0}


def first(check: dict[str, Any]) -> dict[str, Any]:
    folder, log = RunFolder(SHIPPED / "gpt-town"), RunLog(Path("nowhere"), begin={"baselines": BASELINES}, check=check)
    return tiles(folder, folder.run, log, "running")[0]


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (2.0, f"perplexity {math.exp(2):.2f}; 2.0 nats below bigram (token before)"),
        (6.0, "perplexity 403; 0.5 nats below unigram (frequency)"),
        (12.0, "perplexity 162,755; 4.0 nats below uniform guess"),
        (18.0, "perplexity > 10⁶; not yet below uniform guess"),
    ],
)
def test_a_loss_is_told_as_its_perplexity_and_against_the_best_baseline_below_which_it_is(
    loss: float, said: str
) -> None:
    tile = first({"loss": loss})
    assert in_language(tile["note"], "en") == said and tile["value"] == loss
    assert "困惑度" in in_language(tile["note"], "zh")
    assert tile.get("kind", "") == ("predicted" if loss < BASELINES["bigram"] else "")


def test_before_the_first_validation_there_is_nothing_to_tell() -> None:
    assert "note" not in first({})


@pytest.mark.parametrize(
    ("model", "plan", "last", "left"),
    [
        ("gpt", {"seconds": 60}, {"step": 121, "of": 971, "seconds": 12.8}, "0:47"),  # the first steps were slow
        ("gpt", {"seconds": 60}, {"step": 121, "of": 130, "seconds": 12.8}, "0:47"),  # the last ones are
        ("gpt", {"seconds": 60}, {"step": 3, "seconds": 1.0}, "0:59"),
        ("gpt", {"seconds": 60}, {}, "1:00"),
        ("gpt", {"steps": 100}, {"step": 20, "of": 100, "seconds": 10.0}, "0:40"),
        ("gpt", {"steps": 100}, {}, None),
        ("ngram", {"seconds": 60}, {"step": 5, "of": 10, "seconds": 2.0}, "0:02"),  # through its text before the clock
    ],
)
def test_the_time_left_is_never_more_than_the_clock_has(
    model: str, plan: dict[str, float], last: dict[str, float], left: str | None
) -> None:
    folder, log = RunFolder(SHIPPED / "gpt-town"), RunLog(Path("nowhere"), last=last)
    run = Run(model=model, objective="clm", corpus="town_en", tokenizer="bytes", training=plan)
    tile = next(each for each in tiles(folder, run, log, "running") if in_language(each["name"], "en") == "Time left")
    assert tile["value"] == left and 0 <= tile["share"] < 1


@pytest.mark.parametrize(
    ("plan", "status", "said"),
    [
        ({"seconds": 60}, "running", "of about 971"),
        ({"seconds": 60}, "finished", "of 971"),
        ({"steps": 971}, "running", "of 971"),
    ],
)
def test_the_steps_of_a_run_that_is_given_time_are_a_forecast_until_it_ends(
    plan: dict[str, Any], status: str, said: str, tmp_path: Path
) -> None:
    folder = RunFolder.create(Run(model="gpt", objective="clm", corpus="town_en", training=plan), tmp_path / "run")
    log = RunLog(Path("nowhere"), last={"step": 121, "of": 971, "seconds": 12.8})
    assert in_language(tiles(folder, folder.run, log, status)[-1]["note"], "en") == said


@pytest.mark.parametrize(
    ("model", "objective", "names"),
    [
        (
            "bert",
            "mlm",
            [
                "training, 40.0\N{NO-BREAK SPACE}% masked, at the end 15.0\N{NO-BREAK SPACE}%",
                "validation, 15.0\N{NO-BREAK SPACE}% masked",
            ],
        ),
        ("gpt", "clm", ["training", "validation"]),
    ],
)
def test_both_lines_of_a_run_say_where_its_masking_rate_falls(model: str, objective: str, names: list[str]) -> None:
    run = Run(model=model, objective=objective, corpus="town_en", training={"steps": 9})
    drawn = lines([Points(), Points()], (0, 0), (0, 0), run)
    assert [in_language(line["name"], "en") for line in drawn] == names
