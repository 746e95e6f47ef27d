"""Our RoBERTa counts positions as RoBERTa in transformers does: tokens of padding have none."""

import pytest
import torch
from oracle import CLOSE, close
from twins import pair

from lab.batch import Batch


@torch.no_grad()
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_positions_pass_over_padding_in_the_middle_of_a_text_that_is_looked_at(dtype: torch.dtype) -> None:
    parity = pair("roberta", dtype)
    shown = parity.batch.shown.clone()
    shown[0, 3] = shown[2, 7] = 1  # its padding
    mine = parity.ours(Batch(shown=shown, asked=torch.arange(shown.numel()))).tokens
    close(mine, parity.theirs(input_ids=shown).logits.flatten(0, 1), CLOSE)
