"""Holds our encoder-decoders against their classes in transformers: sources, answers, and three kinds of maps.

B batch   S tokens of the source   T tokens of the answer   W width   H heads   V vocabulary
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from oracle import CLOSE, DEPTH, MAPS_CLOSE, VOCABULARY, close, copy_into, gradients, randomise
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch
from lab.inference.probe import watching
from lab.layers.kv_cache import Cache
from lab.layers.stacks import TwoStacks

ROWS, SOURCE, TOKENS = 3, 29, 9
LENGTHS = (29, 21, 29)  # the second source is padded
ANSWERED = (9, 9, 6)  # the third answer ends early
KINDS = ("encoder", "decoder", "cross")
END = 2
Rename = Callable[[dict[str, Tensor]], dict[str, Tensor]]
Within = dict[torch.dtype, float]


@dataclass
class Side:
    """What one of the two models computed, in the same words for both."""

    logits: Tensor  # (B, T, V)
    hidden: dict[str, list[Tensor]]  # of "encoder" and "decoder": (B, S or T, W) each
    maps: dict[str, list[Tensor]] = field(default_factory=dict)  # of the KINDS: (B, H, T or S, S or T) each


@dataclass
class Parity:
    """Two models with the same parameters, and what both computed of the same sources and answers."""

    ours: TwoStacks
    theirs: nn.Module
    mine: Side
    reference: Side
    answers: Tensor  # (B, T)
    rename: Rename
    within: Within

    def hidden_states_agree(self) -> None:
        for stack, real in (("encoder", read()), ("decoder", written())):
            assert len(self.mine.hidden[stack]) == len(self.reference.hidden[stack]) == DEPTH + 1
            for mine, theirs in zip(self.mine.hidden[stack], self.reference.hidden[stack], strict=True):
                close(mine[real], theirs[real], self.within)

    def attention_maps_agree(self) -> None:
        near = {dtype: max(MAPS_CLOSE[dtype], within / 10) for dtype, within in self.within.items()}
        for kind in KINDS:
            assert len(self.mine.maps[kind]) == len(self.reference.maps[kind]) == DEPTH
            for mine, theirs in zip(self.mine.maps[kind], self.reference.maps[kind], strict=True):
                real = read() if kind == "encoder" else written()
                close(mine.transpose(1, 2)[real], theirs.transpose(1, 2)[real], near)
                assert mine.shape[-1] == (TOKENS if kind == "decoder" else SOURCE)

    def logits_agree(self) -> None:
        close(self.mine.logits[written()], self.reference.logits[written()], self.within)

    def losses_and_gradients_agree(self) -> None:
        mine, theirs = (_loss(side, self.answers) for side in (self.mine, self.reference))
        assert abs(mine.item() - theirs.item()) < 1e-5
        got, wanted = gradients(self.ours, mine), self.rename(gradients(self.theirs, theirs))
        assert got.keys() == wanted.keys()
        for name in got:
            close(got[name], wanted[name], {dtype: max(within, 1e-10) for dtype, within in self.within.items()})


def compare(
    ours: TwoStacks, theirs: nn.Module, shown: Tensor, rename: Rename, dtype: torch.dtype, within: Within = CLOSE
) -> Parity:
    """Give both models the same random parameters, and show both the sources and what is ``shown`` of the answers."""
    randomise(theirs)
    theirs, ours = theirs.to(dtype).eval(), ours.to(dtype).eval()
    copy_into(ours, rename(dict(theirs.named_parameters())))
    copy_buffers(ours, theirs)
    return Parity(ours, theirs, seen(ours, shown), reference(theirs, shown), answers(), rename, within)


@torch.no_grad()
def copy_buffers(ours: TwoStacks, theirs: nn.Module) -> None:
    """The one buffer that a published file of such a model may hold: a bias for each token."""
    names = [name for name, _ in ours.named_buffers()]
    assert names == ([name for name, _ in theirs.named_buffers() if name == "final_logits_bias"] and ["head.bias"])
    if names:
        bias = theirs.get_buffer("final_logits_bias")
        bias.copy_(0.1 * torch.randn(bias.shape, generator=torch.Generator().manual_seed(5)))
        ours.get_buffer("head.bias").copy_(bias[0])


def seen(ours: TwoStacks, shown: Tensor) -> Side:
    """What our model computes, every position of the answers asked."""
    with watching(ours) as found:
        output = ours(batch(shown))
    hidden = {"encoder": found.hidden[: DEPTH + 1], "decoder": found.hidden[DEPTH + 1 :]}
    logits = output.tokens.view(ROWS, TOKENS, -1)
    return Side(
        logits, hidden, {kind: [m for m, k in zip(found.maps, found.kinds, strict=True) if k == kind] for kind in KINDS}
    )


def reference(theirs: nn.Module, shown: Tensor) -> Side:
    """What the class in transformers computes."""
    out = theirs(
        input_ids=sources(),
        attention_mask=read().long(),
        decoder_input_ids=shown,
        decoder_attention_mask=written().long(),
        output_hidden_states=True,
        output_attentions=True,
        use_cache=False,
    )
    hidden = {"encoder": list(out.encoder_hidden_states), "decoder": list(out.decoder_hidden_states)}
    maps = {"encoder": out.encoder_attentions, "decoder": out.decoder_attentions, "cross": out.cross_attentions}
    return Side(out.logits, hidden, {kind: list(each) for kind, each in maps.items()})


def batch(shown: Tensor) -> Batch:
    """Sources, and what is shown of their answers, every position asked."""
    asked = torch.arange(shown.numel())
    return Batch(
        shown=shown, visible="causal", real=written(), source=sources(), source_real=read(), asked=asked, following=True
    )


def sources() -> Tensor:
    """(B, S) ids, 1 at padding."""
    ids = torch.randint(3, VOCABULARY, (ROWS, SOURCE), generator=torch.Generator().manual_seed(7))
    return torch.where(read(), ids, 1)


def answers() -> Tensor:
    """(B, T) ids, 1 at padding."""
    ids = torch.randint(3, VOCABULARY, (ROWS, TOKENS), generator=torch.Generator().manual_seed(8))
    return torch.where(written(), ids, 1)


def shifted(first: int) -> Tensor:
    """What a decoder has before each answer: ``first``, then the answers but the last: (B, T)."""
    return torch.cat([torch.full((ROWS, 1), first), answers()[:, :-1]], 1)


def read() -> Tensor:
    """Where the sources are no padding: (B, S) bool."""
    return torch.arange(SOURCE)[None] < torch.tensor(LENGTHS)[:, None]


def written() -> Tensor:
    """Where the answers are no padding: (B, T) bool."""
    return torch.arange(TOKENS)[None] < torch.tensor(ANSWERED)[:, None]


def _loss(side: Side, answers: Tensor) -> Tensor:
    """In the precision of the model: losses of transformers are in single precision."""
    return functional.cross_entropy(side.logits[written()], answers[written()])


@torch.inference_mode()
def step_by_step(model: TwoStacks, shown: Tensor, first: int) -> Tensor:
    """Logits from position ``first - 1`` on, written with a cache: ``first`` tokens, then one at a time."""
    cache, logits = Cache(), []
    for begin, end in zip([0, *range(first, TOKENS)], range(first, TOKENS + 1), strict=True):
        fresh = shown[:, begin:end]
        last = torch.arange(ROWS) * fresh.shape[1] + fresh.shape[1] - 1
        step = Batch(shown=fresh, visible="causal", source=sources(), source_real=read(), asked=last)
        logits.append(model(step, cache).tokens)
    return torch.stack(logits, 1)  # (B, T - first + 1, V)


def cached_and_uncached_agree(parity: Parity, shown: Tensor, first: int) -> None:
    """What a cache remembers gives what reading everything anew gives, here and in transformers."""
    cached = step_by_step(parity.ours, shown, first)
    close(cached[:2], parity.mine.logits[:2, first - 1 :].detach(), parity.within)
    close(cached[:2], parity.reference.logits[:2, first - 1 :].detach(), parity.within)


def the_source_is_read_once(model: TwoStacks, shown: Tensor) -> None:
    """With a cache the encoder runs at the first step alone, and rows can be chosen anew between steps."""
    runs: list[int] = []
    handle = model.encoder.register_forward_hook(lambda *_: runs.append(1))
    cache, order = Cache(), torch.tensor([2, 0, 0])
    common = {"visible": "causal", "source": sources(), "source_real": read()}
    with torch.inference_mode():
        model(Batch(shown=shown[:, :3], **common), cache)
        cache.select(order)
        common |= {"source": sources()[order], "source_real": read()[order]}
        again = model(Batch(shown=shown[order, 3:4], asked=torch.arange(ROWS), **common), cache).tokens
        handle.remove()
        anew = model(Batch(shown=shown[order, :4], asked=torch.arange(ROWS) * 4 + 3, **common)).tokens
    assert len(runs) == 1
    close(again, anew, CLOSE)
