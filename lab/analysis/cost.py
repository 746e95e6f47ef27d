"""Operations (FLOPs) and bytes of training and decoding, counted on tensors without numbers.

One training step runs on fake tensors. They have shapes and no numbers, so that nothing is computed, and yet every
operation passes by to be counted, and every tensor that the way back needs. Blocks are alike, so three of them tell
what a hundred cost.
"""

import json
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode
from torch.overrides import TorchFunctionMode

from lab.analysis.count import count, tensors
from lab.analysis.ledger import BYTES, Ledger, Saved
from lab.batch import Batch
from lab.catalog import MODELS, OBJECTIVES, TASKS
from lab.data.batches import Batches
from lab.data.reading import constant_reader, plain_reader
from lab.data.stream import Stream
from lab.examples import Example
from lab.inference.model import classes_of, heads_of, made
from lab.inference.tuning import asking, tuned
from lab.layers.kv_cache import Cache
from lab.runs.finding import find_run
from lab.runs.run import IMPORTED, Run
from lab.settings import SettingsError
from lab.tasks.parts.batching import batch_of
from lab.training.learner import Learner
from lab.training.optimizers import kept
from lab.vocabulary import SPECIALS, Vocabulary

FEW = 3  # blocks that are run; what one more costs is what the third does
ANY = Example("", label=0, choices=("", ""), words=((0, 1),), tags=(0,), targets=("",))  # that suits every task
ROWS = 8  # of the batch that is run; all that is counted grows with the rows
MIXING = 95  # bytes, whose writing takes as long as mixing a chance from those after several histories, as measured
ROOM = 1.3  # bytes that a process takes for each that it works with: what was let go leaves holes (glibc, as measured)
WORDS = 4096  # of a model that must be run with numbers
SMALL = 50_000_000  # parameters of a model that is run with numbers within seconds
_DECISIVE = ("model", "shape", "objective", "objective_settings", "pair", "task", "task_settings")
_FREE = {"labels", "evaluations", "patience", "class_weights", "group_by_length"}  # of tuning: a step is the same


@dataclass(frozen=True, kw_only=True)
class Cost:
    """One training step of a run. Operations are the multiplications and additions of matrix products and of attention,
    each of them one: word2vec and GloVe multiply vectors element by element and have none. Sizes in bytes."""

    parameters: int
    optimizer: int  # the state that the run's optimizer keeps beside the weights
    tokens: int  # read in the step
    forward: float
    backward: float
    written: int  # bytes of all tensors that come to be on both ways
    activations: int  # what the forward pass keeps for the way back
    working: int  # the most that is held at once beside those: activations and their gradients, and the weights'

    @property
    def weights(self) -> int:
        """As large as their gradients."""
        return BYTES * self.parameters

    @property
    def training(self) -> int:
        """What a process takes: the weights, the optimizer's state, and room for all that is held beside them."""
        return self.weights + self.optimizer + round(ROOM * self.working)

    @property
    def per_token(self) -> float:
        """Operations for each token read, forward and backward."""
        return (self.forward + self.backward) / self.tokens


@dataclass(frozen=True)
class _Counted:
    """A step of ``ROWS`` rows. What is at hand grows with the rows, and the gradients of the weights do not: the one
    falls on the way back while the other grows, so that most is held at one of two moments."""

    tokens: int
    forward: float
    backward: float
    written: float
    activations: float
    fullest: tuple[float, float]  # bytes at hand, and of finished gradients
    last: tuple[float, float]


def example(model: str, shape: Mapping[str, Any], length: int, rows: int = ROWS) -> Run:
    """A run that pretrains this shape with the model's own objective, on ``rows`` rows of up to ``length`` tokens, by
    AdamW as most papers do."""
    entry = MODELS[model]
    settings: Any = entry.settings.load(dict(shape))
    objective = {"objective": entry.objective, "pair": entry.pair}
    sizes = {**shape, "context": min(length, settings.context)}
    training = {"steps": 1, "batch": rows, "optimizer": "adamw"}
    return Run.load({"kind": IMPORTED, "model": model, "shape": sizes, "training": training, **objective})


def example_cost(model: str, shape: Mapping[str, Any], vocabulary: int, length: int, rows: int = ROWS) -> Cost:
    """What one step of such a run costs. Its model has every position of its ``shape``, however few a row takes."""
    run = example(model, shape, length, rows)
    parameters = sum(fact.count for fact in tensors(model, shape, vocabulary))
    optimizer = optimizer_state(run.plan.optimizer, model, shape, vocabulary)
    return replace(step_cost(run, vocabulary), parameters=parameters, optimizer=optimizer)


