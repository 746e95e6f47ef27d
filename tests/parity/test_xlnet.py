"""Our XLNet computes what XLNet in transformers computes: one stream, two streams, memory, segments, padding.

B batch   T tokens   M tokens remembered   N asked positions   P most asked in a row   W width
"""

from dataclasses import fields, replace
from typing import Any

import pytest
import torch
from oracle import (
    CLOSE,
    CONTEXT,
    DEPTH,
    FEED,
    HEADS,
    MAPS_CLOSE,
    ROWS,
    TOKENS,
    VOCABULARY,
    WIDTH,
    close,
    copy_into,
    gaps,
    labels,
    randomise,
    seen,
    translated,
)
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch
from lab.exchange.families.xlnet import NAMING
from lab.layers.kv_cache import Cache
from lab.layers.partial import by_row
from lab.layers.two_streams import TwoStreamModel
from lab.layers.watch import looking
from lab.models.xlnet import XlnetShape, xlnet

transformers = pytest.importorskip("transformers")

SHAPE = XlnetShape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT)
REMEMBERED = 5
LENGTHS = torch.tensor([13, 8, 13])


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    tied = {mine: source for mine, source in NAMING.names.items() if mine != "head.out"}
    return translated(theirs, tied, SHAPE)


def config(**more: Any) -> Any:
    sizes = {"d_model": WIDTH, "n_layer": DEPTH, "n_head": HEADS, "d_inner": FEED}
    return transformers.XLNetConfig(vocab_size=VOCABULARY, mem_len=None, **sizes, **more)


def in_its_precision(model: nn.Module) -> None:
    """Its table of waves is made in single precision, and not cast where there are two streams."""
    inner: Any = model.transformer
    made = inner.relative_positional_encoding
    inner.relative_positional_encoding = lambda *values, **named: made(*values, **named).to(inner.dtype)


Pair = tuple[TwoStreamModel, Any]


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def pair(request: pytest.FixtureRequest) -> Pair:
    theirs, ours = transformers.XLNetLMHeadModel(config()), xlnet(SHAPE, VOCABULARY)
    randomise(theirs)
    theirs, ours = theirs.to(request.param).eval(), ours.to(request.param).eval()
    in_its_precision(theirs)
    copy_into(ours, renamed(dict(theirs.named_parameters())))
    return ours, theirs


def padded(left: bool) -> Batch:
    """Rows with gaps and segments, the second one padded on one side."""
    batch = gaps()
    if not left:
        return replace(batch, label=None)
    row, place = batch.asked // TOKENS, batch.asked % TOKENS
    moved = row * TOKENS + torch.where(row == 1, place + TOKENS - LENGTHS[1], place)
    shown, segments = (each.clone() for each in (batch.shown, batch.segments))
    for each in (shown, segments):
        each[1] = each[1].roll(TOKENS - int(LENGTHS[1]))
    return replace(batch, real=batch.real.flip(1), shown=shown, segments=segments, asked=moved, label=None)


def permuted(remembered: int = 0) -> Batch:
    """Rows read in an order of their own, each with another number of asked tokens; two segments; the second row is
    padded. Every asked token sees something."""
    dice = torch.Generator().manual_seed(7)
    batch = gaps()
    asked = torch.tensor([1, 4, 11, TOKENS, TOKENS + 7, 2 * TOKENS + 3])
    order = torch.full((ROWS * TOKENS,), -1)
    order[asked] = torch.tensor([2, 0, 1, 1, 0, 0])
    order = order.view(ROWS, TOKENS)
    hidden = order >= 0
    turn = torch.where(hidden, order, 0)  # what all may see is read at once, and sees nothing that is asked
    visible = ~(hidden[:, None] & (turn[:, :, None] <= order[:, None])) | torch.eye(TOKENS, dtype=torch.bool)
    before = torch.randint(1, VOCABULARY, (ROWS, remembered), generator=dice) if remembered else None
    answers = batch.shown.flatten()[asked]
    return replace(batch, asked=asked, answers=answers, order=order, visible=visible, label=None, before=before)


