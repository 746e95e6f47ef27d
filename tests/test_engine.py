"""Training, resuming and measuring: a run that is stopped anywhere ends as the run that was never stopped."""

import errno
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny import events, finished, go_on, plan, steps

from lab.batch import Batch, Document
from lab.bench.faulting.outcome import outcome
from lab.cli.foreground import learn
from lab.corpora import text_file
from lab.data.baselines import Counts
from lab.inference.model import build, inherit, load
from lab.runs import checkpoint
from lab.runs.checkpoint import weights_of
from lab.runs.finding import find_run, runs
from lab.runs.folder import SEAL, TOKENIZER, RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run, Training
from lab.serve.workers import children
from lab.settings import SettingsError
from lab.tasks.metrics.classes import macro_f1
from lab.tokenizer import Tokenizer
from lab.training import learner, saving, wishes
from lab.training import train as training
from lab.training.budget import Budget, schedule
from lab.training.evaluate import evaluate
from lab.training.train import train
from lab.ui.runs.run_log import log_of

KINDS: dict[str, dict[str, Any]] = {
    "mlm and nsp": {"pair": "nsp", "shape": {"width": 16, "depth": 1, "heads": 2, "context": 24, "dropout": 0.1}},
    "static mlm on albert": {"model": "albert", "objective_settings": {"dynamic": False}},
    "clm": {"model": "gpt", "pinned": "The town"},
    "rtd on electra": {"model": "electra"},
}


def elsewhere(folder: RunFolder, **how: Any) -> None:
    """Train in a new process."""
    process = children().Process(target=go_on, args=(str(folder.path),), kwargs=how)
    process.start()
    process.join(60)
    assert process.exitcode == 0


def records(folder: RunFolder, kind: str) -> list[dict[str, Any]]:
    return [record for record in MetricsLog(folder.path / "metrics.jsonl").read()[0] if record["kind"] == kind]


def flip(path: Path, at: float = 0.5) -> None:
    """Flip one bit of a file."""
    data = bytearray(path.read_bytes())
    data[int(at * (len(data) - 1))] ^= 1
    path.write_bytes(data)


def test_every_step_is_told_once_and_in_order(tmp_path: Path) -> None:
    told = list(train(RunFolder.create(plan(training=steps(9)), tmp_path)))
    assert [step.step for step in told] == [*range(1, 10)] and all(step.of == 9 for step in told)
    assert [step.tokens for step in told] == [16 * 4 * n for n in range(1, 10)]
    assert RunFolder(tmp_path).document("result.json")["ended"] == "finished"


@pytest.mark.parametrize("model", ["bert", "gpt"])
def test_a_model_learns(tmp_path: Path, model: str) -> None:
    folder = finished(tmp_path, model=model, training=steps(500, learning_rate=1e-2))
    losses = [record["loss"] for record in records(folder, "train")]
    assert np.mean(losses[-10:]) < np.mean(losses[:5]) - 1
    assert folder.document("result.json")["validation"]["loss"] < records(folder, "begin")[0]["baselines"]["unigram"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_resumed_in_a_new_process_ends_as_one_never_stopped(tmp_path: Path, kind: str) -> None:
    whole = finished(tmp_path / "whole", **KINDS[kind])
    parts = RunFolder.create(plan(**KINDS[kind]), tmp_path / "parts")
    elsewhere(parts, until=5)
    assert parts.document("result.json")["ended"] == "stopped"
    elsewhere(parts)
    assert outcome(parts) == outcome(whole)
    assert events(parts) == ["resumed"]


@pytest.mark.parametrize("large", [False, True])
def test_a_text_that_is_another_when_a_run_goes_on_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    monkeypatch.setattr(text_file, "LARGE", 0 if large else 50)
    text = tmp_path / "text.txt"
    text.write_text("The cat sat on the mat. It was late.\n\n" * 200, encoding="utf-8")
    own = plan(model="gpt", corpus="file", corpus_settings={"path": str(text)}, training=steps(9))
    folder = RunFolder.create(own, tmp_path / "run")
    for until in (3, 6):
        next(step for step in train(folder) if step.step == until)
    assert events(folder) == ["resumed"]  # and nothing of the sort where it is the same
    text.write_text("The dog sat on the mat. It was late.\n\n" * 200, encoding="utf-8")
    told = learn(folder).text
    assert events(folder) == ["resumed", "resumed", "changed"]
    assert "another text since step 6: what is to beat is of the one before" in told


def test_another_seed_is_another_run(tmp_path: Path) -> None:
    a, b = (outcome(finished(tmp_path / str(seed), seed=seed)) for seed in (0, 1))
    assert a["weights"] != b["weights"]


def test_to_stop_is_not_to_ask_again(tmp_path: Path) -> None:
    folder = RunFolder.create(plan(), tmp_path)
    for step in train(folder):
        if step.step == 7:
            break
    result = folder.document("result.json")
    assert result["ended"] == "stopped" and result["steps"] == 7 and folder.status() == "stopped"
    assert checkpoint.load_weights(tmp_path / "checkpoints")[1] == 7


def test_a_run_that_is_asked_to_stop_stops_and_forgets_the_wish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wishes, "EVERY", 0.0)
    folder = RunFolder.create(plan(), tmp_path)
    told = []
    for step in train(folder):
        told.append(step.step)
        if step.step == 5:
            folder.ask_to_stop()
    assert told == [1, 2, 3, 4, 5] and folder.status() == "stopped" and not folder.asked_to_stop()
    assert [step.step for step in train(folder)] == [*range(6, 13)] and folder.status() == "finished"


