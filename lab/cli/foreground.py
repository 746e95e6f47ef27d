"""Training in the foreground: a new run or one that goes on, a progress bar, Ctrl-C that saves before it ends, and a
summary of the run."""

import math
import shlex
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from tqdm import tqdm

from lab.analysis.forecast import memory
from lab.cli.answer import Answer, figures, many
from lab.cli.interrupting import INTERRUPTED
from lab.runs.checkpoint import soundest, step_of
from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.runs.vocabulary_size import vocabulary_size
from lab.serve.limits import memory_here
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.training.launcher import launched
from lab.training.parallel import ALONE, Group
from lab.training.train import Step, train

LEAVING = 10.0  # seconds for which the first of a group waits for the others to leave a folder that goes


def learn(folder: RunFolder, group: Group = ALONE) -> Answer:
    """Train the run in the foreground. Exit code 130 if it was interrupted, having saved. Of a ``group`` of processes
    the first alone is heard, and has an answer."""
    if group.first:
        _tell_damage(folder)
    again = f"python -m lab pretrain --resume {shlex.quote(str(folder.path))}"
    over = folder.status() == "finished"
    try:
        interrupted = _learn(folder, group)
    except KeyboardInterrupt:
        kept = step_of(sound) if (sound := soundest(folder.path / "checkpoints")[0]) else 0
        since = f"interrupted: what was learnt after step {kept:,} is not kept" if kept else "interrupted before a save"
        if group.first:
            print(f"{since}; go on with: {again}", file=sys.stderr)
        raise SystemExit(INTERRUPTED) from None
    if not group.first:
        raise SystemExit(INTERRUPTED if interrupted else 0)
    if over:
        print("this run has finished already: this is what it came to", file=sys.stderr)
    result = {**folder.document("result.json"), "run": str(folder.path)}
    if interrupted:
        print(f"interrupted: saved after step {result['steps']}; go on with: {again}", file=sys.stderr)
    return Answer(result, _summary(folder, result), INTERRUPTED if interrupted else 0)


def _tell_damage(folder: RunFolder) -> None:
    """Say from where a run goes on whose newest checkpoints are damaged."""
    sound, damaged = soundest(folder.path / "checkpoints")
    if damaged:
        where = f"step {step_of(sound)}" if sound else "the beginning"
        print(f"damaged and passed over: {', '.join(damaged)}; the run goes on from {where}", file=sys.stderr)


def begin(run: Run, out: str | None, tokenizer: Tokenizer | None = None, *, sharded: bool = False) -> Answer:
    """Train a new run in the folder ``out``, or in a new one among the runs, by this process or by a group of them."""
    path = Path(out) if out else None
    with launched(sharded) as group:
        if group.size > 1:
            group.check(run)  # before there is a folder
            return _anew(_common_folder(run, path, tokenizer, group), group)
        _fits(run, tokenizer)
        return _anew(_new_folder(run, path, tokenizer), group)


def _fits(run: Run, tokenizer: Tokenizer | None) -> None:
    """Raises SettingsError for a run that this machine's memory cannot hold: asked for more than there is, a system
    kills the process without a word."""
    if run.plan.device == "cuda" or run.plan.device == "auto" and torch.cuda.is_available():
        return
    needed, room = memory(run, vocabulary_size(run, tokenizer)), memory_here()
    if needed > room:
        gb, most = f"{needed / 10**9:,.1f} GB", f"{room / 10**9:,.1f} GB"
        raise SettingsError(
            f"this run would take about {gb} of memory, and this machine can give {most}: choose smaller sizes",
            f"这个训练大约需要 {gb} 内存，这台机器最多能给 {most}：请减小规模",
        )


def _anew(folder: RunFolder, group: Group) -> Answer:
    """If a new run cannot be trained its folder goes again, so that the same command may be given anew; not before all
    that write into it have left."""
    try:
        return learn(folder, group)
    except SystemExit:
        if not group.first:  # the first may have refused, and told it to end
            group.leave(LEAVING)
        raise
    except SettingsError:
        group.leave(LEAVING)
        if group.first and not (folder.path / "checkpoints").exists():
            folder.delete()
        raise


def _new_folder(run: Run, path: Path | None, tokenizer: Tokenizer | None) -> RunFolder:
    if path is not None and (path / "run.json").is_file():
        raise SettingsError(
            f"there is a run in {path} already: go on with --resume {shlex.quote(str(path))}, or choose another folder",
            f"{path} 中已有训练记录：用 --resume {shlex.quote(str(path))} 继续，或另选文件夹",
        )
    return RunFolder.create(run, path, tokenizer)


