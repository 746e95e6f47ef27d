"""Linear and windowed attention: each equals the map that it stands for, and neither makes it.

B batch   T tokens   S tokens looked at   W width   H heads   K head width
"""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from tiny import finished, plan, shape, steps
from torch import Tensor, nn
from torch.nn import functional

from lab.analysis.cost import kept_per_token, step_cost
from lab.batch import Batch
from lab.exchange.export import export
from lab.inference.decoding import generate
from lab.inference.model import build, inherit, load
from lab.layers.attention import Attention
from lab.layers.kv_cache import KeysValues
from lab.layers.linear import LinearAttention, features, running
from lab.layers.masks import AttentionMask, attention_mask
from lab.layers.rotary import Rotary, speeds
from lab.layers.watch import looking
from lab.layers.window import GlobalFirst, WindowAttention
from lab.settings import SettingsError

WIDTH, HEADS = 16, 2
KINDS = {"full": Attention, "linear": LinearAttention, "window": WindowAttention}
LENGTHS = (1, 7, 64, 65, 200)  # about the sizes of blocks and chunks


def part(kind: str, window: int = 5, **more: object) -> Attention:
    """Attention of a kind, with the same weights as that of every other; each of them counts."""
    torch.manual_seed(4)
    reach = {"window": window} if kind in ("window", "global") else {}
    made: Attention = {**KINDS, "global": GlobalFirst}[kind](WIDTH, HEADS, **reach, **more).double()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.normal_(std=0.5)
    return made


def text(t: int) -> Tensor:
    return torch.randn(3, t, WIDTH, generator=torch.Generator().manual_seed(t), dtype=torch.float64)