def test_a_run_given_seconds_ends_when_they_are_over(tmp_path: Path) -> None:
    folder = RunFolder.create(plan(training={"seconds": 2.0, "batch": 4, "threads": 1}), tmp_path)
    told = list(train(folder))
    last, before = told[-1], told[-2]
    assert told[0].of is None and last.of == last.step
    assert before.seconds < 2.0 <= last.seconds and folder.status() == "finished"


@pytest.mark.parametrize("slow", [1.0, 3.0, 0.3])
def test_the_rate_comes_down_in_time_whatever_the_load_becomes(slow: float) -> None:
    """Steps of 0.1 s, and from the tenth second on ``slow`` times as long: the clock is kept, the schedule, too."""
    budget, shares = Budget(Training(seconds=45.0, warmup=0.1)), []
    while not budget.spent:
        budget.count(0.1 * (slow if budget.seconds > 10 else 1.0))
        shares.append((budget.progress, budget.share))
        if budget.total is not None and budget.seconds > 15:  # a second after the change the forecast is right again
            assert budget.total == pytest.approx(100 + 35 / (0.1 * slow), rel=0.03)
    assert 45.0 <= budget.seconds < 45.0 + 0.1 * max(slow, 1.0)
    assert shares[-1][1] < 0.02 and max(share for _, share in shares) > 0.99
    assert all(share == pytest.approx((1 - at) / 0.9, abs=0.02) for at, share in shares if at > 0.15)


def test_the_warm_up_begins_with_the_first_step_however_long_one_looked_before() -> None:
    budget = Budget(Training(seconds=10.0, warmup=0.1))
    budget.looked(2.0)
    shares = []
    while not budget.spent:
        shares.append(budget.share)
        budget.count(0.1)
    assert shares[0] == 1 / 20 and shares[:8] == sorted(shares[:8])
    assert shares[4] == pytest.approx(5 / 8, abs=0.02) and max(shares) > 0.98 and shares[-1] < 0.02
    again = Budget(Training(seconds=10.0, warmup=0.1))
    again.looked(2.0)
    for _ in range(3):
        again.count(0.1)
    taken_up = Budget(Training(seconds=10.0, warmup=0.1))
    taken_up.restore(3, again.facts())
    assert taken_up.share == again.share == shares[3]


@pytest.mark.parametrize("kind", ["linear", "cosine", "inverse_sqrt", "constant"])
def test_the_last_step_learns_something_too(kind: str) -> None:
    assert Budget(Training(steps=1, schedule=kind)).share > 0
    assert 0 < schedule(1.0, 0.1, 20, kind) < 1e-2 or kind in ("inverse_sqrt", "constant")


