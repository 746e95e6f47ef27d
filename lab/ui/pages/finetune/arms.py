"""The arms of a comparison: fine-tuned runs that were started together, and what tells each from the others."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lab.catalog import MODELS, TASKS
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.runs.tuning import FULL, LAST, LORA, MEAN
from lab.settings import SettingsError
from lab.ui.shell.visitor import label, own, readable, shipped
from lab.ui.words import LANGUAGES, in_language, pair, say, titled

COLOURS = ("predicted", "replaced", "kept", "masked")  # of the arms' lines, in their order
TASKS_WITH_CLASSES = ("classify", "pairs")
ALIKE = ("parent", "task", "task_settings", "corpus", "corpus_settings", "training", "seed", "owner")

Document = dict[str, Any]


def comparisons(visitor: str) -> Iterator[list[RunFolder]]:
    """The arms of each of the visitor's comparisons, the newest first, and then of the lab's."""
    families: dict[str, list[tuple[RunFolder, Document]]] = {}
    for folder in (*own(visitor), *shipped()):
        document = folder.settings
        if document.get("kind") == "finetune" and str(document.get("task")) in TASKS:
            families.setdefault(_family(document), []).append((folder, document))
    found = [arms for family in families.values() for arms in _parted(family)]
    found.sort(key=lambda arms: (bool(arms[0][1].get("owner")), arms[0][1].get("created", 0)), reverse=True)
    yield from ([folder for folder, _ in arms] for arms in found)


def _family(document: Document) -> str:
    """Runs that were started together bear the same mark. Of those without one, as from the terminal, those are held
    against each other that agree in everything but what an arm is."""
    return document.get("comparison") or json.dumps([document.get(part) for part in ALIKE], sort_keys=True)


def _parted(family: Sequence[tuple[RunFolder, Document]]) -> list[list[tuple[RunFolder, Document]]]:
    """The comparisons of one family, in the order of time: where an arm comes again, another one begins."""
    parted: list[list[tuple[RunFolder, Document]]] = []
    known: set[str] = set()
    for folder, document in sorted(family, key=lambda each: each[1].get("created", 0)):
        arm = json.dumps([document.get(part) for part in ("parent", "fresh", "tuning_settings")], sort_keys=True)
        if not parted or arm in known:
            parted.append([])
            known = set()
        known.add(arm)
        parted[-1].append((folder, document))
    return parted


def arms(visitor: str, name: str) -> list[RunFolder]:
    """A run and those that it was started with, in their order. Raises SettingsError where it is not the visitor's."""
    folder = readable(name, visitor)
    if folder.run.task is None:
        raise SettingsError(f"{folder.name} is not fine-tuned", f"{folder.name} 不是微调的训练")
    together = (found for found in comparisons(visitor) if name in [each.name for each in found])
    return next(together, [folder])


def belongs(visitor: str, name: str) -> bool:
    """Whether a run is a fine-tuned one that the visitor may see."""
    try:
        return bool(name) and readable(name, visitor).run.task is not None
    except SettingsError:
        return False


def called(visitor: str, folders: Sequence[RunFolder]) -> list[Any]:
    """What each arm is called beside the others: by its start and by what moves, as far as these differ."""
    runs = [folder.run for folder in folders]
    several = len({run.parent for run in runs}) > 1
    starts = [_start(visitor, run, several) for run in runs]
    ways = [way(run) for run in runs]
    if all(each == ways[0] for each in ways):
        return starts
    if all(each == starts[0] for each in starts):
        return ways
    return [say("finetune.arm", start=start, how=how) for start, how in zip(starts, ways, strict=True)]


def _start(visitor: str, run: Run, several: bool) -> Any:
    if not several:
        return say("finetune.random" if run.fresh else "finetune.pretrained")
    model = MODELS[run.model]
    title = titled(model) if run.fresh else parent_title(visitor, run)
    return say("finetune.random.of" if run.fresh else "finetune.list.from", title=title)


def way(run: Run) -> Any:
    """What of a run's model is trained, and whether it sums a text up by a mean."""
    how, said = run.tuning, say(f"finetune.how.{run.tuning.how}")
    if how.how in (LAST, LORA):
        said = say(f"finetune.how.{how.how}.n", n=how.blocks if how.how == LAST else how.rank)
    return say("finetune.how.pooled", how=said) if how.pooling == MEAN else said


def differ_in_start_alone(runs: Sequence[Run]) -> bool:
    """Whether two runs are a pretrained one and one from random weights, all of which move."""
    first, second = runs
    return not first.fresh and second.fresh and first.tuning == second.tuning and first.tuning.how == FULL


def parents_title(visitor: str, runs: Sequence[Run]) -> Any:
    """What the runs from which these start are called, each once."""
    titles = [parent_title(visitor, run) for run in {run.parent: run for run in runs}.values()]
    en, zh = (
        [in_language(title, each) if isinstance(title, dict) else title for title in titles] for each in LANGUAGES
    )
    return pair(", ".join(en), "、".join(zh))


def parent_title(visitor: str, run: Run) -> Any:
    """What the run from which this one starts is called."""
    try:
        parent = readable(Path(run.parent or "").name, visitor)
        return label(parent.run, parent)
    except SettingsError:
        return say("finetune.gone")
