"""Training beyond one process: two learn what one would have, whole or in shards, and one that dies is replaced."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from ranks import apart, places, together, without_luck
from tiny import events, finished, go_on, plan, steps
from torch import distributed
from torch.utils._pytree import tree_map

from lab.bench.faulting.outcome import outcome
from lab.catalog import MODELS
from lab.cli import foreground
from lab.cli.foreground import _common_folder
from lab.layers.discriminator import Discriminator
from lab.layers.static import Noise
from lab.runs import checkpoint
from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.settings import SettingsError
from lab.training.learner import Learner
from lab.training.parallel import Group
from lab.training.session import opened
from lab.training.sharding import Sharded
from lab.training.train import Step, train

# Five rows: one process has three of them, the other two. A large epsilon: a gradient that is nothing but rounding,
# as that of a key's bias, else becomes a whole step.
ADAMW = {"training": steps(6, batch=5, optimizer="adamw", learning_rate=3e-3, epsilon=1e-4)}
DEEP = {"width": 16, "depth": 2, "heads": 2, "context": 24}
KINDS: dict[str, dict[str, Any]] = {
    "bert, mlm and nsp": {"pair": "nsp", "shape": DEEP, **ADAMW, "pinned": "Tom went to the [MASK]."},
    "gpt": {"model": "gpt", "pinned": "The town", **ADAMW},
    "t5": {"model": "t5", **ADAMW},
    "electra": {"model": "electra", "shape": {**DEEP, "generator": 8}, **ADAMW},
    "deberta": {"model": "deberta_v2", **ADAMW},  # its one block has parts that the mask decoder calls
}


def followed(folder: RunFolder) -> list[dict[str, float]]:
    """The losses of every step and of every validation, as they were written."""
    records = MetricsLog(folder.path / "metrics.jsonl").read()[0]
    return [
        {name: value for name, value in record.items() if name == "step" or name.endswith("loss")}
        for record in records
        if record["kind"] in ("train", "check")
    ]


def assert_alike(one: RunFolder, other: RunFolder) -> None:
    """The same losses at the same steps, and the same weights in the end, but for rounding."""
    assert [record["step"] for record in followed(one)] == [record["step"] for record in followed(other)]
    for mine, theirs in zip(followed(one), followed(other), strict=True):
        assert mine == pytest.approx(theirs, abs=2e-5)
    weights = [checkpoint.load_weights(folder.path / "checkpoints")[0] for folder in (one, other)]
    assert apart(*weights) < 1e-4


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """Every kind of run, trained by one process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Discriminator, "_draw", Discriminator._draw)  # which is put back in the end
        without_luck()
        root = tmp_path_factory.mktemp("alone")
        return {kind: finished(root / str(n), **KINDS[kind]) for n, kind in enumerate(KINDS)}


@pytest.mark.parametrize("sharded", [False, True])
def test_two_processes_learn_what_one_would_have(tmp_path: Path, alone: dict[str, RunFolder], sharded: bool) -> None:
    folders = {kind: RunFolder.create(plan(**KINDS[kind]), tmp_path / str(n)) for n, kind in enumerate(KINDS)}
    clocked = RunFolder.create(plan(training={"seconds": 1.0, "batch": 4, "optimizer": "adamw"}), tmp_path / "clocked")
    together([*folders.values(), clocked], sharded=sharded)
    assert clocked.status() == "finished"  # both ended at the same step, or one would wait for ever
    for kind, folder in folders.items():
        assert folder.status() == "finished" and events(folder) == []
        assert_alike(folder, alone[kind])


@pytest.mark.parametrize("sharded", [False, True])
def test_a_run_begun_by_two_processes_goes_on_as_one(
    tmp_path: Path, alone: dict[str, RunFolder], sharded: bool
) -> None:
    kind = "bert, mlm and nsp"
    folder = RunFolder.create(plan(**KINDS[kind]), tmp_path)
    together([folder], sharded=sharded, until=2)
    assert folder.status() == "stopped" and folder.document("result.json")["steps"] == 2
    go_on(str(tmp_path), until=4)
    together([folder], sharded=sharded)
    assert events(folder) == ["resumed", "resumed"]
    assert_alike(folder, alone[kind])


def test_muon_and_dropout_on_two_processes_repeat_themselves(tmp_path: Path) -> None:
    values = {"shape": {"width": 16, "depth": 1, "heads": 2, "context": 16, "dropout": 0.1}, "training": steps(5)}
    whole, parts = (RunFolder.create(plan(**values), tmp_path / name) for name in ("whole", "parts"))
    together([parts], until=3)
    together([parts, whole])
    assert outcome(parts) == outcome(whole)
    finished(tmp_path / "alone", **values)
    assert outcome(whole)["weights"] != outcome(RunFolder(tmp_path / "alone"))["weights"]  # other dropout