def test_a_plan_taken_up_goes_on_as_it_would_have() -> None:
    for values in ({"seconds": 9.0}, {"steps": 90}):
        whole, parts = Budget(Training(**values)), Budget(Training(**values))
        for _ in range(30):
            whole.count(0.1)
            parts.count(0.1)
        again = Budget(Training(**values))
        again.restore(30, parts.facts())
        for _ in range(40):
            whole.count(0.1)
            again.count(0.1)
            assert (again.share, again.total, again.passed(20)) == (whole.share, whole.total, whole.passed(20))


def test_a_damaged_checkpoint_is_passed_over_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = finished(tmp_path / "whole")
    monkeypatch.setattr(saving, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(saving, "SAVE_SHARE", 1e9)
    hurt = RunFolder.create(plan(), tmp_path / "hurt")
    go_on(str(hurt.path), until=8)
    flip(hurt.path / "checkpoints" / "step-00000008" / "weights.safetensors")
    go_on(str(hurt.path))
    assert outcome(hurt) == outcome(whole)
    assert events(hurt) == ["damaged", "resumed"]


def test_a_run_whose_checkpoints_are_all_damaged_begins_anew_and_says_so(tmp_path: Path) -> None:
    whole = finished(tmp_path / "whole")
    hurt = RunFolder.create(plan(), tmp_path / "hurt")
    go_on(str(hurt.path), until=8)
    flip(hurt.path / "checkpoints" / "step-00000008" / "optimizer.safetensors")
    go_on(str(hurt.path))
    assert outcome(hurt) == outcome(whole)
    assert events(hurt) == ["damaged"]


def test_a_torn_diary_is_mended(tmp_path: Path) -> None:
    whole = finished(tmp_path / "whole")
    torn = RunFolder.create(plan(), tmp_path / "torn")
    go_on(str(torn.path), until=8)
    diary = torn.path / "metrics.jsonl"
    diary.write_bytes(diary.read_bytes() + b'{"kind":"train","step":9,"lo')
    go_on(str(torn.path))
    assert outcome(torn) == outcome(whole)
    assert all(line.endswith(b'"}') for line in diary.read_bytes().splitlines())


def test_a_diary_passes_over_a_line_that_was_changed_and_waits_for_one_that_is_unfinished(tmp_path: Path) -> None:
    diary = MetricsLog(tmp_path / "d.jsonl")
    for step in (1, 2, 3):
        diary.write("train", step, loss=step / 2)
    lines = diary.path.read_bytes().splitlines(keepends=True)
    diary.path.write_bytes(lines[0] + lines[1].replace(b"1.0", b"9.0") + lines[2][:-4])
    found, cursor = diary.read()
    assert [record["step"] for record in found] == [1] and cursor == len(lines[0] + lines[1])
    diary.path.write_bytes(b"".join(lines))
    assert [record["step"] for record in diary.read(cursor)[0]] == [3]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_diary_waits_while_the_disk_is_full_and_loses_no_line(tmp_path: Path) -> None:
    diary = MetricsLog(tmp_path / "d.jsonl")
    diary.write("train", 1)
    whole = diary.path.rename(tmp_path / "whole.jsonl")
    diary.path.symlink_to("/dev/full")
    diary.write("train", 2)
    diary.write("train", 3)
    diary.path.unlink()
    whole.rename(diary.path)
    assert [record["step"] for record in diary.read()[0]] == [1]
    diary.write("train", 4)
    assert [record["step"] for record in diary.read()[0]] == [1, 2, 3, 4]


def test_a_run_that_can_write_no_more_ends_in_one_sentence_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    flags = "--model bert --steps 30 --corpus town_en --stories 40 --width 64 --depth 1 --heads 2 --context 16"
    begin = ["pretrain", *flags.split(), "--vocab", "300", "--threads", "1", "--out"]
    full = "error: the disk is full: free some space and resume the run"
    assert _lab([*begin, str(tmp_path / "cut")], largest=100_000) == (2, full)
    cut = RunFolder(tmp_path / "cut")
    whole = RunFolder.create(cut.run, tmp_path / "whole")
    assert [each.step for each in train(cut)][-1] == [each.step for each in train(whole)][-1] == 30
    assert outcome(cut) == outcome(whole)


def _lab(words: list[str], largest: int) -> tuple[int, str]:
    """The exit code of a command, which may write no file larger than so many bytes, and the last thing it said."""
    resource = pytest.importorskip("resource")  # not on every system

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    command = [sys.executable, "-m", "lab", *words]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False)
    return done.returncode, done.stderr.strip().splitlines()[-1]


