"""Prefix tuning: keys and values that every token sees, padding or not, cached or not."""

from pathlib import Path
from typing import Any

import pytest
import torch
from labelled import trained, tuning

from lab.batch import Batch
from lab.data.reading import parts_of
from lab.exchange.export import export
from lab.inference.answering import answer
from lab.inference.attention_maps import attention
from lab.inference.model import load
from lab.layers.attention import Attention
from lab.layers.kv_cache import Cache
from lab.layers.masks import AttentionMask
from lab.layers.prefix import Prefix
from lab.layers.watch import looking
from lab.runs.folder import RunFolder
from lab.settings import SettingsError
from lab.training.evaluate import evaluate

T, P = 4, 3


def by_hand(layer: Attention, x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """One head after another, the prefix written in front of the keys and values: (B, T, W)."""
    assert layer.prefix is not None
    q, k, v = layer.qkv(x).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)  # each (B, H, T, K)
    mixed = []
    for head in range(2):
        keys = torch.cat([layer.prefix.keys[head].expand(len(x), -1, -1), k[:, head]], 1)
        values = torch.cat([layer.prefix.values[head].expand(len(x), -1, -1), v[:, head]], 1)
        seen = torch.cat([torch.ones(T, P, dtype=torch.bool), table], 1)
        scores = (q[:, head] @ keys.mT / 2).masked_fill(~seen, -torch.inf)
        mixed.append(scores.softmax(-1) @ values)
    out: torch.Tensor = layer.out(torch.cat(mixed, -1))
    return out


def prefixed(**how: Any) -> Attention:
    torch.manual_seed(1)
    layer = Attention(8, 2, **how).eval()
    layer.prefix = Prefix(2, P, 4)
    torch.nn.init.normal_(layer.prefix.values)
    return layer


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("watched", [True, False])
def test_every_token_sees_the_prefix_and_whom_it_may_see_besides(causal: bool, watched: bool) -> None:
    layer, x = prefixed(), torch.randn(2, T, 8)
    table = torch.ones(T, T, dtype=torch.bool)
    maps: list[torch.Tensor] = []
    with looking({layer.watch: maps.append} if watched else {}):
        found = layer(x, AttentionMask(causal=causal))
    torch.testing.assert_close(found, by_hand(layer, x, table.tril() if causal else table))
    assert [each.shape for each in maps] == ([(2, 2, T, P + T)] if watched else [])


def test_padding_is_not_seen_behind_a_prefix() -> None:
    layer, x = prefixed(), torch.randn(1, T, 8)
    real = torch.tensor([[True, True, True, False]])
    other = x.clone()
    other[:, 3] = 9.0
    rows = [layer(each, AttentionMask(real=real))[:, :3] for each in (x, other)]
    torch.testing.assert_close(rows[0], rows[1])


def test_a_bias_of_distances_leaves_the_prefix_alone() -> None:
    layer, x, bias = prefixed(), torch.randn(1, T, 8), torch.randn(1, 2, T, T)
    maps: list[torch.Tensor] = []
    with looking({layer.watch: maps.append}):
        mapped = layer(x, AttentionMask(causal=True, bias=bias))
    torch.testing.assert_close(mapped, layer(x, AttentionMask(causal=True, bias=bias)))
    assert (maps[0][:, :, 0, P + 1 :] == 0).all() and (maps[0][..., :P] > 0).all()


@pytest.mark.parametrize("model", ["gpt", "llama", "t5", "glm"])
def test_what_is_written_token_by_token_is_what_is_read_at_once(model: str, parents: Any, tmp_path: Path) -> None:
    run = tuning(parents(model), "seq2seq", tmp_path, how="prefix", steps_of=2, prefix=P) if model == "t5" else None
    run = run or tuning(parents(model), "classify", tmp_path, how="prefix", steps_of=2, prefix=P)
    net = load(trained(RunFolder.create(run, tmp_path / "run"))).model
    for part in net.modules():
        if isinstance(part, Prefix):
            torch.nn.init.normal_(part.values)
    shown, source = torch.randint(6, 250, (1, 7)), torch.randint(6, 250, (1, 5)) if model == "t5" else None
    with torch.inference_mode():
        whole = net(Batch(shown=shown, visible="causal", source=source, asked=torch.arange(7))).tokens
        cache, each = Cache(), []
        for place in range(7):
            batch = Batch(shown=shown[:, place : place + 1], visible="causal", source=source, asked=torch.tensor([0]))
            each.append(net(batch, cache).tokens)
    torch.testing.assert_close(torch.cat(each), whole, rtol=1e-4, atol=1e-5)


def test_a_run_with_a_prefix_is_kept_measured_asked_and_looked_into(parents: Any, tmp_path: Path) -> None:
    run = tuning(parents("bert"), "classify", tmp_path, how="prefix", prefix=5)
    folder = trained(RunFolder.create(run, tmp_path / "run"))
    kept = load(folder)
    prefixes = [part for part in kept.model.modules() if isinstance(part, Prefix)]
    assert [part.keys.shape for part in prefixes] == [(2, 5, 8)] and prefixes[0].values.abs().max() > 0
    assert evaluate(kept, folder)["texts"] == 8
    assert sum(answer(kept, parts_of(run).train[0]).chances) == pytest.approx(1)
    (maps,) = attention(kept, "I love it")
    assert maps.maps.shape[-1] == maps.maps.shape[-2] == len(maps.tokens)
    for use in (lambda: export(folder, tmp_path / "out"), lambda: trained(again(folder, tmp_path))):
        with pytest.raises(SettingsError, match="a prefix is no part"):
            use()
    assert not (tmp_path / "out").exists()


def again(folder: RunFolder, tmp_path: Path) -> RunFolder:
    return RunFolder.create(tuning(folder, "classify", tmp_path, steps_of=1), tmp_path / "again")
