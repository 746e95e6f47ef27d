"""Over training: each moment shows what the run's own snapshot computes, and the lens follows the final answer."""

import math
from pathlib import Path

import pytest
import torch
from tiny import finished, shape, steps

from lab.inference.attention_maps import attention, maps_of
from lab.inference.early_exit import exits
from lab.inference.logit_lens import Lens
from lab.inference.model import Trained, load
from lab.inference.over_training import moments, over_training
from lab.inference.shown import showing, shown
from lab.runs import checkpoint, snapshots
from lab.runs.checkpoint import State
from lab.runs.folder import RunFolder
from lab.settings import SettingsError
from lab.ui.pages.pretrain.by_layer import measured

TEXT = "The [MASK] sat on"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """A short run of three families, whose snapshots were kept as if there had been time."""
    place, usual = tmp_path_factory.mktemp("runs"), snapshots.SHARE
    snapshots.SHARE = math.inf
    models = ("bert", "gpt", "t5")
    runs = {
        model: finished(
            place / model, model=model, shape=shape(model) | {"depth": 2}, training=steps(9, learning_rate=0.05)
        )
        for model in models
    }
    snapshots.SHARE = usual
    return runs


@pytest.mark.parametrize(("model", "kind"), [("bert", ""), ("gpt", ""), ("t5", "encoder"), ("t5", "cross")])
def test_every_moment_is_the_snapshot_s_own(model: str, kind: str, made: dict[str, RunFolder]) -> None:
    folder = made[model]
    found = over_training(moments(folder), TEXT, kind, 1, 1)
    assert found.steps == [0, 1, 2, 4, 8, 9] == snapshots.steps(folder.path)
    last = load(folder)
    asked = shown(last, TEXT)
    for at, step in enumerate(found.steps):
        own = load(folder, step)
        read = asked if step == 9 else showing(own, asked.read, None if model != "t5" else asked.written)
        [maps] = [each.maps for each in maps_of(own, read) if each.kind == kind]
        assert torch.allclose(found.maps[at], maps[1, 1], atol=1e-6)
        assert torch.allclose(found.looks[at], maps.mean(1)[:, found.looker], atol=1e-6)
        assert isinstance(found.lens, Lens)
        each = exits(own, read)
        shares = each.scores(2).softmax(-1)[each.meant]
        assert found.lens.likeliest[2, at, 0] == shares.argmax()
        assert float(found.lens.final[2, at]) == pytest.approx(float(shares[found.lens.own[at]]), abs=1e-6)
    assert found.lens.rank[-1, -1] == 1 and len({*found.lens.own.tolist()}) == 1
    assert found.lens.answers.keys() >= {*found.lens.likeliest.flatten().tolist(), *found.lens.own.tolist()}
    assert not torch.allclose(found.maps[0], found.maps[-1], atol=1e-3)  # something has been learnt


def test_a_snapshot_behind_the_newest_checkpoint_is_shown_as_itself(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", training=steps(4))
    weights = checkpoint.load_weights(folder.path / "checkpoints")[0]
    later = {name: torch.zeros_like(weight) for name, weight in weights.items()}
    checkpoint.write(folder.path / "snapshots", State(8, later, {}, {}))  # as early stopping leaves it, or a kill
    found = moments(folder)
    assert [trained.step for trained in found] == snapshots.steps(folder.path) and found[-1].step == 8
    assert not any(weight.any() for weight in found[-1].model.parameters())
    assert measured(folder, [0, 4, 8]).steps == [0, 4, 8]


def test_the_gap_is_watched_and_without_one_the_last_token(made: dict[str, RunFolder]) -> None:
    def looker(model: str, text: str) -> str:
        found = over_training(moments(made[model]), text, "", 0, 0)
        return found.last.lookers[found.looker]

    assert looker("bert", TEXT) == "[MASK]"
    last = attention(load(made["bert"]), "The cat")[0].lookers[-2]
    assert looker("bert", "The cat") == last
    assert looker("gpt", "The cat") == attention(load(made["gpt"]), "The cat")[0].lookers[-1]


def test_a_run_without_snapshots_and_a_head_that_is_not_there_get_a_sentence(
    made: dict[str, RunFolder], tmp_path: Path
) -> None:
    alone = finished(tmp_path / "alone", training=steps(2))
    for folder in (alone.path / "snapshots").glob("*"):
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    with pytest.raises(SettingsError, match="no snapshots were kept"):
        moments(RunFolder.open(alone.path))
    models: list[Trained] = moments(made["bert"])
    for kind, layer, head in (("", 2, 0), ("", 0, 2), ("cross", 0, 0), ("", -1, 0)):
        with pytest.raises(SettingsError, match="no such head"):
            over_training(models, TEXT, kind, layer, head)


def test_where_there_is_no_lens_the_maps_are_shown_all_the_same(tmp_path: Path) -> None:
    folder = finished(tmp_path / "xlnet", model="xlnet", training=steps(2))
    usual = [load(folder), load(folder)]
    found = over_training(usual, "no gap", "", 0, 0)
    assert isinstance(found.lens, SettingsError) and found.maps.shape[0] == 2