def test_a_full_disk_is_said_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, save, tries = finished(tmp_path / "whole"), checkpoint.save, iter(range(100))

    def full(root: Path, what: checkpoint.State, best: int) -> None:
        if next(tries) < 3:
            raise OSError(28, "No space left on device")
        save(root, what, best)

    monkeypatch.setattr(saving, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(saving, "SAVE_SHARE", 1e9)
    monkeypatch.setattr(checkpoint, "save", full)
    folder = finished(tmp_path / "full")
    assert outcome(folder) == outcome(whole)
    assert events(folder) == ["unsaved"] * 3


def test_a_disk_that_is_full_to_the_end_fails_the_run_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "save", full)
    with pytest.raises(SettingsError, match="disk is full"):
        finished(tmp_path)
    assert RunFolder(tmp_path).status() == "failed"


def test_a_loss_that_is_no_number_ends_the_run_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = {"tokens": torch.tensor(math.nan, requires_grad=True)}
    monkeypatch.setattr(learner, "losses", lambda *_: lost)
    with pytest.raises(SettingsError, match="not finite .* at step 1"):
        finished(tmp_path)


def test_a_step_that_asks_for_no_token_has_no_loss(tmp_path: Path) -> None:
    """Of short rows in few words subsampling may leave none: a curve that falls to 0 there tells of a success."""
    text = tmp_path / "text.txt"
    text.write_text("The cat sat on the mat.\n\n" * 200, encoding="utf-8")
    own = plan(model="word2vec", corpus="file", corpus_settings={"path": str(text)}, training=steps(20, batch=1))
    folder = RunFolder.create(own, tmp_path / "run")
    losses = [step.loss for step in train(folder)]
    without = {at for at, loss in enumerate(losses, 1) if math.isnan(loss)}
    assert 0 < len(without) < 20 and all(loss > 0 for loss in losses if not math.isnan(loss))
    logged = records(folder, "train")
    assert [each["step"] for each in logged] == [*range(1, 21)]  # all the same: tokens were read
    assert {each["step"] for each in logged if "loss" not in each} == without
    log = log_of(folder)
    assert {*range(1, 21)} - {*log.loss.x} == without and len(log.loss) == len(log.tokens) == len(log.seconds)


