"""What GLM is held against: GPT-2 that is told a second position, and who sees whom. All of it fills blanks."""

from typing import Any

import pytest
import torch
from oracle import TOKENS, VOCABULARY, Side, real, rows
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch
from lab.exchange.families.gpt import NAMING
from lab.exchange.parts import Source

transformers = pytest.importorskip("transformers")

PREFIX = (7, 5, 9)  # the second row is padded after its eighth token
NAMES: dict[str, Source] = {name: source for name, source in NAMING.names.items() if "positions" not in name} | {
    "stack.embed.positions.text.table": "transformer.wpe",
    "stack.embed.positions.blank.table": "block_position_embeddings",
}


class Reference(transformers.GPT2LMHeadModel):  # type: ignore[misc]
    """GPT-2 that is told a second position, and who sees whom as numbers added to the scores."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.block_position_embeddings = nn.Embedding(config.n_positions, config.n_embd)


def places() -> Tensor:
    """The first row has one blank at 3, the second two, written last first, the third one at 0: (B, T, 2)."""
    text = [[*range(7), *[3] * 6], [*range(5), 3, 3, 1, *[0] * 5], [*range(9), *[0] * 4]]
    blank = [[0] * 7 + [*range(1, 7)], [0] * 5 + [1, 2, 1] + [0] * 5, [0] * 9 + [*range(1, 5)]]
    return torch.stack([torch.tensor(text), torch.tensor(blank)], -1)


def infilling() -> Batch:
    """All see the prefix; each token behind it is asked what comes next."""
    places_of = torch.arange(TOKENS)
    behind = places_of[None] >= torch.tensor(PREFIX)[:, None]  # (B, T)
    row, place = (behind & real()).nonzero(as_tuple=True)
    answers = torch.randint(0, VOCABULARY, row.shape, generator=torch.Generator().manual_seed(6))
    visible = ~behind[:, None, :] | torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril()
    asked = row * TOKENS + place
    return Batch(shown=rows(), real=real(), visible=visible, positions=places(), asked=asked, answers=answers)


def answer(model: Any, batch: Batch) -> Side:
    assert isinstance(batch.visible, Tensor) and batch.real is not None and batch.positions is not None
    seen = batch.visible & batch.real[:, None, :] | torch.eye(TOKENS, dtype=torch.bool)
    barred = torch.zeros(seen.shape, dtype=model.dtype).masked_fill(~seen, torch.finfo(model.dtype).min)[:, None]
    out = model(
        inputs_embeds=model.transformer.wte(batch.shown) + model.block_position_embeddings(batch.positions[..., 1]),
        position_ids=batch.positions[..., 0],
        attention_mask=barred,
        output_hidden_states=True,
        output_attentions=True,
        use_cache=False,
    )
    tokens = out.logits.flatten(0, 1)[batch.asked]
    return Side(out.hidden_states, out.attentions, tokens, functional.cross_entropy(tokens.float(), batch.answers))
