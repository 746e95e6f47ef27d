"""A run as a page shows it: its diary read on as it grows, and what its numbers mean."""

import itertools
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.analysis.forecast import NOTED
from lab.runs.folder import SHIPPED, RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.serve.limits import profile
from lab.serve.preparing import PREPARING
from lab.ui.shell.visitor import usable, workers
from lab.ui.words import pair, say, upper

KEPT = 64  # diaries in memory at a time
PINNED = ("step", "gaps", "next", "text", "suspected", "near")
PARTS = ("reading", "tokenizer", "tokens")  # of what is done before the first step
LINES = ("uniform", "unigram", "bigram")
SECOND = {"sequence": "sequence_loss", "detection": "discriminator_loss", "boundary": ""}  # in training, in validation
SMOOTH = 0.6  # where the dial of a curve stands at first
QUICK = 0.35  # seconds between looks while there is nothing to see yet
PACE = {"laptop": 1.0, "classroom": 2.0, "space": 2.0}


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
class Told:
    """What a run's diary has told so far."""

    path: Path
    file: int = 0  # a resumed run writes its diary anew, which is another file
    number: int = field(default_factory=itertools.count().__next__)
    cursor: int = 0
    begin: dict[str, Any] = field(default_factory=dict)
    last: dict[str, Any] = field(default_factory=dict)  # the newest training record
    check: dict[str, Any] = field(default_factory=dict)  # the newest validation
    loss: Points = field(default_factory=Points)
    valid: Points = field(default_factory=Points)
    accuracy: Points = field(default_factory=Points)
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
            self.loss.add(step, record.get("tokens_loss", record["loss"]))
            for name in SECOND:
                if f"{name}_loss" in record:
                    self.second = name
                    self.second_loss.add(step, record[f"{name}_loss"])
        elif kind == "check":
            self.check = record
            if "loss" in record:
                self.valid.add(step, record["loss"])
            if "accuracy" in record:
                self.accuracy.add(step, record["accuracy"])
            for name in SECOND.values():
                if name in record:
                    self.second_valid.add(step, record[name])
        elif kind == "pinned":
            moment = {key: record[key] for key in PINNED if key in record}
            gaps = [[of_record(guess) for guess in gap] for gap in moment.get("gaps", ())]
            self.pinned.append(moment | ({"gaps": gaps} if gaps else {}))
        elif kind == "event":
            self.events.append(record)


_told: OrderedDict[Path, Told] = OrderedDict()
_reading = threading.Lock()


def told(folder: RunFolder) -> Told:
    """The run's diary up to now. Everybody who follows a run shares one reading of it."""
    path = folder.path / "metrics.jsonl"
    try:
        stat = path.stat()
    except OSError:
        return Told(path, number=-1)
    with _reading:
        found = _told.get(path)
        if found is None or found.file != stat.st_ino or found.cursor > stat.st_size:
            found = _told[path] = Told(path, stat.st_ino)
        _told.move_to_end(path)
        while len(_told) > KEPT:
            _told.popitem(last=False)
        found.read_on()
        return found


def of_record(guess: list[Any]) -> list[Any]:
    """A recorded guess. Old records do not know the bytes of a token that is only part of a character."""
    return ["‹…›" if "\ufffd" in guess[0] else guess[0], *guess[1:]]


def lines(points: Sequence[Points], before: Sequence[int], now: Sequence[int]) -> list[dict[str, Any]]:
    """Training and validation as lines, from the points ``before`` up to those of ``now``."""
    loss, checks = (each.part(start, end) for each, start, end in zip(points, before, now, strict=True))
    return [
        {"name": say("run.training"), "colour": "predicted", **loss},
        {"name": say("run.validation"), "colour": "replaced", "kind": "points", **checks},
    ]


def curve(
    known: Told, points: Sequence[Points], name: str, before: Sequence[int], now: Sequence[int]
) -> dict[str, Any]:
    """The losses of a run from the points that were sent ``before`` up to those of ``now``, and what it must beat."""
    return {
        "series": lines(points, before, now),
        "from": list(before),
        "key": f"{name}:{known.number}",
        "baselines": yardsticks(known),
        "x": say("run.step"),
        "y": say("run.nats"),
        "until": known.last.get("of"),
        "smooth": SMOOTH,
        "empty": say("run.nothing"),
    }


