"""The benchmark of the time to a loss: its verdict by hand, and both arms on the same text."""

import json
from typing import Any

import pytest

from lab.bench.arms.nanogpt import LEAST, RATE, rate
from lab.bench.time_to_loss import TimeToLoss, judged, time_to_loss

SMALL = TimeToLoss(
    target=4.0, seconds=5, steps=12, every=4, pairs=1, width=16, depth=1, heads=2, context=16, batch=4, threads=1
)


def arm(*losses: tuple[float, float]) -> list[dict[str, Any]]:
    return [{"steps": len(losses), "losses": [list(each) for each in losses]}]


def test_the_time_counts_from_which_on_the_loss_stays_below() -> None:
    ours = arm((0.0, 4.2), (1.0, 1.87), (2.0, 1.90), (5.0, 1.85))
    document, lines = judged({"ours": ours, "peer": arm((0.0, 4.2), (20.0, 1.8))}, TimeToLoss(), 2)
    assert document["seconds"] == {"ours": 5.0, "peer": 20.0} and document["ratio"] == 4.0
    assert lines == ["below 1.88: ours after 5.0 s, nanoGPT's recipe after 20.0 s: ours 4.00 times as soon"]


def test_there_is_no_ratio_where_an_arm_does_not_get_there() -> None:
    document, lines = judged(
        {"ours": arm((0.0, 4.2), (9.0, 1.8)), "peer": arm((0.0, 4.2), (60.0, 1.9))}, TimeToLoss(), 2
    )
    assert document["ratio"] is None and "recipe never: no ratio" in lines[0]


def test_the_peers_rate_rises_falls_and_ends_at_a_tenth() -> None:
    assert rate(0, 2000) == pytest.approx(RATE / 101) and rate(100, 2000) == RATE
    assert rate(1050, 2000) == pytest.approx((RATE + LEAST) / 2) and rate(2000, 2000) == pytest.approx(LEAST)


def test_both_arms_begin_at_the_same_questions_and_learn() -> None:
    said: list[str] = []
    document, lines = time_to_loss(("town_en", {"stories": 40}), SMALL, said.append)
    runs = {name: runs[0]["losses"] for name, runs in document["runs"].items()}
    assert len(runs["peer"]) == 4 and all(losses[-1][1] < losses[0][1] for losses in runs.values())
    assert abs(runs["ours"][0][1] - runs["peer"][0][1]) < 0.3  # neither knows anything yet
    assert len(said) == 2 and len(lines) == 1
    assert json.loads(json.dumps(document)) == document