def step_cost(run: Run, vocabulary: int) -> Cost:
    """What one training step of the run costs whose tokenizer has ``vocabulary`` ids."""
    decisive = {name: value for name, value in run.dump().items() if name in _DECISIVE}
    decisive |= {"kind": IMPORTED, "training": {"steps": 1, "batch": ROWS}}
    decisive |= {"tuning_settings": {k: v for k, v in run.tuning_settings.items() if k not in _FREE}}
    key = json.dumps(decisive, sort_keys=True)
    counted, (parameters, trained) = _step_cost(key, _teacher(run), vocabulary), _parameters(key, vocabulary)
    times = run.plan.batch / ROWS
    return Cost(
        parameters=parameters,
        optimizer=BYTES * sum(kept(run.plan.optimizer, name, shape) for name, shape in trained),
        tokens=round(counted.tokens * times),
        forward=counted.forward * times,
        backward=counted.backward * times,
        written=round(counted.written * times),
        activations=round(counted.activations * times),
        working=round(max(times * at_hand + finished for at_hand, finished in (counted.fullest, counted.last))),
    )


def optimizer_state(optimizer: str, model: str, shape: Mapping[str, Any], vocabulary: int) -> int:
    """The bytes that an optimizer keeps beside the weights of a model."""
    return BYTES * sum(kept(optimizer, fact.name, fact.shape) for fact in tensors(model, shape, vocabulary))


def kept_per_token(run: Run, vocabulary: int) -> int | None:
    """The bytes of keys and values that writing one more token adds to what is remembered; None where the model does
    not write. A recurrent model remembers as much after any text: 0."""
    objective = OBJECTIVES[run.objective]
    if not (objective.left_to_right or objective.decoding.seq2seq) or "counts" in MODELS[run.model].traits:
        return None
    return round(_over_depth(run, lambda few: [_remembered(few, vocabulary)])[0])


def _teacher(run: Run) -> str | None:
    """The model from which the run learns, as a key; None where there is none any more."""
    try:
        return json.dumps(find_run(run.teacher).run.dump(), sort_keys=True) if run.teacher else None
    except SettingsError:
        return None


@lru_cache(maxsize=512)
def _parameters(decisive: str, vocabulary: int) -> tuple[int, list[tuple[str, tuple[int, ...]]]]:
    """How many parameters a run's model has, and the names and shapes of those that it trains."""
    run = Run.load(json.loads(decisive))
    if run.task is None:
        facts = tensors(run.model, run.shape, vocabulary, classes_of(run, ()))
        return sum(fact.count for fact in facts), [(fact.name, fact.shape) for fact in facts]
    with FakeTensorMode():
        model = tuned(fresh_model(run, vocabulary), run)
    trained = [(name, tuple(each.shape)) for name, each in asking(model, TASKS[run.task]).items()]
    return sum(each.numel() for each in model.parameters()), trained


@lru_cache(maxsize=512)
def _step_cost(decisive: str, teacher: str | None, vocabulary: int) -> _Counted:
    run, wise = Run.load(json.loads(decisive)), Run.load(json.loads(teacher)) if teacher else None
    batch = any_batch(run, vocabulary)
    tokens = batch.shown.numel() + (batch.source.numel() if batch.source is not None else 0)
    if "counts" in MODELS[run.model].traits:  # one number for each id at each place, and no way back
        chances = float(tokens * vocabulary)
        return _Counted(tokens, 2 * chances, 0.0, MIXING * chances, 0.0, (0.0, 0.0), (0.0, 0.0))
    quantities = _over_depth(run, lambda few: one_step(few, batch, vocabulary, wise))
    forward, backward, written, kept, *moments = quantities
    fullest, last = (moments[0], moments[1]), (moments[2], moments[3])
    return _Counted(tokens, forward, backward, written, kept, fullest, last)


def _over_depth(run: Run, measure: Callable[[Run], list[float]]) -> list[float]:
    """What is measured, of all blocks: of a few, and as often what one more adds as there are others."""
    depth = run.settings_of("model").depth
    if depth <= FEW:
        return measure(run)
    less, more = (measure(replace(run, shape={**run.shape, "depth": few})) for few in (FEW - 1, FEW))
    return [b + (depth - FEW) * (b - a) for a, b in zip(less, more, strict=True)]


