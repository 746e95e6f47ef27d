"""ELMo's layer weights on the page: what its task has learnt of each layer, and nothing for other models."""

import math
from typing import Any

import pytest
import torch
from bench import ANN, BOB, learn, parent, still, taught
from test_finetune_arms import begun, together
from tiny import finished

from lab.inference.model import load
from lab.layers.bilm import Mix
from lab.runs.folder import home
from lab.serve.ownership import owner_of
from lab.ui.components.drawn import to_json
from lab.ui.pages.finetune import layer_weights
from lab.ui.pages.finetune.layer_weights import table, weights_of
from lab.ui.words import in_language

__all__ = ["parent", "still", "taught"]  # fixtures


@pytest.mark.parametrize("task", ["classify", "tokens"])
def test_the_weights_of_every_layer_are_those_that_were_learnt(task: str, parent: str) -> None:
    elmo = finished(
        home() / "elmo",
        owner=owner_of(ANN),
        model="elmo",
        objective="bilm",
        shape={"width": 16, "depth": 2, "context": 32},
    )
    data = {"classify": "town_en", "tokens": "town_entities"}[task]
    folders = [
        learn(folder)
        for folder in begun(parent=elmo.name, beside=f"random*{parent}", task=task, data=data, labels="30")
    ]
    values: dict[str, Any] = layer_weights.layer_weights(ANN, together(folders))
    shown = values["layer weights"]
    assert to_json(shown) and values["mixed"]["visible"] is True
    assert [in_language(name, "en") for name in shown["columns"]] == [
        "run",
        "token vectors",
        "biLSTM layer 1",
        "biLSTM layer 2",
        "scale γ",
    ]
    assert len(shown["rows"]) == 2, "the BERT beside mixes no layers"
    for folder, (_, *shares, scale) in zip(folders, shown["rows"], strict=False):
        state = load(folder).model.state_dict()
        name = next(name for name in state if name.endswith(".shares"))
        learnt = state[name].tolist()
        whole = sum(math.exp(each) for each in learnt)
        assert [float(share.split()[0]) for share in shares] == pytest.approx(
            [100 * math.exp(each) / whole for each in learnt], abs=0.051
        )
        assert learnt != [0, 0, 0] and float(scale) == pytest.approx(
            float(state[name.replace("shares", "scale")]), abs=6e-4
        )


def test_without_an_elmo_they_are_not_there(parent: str) -> None:
    folders = [learn(folder) for folder in begun(beside="random")]
    for visitor, names in ((ANN, together(folders)), (BOB, ""), (ANN, "")):
        values: dict[str, Any] = layer_weights.layer_weights(visitor, names)
        assert values == {"mixed": {"visible": False, "__type__": "update"}}


def test_models_of_other_depths_share_a_table() -> None:
    two, three = Mix(2), Mix(3)
    with torch.no_grad():
        three.shares.copy_(torch.tensor([1.0, 2.0, 4.0]).log())
        three.scale.fill_(0.5)
    found = table([("a", weights_of(two)), ("b", weights_of(three))])
    rows = [[str(cell).replace("\N{NO-BREAK SPACE}", " ") for cell in row] for row in found["rows"]]
    assert rows == [["a", "50.0 %", "50.0 %", "–", "1.000"], ["b", "14.3 %", "28.6 %", "57.1 %", "0.500"]]
