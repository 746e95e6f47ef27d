"""Time and memory of attention as a text grows: full attention, in a window, and linear; measured on this machine.

Full attention is measured twice. Its fused kernel (FlashAttention, Dao et al. 2022) makes the map piece by piece and
never holds all of it: the time is quadratic, and the memory is not. With the map written down, as papers print it and
as whoever looks at it needs it, both are.

T tokens   W width
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.autograd.profiler import profile

from lab.layers.attention import Attention
from lab.layers.kv_cache import KeysValues
from lab.layers.linear import LinearAttention
from lab.layers.masks import AttentionMask
from lab.layers.watch import looking
from lab.layers.window import WindowAttention
from lab.training.process_memory import ran_out

KINDS = ("full", "linear", "window")
MAP = "map"  # full attention that writes its map down
WIDTH, HEADS, WINDOW = 128, 2, 128  # of what is measured for a visitor
LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
QUICK, ROUNDS = 1024, (9, 3)  # tokens of a text that is soon read, and how often it and a longer one are timed
NEXT = 4  # tokens that are written behind a text
CACHED, AGAIN, SUMS = "cached", "again", "sums"  # the next token: with a key-value cache, all read again, linear

Way = Callable[[Tensor], Tensor]


def parts(width: int, heads: int, window: int) -> dict[str, Attention]:
    """One part of each kind, with the same weights."""
    full = Attention(width, heads)
    linear, near = LinearAttention(width, heads), WindowAttention(width, heads, window=window)
    for layer in (linear, near):
        layer.load_state_dict(full.state_dict())
    return dict(zip(KINDS, (full, linear, near), strict=True))


def ways(kinds: Mapping[str, Attention], *, causal: bool) -> dict[str, Way]:
    """A pass of each kind, by name, from (1, T, W) to (1, T, W)."""
    return {kind: _pass(layer, AttentionMask(causal=causal)) for kind, layer in kinds.items()}


def _pass(layer: Attention, mask: AttentionMask) -> Way:
    return lambda x: layer(x, mask)


def written_down(layer: Attention, *, causal: bool) -> Way:
    """A pass that holds the whole map."""

    def way(x: Tensor) -> Tensor:
        with looking({layer.watch: lambda _: None}):
            return layer(x, AttentionMask(causal=causal))

    return way


def timed(passes: Mapping[str, Way], x: Tensor, rounds: int) -> dict[str, float]:
    """The least seconds of a pass forward and backward over one text (1, T, W): whatever else the machine does adds to
    them. All passes take turns, in one order and in the other."""
    seconds: dict[str, list[float]] = {kind: [] for kind in passes}
    for turn in range(rounds + 1):  # of which the first only warms up
        for kind in passes if turn % 2 else reversed([*passes]):
            started = time.perf_counter()
            passes[kind](x).sum().backward()
            seconds[kind].append(time.perf_counter() - started)
    return {kind: min(times[1:]) for kind, times in seconds.items()}


def allocated(way: Way, x: Tensor) -> int:
    """The most bytes that PyTorch has allocated at once in a pass forward and backward, beside what was there."""
    with profile(profile_memory=True) as seen:
        way(x).sum().backward()
    events = [event for event in seen.kineto_results.events() if event.name() == "[memory]"]
    most = now = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        now += event.nbytes()
        most = max(most, now)
    return most


@torch.no_grad()
def next_token(layer: Attention, x: Tensor, *, cached: bool) -> float:
    """The least seconds that one more token takes behind a text (1, T, W), from left to right."""
    rule, seconds = AttentionMask(causal=True), []
    past = KeysValues() if cached else None
    if past is not None:
        layer(x, rule, past)
    for _ in range(NEXT):
        started = time.perf_counter()
        layer(x[:, :1] if cached else x, rule, past)
        seconds.append(time.perf_counter() - started)
    return min(seconds[1:])  # the first one may have made room for more


def measured() -> Iterator[dict[str, Any]]:
    """What each kind takes at each length, one row after another: tokens, kind, seconds, and bytes allocated; of the
    next token seconds alone. One that finds no memory is left out, and all longer ones. In a process of its own."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    kinds = parts(WIDTH, HEADS, WINDOW)
    passes = {MAP: written_down(kinds["full"], causal=False), **ways(kinds, causal=False)}
    for length in LENGTHS:
        x = torch.randn(1, length, WIDTH)
        for kind in list(passes):
            row = _row(passes[kind], x.clone().requires_grad_())
            if row is None:
                del passes[kind]
            else:
                yield {"tokens": length, "kind": kind, **row}
        for kind, layer, cached in ((AGAIN, "full", False), (CACHED, "full", True), (SUMS, "linear", True)):
            yield {"tokens": length, "kind": kind, "seconds": next_token(kinds[layer], x, cached=cached)}


def _row(way: Way, x: Tensor) -> dict[str, Any] | None:
    try:
        seconds = timed({"": way}, x, ROUNDS[x.shape[1] > QUICK])[""]
        with _unsaid():
            return {"seconds": seconds, "bytes": allocated(way, x)}
    except (MemoryError, RuntimeError) as error:
        if not ran_out(error):
            raise
        return None


@contextmanager
def _unsaid() -> Iterator[None]:
    """Some builds of PyTorch write a line each time that their profiler starts: not into the log of a server."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
