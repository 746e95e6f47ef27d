"""A call in a child process never hangs its caller, and takes no more than it may."""

import multiprocessing
import time
from pathlib import Path

import pytest

from lab import sandbox
from lab.runs.folder import home
from lab.sandbox import Limits, call
from lab.settings import SettingsError


def test_a_call_gives_back_what_the_function_gives() -> None:
    assert call("lab.settings:nearest", "rat", ["rate"]) == ["; did you mean 'rate'?", "；是否指 'rate'？"]


def test_a_call_finds_what_is_kept_where_its_caller_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "other"):  # the server that forks children is older than either
        monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path / name))
        assert call("os:getenv", "CLOZE_LAB_HOME") == str(home()) == str(tmp_path / name)


def test_a_call_passes_on_the_sentence_of_what_went_wrong() -> None:
    with pytest.raises(SettingsError, match="at most 3 are read") as caught:
        call("lab.serve.limits:within", "text", 3)
    assert "最多" in caught.value.zh


def test_a_call_that_takes_too_long_is_ended() -> None:
    call("time:time")  # the fork server is up
    begun = time.monotonic()
    with pytest.raises(SettingsError, match="took longer than 1 seconds"):
        call("time:sleep", 600, limits=Limits(seconds=1.0))
    assert time.monotonic() - begun < 10


def test_a_call_survives_whatever_becomes_of_the_child() -> None:
    for function, argument in (("os:abort", ()), ("os:_exit", (0,)), ("builtins:int", ("x",)), ("no:thing", ())):
        with pytest.raises(SettingsError, match="broke the process"):
            call(function, *argument)
    assert call("builtins:abs", -2) == 2


def test_a_child_whose_caller_has_been_killed_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_confine", lambda limits: None)  # the limits would be this process's own
    here, there = multiprocessing.Pipe(duplex=False)
    here.close()
    sandbox._answer(there, "builtins:range", "[3]", Limits(), several=True, home=None)
    there.close()


def test_a_call_takes_no_more_memory_than_it_may() -> None:
    assert call("builtins:len", "x" * 2**20, limits=Limits(memory=2**28)) == 2**20
    with pytest.raises(SettingsError, match="not enough memory"):
        call("operator:mul", "x", 2**29, limits=Limits(memory=2**28))


def test_a_call_computes_no_longer_than_it_may() -> None:
    begun = time.monotonic()
    with pytest.raises(SettingsError, match="too heavy"):
        call("operator:pow", 7, 10**9, limits=Limits(processor=1), broken=("too heavy", "太重"))
    assert time.monotonic() - begun < 20
