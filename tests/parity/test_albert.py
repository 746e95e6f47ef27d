"""ALBERT's two activations are two: one is not close enough to the other to pass for it."""

import torch
from oracle import compare
from twins import TWINS


def test_the_two_activations_can_be_told_apart() -> None:
    mine, theirs = TWINS["albert-gelu"], TWINS["albert"]
    crossed = compare(mine.ours(), theirs.theirs(), mine.shown(), mine.answer, mine.renamed, torch.float32)
    assert (crossed.mine.hidden[-1] - crossed.reference.hidden[-1]).abs().max() > 1e-4
