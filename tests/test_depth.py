"""Depth in fresh models: what Xiong et al. (2020) prove of gradients is seen, and what residual connections hold up."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from lab.analysis.depth import (
    LEARNING,
    RECIPES,
    WARMUP,
    Learning,
    WithoutResiduals,
    exercise,
    fresh,
    norms,
    renumbered,
    run_of,
    warming,
)
from lab.batch import losses
from lab.layers.masks import AttentionMask
from lab.settings import SettingsError

IDS = renumbered([7, 9, 3, 40, 5, 7, 11, 9, 2, 1, 15, 16, 3, 17, 18, 19])


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def test_the_last_gradient_falls_with_the_root_of_the_depth_in_pre_norm_and_stays_in_post_norm() -> None:
    last = {
        (norm, depth): norms(IDS, norm, depth, residual=True)["gradients"][-1] for norm in RECIPES for depth in (4, 48)
    }
    assert 12**0.5 / 1.4 < last["pre", 4] / last["pre", 48] < 12**0.5 * 1.4
    assert 1 / 1.4 < last["post", 4] / last["post", 48] < 1.4
    assert last["post", 48] > 3 * last["pre", 48]


def test_states_grow_layer_by_layer_in_pre_norm_and_are_normalised_in_post_norm() -> None:
    pre, post = (norms(IDS, norm, 24, residual=True)["states"] for norm in ("pre", "post"))
    assert len(pre) == len(post) == 25 and pre[-1] > 2 * pre[4] > 4 * pre[0]
    assert post[1:] == pytest.approx([64**0.5] * 24, rel=1e-3)


def test_without_residuals_all_tokens_become_one() -> None:
    for norm in RECIPES:
        assert norms(IDS, norm, 12, residual=False)["alike"][-1] > 0.999
    assert norms(IDS, "pre", 12, residual=True)["alike"][-1] < 0.9


def test_the_gradient_is_that_of_the_loss() -> None:
    found = norms(IDS, "post", 4, residual=True)["gradients"]
    model, batch = fresh(run_of("post", 4)), exercise(IDS)
    weight, step = model.stack.blocks[2].feed.down.weight, 1e-3

    def loss() -> float:
        with torch.no_grad():
            return torch.stack([*losses(model.double()(batch), batch).values()]).sum().item()

    torch.stack([*losses(model(batch), batch).values()]).sum().backward()
    way = (weight.grad / weight.grad.norm()).double()  # up this way the loss grows by the norm
    model.double()
    weight.data += step * way
    above = loss()
    weight.data -= 2 * step * way
    assert (above - loss()) / (2 * step) == pytest.approx(found[2], rel=1e-3)


@pytest.mark.parametrize("norm", RECIPES)
def test_a_block_without_residuals_is_the_block_without_what_came_in(norm: str) -> None:
    block = fresh(run_of(norm, 1)).stack.blocks[0]
    for part in (block.attention_norm, block.feed_norm):
        part.forward = lambda x: x  # the sums can then be undone by hand
    x, mask = torch.randn(1, 5, 64), AttentionMask(causal=True)

    def added(x: Tensor) -> Tensor:
        x = x + block.attention(x, mask)
        return x + block.feed(x)

    assert torch.allclose(block(x, mask), added(x), atol=1e-5)
    assert torch.allclose(WithoutResiduals(block)(x, mask), block.feed(block.attention(x, mask)), atol=1e-5)


def test_models_of_one_depth_start_from_the_same_numbers() -> None:
    pre, post = (dict(fresh(run_of(norm, 2)).named_parameters()) for norm in ("pre", "post"))
    assert pre.keys() - post.keys() == {"stack.norm.weight", "stack.norm.bias"}
    assert all(torch.equal(post[name], pre[name]) for name in post)


def test_post_norm_learns_with_warm_up_what_it_does_not_learn_without() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    cold, warm = (Learning(run_of("post", LEARNING, warmup), IDS[:9]) for warmup in (0.0, WARMUP))
    ends = [[arm.step(number) for number in range(50)][-1] for arm in (cold, warm)]
    assert ends[0] > 2 * ends[1]
    assert torch.equal(torch.get_rng_state(), before)


def test_four_models_are_told_of_by_turns() -> None:
    arms = next(warming(IDS))
    assert len({(arm["norm"], arm["warmup"]) for arm in arms}) == 4
    assert all(
        len(arm["losses"]) == 4 and arm["losses"][0] == pytest.approx(arms[0]["losses"][0], rel=0.2) for arm in arms
    )


def test_ids_are_numbered_anew_and_there_must_be_two() -> None:
    assert renumbered([50_000, 7, 50_000]) == [1, 0, 1] and len(renumbered(range(1000))) == 64
    for ids in ([], [5]):
        with pytest.raises(SettingsError, match="two tokens"):
            renumbered(ids)