def memory(dtype: torch.dtype) -> list[Tensor]:
    dice = torch.Generator().manual_seed(3)
    return [torch.randn(ROWS, REMEMBERED, WIDTH, generator=dice).to(dtype) for _ in range(DEPTH)]


def reference(theirs: nn.Module, batch: Batch, mems: list[Tensor] | None = None) -> Any:
    """The oracle's answer. Where there is an order, the query stream's targets are those of ``by_row``."""
    dtype = next(theirs.parameters()).dtype
    more: dict[str, Any] = {}
    if batch.order is not None:
        places, row, slot = by_row(batch.asked, len(batch.shown), TOKENS)  # (B, P), (N,), (N,)
        targets = torch.zeros(*places.shape, TOKENS, dtype=dtype)
        targets[row, slot] = functional.one_hot(places, TOKENS).to(dtype)[row, slot]  # nothing at the slots left over
        visible = batch.visible & ~(torch.eye(TOKENS, dtype=torch.bool) & (batch.order >= 0)[:, :, None])
        more = {
            "perm_mask": (~visible).to(dtype),
            "target_mapping": targets,
        }
    return theirs(
        input_ids=batch.shown,
        attention_mask=None if batch.real is None else batch.real.to(dtype),
        token_type_ids=batch.segments,
        mems=None if mems is None else [each.transpose(0, 1) for each in mems],
        use_mems=mems is not None,
        output_hidden_states=True,
        output_attentions=True,
        **more,
    )


def agree_on_one_stream(pair: Pair, batch: Batch, mems: list[Tensor] | None = None) -> None:
    ours, theirs = pair
    with seen(ours) as (hidden, maps):
        got = ours(batch, memory=mems).tokens
    out = reference(theirs, batch, mems)
    real = torch.ones(ROWS, TOKENS, dtype=torch.bool) if batch.real is None else batch.real
    assert len(hidden) == len(out.hidden_states) == DEPTH + 1 and len(maps) == len(out.attentions) == DEPTH
    for mine, wanted in zip(hidden, out.hidden_states, strict=True):
        close(mine[real], wanted[real], CLOSE)
    for mine, wanted in zip(maps, out.attentions, strict=True):
        close(mine.transpose(1, 2)[real], wanted.transpose(1, 2)[real], MAPS_CLOSE)
    wanted = out.logits.flatten(0, 1)[batch.asked]
    close(got, wanted, CLOSE)
    loss = functional.cross_entropy(got, batch.answers)
    by_them = theirs(
        input_ids=batch.shown,
        attention_mask=None if batch.real is None else batch.real.to(got.dtype),
        token_type_ids=batch.segments,
        mems=None if mems is None else [each.transpose(0, 1) for each in mems],
        labels=labels(batch),
    ).loss
    assert abs(loss.item() - by_them.item()) < 1e-5
    gradients_agree(pair, loss, functional.cross_entropy(wanted, batch.answers), without={"stack.embed.query.weight"})


def gradients_agree(pair: Pair, mine: Tensor, wanted: Tensor, without: frozenset[str] | set[str] = frozenset()) -> None:
    """Every gradient but of what plays no part, which is what stands in ``without``."""
    ours, theirs = pair
    used = {name: p for name, p in ours.named_parameters() if name not in without}
    got = dict(zip(used, torch.autograd.grad(mine, list(used.values()), retain_graph=True), strict=True))
    names, parameters = zip(*theirs.named_parameters(), strict=True)
    grads = torch.autograd.grad(wanted, parameters, retain_graph=True, allow_unused=True)
    silent = {name for name, each in zip(names, grads, strict=True) if each is None}
    expected = {name: torch.zeros(()) if g is None else g for name, g, p in zip(names, grads, parameters, strict=True)}
    zeros = {name: torch.zeros_like(p) for name, p in zip(names, parameters, strict=True)}
    table = renamed({name: zeros[name] if name in silent else expected[name] for name in names})
    assert got.keys() == table.keys() - without
    for name, each in got.items():
        close(each, table[name], CLOSE)