def test_a_process_that_is_killed_is_replaced_and_the_run_goes_on(tmp_path: Path) -> None:
    words = "pretrain --model bert --steps 12 --batch 4 --threads 1 --stories 40 --vocab 300 --width 16 --depth 1"
    launcher = "-m torch.distributed.run --nproc-per-node 2 --max-restarts 1"
    out = ["--heads", "2", "--context", "16", "--json", "--out", str(tmp_path / "run")]
    command = [sys.executable, *launcher.split(), str(Path(__file__).with_name("ranks.py")), *words.split(), *out]
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1])])
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr[-2000:]
    folder = RunFolder(tmp_path / "run")
    records = MetricsLog(folder.path / "metrics.jsonl").read()[0]
    assert events(folder) == ["resumed"] and folder.document("result.json")["ended"] == "finished"
    assert [record["step"] for record in records if record["kind"] == "train"] == [*range(1, 13)]
    assert next(record["step"] for record in records if record["kind"] == "event") >= 5


@pytest.mark.parametrize("model", [entry.name for entry in MODELS if "counts" not in entry.traits])
@pytest.mark.parametrize("pair", [False, True])
def test_the_losses_of_shares_weighed_by_their_answers_are_those_of_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, pair: bool
) -> None:
    about = MODELS[model].pair if pair else None
    if pair and not about:
        return
    monkeypatch.setattr(Discriminator, "_draw", lambda self, chances: chances.argmax(-1))
    monkeypatch.setattr(Noise, "draw", lambda self, rows, each: torch.ones(rows, each, dtype=torch.int64))
    session = opened(RunFolder.create(plan(model=model, pair=about), tmp_path))
    session.model.train()
    whole, _ = session.learner(session.train_batches.batch(0, 5))
    shares = [session.learner(session.train_batches.batch(0, 5, share=(number, 3))) for number in range(3)]
    for name, loss in whole.items():
        count = sum(float(counts[name]) for _, counts in shares)
        mean = sum(part[name].item() * float(counts[name]) for part, counts in shares) / count
        assert mean == pytest.approx(loss.item(), rel=1e-5)


@pytest.mark.parametrize("model", ["bert", "electra", "spanbert", "t5", "xlnet", "word2vec", "glove"])
def test_a_share_that_asks_nothing_has_the_losses_of_the_others_and_adds_nothing(tmp_path: Path, model: str) -> None:
    """Else processes that add up different losses would wait for each other for ever."""
    session = opened(RunFolder.create(plan(model=model, pair=MODELS[model].pair), tmp_path))
    shared, batch = Learner(session.model, shared=True), session.train_batches.batch(0, 3)
    parts, _ = shared(batch)
    nothing, counts = shared(replace(batch, asked=None, answers=None, most=0))
    assert [*nothing] == [*parts] and [*counts] == [*shared(batch)[1]]
    for name, part in nothing.items():
        assert name == "sequence" or (part.item() == 0 and counts[name] == 0)
    sum(nothing.values(), start=torch.zeros(())).backward()
    reached = {name for name, parameter in session.model.named_parameters() if parameter.grad is not None}
    session.model.zero_grad(set_to_none=True)
    sum(parts.values(), start=torch.zeros(())).backward()
    assert reached == {name for name, parameter in session.model.named_parameters() if parameter.grad is not None}


def test_what_several_processes_cannot_train_is_refused_in_words() -> None:
    with pytest.raises(SettingsError, match="start it as one process"):
        Group(0, 2).check(plan(model="ngram"))
    with pytest.raises(SettingsError, match="a batch of 4 rows is too small for 5 processes"):
        Group(0, 5).check(plan())
    with pytest.raises(SettingsError, match="muon looks at whole matrices"):
        Sharded(0, 2).check(plan(training=steps(3, optimizer="muon")))


def test_the_same_command_given_anew_goes_on_and_another_is_refused(tmp_path: Path) -> None:
    group = Group(0, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Group, "told", lambda self, value: value)
        with pytest.raises(SettingsError, match="name it with --out"):
            _common_folder(plan(), None, None, group)
        folder = _common_folder(plan(), tmp_path / "run", None, group)
        assert _common_folder(plan(), tmp_path / "run", None, group).path == folder.path
        with pytest.raises(SettingsError, match="go on with --resume"):
            _common_folder(plan(seed=1), tmp_path / "run", None, group)


