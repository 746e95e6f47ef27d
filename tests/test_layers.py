"""What every model promises about who looks at whom, whoever looks on, and what is computed only when asked.

B batch   T tokens   W width   V vocabulary
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from lab.batch import Batch, losses
from lab.catalog import MODELS
from lab.layers.attention import Attending, Attention
from lab.layers.enhanced import EnhancedStack
from lab.layers.kv_cache import Cache, KeysValues
from lab.layers.positions import Counted
from lab.layers.stacks import OneStack
from lab.layers.two_streams import TwoStreamModel
from lab.layers.watch import looking
from lab.layers.window import GlobalFirst, WindowAttention
from lab.models.albert import AlbertShape, albert
from lab.models.bert import BertShape, bert
from lab.models.deberta_v1 import DebertaV1Shape, deberta_v1
from lab.models.deberta_v2 import DebertaV2Shape, deberta_v2
from lab.models.gpt import GptShape, gpt
from lab.models.linear_transformer import LinearTransformerShape, linear_transformer
from lab.models.longformer import LongformerShape, longformer
from lab.models.mistral import MistralShape, mistral
from lab.models.roberta import RobertaShape, roberta
from lab.models.xlnet import XlnetShape, xlnet
from lab.settings import SettingsError

VOCABULARY, ROWS, TOKENS, CONTEXT, DEPTH = 61, 2, 9, 12, 3
REACH = 4  # of a window
BUILDERS = {
    "bert": lambda: bert(BertShape(width=16, depth=DEPTH, heads=2, context=CONTEXT), VOCABULARY, 3),
    "roberta": lambda: roberta(RobertaShape(width=16, depth=DEPTH, heads=2, context=CONTEXT), VOCABULARY, 3),
    "albert": lambda: albert(
        AlbertShape(width=16, depth=DEPTH, heads=2, context=CONTEXT, embedding_width=8), VOCABULARY, 3
    ),
    "albert_by_halves": lambda: albert(
        AlbertShape(width=16, depth=DEPTH, heads=2, context=CONTEXT, embedding_width=8, sharing="attention"),
        VOCABULARY,
        3,
    ),
    "deberta_v2": lambda: deberta_v2(
        DebertaV2Shape(width=16, depth=DEPTH, heads=2, context=CONTEXT, buckets=8), VOCABULARY, 3
    ),
    "deberta_v1": lambda: deberta_v1(DebertaV1Shape(width=16, depth=DEPTH, heads=2, context=CONTEXT), VOCABULARY, 3),
    "xlnet": lambda: xlnet(XlnetShape(width=16, depth=DEPTH, heads=2, context=CONTEXT), VOCABULARY, 3),
    "linear_transformer": lambda: linear_transformer(
        LinearTransformerShape(width=16, depth=DEPTH, heads=2, context=CONTEXT), VOCABULARY, 3
    ),
    "longformer": lambda: longformer(
        LongformerShape(width=16, depth=DEPTH, heads=2, context=CONTEXT, window=2 * REACH - 2), VOCABULARY
    ),
    "longformer with labels": lambda: longformer(
        LongformerShape(width=16, depth=DEPTH, heads=2, context=CONTEXT, window=2 * REACH - 2), VOCABULARY, 3
    ),
    "mistral": lambda: mistral(
        MistralShape(width=16, depth=DEPTH, heads=2, context=CONTEXT, window=REACH), VOCABULARY, 3
    ),
    "gpt": lambda: gpt(GptShape(width=16, depth=DEPTH, heads=2, context=CONTEXT), VOCABULARY, 3),
}


@pytest.fixture(params=list(BUILDERS))
def model(request: pytest.FixtureRequest) -> OneStack:
    torch.manual_seed(3)
    built = BUILDERS[request.param]().eval()
    with torch.no_grad():
        for parameter in built.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return built


def rows(**more: object) -> Batch:
    """Two rows of which every position is asked."""
    shown = torch.randint(1, VOCABULARY, (ROWS, TOKENS), generator=torch.Generator().manual_seed(1))
    return replace(Batch(shown=shown, asked=torch.arange(shown.numel())), **more)  # type: ignore[arg-type]


def padded(batch: Batch) -> Batch:
    """The same rows, the second three tokens shorter."""
    real = torch.ones(ROWS, TOKENS, dtype=torch.bool)
    real[1, -3:] = False
    return replace(batch, real=real)


def odd_table() -> Tensor:
    """Everybody sees itself and the positions of the same parity: (T, T)."""
    place = torch.arange(TOKENS)
    return (place[:, None] - place[None]) % 2 == 0


SIGHTS = {
    "all": rows(),
    "causal": rows(visible="causal"),
    "table": rows(visible=odd_table()),
    "table of each row": rows(visible=torch.stack([odd_table(), torch.ones(TOKENS, TOKENS, dtype=torch.bool)])),
    "all padded": padded(rows()),
    "causal padded": padded(rows(visible="causal")),
    "table padded": padded(rows(visible=odd_table())),
}


def logits(model: OneStack, batch: Batch) -> Tensor:
    """Token logits by row and position: (B, T, V)."""
    return model(batch).tokens.view(*batch.shown.shape, VOCABULARY)


@contextmanager
def watching(model: OneStack) -> Iterator[list[Tensor]]:
    """The attention maps of what runs inside the ``with``, in the order of computation."""
    seen: list[Tensor] = []
    with looking({part.watch: seen.append for part in model.modules() if isinstance(part, Attending)}):
        yield seen


def maps(model: OneStack, batch: Batch) -> tuple[Tensor, list[Tensor]]:
    """The token logits of a model that is watched, and its attention maps."""
    with watching(model) as seen:
        return logits(model, batch), seen


@pytest.mark.parametrize("batch", SIGHTS.values(), ids=SIGHTS)
def test_to_watch_changes_nothing(model: OneStack, batch: Batch) -> None:
    watched, seen = maps(model, batch)
    torch.testing.assert_close(watched, logits(model, batch), rtol=0, atol=1e-5)
    assert len(seen) == DEPTH + (model.times if isinstance(model, EnhancedStack) else 0)


@pytest.mark.parametrize("batch", SIGHTS.values(), ids=SIGHTS)
def test_a_map_is_zero_exactly_where_one_may_not_look(model: OneStack, batch: Batch) -> None:
    allowed = batch.visible if isinstance(batch.visible, Tensor) else torch.ones(TOKENS, TOKENS, dtype=torch.bool)
    if isinstance(batch.visible, str) and batch.visible == "causal":
        allowed = allowed.tril()
    real = torch.ones(ROWS, TOKENS, dtype=torch.bool) if batch.real is None else batch.real
    if any(isinstance(part, WindowAttention) for part in model.modules()):
        band = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril(REACH - 1).triu(1 - REACH)
        if any(isinstance(part, GlobalFirst) for part in model.modules()):
            band[0], band[:, 0] = True, True
        allowed = allowed & band
    allowed = allowed.expand(ROWS, TOKENS, TOKENS) & real[:, None]
    for seen in maps(model, batch)[1]:
        for head in seen.unbind(1):  # (B, T, T)
            assert torch.equal(head[real] > 0, allowed[real])
        torch.testing.assert_close(seen.sum(-1), torch.ones(seen.shape[:-1]))


def test_nobody_watching_means_no_map(model: OneStack) -> None:
    maps(model, rows())
    assert not any(part.watch.watched for part in model.modules() if isinstance(part, Attending))


def test_padding_changes_nothing(model: OneStack) -> None:
    for visible in ("all", "causal"):
        batch = padded(rows(visible=visible))
        other = batch.shown.clone()
        other[1, -3:] = torch.tensor([7, 8, 9])
        short = Batch(shown=batch.shown[1:, :-3], visible=visible, asked=torch.arange(TOKENS - 3))
        a, b = model(batch), model(replace(batch, shown=other))
        kept = a.tokens.view(ROWS, TOKENS, VOCABULARY)[1, :-3]
        torch.testing.assert_close(kept, b.tokens.view(ROWS, TOKENS, VOCABULARY)[1, :-3], rtol=0, atol=1e-6)
        torch.testing.assert_close(kept, model(short).tokens, rtol=0, atol=1e-5)
        if a.sequence is not None:
            torch.testing.assert_close(a.sequence, b.sequence, rtol=0, atol=1e-6)
            torch.testing.assert_close(a.sequence[1:], model(short).sequence, rtol=0, atol=1e-5)


@pytest.mark.parametrize("batch", [rows(visible="causal"), padded(rows(visible="causal"))], ids=["plain", "padded"])
def test_the_future_does_not_leak(model: OneStack, batch: Batch) -> None:
    before = logits(model, batch)
    for place in range(1, TOKENS):
        changed = batch.shown.clone()
        changed[:, place:] = 5
        after = logits(model, replace(batch, shown=changed))
        torch.testing.assert_close(after[:, :place], before[:, :place], rtol=0, atol=1e-6)
        assert (after[0, place:] - before[0, place:]).abs().max() > 1e-3


def test_without_a_rule_the_future_is_seen(model: OneStack) -> None:
    batch = rows()
    changed = batch.shown.clone()
    changed[:, -1] = 5
    assert (logits(model, batch) - logits(model, replace(batch, shown=changed)))[:, 0].abs().max() > 1e-4


def test_a_table_decides_who_sees_whom(model: OneStack) -> None:
    batch = rows(visible=odd_table())
    changed = batch.shown.clone()
    changed[:, 1::2] = 5
    difference = (logits(model, batch) - logits(model, replace(batch, shown=changed))).abs().amax((0, 2))  # (T,)
    assert difference[0::2].max() < 1e-6
    assert difference[1::2].min() > 1e-3


def test_a_causal_table_and_the_word_causal_agree(model: OneStack) -> None:
    table = torch.from_numpy(np.tril(np.ones((TOKENS, TOKENS), dtype=bool)))
    spelt = logits(model, rows(visible=table))
    torch.testing.assert_close(spelt, logits(model, rows(visible="causal")), rtol=0, atol=1e-5)


def test_only_the_asked_are_answered_and_answered_alike(model: OneStack) -> None:
    asked = torch.tensor([3, 4, TOKENS, 2 * TOKENS - 1, 3])
    sparse = model(rows(asked=asked)).tokens
    assert sparse.shape == (5, VOCABULARY)
    torch.testing.assert_close(sparse, model(rows()).tokens[asked], rtol=0, atol=1e-6)
    assert model(rows(asked=None)).tokens is None


@pytest.mark.parametrize("visible", ["all", "causal"])
def test_every_parameter_learns(model: OneStack, visible: str) -> None:
    table = model.stack.embed.segments
    both = table is not None and table.num_embeddings > 1
    segments = torch.tensor([[0] * 4 + [1] * 5, [0] * 6 + [1] * 3]) if both else None
    batch = rows(visible=visible, segments=segments, answers=torch.arange(18) % VOCABULARY, label=torch.tensor([0, 2]))
    batch = replace(batch, order=torch.zeros_like(batch.shown))  # for those with a second stream
    torch.stack(list(losses(model.train()(batch), batch).values())).sum().backward()
    heard = {name: parameter.grad for name, parameter in model.named_parameters()}
    silent = [name for name, gradient in heard.items() if gradient is None or not gradient.any()]
    assert silent == []


def test_no_segments_means_all_in_the_first() -> None:
    for name in ("bert", "albert"):
        model = BUILDERS[name]().eval()
        first = torch.zeros(ROWS, TOKENS, dtype=torch.int64)
        assert torch.equal(logits(model, rows()), logits(model, rows(segments=first)))
        assert (logits(model, rows()) - logits(model, rows(segments=first + 1))).abs().max() > 1e-3


def test_a_shared_block_is_seen_each_time_it_runs() -> None:
    shared = BUILDERS["albert"]().eval()
    states: list[Tensor] = []
    with looking({shared.stack.watch: states.append}):
        seen = maps(shared, rows())[1]
    assert len(shared.stack.blocks) == 1
    assert len(seen) == DEPTH and len(states) == DEPTH + 1
    assert (seen[0] - seen[1]).abs().max() > 1e-6

    def once(shape: AlbertShape) -> int:
        return sum(parameter.numel() for parameter in albert(shape, VOCABULARY).parameters())

    assert once(AlbertShape(width=16, depth=7, heads=2)) == once(AlbertShape(width=16, depth=1, heads=2))


def test_what_albert_shares_is_one_part_in_all_blocks_and_the_rest_is_not() -> None:
    for share, parts in (("attention", ["attention"]), ("feed", ["feed"]), ("none", [])):
        shape = AlbertShape(width=16, depth=DEPTH, heads=2, context=CONTEXT, embedding_width=8, sharing=share)
        blocks = albert(shape, VOCABULARY).stack.blocks
        assert len(blocks) == DEPTH
        for part in ("attention", "attention_norm", "feed", "feed_norm"):
            shared = all(getattr(block, part) is getattr(blocks[0], part) for block in blocks)
            assert shared == (part.removesuffix("_norm") in parts), (share, part)


def test_reading_token_by_token_gives_the_same_logits(model: OneStack) -> None:
    batch = rows(visible="causal")
    at_once = logits(model, batch)
    for first in (1, 4):  # how many tokens the first step reads
        cache = Cache()
        for begin, end in zip([0, *range(first, TOKENS)], range(first, TOKENS + 1), strict=True):
            step = Batch(shown=batch.shown[:, begin:end], visible="causal", asked=torch.arange(ROWS * (end - begin)))
            with torch.no_grad():
                output = model(step, cache)
            got = output.tokens.view(ROWS, -1, VOCABULARY)
            torch.testing.assert_close(got, at_once[:, begin:end], rtol=0, atol=1e-5)
            assert output.sequence is None
        assert cache.length == TOKENS


@torch.no_grad()
@pytest.mark.parametrize("watcher", [nullcontext, watching])
def test_a_stretch_read_after_a_cache_sees_no_future(model: OneStack, watcher: Callable) -> None:
    batch = rows(visible="causal")
    cache = Cache()
    with watcher(model):
        model(replace(batch, shown=batch.shown[:, :3], asked=None), cache)
        rest = replace(batch, shown=batch.shown[:, 3:], asked=torch.arange(ROWS * (TOKENS - 3)))
        got = model(rest, cache).tokens.view(ROWS, -1, VOCABULARY)
    torch.testing.assert_close(got, logits(model, batch)[:, 3:], rtol=0, atol=1e-5)


@torch.no_grad()
def test_a_cache_keeps_the_rows_it_is_told_to(model: OneStack) -> None:
    batch = rows(visible="causal")
    cache = Cache()
    model(replace(batch, shown=batch.shown[:, :5], asked=None), cache)
    cache.select(torch.tensor([1, 1, 0]))
    step = Batch(shown=batch.shown[[1, 1, 0], 5:6], visible="causal", asked=torch.arange(3))
    got = model(step, cache).tokens
    torch.testing.assert_close(got, logits(model, batch)[[1, 1, 0], 5], rtol=0, atol=1e-5)


@torch.no_grad()
def test_counted_positions_pass_padding_over_wherever_it_stands() -> None:
    table = Counted(CONTEXT, 4, pad=1)
    first = table.table.weight
    assert len(first) == CONTEXT + 2
    seen = table(torch.tensor([[5, 1, 7, 7, 1], [1, 1, 9, 0, 2]]))
    assert torch.equal(seen, first[torch.tensor([[2, 1, 3, 4, 1], [1, 1, 2, 3, 4]])])
    assert torch.equal(table(torch.tensor([[5, 6]]), start=3), first[torch.tensor([[5, 6]])])


def test_a_past_loses_nothing_as_it_grows() -> None:
    keys, values = torch.randn(2, 2, 3, 70, 4).unbind(0)  # (B, H, T, K) each
    past = KeysValues()
    for begin, end in [(0, 5), *((t, t + 1) for t in range(5, 40)), (40, 70)]:
        all_keys, all_values = past.extend(keys[:, :, begin:end], values[:, :, begin:end])
        assert torch.equal(all_keys, keys[:, :, :end])
        assert torch.equal(all_values, values[:, :, :end])


def test_a_cache_refuses_rows_that_are_not_read_from_left_to_right(model: OneStack) -> None:
    for batch in (rows(), padded(rows(visible="causal"))):
        with pytest.raises(AssertionError, match="left to right"):
            model(batch, Cache())


def test_a_text_longer_than_the_context_is_refused_in_words(model: OneStack) -> None:
    long = Batch(shown=torch.ones(1, CONTEXT + 1, dtype=torch.int64))
    turns = any(isinstance(part, Attention) and part.rotary is not None for part in model.modules())
    if isinstance(model, TwoStreamModel) or turns:  # only distances count, however far: there is no end
        assert model(long).sequence.isfinite().all()
        return
    with pytest.raises(SettingsError, match="13 tokens are more than the context of 12") as error:
        model(long)
    assert "13" in error.value.zh and "12" in error.value.zh


@pytest.mark.parametrize("name", [name for name in BUILDERS if name in MODELS])
def test_heads_that_do_not_share_the_width_are_refused_in_words(name: str) -> None:
    with pytest.raises(SettingsError, match="width 50 is not a multiple of heads 4"):
        MODELS[name].settings.load({"width": 50, "heads": 4})


@pytest.mark.parametrize("name", [n for n in BUILDERS if n in MODELS and "dropout" in MODELS[n].settings.knobs()])
def test_dropout_acts_in_training_only(name: str) -> None:
    entry = MODELS[name]
    model = entry.build(entry.settings.load({"width": 16, "depth": 1, "heads": 2, "dropout": 0.5}), VOCABULARY)
    model.eval()
    assert torch.equal(logits(model, rows()), logits(model, rows()))
    model.train()
    assert (logits(model, rows()) - logits(model, rows())).abs().max() > 1e-3


def test_a_model_of_the_papers_width_starts_as_the_papers_say() -> None:
    built = gpt(GptShape(width=768, depth=8, heads=4, context=64), 500)
    for name, parameter in built.named_parameters():
        if name.endswith("bias"):
            assert parameter.abs().max() == 0, name
        elif "norm" in name:
            assert (parameter == 1).all(), name
        elif "positions" in name:
            assert torch.cdist(parameter[10:11], parameter).argsort()[0, :3].sort().values.tolist() == [9, 10, 11]
        else:
            residual = name.endswith(("attention.out.weight", "feed.down.weight"))
            assert parameter.std().item() == pytest.approx(0.005 if residual else 0.02, rel=0.05), name
    plain = bert(BertShape(width=192, depth=1, heads=4), 500)  # a quarter of the width, twice the deviation
    assert plain.stack.blocks[0].feed.down.weight.std().item() == pytest.approx(0.04, rel=0.05)
