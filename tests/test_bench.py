"""A benchmark compares only what does the same work, and says nothing where it does not."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import plan

from lab.batch import Batch, losses
from lab.bench import attention_length as lengths
from lab.bench import bpe_training as bpe
from lab.bench.arms.ours import mean_loss
from lab.bench.arms.process import broken, threads_of
from lab.bench.arms.resting import resting
from lab.bench.attention_length import AttentionLength, attention_length, judged
from lab.bench.bpe_training import BpeTraining, indexed, recounted
from lab.bench.mlm_training import MlmTraining, Timed, _judged, mlm_training, undisturbed
from lab.data.batches import Batches
from lab.data.corpus import prepare
from lab.inference.model import build
from lab.runs.folder import RunFolder
from lab.settings import SettingsError

SMALL = MlmTraining(depth=1, width=16, heads=2, context=16, vocabulary=300, batch=4, pairs=1, threads=1)


def arms(ours: Timed, peer: Timed) -> dict[str, list[Timed]]:
    return {"ours": [ours] * 3, "peer": [peer] * 3}


def test_the_ratio_is_that_of_the_times() -> None:
    document, lines = _judged(arms(Timed(0.5, 5.0, 4.0), Timed(1.0, 5.0, 4.01)), SMALL, 300, 2)
    assert document["agree"] and document["ratio"] == 2.0 and document["ratios"] == [2.0] * 3
    assert document["tokens_per_second"] == {"ours": 128.0, "peer": 64.0}
    assert "2.00 times as fast" in lines[-1]


@pytest.mark.parametrize("peer", [Timed(1.0, 5.0002, 4.0), Timed(1.0, 5.0, 4.06)])
def test_there_is_no_ratio_where_the_losses_differ(peer: Timed) -> None:
    document, lines = _judged(arms(Timed(0.5, 5.0, 4.0), peer), SMALL, 300, 2)
    assert document["ratio"] is None and document["ratios"] == [] and not document["agree"]
    assert "no ratio" in lines[-1]


def test_the_rows_given_to_the_peer_are_those_of_the_text(tmp_path: Path) -> None:
    run = plan()
    ready = prepare(RunFolder.create(run, tmp_path))
    hidden = Batches(run, ready.train, ready.tokenizer.vocabulary).batch(0, 4)
    bare = plan(objective_settings={"mask": 0.0, "random": 0.0})
    shown = Batches(bare, ready.train, ready.tokenizer.vocabulary).batch(0, 4).shown
    assert not torch.equal(hidden.shown, shown)
    assert undisturbed(hidden).tolist() == shown.tolist()


def test_the_loss_of_an_arm_is_the_mean_over_all_questions() -> None:
    run = plan()
    text: dict[str, Any] = {}
    model = build(run, 300, 0)
    asked = [torch.tensor([1]), torch.tensor([2, 3, 5])]
    parts = []
    for n, places in enumerate(asked):
        text |= {f"shown.{n}": torch.arange(6, 14)[None] + n, f"asked.{n}": places, f"answers.{n}": places + 20}
        batch = question(text, n)
        parts.append(losses(model(batch), batch)["tokens"].item())
    assert mean_loss(model, text) == pytest.approx((parts[0] + 3 * parts[1]) / 4, rel=1e-5)
    assert mean_loss(model, text, first_only=True) == pytest.approx(parts[0], rel=1e-5)


def question(text: dict[str, Any], n: int) -> Batch:
    return Batch(shown=text[f"shown.{n}"], asked=text[f"asked.{n}"], answers=text[f"answers.{n}"])


def test_both_arms_run_and_start_from_the_same_loss(tmp_path: Path) -> None:
    said: list[str] = []
    document, lines = mlm_training(("town_en", {"stories": 60}), SMALL, said.append)
    assert abs(document["start_loss"]["ours"] - document["start_loss"]["peer"]) < 1e-5
    assert abs(document["end_loss"]["ours"] - document["end_loss"]["peer"]) < 0.3
    assert len(said) == 2 and len(lines) == 3 and document["tokens_per_second"]["peer"] > 0
    assert json.loads(json.dumps(document)) == document


def test_every_step_behind_the_warm_ones_is_in_one_turn() -> None:
    assert MlmTraining(steps=60, warm=10, pairs=5).ends == [10, 20, 30, 40, 50, 60]
    assert MlmTraining(steps=61, warm=7, pairs=4).ends == [7, 20, 34, 47, 61]
    with pytest.raises(SettingsError, match="too few of the 60 steps for 5 pairs"):
        MlmTraining(steps=60, warm=56, pairs=5)


def test_an_arm_that_breaks_down_says_why(tmp_path: Path) -> None:
    with (
        resting("ours", [str(tmp_path)], 1) as turn,
        pytest.raises(SettingsError, match="ours broke down: FileNotFound"),
    ):
        turn()


def test_what_a_person_can_put_right_is_said_without_the_name_of_an_error() -> None:
    complaints = "Traceback (most recent call last):\n  ...\nlab.settings.SettingsError: 'my.txt' is empty\n"
    assert broken("ours", complaints).en == "'my.txt' is empty"


TINY = AttentionLength(shortest=16, longest=64, width=16, heads=2, window=4, rounds=1)


@pytest.mark.parametrize("causal", [False, True])
def test_all_kinds_of_attention_are_timed_at_lengths_that_double(causal: bool) -> None:
    said: list[str] = []
    how = AttentionLength.load(TINY.dump() | {"causal": causal})
    document, lines = attention_length(("town_en", {}), how, said.append)
    assert [row["tokens"] for row in document["lengths"]] == [16, 32, 64] and len(said) == len(lines) == 3
    assert document["agree"] == {"linear": True, "window": True}
    for row in document["lengths"]:
        assert set(row["milliseconds"]) == {"full", "linear", "window"} and min(row["milliseconds"].values()) > 0
        assert all(ratio > 0 for ratio in row["ratio"].values())
    assert json.loads(json.dumps(document)) == document


def test_a_kind_is_as_many_times_as_fast_as_full_attention_takes_longer() -> None:
    seconds = {256: {"full": 0.5, "linear": 0.25, "window": 0.125}}
    document, lines = judged(seconds, {"linear": True, "window": False}, TINY)
    assert document["lengths"][0]["ratio"] == {"linear": 2.0, "window": None}
    assert lines == [
        "256 tokens: full attention 500.0 ms; linear 2.00 times as fast, window computes something else: no ratio"
    ]


def test_a_kind_that_computes_something_else_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = lengths.parts
    monkeypatch.setattr(lengths, "parts", lambda s, window: made(s, window + 1))
    assert not attention_length(("town_en", {}), TINY, lambda _: None)[0]["agree"]["window"]


def test_merges_are_the_same_whether_all_is_counted_anew_or_what_changed() -> None:
    words = Counter("low low lower newest widest aaaa banana".split())
    alphabet = sorted(set().union(*words))
    assert indexed(words, alphabet, 20) == recounted(words, alphabet, 20) != []


def test_there_is_no_ratio_where_the_merges_differ() -> None:
    seconds = {"ours": [0.5, 0.4], "naive": [40.0, 50.0], "library": [0.1]}
    same = {"ours": [("a", "b", 2)], "naive": [("a", "b", 2)]}
    assert bpe.judged(seconds, same, 3, BpeTraining())[0]["ratio"] == 100.0
    document, lines = bpe.judged(seconds, same | {"naive": [("a", "b", 3)]}, 3, BpeTraining())
    assert document["ratio"] is None and not document["agree"] and "no ratio" in lines[-1]
    with pytest.raises(SettingsError, match="no pair that occurs twice"):
        bpe.judged(seconds, {"ours": [], "naive": []}, 0, BpeTraining())


def test_the_benchmark_of_merges_runs() -> None:
    document, lines = bpe.bpe_training(("pasted", {"text": "the cat sat on the mat"}), BpeTraining(merges=3), print)
    assert document["agree"] and document["merges"] == 3 and "times as fast" in lines[-1]


def test_all_processors_count_where_the_system_does_not_say_which_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS and Windows."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert threads_of(2) == 2 and 1 <= threads_of(0) <= 3