@pytest.mark.parametrize("early", [True, False])  # before there is a folder, and while the text is read
def test_what_is_refused_is_said_once_and_leaves_no_folder(early: bool, tmp_path: Path) -> None:
    (short := tmp_path / "short.txt").write_text("One day.\nTwo days.\n" * 9, encoding="utf-8")
    wrong = ["--batch", "1"] if early else ["--corpus", str(short), "--context", "4096"]
    words = ["--model", "gpt", "--size", "tiny", "--vocab", "300", "--steps", "2", *wrong]
    command = [sys.executable, "-m", "lab", "pretrain", *words, "--out", str(tmp_path / "run")]
    both = [
        subprocess.Popen(command, env=os.environ | place | {"OMP_NUM_THREADS": "1"}, stderr=subprocess.PIPE, text=True)
        for place in places(2)
    ]
    said = [each.communicate(timeout=120)[1] for each in both]
    assert [each.returncode for each in both] == [2, 2] and not (tmp_path / "run").exists(), said
    assert said[0].startswith("error: ") and len(said[0].splitlines()) == 1 and not said[1], said


def test_those_whose_companion_was_killed_say_so_in_a_sentence_and_keep_the_folder(tmp_path: Path) -> None:
    words = "pretrain --model gpt --steps 100000 --batch 2 --threads 1 --stories 40 --vocab 300 --width 16 --depth 1"
    command = [sys.executable, "-m", "lab", *words.split(), "--heads", "2", "--context", "16", "--out", str(tmp_path)]
    first, second = (
        subprocess.Popen(command, env=os.environ | place | {"OMP_NUM_THREADS": "1"}, stderr=subprocess.PIPE, text=True)
        for place in places(2)
    )
    until = time.monotonic() + 100
    while len(followed(RunFolder(tmp_path))) < 3:
        assert first.poll() is None and time.monotonic() < until
        time.sleep(0.05)
    second.kill()
    said = first.communicate(timeout=100)[1]
    second.communicate()
    assert first.returncode == 2 and "Traceback" not in said, said
    assert said.splitlines()[-1].startswith("error: another process of this group has ended"), said
    assert RunFolder(tmp_path).status() == "interrupted"


def test_one_left_waiting_at_ctrl_c_is_interrupted_and_names_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Inside of torch it waits for the others, and these have ended at the same Ctrl-C."""

    def left(*given: Any, **more: Any) -> Iterator[Step]:
        tree_map(lambda _: signal.raise_signal(signal.SIGINT), [0])  # a call that comes from torch
        raise RuntimeError("Connection closed by peer")
        yield

    monkeypatch.setattr(foreground, "train", left)
    folder = RunFolder.create(plan(), tmp_path)
    with pytest.raises(SystemExit, match="130"):
        foreground.learn(folder, Group(1, 2))
    with pytest.raises(RuntimeError):  # alone it is an error like any other
        foreground.learn(folder)
    assert not capsys.readouterr().err


def test_the_first_leaves_last_unless_another_does_not_come() -> None:
    store = distributed.HashStore()
    first, second = (Group(rank, 2, store=store) for rank in range(2))
    first.leave(0.1)  # nobody comes
    waiting = threading.Thread(target=first.leave, args=(60.0,), daemon=True)
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    second.leave(60.0)
    waiting.join(10.0)
    assert not waiting.is_alive()
    Group().leave(60.0)  # alone there is nobody to wait for


def test_means_over_few_and_many_answers_are_weighed_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three answers here with a mean of 1, one there with a mean of 5: the mean of all four is 2."""
    monkeypatch.setattr(Group, "total", lambda self, values: [4.0])
    totals = Group(1, 2).totals({"tokens": 1})
    few = Group(1, 2).weighed({"tokens": torch.tensor(5.0)}, {"tokens": 1}, totals)["tokens"]
    many = Group(0, 2).weighed({"tokens": torch.tensor(1.0)}, {"tokens": 3}, totals)["tokens"]
    assert (few + many).item() / 2 == 2.0


def test_others_than_the_first_write_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Group, "told", lambda self, value: value)
    monkeypatch.setattr(Group, "total", lambda self, values: [*values])
    monkeypatch.setattr(Group, "joined", lambda self, learner: learner)
    folder = RunFolder.create(plan(), tmp_path)
    before = {path.name for path in tmp_path.iterdir()} | {"tokenizer.json", "tokenizer.json.sha256"}
    assert [step.step for step in train(folder, group=Group(1, 2))][-1] == 12
    assert {path.name for path in tmp_path.iterdir()} <= before
