"""Attention as a text grows: what is measured is what was allocated, and grows as it must."""

from typing import Any

import pytest
import torch

from lab.analysis import attention_length as lengths
from lab.analysis.attention_length import allocated, measured, next_token, parts, ways, written_down
from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask

WIDTH = 16


def row(length: int) -> torch.Tensor:
    return torch.randn(1, length, WIDTH).requires_grad_()


def test_what_is_counted_is_what_was_allocated() -> None:
    def million() -> torch.Tensor:
        return torch.ones(1, 1000, 1000).requires_grad_()

    few = 100  # bytes of sums and the like
    # The product is gone when its gradient comes to be; a softmax stays for the way back, with two tensors beside it.
    assert 0 <= allocated(lambda x: x * 2, million()) - 4_000_000 < few
    assert 0 <= allocated(lambda x: x.softmax(-1), million()) - 12_000_000 < few


def test_a_map_that_is_written_down_grows_with_the_square_and_the_fused_kernel_does_not() -> None:
    full = parts(lengths.WIDTH, lengths.HEADS, 8)["full"]
    map_, fused = written_down(full, causal=False), ways({"full": full}, causal=False)["full"]
    x = torch.randn(1, 64, lengths.WIDTH)
    assert torch.allclose(map_(x), fused(x), atol=1e-6)
    growth = {}
    for name, way in (("map", map_), ("fused", fused)):
        sizes = [allocated(way, torch.randn(1, length, lengths.WIDTH)) for length in (1024, 2048)]
        growth[name] = sizes[1] / sizes[0]
    assert growth["map"] > 3.5 and growth["fused"] < 2.3


def test_the_next_token_is_the_last_of_the_text_read_at_once() -> None:
    full, x, rule = parts(WIDTH, 2, 8)["full"], row(9).detach(), AttentionMask(causal=True)
    past = KeysValues()
    with torch.no_grad():
        full(x[:, :8], rule, past)
        assert torch.allclose(full(x[:, 8:], rule, past), full(x, rule)[:, 8:], atol=1e-6)
    assert next_token(full, x, cached=True) > 0 and next_token(full, x, cached=False) > 0


def test_every_kind_is_measured_at_every_length(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(_short(monkeypatch))
    after = {lengths.AGAIN, lengths.CACHED, lengths.SUMS}
    assert {(r["tokens"], r["kind"]) for r in rows} == {
        (n, kind) for n in (16, 32) for kind in {*lengths.KINDS, lengths.MAP} | after
    }
    assert all(r["seconds"] > 0 and (r["kind"] in after or r["bytes"] > 4 * WIDTH * r["tokens"]) for r in rows)


def test_a_kind_that_finds_no_memory_is_left_out_and_all_longer_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lengths.allocated

    def full(way: lengths.Way, x: torch.Tensor) -> int:
        if way is made[0]:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory")
        return whole(way, x)

    made: list[lengths.Way] = []
    down = lengths.written_down

    def remembered(*args: object, **more: object) -> lengths.Way:
        made.append(down(*args, **more))  # type: ignore[arg-type]
        return made[0]

    monkeypatch.setattr(lengths, "written_down", remembered)
    monkeypatch.setattr(lengths, "allocated", full)
    assert lengths.MAP not in {r["kind"] for r in _short(monkeypatch)}


def _short(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    threads = torch.get_num_threads()
    monkeypatch.setattr(lengths, "LENGTHS", (16, 32))
    monkeypatch.setattr(lengths, "WIDTH", WIDTH)
    try:
        return list(measured())
    finally:
        torch.set_num_threads(threads)
