"""Similarity across layers: hand-worked angles, an alignment by its definition, and the model's own hidden states."""

import math

import pytest
import torch
from test_head_steps import FAMILIES, TEXT, kinds, made

from lab.analysis.layer_similarity import alignment, between_tokens, cosines
from lab.inference.hidden_states import hidden_states
from lab.inference.passed import passed
from lab.inference.shown import shown
from lab.settings import SettingsError


def test_angles_by_hand() -> None:
    """Two layers of two tokens: the first token turns by 60 degrees, the second is only made longer."""
    root = math.sqrt(3) / 2
    hidden = torch.tensor([[[1.0, 0], [0, 2]], [[0.5, root], [0, 5]]])
    found = cosines(hidden)
    assert found[0].tolist() == [pytest.approx([1, 0.5]), pytest.approx([0.5, 1])]
    assert torch.allclose(found[1], torch.ones(2, 2))
    assert between_tokens(hidden).tolist() == pytest.approx([0, root], abs=1e-6)


def test_different_tokens_are_compared_pair_by_pair() -> None:
    hidden = torch.randn(3, 6, 5, generator=torch.Generator().manual_seed(0)) + 1
    units = hidden / hidden.norm(dim=-1, keepdim=True)
    for layer, mean in zip(units, between_tokens(hidden), strict=True):
        pairs = [float(layer[i] @ layer[j]) for i in range(6) for j in range(6) if i != j]
        assert float(mean) == pytest.approx(sum(pairs) / len(pairs), abs=1e-6)


def test_alignment_is_the_one_of_its_definition_and_knows_no_rotation() -> None:
    dice = torch.Generator().manual_seed(1)
    x, y = (torch.randn(7, 4, generator=dice) for _ in range(2))
    a, b = (m - m.mean(0) for m in (x, y))
    by_definition = float((b.T @ a).square().sum() / ((a.T @ a).norm() * (b.T @ b).norm()))
    turn, _ = torch.linalg.qr(torch.randn(4, 4, generator=dice))
    found = alignment(torch.stack([x, y, 3 * x @ turn + 5]))
    assert float(found[0, 1]) == pytest.approx(by_definition, abs=1e-5)
    assert float(found[0, 2]) == pytest.approx(1, abs=1e-5)
    assert torch.allclose(found, found.T) and torch.allclose(found.diag(), torch.ones(3), atol=1e-5)
    assert alignment(torch.ones(2, 3, 4)).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("name", FAMILIES)
def test_hidden_states_are_those_between_which_a_layer_stands(name: str) -> None:
    trained = made(name)
    asked = shown(trained, TEXT)
    for kind in kinds(name)[:2]:
        hidden, ids = hidden_states(trained, asked, kind)
        assert hidden.shape[:2] == (3, len(ids))
        for layer in range(2):
            seen = passed(trained.model, asked.batch, kind, layer)
            assert torch.allclose(seen.before, hidden[layer], atol=1e-6)
            assert torch.allclose(seen.after, hidden[layer + 1], atol=1e-6)


def test_a_kind_of_layers_that_is_not_there_gets_a_sentence() -> None:
    trained = made("bert")
    with pytest.raises(SettingsError, match="no layers of the kind"):
        hidden_states(trained, shown(trained, TEXT), "decoder")
