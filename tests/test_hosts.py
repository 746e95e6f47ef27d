"""The benchmark of two hosts: its verdict by hand, and what it says where there can be no hosts."""

import math
from pathlib import Path

import pytest

from lab.bench.hosts import CLOSE, Hosts, apart, hosts, line
from lab.settings import SettingsError

FOUND = {"killed_at": 310, "went_on_at": [280], "seconds_until_further": 21.4, "steps": 600, "ended": "finished"}


def test_two_runs_are_as_far_apart_as_their_farthest_step() -> None:
    assert apart({1: 5.0, 2: 4.0}, {1: 5.001, 2: 3.98}) == pytest.approx(0.02)
    assert apart({1: 5.0}, {1: 5.0, 2: 4.0}) == math.inf  # a step was lost
    assert apart({}, {}) == math.inf  # nothing was trained


def test_the_verdict_names_what_was_lost() -> None:
    assert "from step 280 after 21 s, finished after 600 steps; the same losses" in line({**FOUND, "apart": CLOSE / 2})
    assert "other losses than one process" in line({**FOUND, "apart": 0.5})


def test_it_says_so_where_there_can_be_no_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SettingsError, match="needs Linux with the command ip"):
        hosts(("town_en", {"stories": 40}), Hosts(), print)
    (tmp_path / "ip").write_text("#!/bin/sh\necho Operation not permitted >&2\nexit 1\n")
    (tmp_path / "ip").chmod(0o755)
    with pytest.raises(SettingsError, match="may not make network namespaces: Operation not permitted"):
        hosts(("town_en", {"stories": 40}), Hosts(), print)


def test_a_model_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SettingsError, match="did you mean"):
        Hosts(model="gtp")


def test_a_model_that_two_processes_cannot_train_is_refused_before_there_are_hosts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SettingsError, match="no gradients to share"):
        hosts(("town_en", {"stories": 40}), Hosts(model="ngram"), print)
