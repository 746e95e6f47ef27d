"""Access of one visitor: their own runs and those that come with the lab, and the models behind them."""

import functools
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lab.catalog import MODELS, OBJECTIVES, TASKS
from lab.exchange.hub_store import kept
from lab.inference.model import Trained, load
from lab.inference.weight_layout import copies
from lab.registry import Entry
from lab.runs.checkpoint import newest
from lab.runs.finding import runs
from lab.runs.folder import SHIPPED, RunFolder
from lab.runs.run import Run
from lab.serve.limits import memory_here
from lab.serve.ownership import owners, seen
from lab.serve.workers import Workers
from lab.settings import SettingsError
from lab.ui.words import LANGUAGES, language_now

KEPT, LARGE = 4, 4  # models in memory at a time, and one part in so many of the memory that they may take
STEP_DIGITS = 10
BETWEEN = " · "  # the parts of a name
NAMED = 40  # characters of a folder's name
# The name of a folder that nobody has named, of which the end tells it from others.
GIVEN = re.compile(r".*-[0-9a-f]{4}([0-9a-f]{6})\Z", re.DOTALL)


@dataclass
class Slot:
    """A place for a model that is in memory, or about to be."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    model: Trained | None = None


_slots: OrderedDict[tuple[str, str], Slot] = OrderedDict()
_guard = threading.Lock()


@functools.cache
def workers() -> Workers:
    """The worker processes of this server, warmed up when first asked for."""
    queue = Workers()
    queue.open()
    return queue


def shipped() -> Iterator[RunFolder]:
    """The runs that come with the lab."""
    yield from (RunFolder(path.parent) for path in sorted(SHIPPED.glob("*/run.json")))


def published() -> Iterator[RunFolder]:
    """The published models that somebody has fetched from the Hub, by name."""
    yield from sorted(kept(), key=lambda folder: folder.name)


def own(visitor: str) -> Iterator[RunFolder]:
    """The visitor's runs, the newest first; on a laptop also those that were started from the terminal."""
    marks = owners(visitor)
    yield from (folder for folder in runs() if folder.run_owner in marks)


def next_number(visitor: str) -> int:
    """The number in the title of the visitor's next run: one more than the largest, so that none has it, not even
    where some were deleted."""
    marks = (str(folder.settings.get("title", "")).rpartition(BETWEEN)[2] for folder in own(visitor))
    return max((int(mark) for mark in marks if mark.isdecimal()), default=0) + 1


def choices(visitor: str, suits: Callable[[Run], bool] = lambda run: True) -> list[tuple[str, str]]:
    """The runs that can be asked something, as (label, id) for a dropdown: the visitor's own, then the lab's, then
    published models."""
    return [(label(folder.run, folder), folder.name) for folder in askable(visitor) if suits(folder.run)]


def askable(visitor: str) -> Iterator[RunFolder]:
    """The same runs, one by one."""
    for folder in (*own(visitor), *shipped(), *published()):
        try:
            if usable(folder) and folder.run:
                yield folder
        except ValueError:
            continue  # a run of another version of the lab, with settings that this one does not know


def label(run: Run, folder: RunFolder) -> str:
    """A run's name for people: what a visitor called it, or what the lab calls it, in the page's language. Runs that
    come with the lab have a title in each, English first."""
    if folder.is_shipped:
        return run.title.split(BETWEEN)[LANGUAGES.index(language_now())]
    mark = run.title.rpartition(BETWEEN)[2] if run.title else GIVEN.sub(r"\1", folder.name)[:NAMED]
    made = run.title in ("", lab_title(run, mark))
    return lab_title(run, mark, language_now()) if made else run.title


def lab_title(run: Run, mark: object, language: str = "") -> str:
    """What the lab calls a run: its model, what it learns, and a mark that tells it from others; by their names, as it
    is kept, or as people say in a language."""
    model, parts = MODELS[run.model], [run.task] if run.task else [run.objective, *([run.pair] if run.pair else [])]
    entries = [(TASKS if run.task else OBJECTIVES)[name] for name in parts]
    if language == "zh":
        return BETWEEN.join([model.title_zh, "、".join(entry.title_zh for entry in entries), str(mark)])
    said = [initials(entry) or entry.title for entry in entries] if language else parts
    return BETWEEN.join([model.title, " + ".join(said), str(mark)])


def initials(entry: Entry) -> str:
    """The letters that people say for an entry whose name they are, such as MLM."""
    letters = {part[0].lower() for part in entry.title.split()}
    return entry.name.upper() if len(entry.name) <= 4 and letters <= {*entry.name} else ""


def trained(name: str) -> Trained:
    """The model of a run by its id, as it was last saved, or as it was at the step behind an @; the last few asked for
    stay in memory."""
    run, at = _meant(name)
    folder = seen(run)
    state = newest(folder.path / "checkpoints")
    key = (str(folder.path), str(at) if at is not None else (state.name if state else ""))
    with _guard:
        slot = _slots.setdefault(key, Slot())
        _slots.move_to_end(key)
    with slot.lock:  # whoever wants the same model waits for it, and nobody else
        if slot.model is None:
            try:
                slot.model = load(folder, at)
            except BaseException:
                _slots.pop(key, None)
                raise
    _make_room()
    return slot.model


def writer(name: str) -> Trained | None:
    """The model of a run, if it goes on with a text; None where it does not, or no run is named."""
    model = trained(name) if name else None
    return model if model is not None and model.left_to_right else None


def _make_room() -> None:
    """Drop the models that nobody has asked for longest, where there are many, or few that are large."""
    with _guard:
        while len(_slots) > 1 and (len(_slots) > KEPT or sum(map(_size, _slots.values())) > memory_here() // LARGE):
            _slots.popitem(last=False)


def _size(slot: Slot) -> int:
    """The bytes of a model's weights, in each layout in which it has them."""
    if slot.model is None:
        return 0
    return sum(weight.nbytes for weight in slot.model.model.parameters()) + copies(slot.model.model)


def flags_of(name: str) -> str:
    """The flags by which the command line asks the same model."""
    run, at = _meant(name)
    return f"--run {run}" + (f" --at-step {at}" if at is not None else "")


def _meant(name: str) -> tuple[str, int | None]:
    """A run's id and the step behind its @; whatever is no step there is passed over."""
    run, _, step = name.partition("@")
    return run, int(step) if step.isdecimal() and len(step) <= STEP_DIGITS else None


def readable(name: str, visitor: str) -> RunFolder:
    """A run that the visitor may look at: their own, or one that is everybody's."""
    folder = seen(name)
    if not folder.is_everybodys and folder.run_owner not in owners(visitor):
        raise SettingsError("this run belongs to somebody else", "这个训练属于别人")
    return folder


def saved(name: str, visitor: str) -> RunFolder:
    """A run that the visitor may look at and whose model can be asked."""
    folder = readable(name, visitor)
    if not usable(folder):
        raise SettingsError("choose a pretrained run that has saved its weights", "请选择已保存权重的预训练")
    return folder


def unseen(visitor: str, name: str) -> SettingsError:
    """What is said of a run that an address names and this page does not show to this visitor."""
    try:
        readable(name, visitor)
    except SettingsError as error:
        return SettingsError(f"{error.en}: another one is shown", f"{error.zh}：显示的是另一个")
    return SettingsError(
        f"the run {name!r} does not belong on this page: another one is shown",
        f"训练 {name!r} 不属于本页：显示的是另一个",
    )


def usable(folder: RunFolder) -> bool:
    """Whether the run has a model that can be asked: one that was saved."""
    return newest(folder.path / "checkpoints") is not None