class _AllDifferent(TorchFunctionMode):
    """How many of a batch's tokens or places are different depends on their numbers: as many as there are at most."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function is not torch.Tensor.unique:
            return function(*args, **(kwargs or {}))
        flat = args[0].flatten()
        return (flat, torch.arange(len(flat)).view_as(args[0])) if (kwargs or {}).get("return_inverse") else flat


def one_step(run: Run, batch: Batch, vocabulary: int, teacher: Run | None = None) -> list[float]:
    """Operations forward and backward; bytes written on both ways, and kept in between; and bytes at hand, and of
    finished gradients, when most is at hand and when the last gradients are made."""
    # Some shapes depend on numbers. A small model is then given some, which is quicker than to do without: a recurrent
    # one takes thousands of small steps. A large one would take minutes, and is counted as if nothing came twice.
    large = count(run.model, run.shape, vocabulary)["params"]["with_pretraining_heads"] > SMALL
    ways: list[AbstractContextManager[Any]] = [nullcontext(), *([_AllDifferent()] if large else [])]
    for way in ways:
        with suppress(DataDependentOutputException, DynamicOutputShapeException), FakeTensorMode() as fake, way:
            return _observed(run, faked(batch, fake), vocabulary, teacher)
    return _over_words(run, vocabulary, teacher)


def _over_words(run: Run, vocabulary: int, teacher: Run | None) -> list[float]:
    """What is measured with numbers, of a batch in few words: with as many as fit, and as often what one more adds as
    there are others."""
    few = max(WORDS // 2, _ids(run))
    if vocabulary <= 2 * few:
        vocabulary = max(vocabulary, _ids(run))
        return _observed(run, any_batch(run, vocabulary), vocabulary, teacher)
    batch = any_batch(run, few)
    less, more = (_observed(run, batch, words, teacher) for words in (few, 2 * few))
    return [b + (vocabulary / few - 2) * (b - a) for a, b in zip(less, more, strict=True)]


def _observed(run: Run, batch: Batch, vocabulary: int, teacher: Run | None) -> list[float]:
    model = tuned(fresh_model(run, vocabulary), run)
    wise = fresh_model(teacher, vocabulary).requires_grad_(False) if teacher else None
    saved, ledger = Saved(model), Ledger(model, _tensors(batch).values())
    with ledger:
        with torch.autograd.graph.saved_tensors_hooks(saved.keep, lambda tensor: tensor):
            parts, _ = Learner(model, wise, TASKS[run.task] if run.task else None)(batch)
            loss = torch.stack(list(parts.values())).sum()
        forward, kept = ledger.operations, saved.bytes + ledger.hidden
        del saved, parts  # they would hold what the way back lets go
        loss.backward()
    backward = ledger.operations - forward
    return [float(number) for number in (forward, backward, ledger.written, kept, *ledger.fullest, *ledger.last)]


def _remembered(run: Run, vocabulary: int) -> float:
    """The bytes that a third token adds to the memory of two."""
    with FakeTensorMode() as fake, torch.no_grad():
        model, cache = fresh_model(run, vocabulary).eval(), Cache()
        sizes = []
        for tokens in (2, 1):
            shown = torch.full((1, tokens), len(SPECIALS))
            source = torch.full((1, 4), len(SPECIALS)) if "writes" in MODELS[run.model].traits else None
            batch = Batch(shown=shown, visible="causal", source=source, asked=torch.tensor([tokens - 1]))
            model(faked(batch, fake), cache)
            sizes.append(cache.size)
    return float(BYTES * (sizes[1] - sizes[0]))


def fresh_model(run: Run, vocabulary: int) -> nn.Module:
    return made(run, vocabulary, *heads_of(run, ("no", "yes")))


def faked(batch: Batch, fake: FakeTensorMode) -> Batch:
    """The batch, its tensors without their numbers."""
    made: dict[str, Any] = {name: fake.from_tensor(value) for name, value in _tensors(batch).items()}
    return replace(batch, **made)


def _tensors(batch: Batch) -> dict[str, Tensor]:
    parts = {item.name: getattr(batch, item.name) for item in fields(batch)}
    return {name: value for name, value in parts.items() if isinstance(value, Tensor)}


def _specials(run: Run) -> list[str]:
    return [*SPECIALS, *OBJECTIVES[run.objective].packing.special_tokens]


def _ids(run: Run) -> int:
    """As many ids as a text needs at least that the run's objective can corrupt."""
    return len(_specials(run)) + 1


def any_batch(run: Run, vocabulary: int) -> Batch:
    """What the run's objective or task makes of a text in which every id is as likely."""
    size, context = run.plan.batch, run.longest
    names = _specials(run)
    words = Vocabulary(max(vocabulary, _ids(run)), {name: number for number, name in enumerate(names)})
    draw = np.random.default_rng(0)
    if run.task:
        ids = draw.integers(len(names), words.size, max(1, context - 2))
        units = TASKS[run.task].build(ANY, run.settings_of("task"), constant_reader(plain_reader(run, words), ids))
        return batch_of([units[0]] * size, TASKS[run.task], words)
    ids = draw.integers(len(names), words.size, math.ceil(1.25 * size + 2) * context)
    none = np.zeros(0, dtype=np.int64)
    return Batches(replace(run, pair=None), Stream(ids, none, none), words).batch(0, size)
