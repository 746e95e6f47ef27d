"""Our GLM numbers what it fills in as its paper does, at once and token by token."""

import pytest
import torch
from glm_reference import PREFIX, infilling
from oracle import CLOSE, ROWS, TOKENS, close, rows
from torch import Tensor
from twins import pair

from lab.batch import Batch
from lab.layers.kv_cache import Cache

in_both_precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)


@in_both_precisions
def test_without_places_all_is_text(dtype: torch.dtype) -> None:
    ours = pair("glm", dtype).ours
    everywhere = torch.arange(ROWS * TOKENS)
    plain = torch.stack([torch.arange(TOKENS).expand(ROWS, -1), torch.zeros(ROWS, TOKENS, dtype=torch.long)], -1)
    with torch.no_grad():
        told, untold = (ours(Batch(shown=rows(), asked=everywhere, positions=p)).tokens for p in (plain, None))
    close(untold, told, CLOSE)


@in_both_precisions
def test_a_blank_written_token_by_token_gets_the_logits_of_one_written_at_once(dtype: torch.dtype) -> None:
    ours = pair("glm", dtype).ours
    whole, prefix = infilling(), PREFIX[0]
    assert isinstance(whole.visible, Tensor) and whole.positions is not None
    first = whole.shown[:1]
    cache, found = Cache(), []
    with torch.inference_mode():
        for begin, end in [(0, prefix + 1), *((n, n + 1) for n in range(prefix + 1, TOKENS))]:
            visible = whole.visible[:1, :end, :end] if not begin else "causal"
            last = torch.tensor([end - begin - 1])
            step = Batch(
                shown=first[:, begin:end], visible=visible, positions=whole.positions[:1, begin:end], asked=last
            )
            found.append(ours(step, cache).tokens)
        asked = torch.arange(prefix, TOKENS)
        at_once = Batch(shown=first, visible=whole.visible[:1], positions=whole.positions[:1], asked=asked)
        wanted = ours(at_once).tokens
    close(torch.cat(found), wanted, CLOSE)
