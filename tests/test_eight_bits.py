"""A run is packed in eight bits a weight, and answers as before."""

from pathlib import Path

import torch
from safetensors.torch import load_file
from tiny import finished, steps

from lab.inference.model import load
from lab.runs.eight_bits import GREATEST, SCALE, quantised, restored
from lab.runs.pack import pack


def test_a_number_is_off_by_half_a_step_of_its_row_at_most() -> None:
    matrix = torch.tensor([[1.27, 0.014, -0.5], [0.0, 0.0, 0.0], [-254e-6, 3e-6, 1e-6]])
    found = quantised({"table": matrix})
    assert found["table"].tolist() == [[127, 1, -50], [0, 0, 0], [-127, 2, 0]] and found["table"].dtype == torch.int8
    off = (restored(found)["table"] - matrix).abs()
    assert (off <= matrix.abs().amax(1, keepdim=True) / GREATEST / 2 + 1e-9).all()


def test_only_matrices_of_fractions_are_rounded_to_eight_bits() -> None:
    weights = {"norm": torch.tensor([0.5, -2.0]), "counts": torch.tensor([[1, 300]]), "table": torch.eye(2)}
    small = quantised(weights)
    assert {name: tensor.dtype for name, tensor in small.items()} == {
        "norm": torch.half,
        "counts": torch.int64,
        "table": torch.int8,
        "table" + SCALE: torch.float,
    }
    back = restored(small)
    assert back.keys() == weights.keys()
    assert all(torch.equal(back[name].float(), weights[name].float()) for name in back)


def test_a_packed_run_is_half_of_half_precision_and_close_to_what_it_was(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", training=steps(3))
    own, packed = load(folder), load(pack(folder, tmp_path / "packed"))
    numbers = sum(parameter.numel() for parameter in own.model.parameters())
    (file,) = (tmp_path / "packed").rglob("weights.safetensors")
    assert sum(tensor.nbytes for tensor in load_file(file).values()) < 1.4 * numbers  # rows of 16 have a scale, too
    for name, parameter in own.model.named_parameters():
        other = dict(packed.model.named_parameters())[name]
        assert torch.allclose(parameter, other, atol=parameter.abs().max().item() / 200), name
    assert packed.step == own.step == 3
