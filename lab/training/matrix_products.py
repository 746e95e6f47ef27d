"""Matrix products on a processor: by oneDNN instead of MKL where that is quicker, in the same single precision.

MKL, by which PyTorch multiplies matrices of floats, keeps its widest instructions (AVX-512) for Intel's processors. On
AMD's whose units are as wide (Zen 5, family 26), oneDNN, which comes with PyTorch as well, is twice as quick; Zen 4
takes them in two halves: large products gain a tenth, and the small ones of the lab's recipes lose a fifth. PyTorch
asks oneDNN only where products may be rounded to bf16; oneDNN rounds on processors with tiles for that (AMX), which
AMD's are not, and adds up floats on all others.

The choice holds for the whole process, so that only processes that train make it.
"""

import platform
import re
from functools import cache
from pathlib import Path

import torch

WIDE = 26  # AMD's first family whose units are 512 bits wide
LONG = 512  # tokens from which on the fused kernel of attention, whose own products are small, is the quicker one


def by_onednn(context: int) -> None:
    """Let oneDNN multiply in this process, where that is quicker. Attention over less than ``LONG`` tokens of
    ``context`` is then worked out in plain products, too."""
    onednn = slow_mkl()
    choose(onednn=onednn, fused=not onednn or context >= LONG)


def choose(*, onednn: bool, fused: bool) -> None:
    """Which library multiplies, and whether attention on a processor uses the fused kernel."""
    torch.backends.mkldnn.matmul.fp32_precision = "bf16" if onednn else "none"  # type: ignore[attr-defined]
    torch.backends.cuda.enable_flash_sdp(fused)  # in spite of its name the switch is the processor's, too


@cache
def slow_mkl() -> bool:
    """Whether MKL keeps its quick path from this processor, and oneDNN has one for it."""
    quick = torch.backends.mkldnn.is_available() and torch.backends.cpu.get_cpu_capability() == "AVX512"
    return quick and _wide_amd(_processor()) and not torch.cpu._is_amx_tile_supported()


def _wide_amd(processor: str) -> bool:
    family = re.search(r"family\s*:?\s*(\d+)", processor, re.IGNORECASE)
    return "AuthenticAMD" in processor and family is not None and int(family[1]) >= WIDE


def _processor() -> str:
    """The processor as the system describes it."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
