"""Parameter efficiency: how many of a model's parameters a way of fine-tuning moves, counted on tensors without
numbers.
"""

import json
from dataclasses import dataclass
from functools import lru_cache

from torch import nn
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode

from lab.analysis.cost import any_batch, faked
from lab.batch import Batch
from lab.catalog import TASKS
from lab.inference.model import heads_of, made
from lab.inference.tuning import moving, tuned
from lab.runs.checkpoint import weights_of
from lab.runs.run import IMPORTED, Run

DECISIVE = ("model", "shape", "objective", "objective_settings", "task", "task_settings", "tuning_settings")


@dataclass(frozen=True)
class Moved:
    """How many parameters fine-tuning moves, and how many there are, those that it adds among them."""

    moving: int
    parameters: int

    @property
    def share(self) -> float:
        """What moves, of all."""
        return self.moving / self.parameters


def moved(run: Run, vocabulary: int, classes: int = 2) -> Moved:
    """What moves when the run, whose tokenizer has ``vocabulary`` ids, learns to tell so many classes apart. Raises
    SettingsError where its model has no such parts."""
    decisive = {name: value for name, value in run.dump().items() if name in DECISIVE}
    decisive |= {"kind": IMPORTED, "training": {"steps": 1, "batch": 1}}
    return _moved(json.dumps(decisive, sort_keys=True), vocabulary, classes)


@lru_cache(maxsize=256)
def _moved(decisive: str, vocabulary: int, classes: int) -> Moved:
    run = Run.load(json.loads(decisive))
    batch = any_batch(run, vocabulary)
    try:
        with FakeTensorMode() as fake:
            return _counted(run, faked(batch, fake), vocabulary, classes)
    except (DataDependentOutputException, DynamicOutputShapeException):  # its shapes depend on numbers
        return _counted(run, batch, vocabulary, classes)


def _counted(run: Run, batch: Batch, vocabulary: int, classes: int) -> Moved:
    assert run.task is not None
    names = ("",) * classes
    model: nn.Module = tuned(made(run, vocabulary, *heads_of(run, names)), run)
    loss, _ = TASKS[run.task].loss(model(batch), batch)
    move = {*moving(model, loss)}
    sizes = {name: weight.numel() for name, weight in weights_of(model).items()}
    return Moved(sum(sizes[name] for name in move & sizes.keys()), sum(p.numel() for p in model.parameters()))
