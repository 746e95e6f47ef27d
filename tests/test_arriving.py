"""Training while tokenizing: batches are the same however much of the text is there, and a run begins before all is."""

import errno
import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_shards import folder_of, in_pieces, run_on
from tiny import finished, plan, shape, steps

from lab import sandbox
from lab.bench.faulting.outcome import outcome
from lab.data import arriving, baselines, batches, corpus, large_text, shards
from lab.data.batches import Batches
from lab.data.corpus import Prepared, prepared, reads_onward
from lab.data.shards import Shards
from lab.runs.folder import home
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.settings import SettingsError

GPT = {"model": "gpt", "shape": shape("gpt"), "objective": "clm"}


@pytest.fixture(autouse=True)
def tiny_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(shards, "PIECE", 700)
    monkeypatch.setattr(large_text, "BLOCK", 333)
    monkeypatch.setattr(corpus, "COUNTED", 60)
    monkeypatch.setattr(baselines, "COUNTED", 60)
    monkeypatch.setattr(corpus, "COMPARED", 2)
    monkeypatch.setattr(batches, "STRETCH", 160)
    monkeypatch.setattr(arriving, "LOOK", 0.01)
    in_pieces(monkeypatch, large=True)


@pytest.fixture
def piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reading process as a generator in this one: it makes a shard whenever somebody waits."""
    called = {"lab.data.arriving:read_on": arriving.read_on}
    monkeypatch.setattr(sandbox, "stream", lambda name, *arguments, **_: called[name](*arguments))


def fed(run: Run) -> tuple[Batches, Prepared]:
    ready = prepared(run, early=True)
    return Batches(run, ready.train, ready.tokenizer.vocabulary, arriving=ready.arriving), ready


@pytest.mark.usefixtures("piece_by_piece")
def test_batches_are_the_same_however_much_is_there(tmp_path: Path) -> None:
    run = run_on(folder_of(tmp_path, 1), **GPT)
    feed, _ = fed(run)
    assert not feed.all_there
    lengths, early = list[int](), list[Any]()
    while not feed.all_there:
        early.append(feed.batch(len(early), 4).shown)
        lengths.append(len(feed.stream.ids))
    assert len(set(lengths)) > 3
    again, ready = fed(run)
    assert again.all_there
    assert all(np.array_equal(shown, again.batch(step, 4).shown) for step, shown in enumerate(early))
    # The first epoch reads every row once, though not in the text's order; the second is shuffled as a whole.
    epoch = np.concatenate([again.batch(step, 1).shown for step in range(again.rows)])
    rows = np.array([ready.train.ids[n * again.room :][: again.room] for n in range(again.rows)])
    assert sorted(epoch.tolist()) == sorted(rows.tolist()) and epoch.tolist() != rows.tolist()


@pytest.mark.usefixtures("piece_by_piece")
def test_a_stretch_is_shuffled_within_itself(tmp_path: Path) -> None:
    feed, ready = fed(run_on(folder_of(tmp_path, 1), **GPT))
    stretch = batches.STRETCH // feed.room
    first = np.concatenate([feed.batch(step, 1).shown for step in range(stretch)])
    rows = [ready.train.ids[n * feed.room :][: feed.room].tolist() for n in range(stretch)]
    assert sorted(first.tolist()) == sorted(rows) and first.tolist() != rows


def test_a_run_that_begins_early_is_the_run_on_the_text_that_is_there(tmp_path: Path) -> None:
    run = {"corpus": "file", "corpus_settings": {"path": str(folder_of(tmp_path, 1))}, **GPT, "training": steps(8)}
    first = finished(tmp_path / "first", **run)  # read by a process of its own
    second = finished(tmp_path / "second", **run)
    found, again = outcome(first), outcome(second)
    for each in (found, again):
        each["metrics"][0].pop("rows", None)  # known to whoever begins when all is there
    assert found == again
    assert prepared(first.run, early=True).arriving is not None


@pytest.mark.usefixtures("piece_by_piece")
def test_what_is_not_known_yet_is_not_said(tmp_path: Path) -> None:
    run = {"corpus": "file", "corpus_settings": {"path": str(folder_of(tmp_path, 1))}, **GPT, "training": steps(1)}
    begins = []
    for name in ("early", "late"):
        folder = finished(tmp_path / name, **run)
        begins.append(next(record for record in MetricsLog(folder.path / "metrics.jsonl").read()[0]))
        prepared(folder.run)
    assert "rows" not in begins[0] and begins[1].pop("rows") > 1
    assert begins[0]["baselines"] == begins[1]["baselines"] and begins[0]["recurring"] == begins[1]["recurring"]


@pytest.mark.usefixtures("piece_by_piece")
def test_the_shards_of_another_runs_process_are_taken_as_they_come(tmp_path: Path) -> None:
    run = run_on(folder_of(tmp_path, 1), **GPT)
    tokenizer = prepared(run).tokenizer
    (index,) = (home() / "cache").glob("*-shards/0/index.json")
    index.unlink()
    other = Shards(index.parent, tokenizer, shards.PIECE)
    text = large_text.LargeText({tmp_path / "text.txt": "utf-8-sig"})
    growing = other.grow(text.split(1 - corpus.HELD_OUT, corpus.MANY, corpus.NEAR)[0])
    with other.lock:
        for _ in range(3):
            next(growing)
        feed, _ = fed(run)
        assert len(feed.stream.ids) == other.total("ids") and not feed.all_there
        for _ in growing:
            pass
        feed.batch(10_000, 4)
        assert feed.all_there and len(feed.stream.ids) == other.total("ids")


def test_a_worker_that_may_have_no_children_reads_all_and_asks_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_on(folder_of(tmp_path, 1), **GPT)
    with monkeypatch.context() as within:
        within.setattr(multiprocessing.current_process(), "_config", {"daemon": True})
        feed, _ = fed(run)  # a child would be refused with an AssertionError
    assert feed.all_there
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path / "elsewhere"))
    other, _ = fed(run)
    assert all(np.array_equal(feed.batch(n, 4).shown, other.batch(n, 4).shown) for n in range(20))


@pytest.mark.parametrize(
    ("code", "said"), [(errno.ENOSPC, "the disk is full"), (errno.EIO, "cannot be read further: Input/output error")]
)
def test_a_reader_that_fails_says_so_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece_by_piece: None, code: int, said: str
) -> None:
    run = run_on(folder_of(tmp_path, 1), **GPT)
    feed, ready = fed(run)
    append = Shards._append

    def fails(self: Shards, *_: Any, **__: Any) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(Shards, "_append", fails)
    with pytest.raises(SettingsError, match=said):
        feed.batch(10_000, 4)
    monkeypatch.setattr(Shards, "_append", append)
    assert len(ready.train.ids) < len(prepared(run).train.ids)  # and what was read is there


def test_a_reader_that_ends_too_soon_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def brief(_: str, *arguments: Any, **__: Any) -> Iterator[int]:
        yield next(arriving.read_on(*arguments))

    monkeypatch.setattr(sandbox, "stream", brief)
    with pytest.raises(SettingsError, match="damaged on the disk"):
        fed(run_on(folder_of(tmp_path, 1), **GPT))[0].batch(10_000, 4)


def test_who_needs_the_whole_text_waits_for_it() -> None:
    assert reads_onward(plan()) and reads_onward(plan(**GPT))
    assert not reads_onward(plan(pair="nsp"))
    assert not reads_onward(plan(training=steps(1, packing="full_sentences")))
    for model, objective in (("word2vec", "window"), ("glove", "cooccurrence"), ("ngram", "clm")):
        assert not reads_onward(plan(model=model, shape=shape(model), objective=objective))
    assert not reads_onward(plan(model="xlnet", shape=shape("xlnet") | {"memory": 8}, objective="permutation"))
