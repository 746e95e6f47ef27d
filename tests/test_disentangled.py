"""Disentangled attention: cases worked by hand, distances that do not move with the text, and the mask decoder.

T tokens   W width   K head width
"""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from lab.batch import Batch
from lab.layers.convolution import Convolution
from lab.layers.disentangled import Disentangled, Distances, OwnPlaces, SharedPlaces, log_buckets, slid
from lab.layers.enhanced import EnhancedStack
from lab.layers.feedforward import gelu
from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask
from lab.layers.watch import looking
from lab.models.deberta_v1 import DebertaV1Shape, deberta_v1

KINDS = [OwnPlaces, SharedPlaces]


def random(model: Any) -> Any:
    """The model with random numbers in every parameter, in double precision."""
    torch.manual_seed(4)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return model.double().eval()


def test_scores_by_distance_become_scores_by_token() -> None:
    by_distance = torch.tensor([[3, 2, 1, 0, -1, -2, -3]] * 3)  # three tokens, from the farthest behind to ahead
    assert slid(by_distance, 3).tolist() == [[0, -1, -2], [1, 0, -1], [2, 1, 0]]
    last = torch.tensor([[3, 2, 1, 0, -1]])  # the last of three tokens looks alone, as it does with a cache
    assert slid(last, 3).tolist() == [[2, 1, 0]]


def test_each_distance_has_its_row_and_those_out_of_reach_the_last() -> None:
    distances = Distances(4, 1)  # eight rows: distances -4 to 3
    with torch.no_grad():
        distances.table.weight.copy_(torch.arange(-4.0, 4)[:, None])
    assert distances(2, 4).flatten().tolist() == [3, 3, 2, 1, 0, -1, -2]  # 4 does not exist and is read as 3


def test_near_distances_have_buckets_of_their_own_and_far_ones_share() -> None:
    # Four near buckets; from there to 15 the three others, equally wide in the logarithm: to 6.2, to 9.7, to 15.
    found = log_buckets(torch.arange(-15, 16), 4, 16)
    assert found[15:].tolist() == [0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 7, 7, 7, 7, 7, 7]
    assert (found == -found.flip(0)).all()
    assert log_buckets(torch.tensor([255, 511, -511]), 128, 512).tolist() == [192, 255, -255]


