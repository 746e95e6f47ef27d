"""Weights and activations by layer, as they stand in the model and in transformers."""

from pathlib import Path
from typing import Any

import pytest
import torch
from random_runs import run_of
from tiny import finished

from lab.analysis.layer_norms import layer_norms, rms
from lab.exchange.export import export
from lab.exchange.known import namings
from lab.inference.inputs import framed, with_special_tokens
from lab.inference.model import load
from lab.settings import SettingsError

transformers = pytest.importorskip("transformers")


def test_a_root_mean_square_by_hand() -> None:
    assert rms([torch.tensor([3.0, 4.0]), torch.tensor([[0.0, 0.0]])]) == pytest.approx(2.5)


@pytest.mark.parametrize("model", ["bert", "gpt"])
def test_hidden_states_are_as_long_as_those_of_transformers(model: str, tmp_path: Path) -> None:
    naming = next(each for each in namings() if each.model == model and each.written)
    run = run_of(naming, tmp_path / "run")
    trained, out = load(run), export(run, tmp_path / "out").folder
    peer: Any = transformers.AutoModel.from_pretrained(out, attn_implementation="eager").eval()
    found = layer_norms([trained], "The cat 猫")
    with torch.no_grad():
        said = peer(
            torch.from_numpy(framed(trained, with_special_tokens(trained, "The cat 猫")))[None],
            output_hidden_states=True,
        )
    theirs = [float(state[0].norm(dim=-1).mean()) for state in said.hidden_states]
    assert found.states[0].tolist() == pytest.approx(theirs, rel=1e-5)
    layers = peer.encoder.layer if model == "bert" else peer.h
    assert found.weights[0].tolist() == pytest.approx([rms([*layer.parameters()]) for layer in layers], rel=1e-5)


def test_a_table_that_all_layers_share_is_no_layer_s_own(tmp_path: Path) -> None:
    trained = load(run_of(next(each for each in namings() if each.model == "deberta_v2"), tmp_path / "run"))
    [said] = layer_norms([trained], "The cat").weights
    stack: Any = trained.model.stack
    for said_of_it, block in zip(said.tolist(), stack.blocks, strict=True):
        own = [weight for name, weight in block.named_parameters() if "table" not in name]
        assert said_of_it == pytest.approx(rms(own)) and len(own) < len([*block.parameters()])


def test_layers_that_share_their_weights_have_equal_ones_and_a_network_without_layers_says_so(tmp_path: Path) -> None:
    shape = {"width": 16, "depth": 3, "heads": 2, "context": 16, "embedding_width": 8}
    found = layer_norms([load(finished(tmp_path / "albert", model="albert", shape=shape))], "The town")
    assert found.weights.shape == (1, 3) and len({*found.weights[0].tolist()}) == 1 and found.states.shape == (1, 4)
    with pytest.raises(SettingsError):
        layer_norms([load(finished(tmp_path / "lstm", model="lstm"))], "The town")
