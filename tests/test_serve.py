"""Workers train whatever happens to those who asked for it."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tiny import events, finished, plan, steps

from lab.bench.faulting.outcome import outcome
from lab.runs.finding import runs
from lab.runs.folder import RunFolder, home
from lab.runs.metrics_log import MetricsLog
from lab.serve import worker, workers
from lab.serve.limits import limits, within
from lab.serve.ownership import owned, owner_of, seen
from lab.serve.preparing import PREPARING
from lab.serve.workers import Workers
from lab.settings import SettingsError

LONG = {"training": steps(100_000)}
ONE = replace(limits(), workers=1, own_waiting=2, own_runs=20, waiting=3)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    """A server with a home of its own and one place to train."""
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path))
    monkeypatch.setattr(workers, "limits", lambda: ONE)
    serving = Workers()
    yield serving
    for process in serving._processes.values():
        process.kill()
        process.join()


def until(true: Callable[[], object], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def reached(folder: RunFolder) -> int:
    return max((record["step"] for record in MetricsLog(folder.path / "metrics.jsonl").read()[0]), default=0)


def under_way(folder: RunFolder, beyond: int = 0) -> bool:
    return reached(folder) > beyond and folder.status() == "running"


def process_of(server: Workers, folder: RunFolder) -> Any:
    return server._processes[folder.name]


def kill(server: Workers, folder: RunFolder) -> None:
    os.kill(process_of(server, folder).pid, signal.SIGKILL)
    process_of(server, folder).join()


def test_a_run_is_trained_to_its_end_while_nobody_looks(server: Workers) -> None:
    folder = server.start(plan())
    until(lambda: folder.status() == "finished")
    process_of(server, folder).join()
    assert folder.document("result.json")["steps"] == 12 and process_of(server, folder).exitcode == 0


def test_a_stopped_run_stops_and_can_be_resumed(server: Workers, tmp_path: Path) -> None:
    folder = server.start(plan(**LONG))
    until(lambda: under_way(folder))
    folder.ask_to_stop()
    until(lambda: folder.status() == "stopped")
    before = folder.document("result.json")["steps"]
    process_of(server, folder).join()
    server.resume(folder)
    until(lambda: under_way(folder, before))
    folder.ask_to_stop()
    until(lambda: folder.status() == "stopped")
    assert folder.document("result.json")["steps"] > before > 0 and events(folder) == ["resumed"]


def test_a_killed_worker_leaves_an_interrupted_run_that_resumes_with_the_same_numbers(
    server: Workers, tmp_path: Path
) -> None:
    slow = {"training": steps(200), "shape": {"width": 16, "depth": 1, "heads": 2, "context": 16, "dropout": 0.1}}
    whole = finished(tmp_path / "elsewhere" / "whole", **slow)
    folder = server.start(plan(**slow))
    until(lambda: under_way(folder))
    kill(server, folder)
    assert folder.status() == "interrupted"
    server.resume(folder)
    until(lambda: folder.status() == "finished")
    assert outcome(folder) == outcome(whole)


def test_runs_wait_their_turn_and_start_when_a_place_is_free(server: Workers) -> None:
    first, second = (server.start(plan(**LONG)) for _ in range(2))
    until(lambda: under_way(first))
    assert second.status() == "waiting" and server.place(second) == 0
    server.tick()
    assert len(server._processes) == 1
    first.ask_to_stop()
    until(lambda: first.status() == "stopped" and not process_of(server, first).is_alive())
    server.tick()
    until(lambda: under_way(second))
    assert server.queue() == []


def test_a_server_started_anew_goes_on_with_the_queue(server: Workers) -> None:
    first, second = server.start(plan(**LONG)), server.start(plan())
    until(lambda: under_way(first))
    kill(server, first)
    again = Workers()
    again.tick()
    until(lambda: second.status() == "finished")
    process_of(again, second).join()
    assert first.status() == "interrupted"


def test_a_run_stopped_while_it_waits_never_starts(server: Workers) -> None:
    first, second = (server.start(plan(**LONG)) for _ in range(2))
    second.ask_to_stop()
    assert second.status() == "stopped" and second.path not in [folder.path for folder in server.queue()]
    kill(server, first)
    server.tick()
    assert second.name not in server._processes


def test_nobody_fills_the_queue_alone_and_the_queue_has_an_end(server: Workers) -> None:
    own = [server.start(plan(owner="a", **LONG)) for _ in range(2)]
    until(lambda: under_way(own[0]))
    with pytest.raises(SettingsError, match="2 runs under way"):
        server.start(plan(owner="a", **LONG))
    for owner in "bc":
        server.start(plan(owner=owner, **LONG))
    with pytest.raises(SettingsError, match="too many runs are waiting"):
        server.start(plan(owner="d", **LONG))


def test_of_many_who_start_at_once_no_more_than_allowed_are_let_in(server: Workers, tmp_path: Path) -> None:
    said: list[str] = []
    server.start(plan(owner="bob", **LONG))  # which takes the measures that a forecast needs

    def begin() -> None:
        try:
            server.start(plan(owner="ann", **LONG))
        except SettingsError as error:
            said.append(error.en)

    together = [threading.Thread(target=begin) for _ in range(12)]
    [thread.start() for thread in together]
    [thread.join() for thread in together]
    assert len(said) == 10 and len([*tmp_path.glob("*/run.json")]) == 3


def test_who_lets_runs_go_on_is_held_to_the_same_limit(server: Workers) -> None:
    ended = []
    for _ in range(3):
        ended.append(server.start(plan(owner="ann", **LONG)))
        until(lambda: server.tick() or under_way(ended[-1]))
        ended[-1].ask_to_stop()
        until(lambda: ended[-1].status() == "stopped")
    server.resume(ended[0])
    server.resume(ended[1])
    with pytest.raises(SettingsError, match="under way, which is the most"):
        server.resume(ended[2])
    assert ended[2].status() == "stopped"


def test_what_has_finished_stays_finished(server: Workers) -> None:
    folder = server.start(plan())
    until(lambda: folder.status() == "finished")
    server.resume(folder)
    assert folder.status() == "finished" and not server.queue()


def test_a_system_without_a_free_process_makes_runs_wait_and_no_more(
    server: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, tries = server._context.Process, iter([True, True])

    def scarce(*args: Any, **options: Any) -> Any:
        process = made(*args, **options)
        if options.get("target") is worker.work and next(tries, False):
            monkeypatch.setattr(process, "start", lambda: (_ for _ in ()).throw(BlockingIOError(11, "scarce")))
        return process

    monkeypatch.setattr(server, "_context", SimpleNamespace(Process=scarce))
    folder = server.start(plan())
    assert folder.status() == "waiting"
    until(lambda: server.tick() or folder.status() == "finished")


def test_the_queue_is_looked_after_whatever_goes_wrong_once(server: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    server._context = SimpleNamespace(Process=lambda **_: SimpleNamespace(start=lambda: None))
    looks, faults = iter(range(4)), iter([RuntimeError("odd"), OSError("full")])
    heard: list[int] = []

    def tick() -> None:
        heard.append(next(looks))
        for fault in faults:
            raise fault

    monkeypatch.setattr(server, "tick", tick)
    monkeypatch.setattr(server, "_processes", {"one": SimpleNamespace(kill=lambda: None, join=lambda: None)})

    def wait(_: float) -> None:
        if len(heard) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(server, "_more", SimpleNamespace(wait=wait, clear=lambda: None))
    with pytest.raises(KeyboardInterrupt):
        server._look_after()
    assert heard == [0, 1, 2]


def test_who_starts_a_run_does_not_wait_for_the_first_process(server: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "tick", lambda: pytest.fail("this may take seconds on a server that has just started"))
    server._looked_after = True
    folder = server.start(plan())
    assert folder.status() == "waiting" and server._more.is_set(), "whoever looks after the queue is woken at once"


def test_a_run_whose_process_never_lives_to_take_it_has_failed(server: Workers) -> None:
    context = server._context

    def stillborn(*args: Any, **options: Any) -> Any:
        return context.Process(target=os._exit, args=(9,), daemon=True)

    server._context = SimpleNamespace(Process=stillborn)
    folder = server.start(plan())
    until(lambda: server.tick() or folder.status() == "failed")
    assert "could not be begun" in folder.document("result.json")["en"] and not server.queue()
    server._context = context
    server.resume(folder)
    until(lambda: server.tick() or folder.status() == "finished")


def test_what_is_everybodys_nobody_changes() -> None:
    with pytest.raises(SettingsError, match="stays as it is"):
        owned("gpt-town", "ann")


def test_runs_that_belong_together_start_together_or_not_at_all(server: Workers, tmp_path: Path) -> None:
    server.start(plan(owner="a", **LONG))
    with pytest.raises(SettingsError, match="1 runs under way"):
        server.start_all([plan(owner="a", **LONG), plan(owner="a", **LONG)])
    assert len(list(runs())) == 1


def test_what_goes_wrong_at_a_start_leaves_nothing_behind(server: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(workers, "write", full)
    with pytest.raises(OSError, match="No space"):
        server.start_all([plan(), plan()])
    assert not list(runs()) and not server.queue()


@pytest.mark.parametrize("model", ["ngram", "word2vec", "gpt"])
def test_any_model_starts_where_a_run_has_finished(server: Workers, model: str) -> None:
    finished(home() / "before", model="gpt", training=steps(21, threads=0))
    finished(home() / "counted", model="ngram", training=steps(21, threads=0))
    folder = server.start(plan(model=model, training=steps(2, threads=0)))
    assert folder.document("forecast.json")["steps_per_second"] > 0


def test_a_run_that_cannot_be_trained_says_why(server: Workers, tmp_path: Path) -> None:
    gone = plan(corpus="file", corpus_settings={"path": str(tmp_path / "gone.txt")})
    folder = server.start(gone)
    until(lambda: folder.status() == "failed")
    result = folder.document("result.json")
    assert "gone.txt" in result["en"] and "gone.txt" in result["zh"] and "Traceback" not in result["en"]


def test_a_run_larger_than_the_profile_allows_is_refused_before_it_is_built(
    server: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "classroom")
    with pytest.raises(SettingsError, match="width is 1,024; at most 512"):
        server.start(plan(shape={"width": 1024, "heads": 2}))
    assert not any(server.queue())


def test_what_a_visitor_typed_is_never_a_path(server: Workers, tmp_path: Path) -> None:
    folder = RunFolder.create(plan(), tmp_path / "mine")
    assert seen("mine").path == folder.path
    for wrong in (str(folder.path), "../mine", "./mine", "..", ".", "", "mine/../mine"):
        with pytest.raises(SettingsError, match="no such run|no run"):
            seen(wrong)


def test_a_run_belongs_to_who_started_it(server: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RunFolder.create(plan(owner=owner_of("ann")), tmp_path / "anns")
    RunFolder.create(plan(), tmp_path / "anybodys")
    assert owned("anns", "ann").name == "anns"
    for name, visitor in (("anns", "bob"), ("anns", ""), ("anns", owner_of("ann"))):
        with pytest.raises(SettingsError, match="somebody else"):
            owned(name, visitor)
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "space")
    for visitor in ("bob", ""):
        with pytest.raises(SettingsError, match="somebody else"):
            owned("anybodys", visitor)
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "laptop")
    assert owned("anybodys", "bob").name == "anybodys"


def test_asking_how_a_run_is_does_not_disturb_who_else_asks(tmp_path: Path) -> None:
    folder, found = RunFolder.create(plan(), tmp_path), []
    (tmp_path / "worker.lock").touch()

    def ask() -> None:
        for _ in range(150):
            found.append(folder.status())
            time.sleep(0.001)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found.count("running") <= len(found) // 100


def test_a_text_is_measured_before_it_is_read() -> None:
    assert within("abc", 3) == "abc"
    with pytest.raises(SettingsError, match="4 characters; at most 3"):
        within("abcd", 3)


def test_stop_is_heard_while_the_text_is_read(server: Workers, tmp_path: Path) -> None:
    """Nine megabytes take a worker many seconds before its first step."""
    text = tmp_path / "long.txt"
    text.write_text("\n".join(f"The {n}th line of {n * 7919 % 10007} is not like the others." for n in range(180_000)))
    folder = server.start(
        plan(corpus="file", corpus_settings={"path": str(text)}, tokenizer_settings={"vocabulary": 8000})
    )
    until(lambda: folder.document(PREPARING))
    folder.ask_to_stop()
    asked = time.monotonic()
    until(lambda: folder.status() == "stopped")
    assert time.monotonic() - asked < 5  # it would take some ten
    assert folder.document("result.json")["steps"] == 0 and not reached(folder)
    server.resume(folder)
    until(lambda: folder.document(PREPARING).get("part") == "tokens" and folder.document(PREPARING)["share"] > 0)


def test_the_first_process_ends_with_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fills the cache for each corpus; a server that was ended leaves nobody who goes on with that."""
    prepared: list[str] = []
    alive = iter([True, False])
    server = SimpleNamespace(is_alive=lambda: next(alive))
    monkeypatch.setattr(worker, "prepared", lambda run: prepared.append(run.corpus))
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: server)
    worker.get_ready()
    assert len(prepared) == 1
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    worker.get_ready()
    assert len(prepared) > 2
