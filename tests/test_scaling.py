"""The benchmark of scaling: its formulas by hand, and one measurement by one process and by two."""

import json
from dataclasses import replace

import pytest

from lab.bench.scaling import Scaling, judged, line, scaling, sent_by_each
from lab.settings import SettingsError


def test_the_bytes_of_a_ring_are_those_of_the_formula() -> None:
    """A million parameters are 4 MB. Of two devices each sends half its gradients, and half of the sums."""
    assert sent_by_each(1_000_000, 2, "whole") == 4_000_000
    assert sent_by_each(1_000_000, 4, "whole") == 6_000_000
    assert sent_by_each(1_000_000, 4, "sharded") == 9_000_000


def test_the_projection_adds_the_time_that_gradients_travel() -> None:
    """Seven megabytes at 70 megabytes a second take as long as the step itself: half of the work of eight is done."""
    alone = {"parameters": 1_000_000, "seconds": 0.1, "tokens": 1000}
    found = judged(alone, {**alone, "seconds": 0.125, "tokens": 2000}, 0.07)
    eight = found["projected"]["whole, 8 devices"]
    assert eight == {"bytes": 7_000_000, "efficiency": 0.5, "tokens_per_second": 40_000}
    assert judged(alone, alone, 0.14, faster=2.0)["projected"]["whole, 8 devices"]["efficiency"] == 0.5
    assert found["tokens_per_second"] == {"1": 10_000, "2": 16_000} and found["efficiency_of_two"] == 0.8
    assert "2 processes 16,000 (80%)" in line("bert", found)


def test_a_family_is_measured_with_one_process_and_with_two() -> None:
    said: list[str] = []
    small = replace(Scaling(), families="gpt", size="tiny", steps=10, batch=4)
    document, lines = scaling(("town_en", {"stories": 40}), small, said.append)
    rates = document["families"]["gpt"]["tokens_per_second"]
    assert said == lines and rates["1"] > 0 and rates["2"] > 0
    assert json.loads(json.dumps(document)) == document


def test_a_family_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SettingsError, match="did you mean"):
        Scaling(families="bert,gtp")
