"""The input as a sum: what is added up is what the first block reads, and positions are compared by their angles."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from test_head_steps import FAMILIES, TEXT, kinds, made

from lab.analysis.sum_plane import sum_plane
from lab.inference.hidden_states import hidden_states
from lab.inference.input_sum import BUCKETS, DISENTANGLED, LEARNED, RELATIVE, ROTARY, input_sum, positions_alike
from lab.inference.probe import stack_of
from lab.inference.shown import shown
from lab.layers.attention import Attention
from lab.layers.rotary import Rotary
from lab.settings import SettingsError

WAY = {
    "bert": LEARNED,
    "gpt": LEARNED,
    "glm": LEARNED,
    "bart": LEARNED,
    "llama": ROTARY,
    "chatglm": ROTARY,
    "t5": BUCKETS,
    "deberta_v2": DISENTANGLED,
    "xlnet": RELATIVE,
}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_parts_add_up_to_what_the_first_block_reads(name: str) -> None:
    trained = made(name)
    asked = shown(trained, TEXT)
    for kind in kinds(name)[:2]:
        found = input_sum(trained, asked, kind)
        hidden, ids = hidden_states(trained, asked, kind)
        stack: Any = stack_of(trained.model, kind)
        with torch.no_grad():
            read = stack.embed.project(stack.embed.norm(found.whole))
        assert torch.allclose(read, hidden[0], atol=1e-5) and found.ids.tolist() == ids.tolist()
        assert found.parts.keys() == {"token"} | ({"segment"} if stack.embed.segments else set()) | (
            {"position"} if found.way == LEARNED else set()
        )


@pytest.mark.parametrize(("name", "way"), WAY.items())
def test_how_a_model_knows_where_a_token_stands(name: str, way: str) -> None:
    trained = made(name)
    kind = kinds(name)[0]
    assert input_sum(trained, shown(trained, TEXT), kind).way == way
    assert (positions_alike(trained, kind) is None) == (way in (BUCKETS, DISENTANGLED, RELATIVE))


def test_learned_positions_are_compared_row_by_row() -> None:
    for name in ("bert", "bart", "glm"):
        trained = made(name)
        kind = kinds(name)[0]
        alike = positions_alike(trained, kind, most=5)
        assert alike is not None and alike.shape == (5, 5)
        positions: Any = stack_of(trained.model, kind).embed.positions  # type: ignore[union-attr]
        table = positions.text.table if name == "glm" else positions.table
        first = 0 if name == "glm" else positions.first
        a, b = table.weight[first + 1].detach(), table.weight[first + 3].detach()
        assert float(alike[1, 3]) == pytest.approx(float(a @ b / (a.norm() * b.norm())), abs=1e-6)


def test_turned_positions_are_as_alike_as_the_products_that_are_left() -> None:
    trained = made("llama")
    alike = positions_alike(trained, most=6)
    part: Any = stack_of(trained.model, "").blocks[0].attention  # type: ignore[union-attr]
    assert isinstance(part, Attention) and isinstance(part.rotary, Rotary) and alike is not None
    pairs = len(part.rotary.speeds)
    same = torch.tensor([1.0, 0] * pairs).expand(1, 1, 6, 2 * pairs)  # one vector at six places
    q, k = part.rotary(same, same, 0)
    assert torch.allclose((q @ k.mT)[0, 0] / pairs, alike, atol=1e-5)
    assert float(alike[0, 1]) == pytest.approx(sum(math.cos(s) for s in part.rotary.speeds.tolist()) / pairs, abs=1e-6)


def test_arrows_add_up_and_keep_what_lies_in_the_plane() -> None:
    dice = np.random.default_rng(0)
    flat = dice.normal(size=(2, 9))
    parts = {name: dice.normal(size=(4, 2)) @ flat for name in ("token", "position")}
    points, shares = sum_plane(parts)
    whole = parts["token"] + parts["position"]
    assert sum(shares) == pytest.approx(1)
    added = points["token"] + points["position"]
    assert np.allclose(np.linalg.norm(added, axis=1), np.linalg.norm(whole, axis=1))
    for name, part in parts.items():
        assert np.allclose(np.linalg.norm(points[name], axis=1), np.linalg.norm(part, axis=1))
    assert sum_plane({"token": np.ones((3, 4))})[1] == (0, 0)  # all the same, and so is their sum


def test_a_kind_that_is_not_there_gets_a_sentence() -> None:
    trained = made("bert")
    with pytest.raises(SettingsError, match="no layers of the kind"):
        input_sum(trained, shown(trained, TEXT), "decoder")
