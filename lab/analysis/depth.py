"""Depth: norms of hidden states and gradients in fresh models, post-norm and pre-norm, and what warm-up does to them.

Xiong et al. 2020, "On Layer Normalization in the Transformer Architecture", theorem 1: when a model is fresh, the
gradient of the last feed-forward matrix is bounded by O(d √(ln d)) in post-norm and by O(d √(ln d / L)) in pre-norm.
The two recipes are the lab's GPT-1 and GPT, which differ by just that and the last norm of pre-norm. Every weight has
the deviation 1/√d, which is Xavier's for a square matrix, and GPT-2's smaller residual maps are left out: the theorem
has neither.

T tokens   L layers   d width
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lab.analysis.layer_similarity import between_tokens
from lab.batch import Batch, losses
from lab.inference.model import build
from lab.layers.blocks import Block
from lab.layers.init import initialise_evenly
from lab.layers.kv_cache import KeysValues
from lab.layers.masks import AttentionMask
from lab.runs.run import IMPORTED, Run
from lab.settings import SettingsError
from lab.training.budget import schedule
from lab.training.optimizers import optimizer_of

DEPTHS = (4, 6, 8, 12, 16, 24, 32, 48)
RECIPES = {"post": "gpt1", "pre": "gpt"}
WIDTH, HEADS, WORDS, TOKENS = 64, 4, 1000, 64
LEARNING, RATE, STEPS, WARMUP = 12, 1e-3, 80, 0.5  # layers that learn, how fast, how long, and the share of warm-up
TOGETHER = 4  # steps that are told at once


class WithoutResiduals(nn.Module):
    """A block whose parts replace what came in instead of adding to it: its residual connections are left out."""

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.block = block

    def forward(self, x: Tensor, mask: AttentionMask, past: KeysValues | None = None) -> Tensor:
        """As a Block's: (B, T, W)."""
        block = self.block
        if block.pre_norm:
            x = block.attention(block.attention_norm(x), mask, past)
            fed: Tensor = block.feed(block.feed_norm(x))
            return fed
        x = block.attention_norm(block.attention(x, mask, past))
        normed: Tensor = block.feed_norm(block.feed(x))
        return normed


def renumbered(ids: Sequence[int]) -> list[int]:
    """The first tokens of a text by numbers below WORDS: a fresh model knows none of them. Raises SettingsError where
    there is nothing to predict."""
    if len(ids) < 2:
        raise SettingsError(
            "type at least two tokens: one must predict the next", "请至少输入两个词元：要由前一个预测后一个"
        )
    numbers: list[int] = np.unique(np.asarray(ids[:TOKENS]), return_inverse=True)[1].tolist()
    return numbers


def run_of(norm: str, depth: int, warmup: float = 0.0) -> Run:
    """The recipe of this norm with ``depth`` layers, and how it learns."""
    shape = {"width": WIDTH, "heads": HEADS, "depth": depth, "context": TOKENS}
    plan = {"steps": STEPS, "batch": 1, "optimizer": "adamw", "learning_rate": RATE, "schedule": "constant"}
    plan |= {"warmup": warmup, "beta2": 0.999, "init_std": WIDTH**-0.5}
    return Run.load({"kind": IMPORTED, "model": RECIPES[norm], "shape": shape, "objective": "clm", "training": plan})


def fresh(run: Run) -> Any:
    """The model before it has learnt anything; those of one depth differ by their norms alone."""
    with torch.random.fork_rng(devices=[]):
        model = build(run, WORDS, 0)
        for part in model.modules():
            if isinstance(part, Block):
                part.residual = 1.0
        torch.manual_seed(run.seed)
        return initialise_evenly(model, run.plan.init_std or WIDTH**-0.5)


def exercise(ids: Sequence[int]) -> Batch:
    """Each token predicts the next one."""
    row = torch.tensor([list(ids)])
    return Batch(shown=row[:, :-1], visible="causal", asked=torch.arange(len(ids) - 1), answers=row[0, 1:])


def norms(ids: Sequence[int], norm: str, depth: int, *, residual: bool) -> dict[str, list[float]]:
    """Of a fresh model and a text: "states", the mean length of a token's hidden state before the first layer and after
    each, L + 1 numbers; "alike", the mean cosine of two tokens there; "gradients", the norm of the loss's gradient by
    each feed-forward network's last matrix, L numbers."""
    model = fresh(run_of(norm, depth))
    blocks: list[Block] = [*model.stack.blocks]
    if not residual:
        model.stack.blocks = nn.ModuleList(WithoutResiduals(block) for block in blocks)
    states: list[Tensor] = []
    model.stack.blocks[0].register_forward_pre_hook(lambda _, given: states.append(given[0].detach()[0]))
    for block in model.stack.blocks:
        block.register_forward_hook(lambda _, given, made: states.append(made.detach()[0]))
    batch = exercise(ids)
    torch.stack([*losses(model(batch), batch).values()]).sum().backward()
    hidden = torch.stack(states)  # (L + 1, T, W)
    gradients = [block.feed.down.weight.grad for block in blocks]
    return {
        "states": hidden.norm(dim=-1).mean(-1).tolist(),
        "alike": between_tokens(hidden).nan_to_num(1.0).tolist(),
        "gradients": [float(gradient.norm()) for gradient in gradients if gradient is not None],
    }


def by_depth(ids: Sequence[int]) -> Iterator[list[dict[str, Any]]]:
    """The norms of every kind, at one depth after another."""
    torch.set_num_threads(1)
    kinds = [(norm, residual) for residual in (True, False) for norm in RECIPES]
    for depth in DEPTHS:
        yield [
            {"norm": norm, "residual": residual, "depth": depth, **norms(ids, norm, depth, residual=residual)}
            for norm, residual in kinds
        ]


def warming(ids: Sequence[int]) -> Iterator[list[dict[str, Any]]]:
    """The loss of four models that learn the text by turns, post-norm and pre-norm, without warm-up and with: of each
    arm the newest steps."""
    torch.set_num_threads(1)
    arms = {
        (norm, warmup): Learning(run_of(norm, LEARNING, warmup), ids) for norm in RECIPES for warmup in (0.0, WARMUP)
    }
    for before in range(0, STEPS, TOGETHER):
        steps = range(before, min(before + TOGETHER, STEPS))
        yield [
            {"norm": norm, "warmup": bool(warmup), "losses": [arm.step(step) for step in steps]}
            for (norm, warmup), arm in arms.items()
        ]


class Learning:
    """A fresh model that learns one text by heart, nothing clipped."""

    def __init__(self, run: Run, ids: Sequence[int]) -> None:
        self.run, self.model, self.batch = run, fresh(run), exercise(ids)
        self.optimizer = optimizer_of(self.model, run.plan, RATE)

    def step(self, number: int) -> float:
        """One step, the first of them number 0; the loss before it, in nats a token."""
        plan = self.run.plan
        share = schedule((number + 1) / STEPS, plan.warmup, number + 1, plan.schedule, plan.floor)
        for group in self.optimizer.param_groups:
            group["lr"] = RATE * share
        loss = torch.stack([*losses(self.model(self.batch), self.batch).values()]).sum()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        return loss.item()
