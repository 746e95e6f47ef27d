"""The metrics log of a run, read on as it grows: everybody who follows a run shares one reading of it."""

import itertools
import threading
from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lab.catalog import TASKS
from lab.runs.folder import GOING, RunFolder
from lab.runs.metrics_log import MetricsLog

KEPT = 64  # logs in memory at a time
PINNED = ("step", "gaps", "next", "text", "suspected", "near")
SCORES = {"accuracy"} | {task.score for task in TASKS}  # what a check of fine-tuning may be drawn by
SECOND = {"sequence": "sequence_loss", "detection": "discriminator_loss", "boundary": ""}  # in training, in validation


@dataclass
class Points:
    """Numbers by step."""

    x: list[int] = field(default_factory=list)
    y: list[float] = field(default_factory=list)

    def add(self, x: int, y: float) -> None:
        """Append one."""
        self.x.append(x)
        self.y.append(y)

    def __len__(self) -> int:
        return len(self.y)  # y comes last: while another thread adds a point, there may be one x more

    def part(self, start: int = 0, end: int | None = None) -> dict[str, Any]:
        """The points from number ``start`` up to ``end``."""
        end = len(self) if end is None else end
        return {"x": self.x[start:end], "y": self.y[start:end]}


@dataclass
class RunLog:
    """A run's metrics log as far as it has been read: its curves, its newest records and its events."""

    path: Path
    file: int = 0  # a resumed run begins its metrics log anew, which is another file
    number: int = field(default_factory=itertools.count().__next__)
    cursor: int = 0
    begin: dict[str, Any] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)  # the newest training record
    check: dict[str, Any] = field(default_factory=dict)  # the newest validation
    loss: Points = field(default_factory=Points)
    tokens: list[int] = field(default_factory=list)  # read up to each point of the loss
    seconds: list[float] = field(default_factory=list)
    learning_rate: Points = field(default_factory=Points)
    gradient_norm: Points = field(default_factory=Points)  # before it is clipped
    valid: Points = field(default_factory=Points)
    scores: dict[str, Points] = field(default_factory=lambda: defaultdict(Points))  # of fine-tuning, by measure
    second: str = ""  # what else is asked than tokens
    second_loss: Points = field(default_factory=Points)
    second_valid: Points = field(default_factory=Points)
    pinned: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    def read_on(self) -> None:
        """Take in what was written since."""
        records, self.cursor = MetricsLog(self.path).read(self.cursor)
        for record in records:
            self._take(record)

    def _take(self, record: dict[str, Any]) -> None:
        kind, step = record["kind"], record["step"]
        if kind == "begin":
            self.begin = record
        elif kind == "train":
            self.last = record
            if "loss" in record:  # else the step's rows happened to ask for no token
                self.tokens.append(record.get("tokens", 0))
                self.seconds.append(record.get("seconds", 0.0))
                self.loss.add(step, record.get("tokens_loss", record["loss"]))
            for name, line in (("learning_rate", self.learning_rate), ("gradient_norm", self.gradient_norm)):
                if name in record:
                    line.add(step, record[name])
            for name in SECOND:
                if f"{name}_loss" in record:
                    self.second = name
                    self.second_loss.add(step, record[f"{name}_loss"])
        elif kind == "check":
            self.check = record
            if "loss" in record:
                self.valid.add(step, record["loss"])
            for name in SCORES & record.keys():
                self.scores[name].add(step, record[name])
            for name in SECOND.values():
                if name in record:
                    self.second_valid.add(step, record[name])
        elif kind == "pinned":
            moment = {key: record[key] for key in PINNED if key in record}
            gaps = [[of_record(guess) for guess in gap] for gap in moment.get("gaps", ())]
            self.pinned.append(moment | ({"gaps": gaps} if gaps else {}))
        elif kind == "event":
            self.events.append(record)


_logs: OrderedDict[Path, RunLog] = OrderedDict()
_reading = threading.Lock()


def log_of(folder: RunFolder) -> RunLog:
    """The run's metrics log up to now. Everybody who follows a run shares one reading of it."""
    path = folder.path / "metrics.jsonl"
    try:
        stat = path.stat()
    except OSError:
        return RunLog(path, number=-1)
    with _reading:
        log = _logs.get(path)
        if log is None or log.file != stat.st_ino or log.cursor > stat.st_size:
            log = _logs[path] = RunLog(path, stat.st_ino)
        _logs.move_to_end(path)
        while len(_logs) > KEPT:
            _logs.popitem(last=False)
        log.read_on()
        return log


def at_the_end(folder: RunFolder, log: RunLog) -> RunLog:
    """The log of a run that has ended with the measures of its end for its newest check: it may have been stopped
    behind that, or gone back to its best weights. That of another run as it is."""
    last = folder.document("result.json").get("validation") if folder.status() not in GOING else None
    return replace(log, check=log.check | last) if last else log


def of_record(guess: list[Any]) -> list[Any]:
    """A recorded guess. Old records do not know the bytes of a token that is only part of a character."""
    return ["‹…›" if "\ufffd" in guess[0] else guess[0], *guess[1:]]
