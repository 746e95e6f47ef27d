"""Over training: a head's map, where one token looks, and the logit lens at every snapshot of a run.

L layers   M moments   T tokens that look   S tokens looked at
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lab.inference.attention_maps import QUERY, Maps, maps_of
from lab.inference.early_exit import exits
from lab.inference.logit_lens import Lens, lenses
from lab.inference.model import Trained, load
from lab.inference.rollout import mean_of_heads
from lab.inference.shown import Shown, showing, shown
from lab.runs import snapshots
from lab.runs.folder import RunFolder
from lab.settings import SettingsError


@dataclass(frozen=True, kw_only=True)
class OverTraining:
    """The same text, read at several steps of one run; a decoder reads at each what it writes in the end."""

    steps: list[int]  # M
    read: int  # tokens that are read; a decoder's are counted behind them
    last: Maps  # as the maps are in the end: their tokens
    maps: Tensor  # (M, T, S): of the head
    looker: int  # the token whose looks are shown, counted from 0: the gap, or where the model is asked for more
    looks: Tensor  # (M, L, S): the mean of all heads of a layer
    lens: Lens | SettingsError  # one place, M steps beside each other; where there is none, why


def moments(folder: RunFolder) -> list[Trained]:
    """The run's model at every step of which its weights were kept. Raises SettingsError where there is but one."""
    steps = snapshots.steps(folder.path)
    if len(steps) < 2:
        raise SettingsError(
            "no snapshots were kept along this run: of a large model or a short run there is no room or time for them",
            "这个训练沿途没有保存快照：模型太大或训练太短时没有空间或时间保存",
        )
    return [load(folder, step) for step in steps]


def over_training(
    models: Sequence[Trained], text: str, kind: str, layer: int, head: int, longest: int | None = None
) -> OverTraining:
    """What the ``moments`` of a run make of a text, cut to ``longest`` tokens; of the head, each counted from 0. Raises
    SettingsError where there is no such head or nothing to look at."""
    last = models[-1]
    asked = shown(last, text, longest)

    def again(trained: Trained) -> Shown:
        return showing(trained, asked.text, asked.answer)

    layers = [maps for trained in models for maps in maps_of(trained, again(trained)) if maps.kind == kind]
    if not layers or not (0 <= layer < layers[0].maps.shape[0] and 0 <= head < layers[0].maps.shape[1]):
        raise SettingsError("this model has no such head", "这个模型没有这个头")
    looker = _looker(last, asked, kind)
    try:
        told: Lens | SettingsError = lenses(models, again)
    except SettingsError as error:
        told = error
    return OverTraining(
        steps=[trained.step for trained in models],
        read=len(asked.read),
        last=layers[-1],
        maps=torch.stack([maps.maps[layer, head] for maps in layers]),
        looker=looker,
        looks=torch.stack([mean_of_heads(maps.maps)[:, looker] for maps in layers]),
        lens=told,
    )


def _looker(trained: Trained, asked: Shown, kind: str) -> int:
    """Of the tokens that look in these maps the one in which the answer is made."""
    if kind == QUERY:
        return 0
    ids = asked.written if kind in ("decoder", "cross") else asked.read
    gaps = (ids == trained.tokenizer.vocabulary.gap).nonzero()[0]
    if len(gaps):
        return int(gaps[0])
    try:
        early = exits(trained, asked)
    except SettingsError:
        return len(ids) - 1
    inside = len(early.places) and len(early.ids) == len(ids)
    return int(early.places[early.meant]) if inside else len(ids) - 1