@pytest.mark.parametrize("left", [False, True], ids=["right", "left"])
def test_the_content_stream_agrees_in_every_respect_with_padding_on_either_side(pair: Pair, left: bool) -> None:
    agree_on_one_stream(pair, padded(left))


def test_the_content_stream_agrees_without_segments_and_padding(pair: Pair) -> None:
    agree_on_one_stream(pair, replace(padded(False), segments=None, real=None))


def test_the_content_stream_agrees_with_a_given_memory(pair: Pair) -> None:
    agree_on_one_stream(pair, padded(False), memory(next(pair[0].parameters()).dtype))


@pytest.mark.parametrize("remembered", [0, REMEMBERED])
def test_both_streams_agree_in_every_respect(pair: Pair, remembered: int) -> None:
    ours, theirs = pair
    batch = permuted()
    mems = memory(next(ours.parameters()).dtype) if remembered else None
    queries: list[Tensor] = []
    with seen(ours) as (hidden, maps), looking({ours.stack.query_watch: queries.append}):
        got = ours(batch, memory=mems).tokens
    out = reference(theirs, batch, mems)
    places, row, slot = by_row(batch.asked, ROWS, TOKENS)
    assert places.tolist() == [[1, 4, 11], [0, 7, 0], [3, 0, 0]]
    assert len(out.hidden_states) == 2 * (DEPTH + 1) and len(hidden) == len(queries) == DEPTH + 1
    for mine, wanted in zip(hidden, out.hidden_states[0::2], strict=True):
        close(mine[batch.real], wanted[batch.real], CLOSE)
    for mine, wanted in zip(queries, out.hidden_states[1::2], strict=True):
        close(mine[row, slot], wanted[row, slot], CLOSE)
    assert len(maps) == 2 * DEPTH
    for mine, (wanted, _) in zip(maps[0::2], out.attentions, strict=True):
        close(mine.transpose(1, 2)[batch.real], wanted.transpose(1, 2)[batch.real], MAPS_CLOSE)
    for mine, (_, wanted) in zip(maps[1::2], out.attentions, strict=True):  # theirs has a row for every token
        asked = wanted.transpose(1, 2).flatten(0, 1)[batch.asked]  # (N, H, S)
        close(mine.transpose(1, 2)[row, slot], asked, MAPS_CLOSE)
    wanted = out.logits[row, slot]
    close(got, wanted, CLOSE)
    mine = functional.cross_entropy(got, batch.answers)
    gradients_agree(pair, mine, functional.cross_entropy(wanted, batch.answers))


def test_the_loss_agrees_where_every_row_asks_for_as_much(pair: Pair) -> None:
    ours, theirs = pair
    batch = permuted()
    asked = torch.tensor([1, 4, TOKENS, TOKENS + 7, 2 * TOKENS + 3, 2 * TOKENS + 12])
    order = torch.full((ROWS, TOKENS), -1)
    order.view(-1)[asked] = 0
    visible = (order < 0)[:, None] | torch.eye(TOKENS, dtype=torch.bool)
    answers = batch.shown.flatten()[asked]
    batch = replace(batch, asked=asked, order=order, visible=visible, answers=answers)
    dtype = next(ours.parameters()).dtype
    wanted = theirs(
        input_ids=batch.shown,
        attention_mask=batch.real.to(dtype),
        token_type_ids=batch.segments,
        perm_mask=(order >= 0)[:, None].expand(-1, TOKENS, -1).to(dtype),
        target_mapping=functional.one_hot(asked.view(ROWS, 2) % TOKENS, TOKENS).to(dtype),
        labels=answers.view(ROWS, 2),
    ).loss
    assert abs(functional.cross_entropy(ours(batch).tokens, answers).item() - wanted.item()) < 1e-5


