"""Products by oneDNN are those of single precision, wherever training asks for them."""

from pathlib import Path

import pytest
import torch
from tiny import finished
from torch.nn import functional

from lab.training import matrix_products
from lab.training.matrix_products import LONG, by_onednn, choose, slow_mkl


def onednn() -> bool:
    return str(torch.backends.mkldnn.matmul.fp32_precision) == "bf16"


EXACT = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available() or torch.cpu._is_amx_tile_supported(),
    reason="there is no oneDNN, or it rounds on this processor",
)


@EXACT
def test_products_by_onednn_are_as_exact_as_floats_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_products, "slow_mkl", lambda: True)
    a, b = torch.randn(256, 512, generator=torch.manual_seed(0)), torch.randn(128, 512)
    exact = functional.linear(a.double(), b.double())
    by_onednn(64)
    assert onednn() and (functional.linear(a, b) - exact).abs().max() < 1e-4  # rounded to bf16 it would be 0.3


def test_attention_over_few_tokens_is_worked_out_in_plain_products(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_products, "slow_mkl", lambda: True)
    by_onednn(LONG - 1)
    assert onednn() and not torch.backends.cuda.flash_sdp_enabled()
    by_onednn(LONG)
    assert onednn() and torch.backends.cuda.flash_sdp_enabled()


def test_nothing_changes_where_mkl_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_products, "slow_mkl", lambda: False)
    by_onednn(64)
    assert not onednn() and torch.backends.cuda.flash_sdp_enabled()


@pytest.mark.parametrize(
    ("processor", "slow"),
    [
        ("vendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2", True),
        ("vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17", False),
        ("AMD64 Family 26 Model 68 Stepping 0, AuthenticAMD", True),
        ("vendor_id\t: GenuineIntel\ncpu family\t: 26", False),
        ("AuthenticAMD", False),
    ],
)
def test_only_amd_s_wide_processors_are_kept_from_mkl_s_quick_path(
    monkeypatch: pytest.MonkeyPatch, processor: str, slow: bool
) -> None:
    monkeypatch.setattr(matrix_products, "_processor", lambda: processor)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    assert slow_mkl.__wrapped__() == slow


@EXACT
@pytest.mark.parametrize("model", ["bert", "gpt", "t5"])
def test_a_run_learns_the_same_with_either_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    losses = []
    for slow in (False, True):
        monkeypatch.setattr(matrix_products, "slow_mkl", lambda slow=slow: slow)
        choose(onednn=False, fused=True)
        folder = finished(tmp_path / f"{slow}", model=model)
        losses.append(folder.document("result.json")["validation"]["loss"])
    assert losses[0] == pytest.approx(losses[1], abs=1e-3)