def test_a_run_has_one_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder.create(plan(), tmp_path)
    first = train(folder)
    next(first)
    monkeypatch.setattr(
        RunFolder, "lock", property(lambda self: training.filelock.FileLock(self.path / "worker.lock", 0))
    )
    with pytest.raises(SettingsError, match="being trained already"):
        next(train(folder))
    with pytest.raises(SettingsError, match="stop the run"):
        folder.delete()
    assert folder.status() == "running"
    first.close()
    folder.delete()
    assert not tmp_path.exists()


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"modle": "bert"}, "did you mean 'model'"),
        ({"model": "brt"}, "did you mean 'bert'"),
        ({"shape": {"widht": 16}}, "did you mean 'width'"),
        ({"shape": {"width": 18, "heads": 4}}, "width 18 is not a multiple of heads 4"),
        ({"objective": "nsp"}, "is a sentence pair objective"),
        ({"pair": "mlm"}, "cannot stand beside"),
        ({"model": "gpt", "objective": "clm", "pair": "nsp"}, "segments"),
        ({"training": {"steps": 5, "seconds": 5}}, "either steps or seconds"),
        ({"training": {"steps": 5, "learning_rate": math.nan}}, "learning rate must be a finite number"),
        ({"training": {"steps": 5, "learning_rate": 7}}, "learning rate 7 is above 1"),
        ({"seed": -1}, "seed -1 is below 0"),
    ],
)
def test_a_run_that_cannot_be_is_refused_in_words(parts: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        Run.load(plan().dump() | parts)


def test_a_run_written_to_disk_is_read_back_the_same(tmp_path: Path) -> None:
    folder = RunFolder.create(plan(title="晚 <b>"), tmp_path)
    stamped = folder.run.dump()
    assert {**stamped, "created": 0.0, "versions": {}} == plan(title="晚 <b>").dump()
    assert stamped["versions"]["torch"] == torch.__version__


@pytest.mark.parametrize(
    "document",
    [b"", b"{", b"\xff\xfe\0", b"[]", b'{"kind": "byte_bpe", "tokenizer": {}}', b"[" * 100_000, b'{"a":' * 100_000],
    ids=["empty", "cut", "no text", "list", "hollow", "deep list", "deep"],
)
@pytest.mark.parametrize("sealed", [True, False])
def test_a_damaged_tokenizer_is_said_in_one_sentence(
    gpt: RunFolder, tmp_path: Path, document: bytes, sealed: bool
) -> None:
    hurt = RunFolder(shutil.copytree(gpt.path, tmp_path / "hurt"))
    (hurt.path / TOKENIZER).write_bytes(document)
    if not sealed:  # as older runs are
        (hurt.path / SEAL).unlink()
    with pytest.raises(SettingsError, match="the tokenizer of the run hurt is damaged"):
        load(hurt)


def test_a_tokenizer_that_changed_by_one_word_is_not_taken(gpt: RunFolder, tmp_path: Path) -> None:
    hurt = RunFolder(shutil.copytree(gpt.path, tmp_path / "hurt"))
    document = (hurt.path / TOKENIZER).read_text(encoding="utf-8")
    (hurt.path / TOKENIZER).write_text(document.replace("byte_bpe", "char_bpe", 1), encoding="utf-8")
    assert Tokenizer.load((hurt.path / TOKENIZER).read_text(encoding="utf-8")).kind == "char_bpe"
    with pytest.raises(SettingsError, match="damaged"):
        hurt.tokenizer()


def test_a_damaged_run_is_said_in_one_sentence(tmp_path: Path) -> None:
    folder = RunFolder.create(plan(), tmp_path)
    for document in (b"", b"{", b"[" * 100_000, b'{"model":' * 100_000, b"\xff", b"3"):
        (tmp_path / "run.json").write_bytes(document)
        with pytest.raises(SettingsError, match="run.json of .* is damaged"):
            _ = folder.run


def test_a_run_that_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, text: str) -> None:
        if path.name == "run.json":
            raise OSError(errno.ENOSPC, "No space left on device")
        path.write_text(text)

    monkeypatch.setattr("lab.runs.folder.write", full)
    with pytest.raises(OSError, match="No space"):
        RunFolder.create(plan(), tmp_path / "run", documents={"forecast.json": {}})
    assert not list(tmp_path.iterdir())


def test_a_run_is_found_by_name_or_path_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path))
    folder = RunFolder.create(plan())
    assert find_run(folder.name).path == find_run(str(folder.path)).path == folder.path
    assert [each.path for each in runs()] == [folder.path] and folder.status() == "interrupted"
    for wrong in ("", "..", "nothing", "../x"):
        with pytest.raises(SettingsError, match="no run"):
            find_run(wrong)


def test_the_rate_climbs_in_a_line_and_falls_in_a_line() -> None:
    rates = [schedule(n / 20, 0.25, n) for n in range(1, 21)]
    assert rates[:5] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0], abs=2e-3)
    assert rates[9] == pytest.approx(10 / 15, abs=2e-3) and rates[-1] == pytest.approx(0, abs=2e-3)
    assert schedule(0, 0.25, 5) == pytest.approx(0.25)  # nobody knows yet how many steps there will be


def test_yardsticks_by_hand() -> None:
    counts = Counts.of(np.array([0, 1, 0, 1, 0, 2]), 4)  # 0 three times, 1 twice, 2 once, 3 never
    assert counts.uniform(np.array([3])) == pytest.approx([math.log(4)])
    assert counts.unigram(np.array([0, 3])) == pytest.approx([-math.log(4 / 10), -math.log(1 / 10)])
    # After 0 came 1, 1 and 2: three tokens of two kinds. Witten-Bell gives (2 + 2 * 3/10) / (3 + 2) to 1.
    # After 3 came nothing: the unigram.
    assert counts.bigram(np.array([0, 3]), np.array([1, 1])) == pytest.approx([-math.log(2.6 / 5), -math.log(3 / 10)])