def test_what_stands_before_a_row_is_remembered_as_its_own_memory(pair: Pair) -> None:
    ours, theirs = pair
    batch = permuted(remembered=REMEMBERED)
    with torch.no_grad():
        mems = [each.transpose(0, 1) for each in theirs(input_ids=batch.before, use_mems=True).mems]
    for mine, wanted in zip(ours.stack.remember(batch.before), mems, strict=True):
        close(mine, wanted, CLOSE)
        assert not mine.requires_grad
    row, slot = by_row(batch.asked, ROWS, TOKENS)[1:]
    close(ours(batch).tokens, reference(theirs, batch, mems).logits[row, slot], CLOSE)


@pytest.mark.parametrize("remembered", [0, REMEMBERED])
def test_rows_read_backwards_have_the_distances_negated(
    pair: Pair, remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ``bi_data``, theirs takes the second half of a batch for rows that are read backwards."""
    ours, theirs = pair
    forward = permuted(remembered)
    batch, mems = twice(forward), None
    monkeypatch.setattr(theirs.transformer, "bi_data", True)
    if remembered:
        with torch.no_grad():
            mems = [each.transpose(0, 1) for each in theirs(input_ids=batch.before, use_mems=True).mems]
        for mine, wanted in zip(ours.stack.remember(batch.before, batch.backwards), mems, strict=True):
            close(mine, wanted, CLOSE)
    row, slot = by_row(batch.asked, len(batch.shown), TOKENS)[1:]
    got, wanted = ours(batch).tokens, reference(theirs, batch, mems).logits[row, slot]
    close(got, wanted, CLOSE)
    n = len(forward.asked)
    close(got[:n], ours(forward).tokens, CLOSE)
    assert (got[n:] - got[:n]).abs().amax(1).min() > 1e-3
    mine = functional.cross_entropy(got, batch.answers)
    gradients_agree(pair, mine, functional.cross_entropy(wanted, batch.answers))


def twice(batch: Batch) -> Batch:
    """The rows of a batch, and the same rows once more, read backwards."""
    rows = {f.name: getattr(batch, f.name) for f in fields(batch)}
    both = {name: torch.cat([each, each]) for name, each in rows.items() if isinstance(each, Tensor)}
    asked = torch.cat([batch.asked, batch.asked + batch.shown.numel()])
    backwards = torch.arange(2 * len(batch.shown)) >= len(batch.shown)
    return replace(batch, **both | {"asked": asked, "backwards": backwards})


def test_reading_token_by_token_agrees_with_its_memory(pair: Pair) -> None:
    """In transformers, generation keeps hidden states as its memory; here keys and values in a cache."""
    ours, theirs = pair
    rows = gaps().shown[[0, 2]]
    cache, mems = Cache(), None
    with torch.no_grad():
        for begin, end in ((0, 1), (1, 2), (2, 3), (3, 4)):
            step = Batch(shown=rows[:, begin:end], visible="causal", asked=torch.arange(2))
            out = theirs(input_ids=rows[:, begin:end], mems=mems, use_mems=True)
            mems = out.mems if mems is None else [torch.cat([a, b[-1:]]) for a, b in zip(mems, out.mems, strict=True)]
            close(ours(step, cache).tokens, out.logits[:, 0], CLOSE)


def test_a_label_is_read_off_the_last_real_token() -> None:
    theirs = transformers.XLNetForSequenceClassification(config(num_labels=4))
    randomise(theirs)
    ours = xlnet(SHAPE, VOCABULARY, classes=4)
    table = dict(theirs.named_parameters()) | {"lm_loss.bias": torch.zeros(VOCABULARY)}
    copy_into(ours, renamed(table))
    batch = padded(left=True)
    wanted = theirs.eval()(batch.shown, attention_mask=batch.real.float(), token_type_ids=batch.segments).logits
    close(ours.eval()(batch).sequence, wanted, CLOSE)
    right = padded(left=False)
    close(ours(right).sequence, wanted, CLOSE)  # only distances count: on which side the padding is makes no difference