@pytest.mark.parametrize("kind", KINDS)
def test_a_score_is_the_sum_of_three_products(kind: type[Disentangled]) -> None:
    """Written out token by token and distance by distance: two heads of width three, four tokens."""
    part = random(kind(6, 2, Distances(5, 6)))
    x = torch.randn(1, 4, 6, dtype=torch.float64)
    seen: list[Tensor] = []
    with looking({part.watch: seen.append}):
        out = part(x, AttentionMask())
    q, k, v = (each[0].detach().numpy() for each in part.contents(x, x))  # (T, W)
    rows = part.distances.table.weight
    place_q, place_k = (each.detach().numpy() for each in part.places(rows))  # (10, W): distances -5 to 4
    mixed = np.zeros((4, 6))
    for head in (slice(0, 3), slice(3, 6)):
        for i in range(4):
            scores = [
                q[i, head] @ k[j, head] + q[i, head] @ place_k[i - j + 5, head] + k[j, head] @ place_q[i - j + 5, head]
                for j in range(4)
            ]
            weights = np.exp(np.array(scores) / math.sqrt(3 * 3))
            weights /= weights.sum()
            np.testing.assert_allclose(seen[0][0, head.start // 3, i].detach(), weights, atol=1e-12)
            mixed[i, head] = weights @ v[:, head]
    wanted = mixed @ part.out.weight.detach().numpy().T + part.out.bias.detach().numpy()
    np.testing.assert_allclose(out[0].detach(), wanted, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_map_and_the_fused_kernel_agree_with_their_gradients(kind: type[Disentangled]) -> None:
    part = random(kind(8, 2, Distances(9, 8)))
    x = torch.randn(2, 7, 8, dtype=torch.float64)
    table = torch.rand(2, 1, 7, 7) > 0.4
    sight = AttentionMask(table=table | torch.eye(7, dtype=torch.bool))
    found = []
    for watched in (False, True):
        with looking({part.watch: lambda _: None} if watched else {}):
            out = part(x, sight)
        found.append([out, *torch.autograd.grad(out.square().sum(), list(part.parameters()))])
    for fused, mapped in zip(*found, strict=True):
        torch.testing.assert_close(fused, mapped)


@pytest.mark.parametrize("kind", KINDS)
def test_the_last_tokens_look_back_with_a_cache_as_they_do_without(kind: type[Disentangled]) -> None:
    part = random(kind(8, 2, Distances(9, 8)))
    x = torch.randn(2, 7, 8, dtype=torch.float64)
    whole, past = part(x, AttentionMask(causal=True)), KeysValues()
    with torch.no_grad():
        steps = [part(x[:, a:b], AttentionMask(causal=True), past) for a, b in ((0, 3), (3, 4), (4, 7))]
    torch.testing.assert_close(torch.cat(steps, 1), whole)


def built(**more: Any) -> nn.Module:
    shape = DebertaV1Shape(width=16, depth=3, heads=2, context=12, **more)
    return random(deberta_v1(shape, 40))


def moved(places: int) -> Batch:
    """Six tokens behind so much padding; all six are asked."""
    shown = torch.cat([torch.zeros(1, places, dtype=torch.int64), torch.arange(10, 16)[None]], 1)
    real = shown > 0
    return Batch(shown=shown, real=real, asked=real.flatten().nonzero()[:, 0])


def test_a_text_that_stands_elsewhere_reads_the_same_but_for_the_mask_decoder() -> None:
    relative, absolute = built(plain=True), built()
    torch.testing.assert_close(relative(moved(4)).tokens, relative(moved(0)).tokens)
    assert (absolute(moved(4)).tokens - absolute(moved(0)).tokens).abs().max() > 1e-3


def test_the_mask_decoder_asks_the_last_block_twice_about_what_it_read() -> None:
    """Written out: queries start as what the last block read plus the position, keys and values stay."""
    model, batch = built(), moved(0)
    hidden: list[Tensor] = []
    with looking({model.stack.watch: hidden.append}):
        found = model(batch).tokens
    block, read = model.stack.blocks[-1], hidden[-2]  # (1, T, W)
    attention, queries = block.attention, read[0] + model.late.table.weight[:6]  # (T, W)
    _, k, v = attention.contents(read, read)
    place_q, place_k = attention.places(attention.distances.table.weight)  # (24, W): distances -12 to 11
    row = torch.arange(6)[:, None] - torch.arange(6) + 12  # (T, T)
    for _ in range(2):
        q = attention.contents(queries[None], queries[None])[0][0]
        heads = []
        for h in (slice(0, 8), slice(8, 16)):
            scores = q[:, h] @ k[0, :, h].T
            scores = scores + torch.einsum("ik,ijk->ij", q[:, h], place_k[row][:, :, h])
            scores = scores + torch.einsum("jk,ijk->ij", k[0, :, h], place_q[row][:, :, h])
            heads.append((scores / math.sqrt(24)).softmax(-1) @ v[0, :, h])
        queries = block.attention_norm(queries + attention.out(torch.cat(heads, 1)))
        queries = block.feed_norm(queries + block.feed(queries))
    torch.testing.assert_close(found, model.head(queries, model.stack.embed.tokens.weight))


def test_without_the_decoder_the_rest_of_the_model_is_the_same() -> None:
    whole, bare = built(), built(plain=True)
    assert isinstance(whole, EnhancedStack) and not isinstance(bare, EnhancedStack)
    names = dict(whole.named_parameters()).keys() - dict(bare.named_parameters()).keys()
    assert names == {"late.table.weight"}


def test_a_convolution_by_hand_sees_whom_it_may() -> None:
    """Four tokens of width one; the kernel takes the one before, twice the token and three times the next."""
    conv = Convolution(1, 3, lambda x: x)
    with torch.no_grad():
        conv.mix.weight.copy_(torch.tensor([[1.0, 2.0, 3.0]]))
        conv.mix.bias.fill_(0.5)
    x = torch.tensor([[[1.0], [10.0], [100.0], [1000.0]]])
    padded = torch.tensor([True, True, True, False]).expand(1, 1, 4, 4)  # nobody looks at the last
    alone = torch.eye(4, dtype=torch.bool).expand(1, 1, 4, 4)
    before = torch.tensor([[False, True, True, True]])  # nobody else looks at the first
    told = {
        "all": (AttentionMask(), [32.5, 321.5, 3210.5, 2100.5]),
        "causal": (AttentionMask(causal=True), [2.5, 21.5, 210.5, 2100.5]),
        "padded": (AttentionMask(table=padded), [32.5, 321.5, 210.5, 100.5]),
        "alone": (AttentionMask(table=alone), [2.5, 20.5, 200.5, 2000.5]),
        "causal behind padding": (AttentionMask(causal=True, real=before), [2.5, 20.5, 210.5, 2100.5]),
    }
    for sight, wanted in told.values():
        assert conv(x, sight).flatten().tolist() == wanted


def test_a_convolution_remembers_what_it_read_last() -> None:
    conv, x = random(Convolution(4, 5, gelu)), torch.randn(2, 6, 4, dtype=torch.float64)
    past = KeysValues()
    with torch.no_grad():
        steps = [conv(x[:, a:b], AttentionMask(causal=True), past) for a, b in ((0, 1), (1, 4), (4, 6))]
    torch.testing.assert_close(torch.cat(steps, 1), conv(x, AttentionMask(causal=True)))