def _common_folder(run: Run, path: Path | None, tokenizer: Tokenizer | None, group: Group) -> RunFolder:
    """The folder of a run that several processes train. A launcher that starts them anew gives the same command again:
    the run then goes on."""
    if path is None:
        raise SettingsError(
            "several processes must find the same folder, also when they are started anew: name it with --out",
            "多个进程必须找到同一个文件夹，重新启动时也一样：请用 --out 指定",
        )
    with group.in_turn():
        begun = (path / "run.json").is_file() and RunFolder.open(path).run.alike(run)
        return RunFolder.open(path) if begun or not group.first else _new_folder(run, path, tokenizer)


def _learn(folder: RunFolder, group: Group) -> bool:
    with closing(train(folder, group=group)) as steps, _interruption() as interruption:
        try:
            for _ in _followed(steps, folder.run, shown=group.first):
                interruption.may_wait = True
                if interruption.came and group.first:
                    folder.ask_to_stop()  # and go on until all processes of the group have been told
        except RuntimeError:
            if interruption.came and group.size > 1:  # another, for which this one waited, has ended at the same Ctrl-C
                raise KeyboardInterrupt from None
            raise
    return interruption.came


def _followed(steps: Iterable[Step], run: Run, *, shown: bool) -> Iterator[Step]:
    """The steps, with a progress bar on standard error from the first one on."""
    bar = None
    slow = 0.1 if sys.stderr.isatty() else 10.0
    try:
        for step in steps:
            if bar is None:
                label = f"{run.model} {run.task or run.objective}"
                bar = tqdm(
                    desc=label,
                    unit="step",
                    initial=step.step - 1,
                    mininterval=slow,
                    dynamic_ncols=True,
                    disable=not shown,
                )
            bar.total = step.of
            if not math.isnan(step.loss):  # else the one before stays
                bar.set_postfix(loss=f"{step.loss:.3f}", tokens_s=f"{step.tokens / step.seconds:,.0f}", refresh=False)
            bar.update()
            yield step
    finally:  # an error's sentence stands on a line of its own, behind the bar
        if bar is not None:
            bar.close()


class _Interruption:
    """Whether Ctrl-C came. The first one waits for the end of a step, if there are steps yet, or torch is at the first
    one, which might call Python from where no error can come back; the second does not."""

    def __init__(self) -> None:
        self.came = self.may_wait = False

    def __call__(self, _signal: int, frame: FrameType | None) -> None:
        if self.came or not (self.may_wait or _in_torch(frame)):
            raise KeyboardInterrupt
        self.came = True


def _in_torch(frame: FrameType | None) -> bool:
    """Whether this was called by torch, however indirectly."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] == "torch":
            return True
        frame = frame.f_back
    return False


@contextmanager
def _interruption() -> Iterator[_Interruption]:
    interruption = _Interruption()
    before = signal.signal(signal.SIGINT, interruption)
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, before)


def _summary(folder: RunFolder, result: dict[str, Any]) -> str:
    records, _ = MetricsLog(folder.path / "metrics.jsonl").read()
    begin: dict[str, Any] = next((record for record in records if record["kind"] == "begin"), {})
    changed = [record["step"] for record in records if record.get("code") == "changed"]
    measured = ", ".join(f"{name} {value:.4g}" for name, value in figures(result["validation"]).items())
    against = ", ".join(f"{name} {value:.4g}" for name, value in begin.get("baselines", {}).items())
    share = begin.get("recurring")
    return "\n".join(
        [
            f"{result['ended']}: {many(result['steps'], 'step')} in {result['seconds']:.1f} s, "
            f"{result['tokens_per_second']:,.0f} tokens a second",
            f"validation: {measured}",
            *([f"best:       after step {result['best_step']}, which is kept"] if "best_step" in result else []),
            *([f"moving:     {begin['moving']:,} of {begin['parameters']:,} parameters"] if "moving" in begin else []),
            *([f"to beat:    {against}"] if against else []),
            *([f"another text since step {changed[0]:,}: what is to beat is of the one before"] if changed else []),
            *([f"recurring:  {share:.1%} of the validation sentences stand in what it learnt from"] if share else []),
            f"run:        {result['run']}",
        ]
    )
