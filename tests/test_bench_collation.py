"""The collation benchmark: both arms ask for the same share, and every objective is timed because it exists."""

import json
from typing import Any

import pytest

from lab.bench.arms import collation as arms
from lab.bench.collation import Collation, judged
from lab.catalog import OBJECTIVES

TINY = Collation(rounds=40, batch=8, context=32, vocabulary=300, depth=1, width=16, heads=2, steps=1)


def found(**values: Any) -> dict[str, Any]:
    seconds = {"ours": [0.01, 0.02, 9.0], "peer": [0.2, 0.4]}
    usual = {"mlm": seconds, "asked": {"ours": 0.15, "peer": 0.152}, "step": [1.0, 2.0]}
    return {**usual, "others": {"clm": [0.5, 0.25]}, "tokens": {"clm": 1000}, **values}


def test_the_figures_are_those_of_the_least_seconds() -> None:
    document, lines = judged(found(), TINY)
    assert document["agree"] and document["ratio"] == 20.0 and document["share_of_a_step"] == 0.01
    assert document["tokens_per_second"] == {"ours": 25_600, "peer": 1_280} and document["others"] == {"clm": 4000}
    assert "ours is 20.0 times as fast" in lines[0] and "1.00% of a training step" in lines[1] and "4,000" in lines[2]


def test_there_is_no_ratio_where_another_share_is_asked_for() -> None:
    document, lines = judged(found(asked={"ours": 0.15, "peer": 0.3}), TINY)
    assert document["ratio"] is None and not document["agree"] and "no ratio" in lines[0]


def test_both_arms_and_every_objective_are_timed(capsys: pytest.CaptureFixture[str]) -> None:
    arms.main({"corpus": ["town_en", {"stories": 60}], "settings": TINY.dump()})
    told = json.loads(capsys.readouterr().out)
    assert [len(told["mlm"][arm]) for arm in ("ours", "peer")] == [40, 40] and len(told["step"]) == 1
    assert {"mlm", *told["others"]} == {*OBJECTIVES.names()}
    assert all(tokens > 100 for tokens in told["tokens"].values())
    document, _ = judged(told, TINY)
    assert document["agree"] and document["ratio"] > 0