def test_yardsticks_are_distributions() -> None:
    counts = Counts.of(np.random.default_rng(0).integers(0, 6, 50), 7)
    every = np.arange(7)
    assert np.exp(-counts.unigram(every)).sum() == pytest.approx(1)
    for before in every:
        assert np.exp(-counts.bigram(np.full(7, before), every)).sum() == pytest.approx(1)


@pytest.fixture(scope="module")
def gpt(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return finished(tmp_path_factory.mktemp("gpt"), model="gpt", training=steps(40))


def test_an_evaluation_counts_every_token_and_agrees_with_a_count_by_hand(gpt: RunFolder) -> None:
    text = "The town was quiet. Oscar walked home with his aunt, and the dog ran on ahead of them."
    trained = load(gpt)
    ids = torch.from_numpy(np.append(trained.tokenizer.encode(text), trained.tokenizer.vocabulary.end))
    whole = len(ids) - 1
    assert whole % 15 > 1  # what is left behind whole windows, which share one token, is read too
    found = evaluate(trained, gpt, [Document(text)])
    nats = 0.0
    for start in range(0, whole, 15):
        nats += _nats(trained.model, ids[start : start + 16])
    assert found["tokens"] == whole
    assert found["loss"] == pytest.approx(nats / whole, rel=1e-5)
    read = trained.tokenizer.token_bytes[ids[1 : whole + 1].numpy()].sum()
    assert found["bits_per_byte"] == pytest.approx(nats / math.log(2) / read, rel=1e-5)
    assert found["perplexity"] == pytest.approx(math.exp(found["loss"]))
    assert found["baselines"]["uniform"] == pytest.approx(math.log(300), abs=1e-5)


def test_an_empty_text_cannot_be_evaluated_and_says_so(gpt: RunFolder) -> None:
    for text in ("", "a"):
        with pytest.raises(SettingsError, match="to be checked on"):
            evaluate(load(gpt), gpt, [Document(text)])


def test_a_run_without_a_checkpoint_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no checkpoint yet"):
        load(RunFolder.create(plan(), tmp_path))


def tuned(path: Path, parent: RunFolder, **parts: Any) -> RunFolder:
    before = parent.run
    same = {"model": before.model, "shape": before.shape, "objective": before.objective}
    return finished(path, **same, kind="finetune", task="classify", parent=str(parent.path), **parts)


@pytest.mark.parametrize("model", ["bert", "gpt"])
def test_fine_tuning_starts_from_the_parent_and_fresh_does_not(tmp_path: Path, model: str) -> None:
    parent = finished(tmp_path / "parent", model=model)
    slow = steps(1, learning_rate=1e-6)
    learnt, fresh = (tuned(tmp_path / str(new), parent, fresh=new, training=slow) for new in (False, True))
    body = weights_of(load(parent).model)["stack.blocks.0.feed.up.weight"]
    assert torch.allclose(weights_of(load(learnt).model)["stack.blocks.0.feed.up.weight"], body, atol=1e-4)
    assert not torch.allclose(weights_of(load(fresh).model)["stack.blocks.0.feed.up.weight"], body, atol=1e-3)
    assert learnt.document("labels.json")["labels"] == ["ends badly", "ends well"]


def test_fine_tuning_learns_the_labels_and_is_resumed_like_any_run(tmp_path: Path) -> None:
    parent = finished(tmp_path / "parent")
    file = tmp_path / "feelings.csv"
    rows = "".join(f"I love {n}!,good\nI hate {n}.,bad\n" for n in range(20))
    file.write_text(f"text,label\n{rows}", encoding="utf-8")
    data = {"corpus": "labelled", "corpus_settings": {"path": str(file)}}
    how: dict[str, Any] = {**data, "training": steps(30, learning_rate=5e-3, batch=16)}
    whole = tuned(tmp_path / "whole", parent, **how)
    parts = RunFolder.create(Run.load(whole.run.dump()), tmp_path / "parts")
    for until in (13, 10**9):
        go_on(str(parts.path), until=until)
    assert outcome(parts) == outcome(whole)
    found = evaluate(load(whole), whole)
    measured = {"loss", "accuracy", "macro_f1", "matthews", "calibration_error", "confusion"}
    assert set(found) == measured | {"texts", "interval", "baselines"}
    assert found["accuracy"] == found["macro_f1"] == 1.0 and found["texts"] == 4
    assert found["confusion"] == [[2, 0], [0, 2]]


def test_macro_f1_by_hand() -> None:
    """Of ten of the first class nine are right; of two of the second one; nobody is of the third, and none is named."""
    table = np.array([[9, 1, 0], [1, 1, 0], [0, 0, 0]])
    assert macro_f1(table) == pytest.approx((18 / 20 + 2 / 4) / 2)
    assert macro_f1(np.zeros((2, 2), dtype=np.int64)) == 0.0


def test_a_classifier_gets_new_classes_and_keeps_its_pooler(tmp_path: Path) -> None:
    parent = finished(tmp_path, pair="nsp", training=steps(2))
    model = build(parent.run, 300, classes=5)
    before = {name: tensor.clone() for name, tensor in weights_of(model).items()}
    inherit(model, parent)
    theirs, own = weights_of(load(parent).model), weights_of(model)
    changed = {name for name in own if not torch.equal(own[name], before[name])}
    assert torch.equal(own["sequence.pooler.dense.weight"], theirs["sequence.pooler.dense.weight"])
    assert own["sequence.out.weight"].shape[0] == 5 and "sequence.out.weight" not in changed


def test_texts_without_labels_cannot_be_learnt(tmp_path: Path) -> None:
    parent = finished(tmp_path / "parent")
    file = tmp_path / "t.txt"
    file.write_text("One line.\n" * 50, encoding="utf-8")
    with pytest.raises(SettingsError, match="labels"):
        tuned(tmp_path / "run", parent, corpus="file", corpus_settings={"path": str(file)})


def test_a_training_plan_needs_one_budget() -> None:
    assert Training(steps=3).seconds is None
    with pytest.raises(SettingsError, match="either steps or seconds"):
        Training()


def _nats(model: torch.nn.Module, window: torch.Tensor) -> float:
    """The summed loss of reading one window from left to right, position by position."""
    nats = 0.0
    for t in range(1, len(window)):
        batch = Batch(shown=window[None, :t], visible="causal", asked=torch.tensor([t - 1]))
        with torch.inference_mode():
            nats -= float(model(batch).tokens[0].log_softmax(-1)[window[t]])
    return nats


def test_a_run_from_before_settings_had_the_field_s_names_is_the_same_run() -> None:
    before = {
        "model": "albert",
        "shape": {"width": 16, "depth": 1, "heads": 2, "context": 16, "narrow": 8, "share": "none"},
        "objective": "mlm",
        "objective_settings": {"rate": 0.3},
        "corpus": "town_en",
        "tokenizer": "byte_bpe",
        "training": {"steps": 5, "rate": 0.01, "decay": 0.1, "deviation": 0.05},
    }
    run = Run.load(before)
    assert run.shape["embedding_width"] == 8 and run.settings_of("model").sharing == "none"
    assert run.settings_of("objective").share == 0.3 and run.learning_rate == 0.01
    assert (run.plan.weight_decay, run.plan.init_std) == (0.1, 0.05)
    assert Run.load(run.dump()) == run and "narrow" not in run.shape


@pytest.mark.parametrize("model", ["bert", "gpt", "t5", "xlnet", "deberta_v3", "elmo"])
def test_a_run_in_bfloat16_learns_about_the_same_and_keeps_its_weights_in_float32(tmp_path: Path, model: str) -> None:
    losses = {}
    for precision in ("float32", "bfloat16"):
        folder = finished(tmp_path / precision, model=model, training=steps(6, precision=precision, optimizer="adamw"))
        losses[precision] = folder.document("result.json")["validation"]["loss"]
        saved, _ = checkpoint.load(folder.path / "checkpoints")
        assert saved is not None and torch.bfloat16 not in {tensor.dtype for tensor in saved.weights.values()}
    assert losses["float32"] == pytest.approx(losses["bfloat16"], abs=0.05)
    assert losses["float32"] != losses["bfloat16"]