def yardsticks(known: Told) -> list[dict[str, Any]]:
    """The dashed lines of a pretraining run."""
    lines = known.begin.get("baselines", {})
    return [{"name": say(f"run.{name}"), "y": lines[name]} for name in LINES if name in lines]


def tiles(folder: RunFolder, run: Run, known: Told, status: str) -> list[dict[str, Any]]:
    """How good the run is, how fast, and how far. At its end it is measured on the whole of the validation text."""
    check = (folder.document("result.json").get("validation") if status == "finished" else None) or known.check
    return [
        _loss(check, known),
        *_pair(run, check),
        *_recurring(known),
        _speed(known),
        _time(run, known, status),
        _steps(folder, known, status),
    ]


def _loss(check: dict[str, Any], known: Told) -> dict[str, Any]:
    value, lines = check.get("loss"), known.begin.get("baselines", {})
    tile: dict[str, Any] = {"name": say("run.loss"), "value": value, "unit": say("run.unit"), "digits": 4}
    beaten = [name for name in LINES if value is not None and name in lines and value < lines[name]]
    if beaten:
        name = beaten[-1]
        return tile | {
            "note": say("run.below", n=round(lines[name] - value, 2), line=say(f"run.{name}")),
            "kind": "predicted" if name == "bigram" else "",
        }
    return tile | ({"note": say("run.above", line=say("run.uniform"))} if value is not None and lines else {})


def _pair(run: Run, check: dict[str, Any]) -> list[dict[str, Any]]:
    share = check.get("sequence_accuracy")
    if run.pair is None or share is None:
        return []
    return [
        {"name": say("run.pair"), "value": percent(share), "note": say("run.guessing", share="50\N{NO-BREAK SPACE}%")}
    ]


def _recurring(known: Told) -> list[dict[str, Any]]:
    """How much of the validation text was in what the run learns from, sentence by sentence."""
    share = known.begin.get("recurring")
    return [{"name": say("run.recurring"), "value": percent(share), "note": say("run.recurring.note")}] if share else []


def percent(share: float) -> str:
    """A share as people read it: a number and its sign stay on one line."""
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%"


def _gigabytes(n: float) -> str:
    return f"{n / 2**30:.2f}\N{NO-BREAK SPACE}GB"


def _speed(known: Told) -> dict[str, Any]:
    tokens, seconds = known.last.get("tokens", 0), known.last.get("seconds", 0)
    return {
        "name": say("run.speed"),
        "value": round(tokens / seconds) if seconds else None,
        "unit": say("run.speed.unit"),
        "note": say("run.read", n=grouped(tokens)),
    }


def _time(run: Run, known: Told, status: str) -> dict[str, Any]:
    spent, of = float(known.last.get("seconds", 0)), known.last.get("of")
    if status not in ("running", "waiting"):
        return {"name": say("run.took"), "value": clock(spent), "note": planned(run)}
    step = known.last.get("step", 0)
    left = (of - step) * spent / step if of and step else max((run.plan.seconds or 0) - spent, 0)
    whole = spent + left
    return {
        "name": say("run.left"),
        "value": clock(left) if whole else None,
        "note": planned(run),
        "share": round(spent / whole, 3) if whole else 0,
    }


def planned(run: Run) -> Any:
    """What the run was given."""
    seconds = run.plan.seconds
    return say("run.planned", n=clock(seconds)) if seconds else say("run.of.steps", n=grouped(run.plan.steps or 0))


def _steps(folder: RunFolder, known: Told, status: str) -> dict[str, Any]:
    """How many steps there were; after the run, what was forecast for the same time."""
    step, of = known.last.get("step", 0), known.last.get("of")
    tile = {"name": say("run.steps"), "value": grouped(step), "note": say("run.of", n=grouped(of)) if of else ""}
    said, result, spent = folder.document(NOTED), folder.document("result.json"), float(known.last.get("seconds", 0))
    if status in ("running", "waiting") or not said.get("steps_per_second") or not spent or not result.get("memory"):
        return tile
    gb = {"held": _gigabytes(result["memory"]), "forecast": _gigabytes(said["memory"])}
    return tile | {"note": say("run.forecast", n=grouped(round(said["steps_per_second"] * spent)), **gb)}


