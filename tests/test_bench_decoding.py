"""Decoding is held only against what writes the same."""

import pytest

from lab.bench.decoding import Decoding, decoding, judged, line

PACES = {"ours": [0.01, 0.02, 0.01], "peer": [0.03, 0.02, 0.03]}


@pytest.mark.parametrize(
    ("same", "apart", "greedy", "agree"),
    [(True, 0.0, True, True), (False, 0.0, True, False), (False, 0.05, False, True), (True, 0.2, False, False)],
)
def test_a_ratio_is_given_where_the_arms_write_alike(same: bool, apart: float, greedy: bool, agree: bool) -> None:
    arms = {"seconds": PACES, "nats": {"ours": 5.0, "peer": 5.0 + apart}, "same": same, "vocabulary": 300}
    found = judged(arms, greedy=greedy)
    assert found["agree"] == agree and found["ratio"] == (3.0 if agree else None)
    assert found["tokens_per_second"] == {"ours": 100.0, "peer": pytest.approx(33.3)}
    assert ("3.00 times as fast" if agree else "no ratio") in line("greedy", found)


def test_the_lab_and_the_peer_write_the_same_tokens_greedily() -> None:
    tiny = Decoding(depth=1, width=16, heads=2, vocabulary=300, tokens=8, samples=2, rounds=2, threads=1)
    told: list[str] = []
    document, lines = decoding(("town_en", {"stories": 40}), tiny, told.append)
    ways = ["greedy", "greedy, ours in float16", "greedy, ours in int8", "2 samples"]
    assert lines == told and [*document["ways"]] == ways
    assert document["ways"]["greedy"]["same"] and document["ways"]["greedy"]["ratio"] > 0
