"""Fine-tuning by length-grouped batches is held against the same work alone."""

import json

import pytest

from lab.bench.mixed_lengths import MixedLengths, Timed, _judged, mixed_lengths

SMALL = MixedLengths(depth=1, width=16, heads=2, context=64, labels=24, batch=4, epochs=2, pairs=1, threads=1)


def arms(ours: Timed, peer: Timed) -> dict[str, list[Timed]]:
    return {"ours": [ours] * 3, "peer": [peer] * 3}


def test_the_ratio_is_that_of_the_times() -> None:
    document, lines = _judged(arms(Timed(2.0, 0.7, 0.5), Timed(3.0, 0.7, 0.55)), SMALL, [4, 9, 64], 1)
    assert document["agree"] and document["ratio"] == 1.5 and "1.50 times as fast" in lines[-1]
    assert document["tokens"] == {"least": 4, "median": 9, "most": 64} and "4 to 64 tokens" in lines[0]


@pytest.mark.parametrize("peer", [Timed(3.0, 0.7002, 0.5), Timed(3.0, 0.7, 0.66)])
def test_there_is_no_ratio_where_the_losses_differ(peer: Timed) -> None:
    document, lines = _judged(arms(Timed(2.0, 0.7, 0.5), peer), SMALL, [4, 9, 64], 1)
    assert document["ratio"] is None and not document["ratios"] and "no ratio" in lines[-1]


def test_both_arms_read_the_same_examples_and_start_from_the_same_loss() -> None:
    said: list[str] = []
    document, lines = mixed_lengths(("town_en", {"stories": 60}), SMALL, said.append)
    assert abs(document["start_loss"]["ours"] - document["start_loss"]["peer"]) < 1e-5
    assert document["end_loss"]["ours"] != document["start_loss"]["ours"]
    assert document["end_loss"]["peer"] != document["start_loss"]["peer"]
    assert len(said) == 2 and len(lines) == 3 and document["seconds"]["peer"] > 0
    assert json.loads(json.dumps(document)) == document