def grouped(n: float) -> str:
    """A whole number in groups of three digits."""
    return f"{n:,.0f}"


def clock(seconds: float) -> str:
    """Minutes and seconds, or hours where there are some."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def state(folder: RunFolder, known: Told, stamp: dict[str, Any]) -> list[list[Any]]:
    """What is going on, and what has happened, as the paragraphs of a Prose."""
    return [["p", sentence(folder, known, stamp)], *[["note", _event(event)] for event in known.events[-3:]]]


def sentence(folder: RunFolder, known: Told, stamp: dict[str, Any]) -> Any:
    """What is going on with the run, in one sentence."""
    result, status = folder.document("result.json"), stamp["status"]
    if status == "failed":
        return pair(upper(str(result.get("en", ""))) + ".", upper(str(result.get("zh", ""))) + "。")
    if status == "waiting":
        return say("run.state.waiting", n=stamp["ahead"]) if stamp["ahead"] else say("run.state.starting")
    if status == "running" and not known.last:
        part = stamp["preparing"].get("part")
        share = percent(stamp["preparing"].get("share", 0.0))
        return say(f"run.state.{part}" if part in PARTS else "run.state.checking", share=share)
    return say(f"run.state.{status}", n=grouped(known.last.get("step", 0)))


def _event(event: dict[str, Any]) -> Any:
    data = {"names": ", ".join(map(str, event.get("names", ()))), "reason": str(event.get("reason", ""))}
    return say(f"run.event.{event['code']}", n=grouped(event["step"]), **data)


Seen = dict[str, Any]  # what a page has seen of a run at its last look


def look(folder: RunFolder, seen: Seen | None) -> tuple[Told, Seen, Seen | None]:
    """The run's diary, what the page will have seen when it is told of it, and what it had ``seen`` of the same diary
    before, or None."""
    status, known = folder.status(), told(folder)
    stamp = {
        "status": status,
        "ahead": workers().place(folder) if status == "waiting" else 0,
        "loss": len(known.loss),
        "valid": len(known.valid) + len(known.accuracy),
        "pinned": len(known.pinned),
        "events": len(known.events),
        "preparing": folder.document(PREPARING) if status == "running" and not known.last else {},
    }
    state = [status, stamp["ahead"], stamp["events"], stamp["preparing"], bool(known.last), usable(folder)]
    now = {"run": folder.name, "number": known.number, "stamp": stamp, "state": state}
    same = seen and seen["run"] == folder.name and seen["number"] == known.number
    return known, now, seen if same else None


def pace(stamp: dict[str, Any]) -> tuple[float, bool]:
    """Seconds until the next look, fewer while nothing is to be seen, and whether there is any need for one."""
    return PACE[profile()] if stamp["loss"] else QUICK, stamp["status"] in ("waiting", "running")


def changeable(folder: RunFolder) -> bool:
    """Whether the run is a visitor's: those that come with the lab stay as they are."""
    return folder.path.parent != SHIPPED


def row(folder: RunFolder, run: Run, title: str, facts: list[Any], measure: str) -> dict[str, Any]:
    """A run in a RunList; ``measure`` is the number that matters, "loss" or "accuracy"."""
    result, status = folder.document("result.json"), folder.status()
    value = result.get("validation", {}).get(measure)
    steps = [say("run.list.steps", n=grouped(result["steps"]))] if result.get("steps") else []
    return {
        "id": folder.name,
        "title": title,
        "facts": [*facts, *steps],
        "number": "" if value is None else percent(value) if measure == "accuracy" else f"{value:.3f}",
        "note": "" if value is None else say(f"run.list.{measure}"),
        "when": run.created,
        "status": say(f"run.status.{status}"),
        "live": status in ("waiting", "running"),
        "own": changeable(folder),
    }
