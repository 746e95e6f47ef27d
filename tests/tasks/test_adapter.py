"""Adapters: a narrow network behind each feed-forward network, in what is learnt, kept, written and asked."""

from pathlib import Path
from typing import Any

import pytest
import torch
from labelled import trained, tuning

from lab.batch import Batch
from lab.data.reading import parts_of
from lab.exchange.export import export
from lab.inference.answering import answer
from lab.inference.model import load
from lab.inference.reduced_precision import in_precision
from lab.layers.adapter import Adapter
from lab.layers.feedforward import MLP, GatedMLP, gelu, silu
from lab.layers.kv_cache import Cache
from lab.runs.folder import RunFolder
from lab.settings import SettingsError
from lab.training.evaluate import evaluate


@pytest.mark.parametrize("feed", [MLP(8, 12, gelu), GatedMLP(8, 12, silu)], ids=["mlp", "gated"])
def test_it_begins_as_the_identity_and_then_bends_what_the_network_says(feed: MLP | GatedMLP) -> None:
    x = torch.randn(2, 3, 8)
    before = feed(x)
    adapter = feed.adapter = Adapter(8, 2)
    assert torch.equal(feed(x), before)
    torch.nn.init.normal_(adapter.up.weight)
    torch.nn.init.normal_(adapter.up.bias)
    narrow = before @ adapter.down.weight.T + adapter.down.bias
    bent = 0.5 * narrow * (1 + torch.erf(narrow / 2**0.5))
    torch.testing.assert_close(feed(x), before + bent @ adapter.up.weight.T + adapter.up.bias)


@pytest.mark.parametrize(
    ("model", "networks"), [("bert", 1), ("albert", 1), ("electra", 1), ("gpt", 1), ("llama", 1), ("bart", 2)]
)
def test_each_network_of_the_body_has_one(model: str, networks: int, parents: Any, tmp_path: Path) -> None:
    """A generator that no task reads has none; blocks that share their weights share theirs."""
    run = tuning(parents(model), "classify", tmp_path, how="adapter", steps_of=1, bottleneck=3)
    kept = load(trained(RunFolder.create(run, tmp_path / "run")))
    adapters = {name: part for name, part in kept.model.named_modules() if isinstance(part, Adapter)}
    assert len(adapters) == networks and not any(name.startswith("generator.") for name in adapters)
    assert {part.down.weight.shape for part in adapters.values()} == {(3, 16)}


@pytest.mark.parametrize("model", ["gpt", "llama", "t5", "glm"])
def test_what_is_written_token_by_token_is_what_is_read_at_once(model: str, parents: Any, tmp_path: Path) -> None:
    task = "seq2seq" if model == "t5" else "classify"
    run = tuning(parents(model), task, tmp_path, how="adapter", steps_of=1)
    kept = load(trained(RunFolder.create(run, tmp_path / "run")))
    for part in kept.model.modules():
        if isinstance(part, Adapter):
            torch.nn.init.normal_(part.up.weight)
    shown, source = torch.randint(6, 250, (1, 7)), torch.randint(6, 250, (1, 5)) if model == "t5" else None
    net, bare = kept.model, load(parents(model)).model
    with torch.inference_mode():
        every = Batch(shown=shown, visible="causal", source=source, asked=torch.arange(7))
        whole, cache, each = net(every).tokens, Cache(), []
        for place in range(7):
            batch = Batch(shown=shown[:, place : place + 1], visible="causal", source=source, asked=torch.tensor([0]))
            each.append(net(batch, cache).tokens)
        half = in_precision(kept, "float16").model(every).tokens
        assert not torch.allclose(whole, bare(every).tokens, atol=1e-2)
    torch.testing.assert_close(torch.cat(each), whole, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(half, whole, rtol=0.02, atol=0.05)


def test_a_run_with_adapters_is_kept_measured_and_asked_and_never_taken_for_plain_weights(
    parents: Any, tmp_path: Path
) -> None:
    run = tuning(parents("bert"), "classify", tmp_path, how="adapter")
    folder = trained(RunFolder.create(run, tmp_path / "run"))
    kept = load(folder)
    adapters = [part for part in kept.model.modules() if isinstance(part, Adapter)]
    assert adapters and adapters[0].up.weight.abs().max() > 0
    assert evaluate(kept, folder)["texts"] == 8
    assert sum(answer(kept, parts_of(run).train[0]).chances) == pytest.approx(1)
    again = tuning(folder, "classify", tmp_path, steps_of=1)
    for use in (
        lambda: export(folder, tmp_path / "out"),
        lambda: trained(RunFolder.create(again, tmp_path / "again")),
    ):
        with pytest.raises(SettingsError, match="an adapter is no part"):
            use()
    assert not (tmp_path / "out").exists()