def seen(t: int, visible: str, how: str) -> AttentionMask:
    """A sight of rows without padding, with some at their ends, or with some at their beginnings."""
    real = torch.ones(3, t, dtype=torch.bool)
    if how != "whole":
        real[1, t // 2 + 1 :] = False
        real[2, -1] = t == 1
    real = real.flip(1) if how == "padded in front" else real
    given = torch.ones(t, t, dtype=torch.bool).tril(3) if visible == "table" else visible
    return attention_mask(
        Batch(shown=torch.ones(3, t, dtype=torch.int64), visible=given, real=None if how == "whole" else real)
    )


def plainly(seen: AttentionMask, t: int) -> Tensor:
    """Who may look at whom, as a table: (B or 1, 1, T, T)."""
    table = torch.ones(1, 1, t, t, dtype=torch.bool)
    return (table.tril() if seen.causal else table) if seen.full is None else seen.full


def by_map(made: Attention, x: Tensor, weights: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Attention as a product of a whole map, which ``weights`` makes of queries and keys (B, H, T, K)."""
    q, k, v = made.qkv(x).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
    return made.out((weights(q, k) @ v).transpose(1, 2).flatten(2))


def softmax_of(table: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda q, k: (q @ k.mT * q.shape[-1] ** -0.5).masked_fill(~table, -torch.inf).softmax(-1)


def quotient_of(table: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    def weights(q: Tensor, k: Tensor) -> Tensor:
        products = (functional.elu(q) + 1) @ (functional.elu(k) + 1).mT * table
        return products / products.sum(-1, keepdim=True)

    return weights


def agree(made: nn.Module, found: Tensor, wanted: Tensor, *more: Tensor) -> None:
    """The numbers, and their gradients by every parameter and by ``more``."""
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)
    pull = torch.randn(found.shape, generator=torch.Generator().manual_seed(5), dtype=found.dtype)
    one, two = (torch.autograd.grad((x * pull).sum(), [*made.parameters(), *more]) for x in (found, wanted))
    torch.testing.assert_close(one, two, rtol=0, atol=1e-8)


CASES = [(visible, how) for visible in ("all", "causal", "table") for how in ("whole", "padded", "padded in front")]


@pytest.mark.parametrize("t", LENGTHS)
@pytest.mark.parametrize(("visible", "how"), CASES)
def test_linear_attention_is_the_quotient_of_products_of_features(visible: str, how: str, t: int) -> None:
    made, x, rule = part("linear"), text(t).requires_grad_(), seen(t, visible, how)
    agree(made, made(x, rule), by_map(made, x, quotient_of(plainly(rule, t))), x)


@pytest.mark.parametrize("window", [1, 5, 70, 150])
@pytest.mark.parametrize("t", LENGTHS)
@pytest.mark.parametrize(("visible", "how"), CASES)
def test_a_window_is_full_attention_within_a_band(visible: str, how: str, t: int, window: int) -> None:
    made, x, rule = part("window", window), text(t).requires_grad_(), seen(t, visible, how)
    place = torch.arange(t)
    band = (place[:, None] - place).abs() < window
    agree(made, made(x, rule), by_map(made, x, softmax_of(plainly(rule, t) & band)), x)


@pytest.mark.parametrize(("visible", "how"), CASES)
def test_a_window_as_long_as_the_text_is_full_attention(visible: str, how: str) -> None:
    for t in LENGTHS:
        full, made, x = part("full"), part("window", t), text(t)
        assert torch.equal(made(x, seen(t, visible, how)), full(x, seen(t, visible, how)))


@pytest.mark.parametrize("kind", ["linear", "window"])
@pytest.mark.parametrize(("visible", "how"), CASES)
def test_a_watched_map_is_the_one_that_is_stood_for(kind: str, visible: str, how: str) -> None:
    t = 70
    made, rule, maps = part(kind), seen(t, visible, how), []
    unseen = made(text(t), rule)
    with looking({made.watch: maps.append}):
        torch.testing.assert_close(made(text(t), rule), unseen, rtol=0, atol=1e-10)
    place = torch.arange(t)
    allowed = plainly(rule, t) & ((place[:, None] - place).abs() < (5 if kind == "window" else t))
    assert torch.equal(maps[0] > 0, allowed.expand_as(maps[0]))
    torch.testing.assert_close(maps[0].sum(-1), torch.ones_like(maps[0][..., 0]))


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps", [[1] * 80, [30, 1, 1, 1, 47], [70, 10]])
def test_reading_on_from_a_past_is_reading_at_once(kind: str, steps: list[int]) -> None:
    more = {"kv_heads": 1, "rotary": Rotary(speeds(WIDTH // HEADS, 1e4))}
    made, x, past, begin, found = part(kind, **more), text(80), KeysValues(), 0, []
    for step in steps:
        found.append(made(x[:, begin : begin + step], AttentionMask(causal=True), past))
        begin += step
        assert past.length == begin
        past.select(torch.arange(3))
    torch.testing.assert_close(torch.cat(found, 1), made(x, AttentionMask(causal=True)), rtol=0, atol=1e-10)


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
def test_a_text_that_was_read_as_a_table_says_is_written_on(kind: str) -> None:
    made, x, past = part(kind, 40), text(90), KeysValues()
    table = torch.ones(90, 90, dtype=torch.bool).tril()
    table[:70, :70] = True
    whole = made(x, AttentionMask(table=table[None, None]))
    found = [made(x[:, :70], AttentionMask(table=table[None, None, :70, :70]), past)]
    found += [made(x[:, n : n + 1], AttentionMask(causal=True), past) for n in range(70, 90)]
    torch.testing.assert_close(torch.cat(found, 1), whole, rtol=0, atol=1e-10)


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
def test_a_map_is_watched_behind_a_past_too(kind: str) -> None:
    made, x, past, maps = part(kind), text(12), KeysValues(), []
    with looking({made.watch: maps.append}):
        for begin, end in ((0, 7), (7, 8), (8, 12)):
            made(x[:, begin:end], AttentionMask(causal=True), past)
        made(x, AttentionMask(causal=True))
    wide = [functional.pad(each, (0, 12 - each.shape[3])) for each in maps[:3]]
    torch.testing.assert_close(torch.cat(wide, 2), maps[3], rtol=0, atol=1e-10)


@torch.no_grad()
def test_what_linear_attention_remembers_does_not_grow() -> None:
    made, past, sizes = part("linear"), KeysValues(), set()
    for _ in range(3):
        made(text(9), AttentionMask(causal=True), past)
        assert past.sums is not None
        sizes.add(past.sums.numel())
    assert past.length == 27 and sizes == {3 * HEADS * (WIDTH // HEADS) * (WIDTH // HEADS + 1)}
    with pytest.raises(AssertionError, match="keys are gone"):
        part("full")(text(9), AttentionMask(causal=True), past)


def test_running_sums_by_hand() -> None:
    q, k = torch.tensor([1.0, 2.0, 1.0]).view(1, 1, 3, 1), torch.tensor([1.0, 3.0, 2.0]).view(1, 1, 3, 1)
    v = torch.tensor([10.0, 1.0, 4.0]).view(1, 1, 3, 1)
    x, sums = running(q, k, v)
    assert x.flatten().tolist() == [10.0, 26.0, 21.0] and sums.item() == 21.0
    x, sums = running(q, k, v, torch.full((1, 1, 1, 1), 100.0))
    assert x.flatten().tolist() == [110.0, 226.0, 121.0] and sums.item() == 121.0


def test_features_are_positive_however_small() -> None:
    x = torch.tensor([-80.0, -1.0, 0.0, 2.5], requires_grad=True)
    found = features(x)
    torch.testing.assert_close(found[1:], functional.elu(x[1:]) + 1)
    assert found[0] > 0 and functional.elu(x[0]) + 1 == 0
    found.sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([-80.0, -1.0, 0.0, 0.0]).exp())


@pytest.mark.parametrize("kind", ["linear", "window"])
@pytest.mark.parametrize("causal", [True, False])
def test_no_tensor_is_as_large_as_the_map(kind: str, causal: bool) -> None:
    """What autograd keeps for the way back, padding or none, grows as the text does."""

    def largest(t: int, padded: bool) -> int:
        real = torch.ones(3, t, dtype=torch.bool).index_fill(1, torch.tensor([t - 1]), not padded)
        sizes = []
        with torch.autograd.graph.saved_tensors_hooks(lambda x: sizes.append(x.numel()) or x, lambda x: x):
            part(kind)(text(t), AttentionMask(causal=causal, real=real if padded else None))
        return max(sizes)

    for padded in (False, True):
        assert largest(2048, padded) <= 2 * largest(1024, padded) < 3 * HEADS * 1024**2


def test_all_kinds_have_the_same_parameters() -> None:
    names = [[(name, p.shape) for name, p in part(kind).named_parameters()] for kind in KINDS]
    assert names[0] == names[1] == names[2]


def test_a_forecast_follows_the_kind_of_attention() -> None:
    def cost(model: str, context: int, **more: int) -> float:
        """Operations of a step forward: with one block less, those of the other alone."""
        sizes = {"width": 32, "heads": 2, "context": context, **more}
        two, one = (step_cost(plan(model=model, shape=sizes | {"depth": n}), 300) for n in (2, 1))
        return (two.forward - one.forward) / one.tokens

    maps = 2 * 12 * 32**2  # four of attention and eight of the feed-forward part
    assert cost("roberta", 1000) == maps + 4 * 1000 * 32
    assert cost("longformer", 1000, window=198) == maps + 4 * (100 + 2 * 99) * 32  # ten blocks of a hundred
    assert cost("mistral", 1000, window=100) == 2 * (4 + 9) * 32**2 + 4 * (100 + 99) * 32
    chunks = 2 * 64 * (16 + 17) * 2  # scores and sums among the tokens of a chunk
    sums = 2 * 2 * 32 * (16 + 1)  # what keys and values make, and what queries make of it; a column counts
    assert cost("linear_transformer", 1024) == maps + sums + chunks


def test_what_is_remembered_of_a_token_follows_the_kind_of_attention() -> None:
    kept = [kept_per_token(plan(model=model, shape=shape(model)), 300) for model in ("gpt", "linear_transformer")]
    assert kept == [4 * 2 * 16, 0]


def test_a_linear_transformer_writes_and_is_not_exported(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", model="linear_transformer", training=steps(3))
    assert 0 < len(list(generate(load(folder), "the cat", [], tokens=20))) <= 20
    with pytest.raises(SettingsError, match="no class for Linear Transformer: it cannot be exported"):
        export(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("t", LENGTHS)
@pytest.mark.parametrize(("visible", "how"), CASES)
def test_the_first_token_sees_all_and_is_seen_by_all(visible: str, how: str, t: int) -> None:
    """The same by a whole map, whose first row has projections of its own."""
    made: GlobalFirst = part("global", 5)
    x, rule = text(t).requires_grad_(), seen(t, visible, how)
    place = torch.arange(t)
    band = ((place[:, None] - place).abs() < 5) | (place == 0) | (place[:, None] == 0)
    allowed = plainly(rule, t) & band
    near, first = (of(x).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4) for of in (made.qkv, made.global_qkv))
    rest, own = (softmax_of(allowed)(q, k) @ v for q, k, v in (near, first))  # (B, H, T, K)
    whole = torch.cat([own[:, :, :1], rest[:, :, 1:]], 2)
    agree(made, made(x, rule), made.out(whole.transpose(1, 2).flatten(2)), x)
    with looking({made.watch: lambda _: None}):
        torch.testing.assert_close(made(x, rule), made.out(whole.transpose(1, 2).flatten(2)), rtol=0, atol=1e-10)


@torch.no_grad()
@pytest.mark.parametrize("steps", [[1] * 80, [70, 10]])
def test_a_text_with_a_global_token_is_read_on_as_at_once(steps: list[int]) -> None:
    made, x, past, begin, found = part("global"), text(80), KeysValues(), 0, []
    for step in steps:
        found.append(made(x[:, begin : begin + step], AttentionMask(causal=True), past))
        begin += step
    torch.testing.assert_close(torch.cat(found, 1), made(x, AttentionMask(causal=True)), rtol=0, atol=1e-10)


def test_fine_tuning_starts_global_projections_from_those_of_the_window(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", model="longformer", training=steps(2))
    net = build(plan(model="longformer", task="classify"), load(folder).tokenizer.vocabulary.size, 2)
    inherit(net, folder)
    [attention] = [part for part in net.modules() if isinstance(part, GlobalFirst)]
    assert torch.equal(attention.global_qkv.weight, attention.qkv.weight) and attention.qkv.weight.std() > 0
    own = dict(load(folder).model.named_parameters())
    assert torch.equal(attention.qkv.weight, own["stack.blocks.0.attention.qkv.weight"])
    assert not any("global" in name for name in own)
