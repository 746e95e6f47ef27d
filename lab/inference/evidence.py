"""Attribution: how much each token of a text speaks for a class, by gradient times input and by occlusion.

Both are in the unit of the model's own score for the class: by how much its logit lies above the mean of all classes'.
Gradient times input (Shrikumar et al. 2016; Denil et al. 2014 for text) is what the score would lose without a token if
it were linear in the tokens' vectors. Occlusion (Zeiler and Fergus 2014; Li et al. 2016 for text) takes the token out
and looks: another one stands in its place, [MASK] where the model has learnt to read it, else nothing.

N rows   T tokens   E table width   C classes
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from lab.batch import Batch, Exercise, collate
from lab.catalog import OBJECTIVES, TASKS
from lab.examples import Example
from lab.inference.model import Trained
from lab.settings import SettingsError
from lab.tokenizer import Piece

ROOM = 2**14  # tokens that occlusion reads, all its rows together: a text with more is not taken apart
ROWS = 64  # of them at once


@dataclass(frozen=True)
class Evidence:
    """What each token of a text, or of two, adds to the score of a class; 0 for special tokens. ``gradient`` is None
    for a model that has no table of token vectors, ``occlusion`` for a text that is too long to be taken apart."""

    label: int
    pieces: list[Piece]
    gradient: list[float] | None
    occlusion: list[float] | None


def evidence(trained: Trained, example: Example, label: int) -> Evidence:
    """The evidence in an example for the class number ``label``. Raises SettingsError for a model that was fine-tuned
    for another task than to classify texts or pairs of them."""
    if trained.run.task not in ("classify", "pairs"):
        raise SettingsError(
            "tokens are evidence for a class: this run has none", "词元是某个类别的证据：这个训练没有类别"
        )
    units = TASKS[trained.run.task].build(example, trained.run.settings_of("task"), trained.reader)
    exercise = units[0].exercise
    pieces = trained.tokenizer.pieces(exercise.shown[0])
    places = np.array([at for at, piece in enumerate(pieces) if not piece.special], dtype=np.int64)
    slopes = gradient_times_input(trained.model, collate(exercise).to(trained.device), label)
    told = None
    if len(places) * len(pieces) <= ROOM:
        told = occlusion(trained.model, exercise, label, places, stand_in(trained), trained.device)
    return Evidence(
        label,
        pieces,
        None if slopes is None else _at(places, slopes[places], len(pieces)),
        None if told is None else _at(places, told, len(pieces)),
    )


def score(model: nn.Module, batch: Batch, label: int) -> Tensor:
    """By how much the logit of a class lies above the mean of all: (N,)."""
    logits: Tensor = model(batch).sequence.float()  # (N, C)
    return logits[:, label] - logits.mean(-1)


def gradient_times_input(model: nn.Module, batch: Batch, label: int) -> np.ndarray | None:
    """The slope of a class's score at each token's vector, times that vector: (T,), of a batch of one row. None where
    no table gives the tokens their vectors."""
    with torch.enable_grad(), _Vectors(batch.shown) as vectors:
        total = score(model, batch, label).sum()
        if not vectors.found:
            return None
        slopes = torch.autograd.grad(total, vectors.found, allow_unused=True)
    parts = [(s * v).sum(-1) for s, v in zip(slopes, vectors.found, strict=True) if s is not None]  # each (1, T)
    told: np.ndarray = torch.stack(parts).sum(0)[0].detach().cpu().numpy()
    return told


def occlusion(
    model: nn.Module,
    exercise: Exercise,
    label: int,
    places: np.ndarray,
    instead: int | None,
    device: torch.device | str = "cpu",
) -> np.ndarray:
    """What a class's score loses without each of the tokens at these ``places`` (N,) of an exercise of one row: (N,).
    The token ``instead`` stands there then; None leaves the place out."""
    if not len(places):
        return np.zeros(0)
    rows = _without(exercise, places) if instead is None else _replaced(exercise, places, instead)
    with torch.inference_mode():
        whole = score(model, collate(exercise).to(device), label)  # (1,)
        parts = [score(model, collate(_rows(rows, n)).to(device), label) for n in range(0, len(places), ROWS)]
    told: np.ndarray = (whole - torch.cat(parts)).cpu().numpy()
    return told


def stand_in(trained: Trained) -> int | None:
    """The token that stands for one which is not shown: [MASK], where the model was pretrained to read it."""
    shares = OBJECTIVES[trained.run.objective].rates.shares
    masked = shares(trained.run.settings_of("objective")).masked if shares else None
    return trained.tokenizer.vocabulary.mask if masked else None


class _Vectors(TorchFunctionMode):
    """Catches the vectors that tables give to the ids (1, T) on their way into a model, each as a leaf of its own that
    has a slope; in this thread alone, as a hook would not."""

    def __init__(self, ids: Tensor) -> None:
        super().__init__()
        self.ids = ids
        self.found: list[Tensor] = []  # each (1, T, E)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = func(*args, **(kwargs or {}))
        if func is not nn.functional.embedding or args[0].shape != self.ids.shape or not args[0].equal(self.ids):
            return given
        self.found.append(given.detach().requires_grad_())
        return self.found[-1]


def _replaced(exercise: Exercise, places: np.ndarray, instead: int) -> Exercise:
    """One row for each place, in which another token stands there: (N, T)."""
    every = _repeated(exercise, len(places))
    shown = every.shown.copy()
    shown[np.arange(len(places)), places] = instead
    return replace(every, shown=shown)


def _without(exercise: Exercise, places: np.ndarray) -> Exercise:
    """One row for each place, which lacks it: (N, T - 1)."""
    every = _repeated(exercise, len(places))
    kept = np.arange(exercise.shown.shape[1]) != places[:, None]  # (N, T)
    return _each(every, lambda table: table[kept].reshape(len(table), -1))


def _repeated(exercise: Exercise, times: int) -> Exercise:
    """The one row of an exercise so many times."""
    assert isinstance(exercise.visible, str) and exercise.positions is None and exercise.source is None
    return _each(exercise, lambda table: np.repeat(table, times, 0))


def _rows(exercise: Exercise, first: int) -> Exercise:
    return _each(exercise, lambda table: table[first : first + ROWS])


def _each(exercise: Exercise, change: Callable[[np.ndarray], np.ndarray]) -> Exercise:
    """The exercise with every table of its rows changed alike."""
    return replace(
        exercise,
        shown=change(exercise.shown),
        asked=change(exercise.asked),
        answers=change(exercise.answers),
        segments=None if exercise.segments is None else change(exercise.segments),
    )


def _at(places: np.ndarray, values: np.ndarray, length: int) -> list[float]:
    """The values at their places among so many tokens, and 0 elsewhere."""
    told = np.zeros(length)
    told[places] = values
    return [float(value) for value in told]
