"""The tile of the validation loss: the perplexity that it is, and the best baseline that it is below."""

import math
from pathlib import Path
from typing import Any

import pytest

from lab.runs.folder import SHIPPED, RunFolder
from lab.ui.runs.run_log import RunLog
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
