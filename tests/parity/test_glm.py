"""Our GLM computes what GPT-2 in transformers computes with a second table of positions and a prefix that all see."""

from typing import Any

import pytest
import torch
from oracle import CLOSE as WITHIN
from oracle import (
    CONTEXT,
    DEPTH,
    FEED,
    HEADS,
    ROWS,
    TOKENS,
    VOCABULARY,
    WIDTH,
    Parity,
    Side,
    close,
    compare,
    real,
    rows,
    translated,
)
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch
from lab.layers.cache import Cache
from lab.models.glm import GlmShape, glm

transformers = pytest.importorskip("transformers")

SHAPE = GlmShape(width=WIDTH, depth=DEPTH, heads=HEADS, feed=FEED, context=CONTEXT)
PREFIX = (7, 5, 9)  # the second row is padded after its eighth token
BLOCK, LAYER = "stack.blocks.*.", "transformer.h.*."
NAMES: dict[str, str | tuple[str, ...]] = {
    "stack.embed.tokens": "transformer.wte",
    "stack.embed.positions.text.table": "transformer.wpe",
    "stack.embed.positions.blank.table": "block_position_embeddings",
    BLOCK + "attention.qkv": LAYER + "attn.c_attn",
    BLOCK + "attention.out": LAYER + "attn.c_proj",
    BLOCK + "attention_norm": LAYER + "ln_1",
    BLOCK + "feed.up": LAYER + "mlp.c_fc",
    BLOCK + "feed.down": LAYER + "mlp.c_proj",
    BLOCK + "feed_norm": LAYER + "ln_2",
    "stack.norm": "transformer.ln_f",
}


class Reference(transformers.GPT2LMHeadModel):  # type: ignore[misc]
    """GPT-2 that is told a second position, and who sees whom as numbers added to the scores."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.block_position_embeddings = nn.Embedding(config.n_positions, config.n_embd)


def renamed(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    """Its maps inside a block are stored the other way round."""
    turned = {name: value.T if ".c_" in name and value.dim() == 2 else value for name, value in theirs.items()}
    return translated(turned, NAMES)


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
    return Batch(shown=rows(), real=real(), visible=visible, places=places(), asked=asked, answers=answers)


def answer(model: Any, batch: Batch) -> Side:
    assert isinstance(batch.visible, Tensor) and batch.real is not None and batch.places is not None
    seen = batch.visible & batch.real[:, None, :] | torch.eye(TOKENS, dtype=torch.bool)
    barred = torch.zeros(seen.shape, dtype=model.dtype).masked_fill(~seen, torch.finfo(model.dtype).min)[:, None]
    out = model(
        inputs_embeds=model.transformer.wte(batch.shown) + model.block_position_embeddings(batch.places[..., 1]),
        position_ids=batch.places[..., 0],
        attention_mask=barred,
        output_hidden_states=True,
        output_attentions=True,
        use_cache=False,
    )
    tokens = out.logits.flatten(0, 1)[batch.asked]
    return Side(out.hidden_states, out.attentions, tokens, functional.cross_entropy(tokens.float(), batch.answers))


@pytest.fixture(scope="module", params=[torch.float32, torch.float64], ids=str)
def parity(request: pytest.FixtureRequest) -> Parity:
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY,
        n_positions=CONTEXT + 1,
        n_embd=WIDTH,
        n_layer=DEPTH,
        n_head=HEADS,
        n_inner=FEED,
        bos_token_id=0,
        eos_token_id=0,
        attn_implementation="eager",
    )
    return compare(glm(SHAPE, VOCABULARY), Reference(config), infilling(), answer, renamed, request.param)


def test_every_hidden_state_agrees(parity: Parity) -> None:
    parity.hidden_states_agree()


def test_every_attention_map_agrees(parity: Parity) -> None:
    parity.attention_maps_agree()


def test_token_logits_agree(parity: Parity) -> None:
    parity.logits_agree()


def test_the_loss_agrees(parity: Parity) -> None:
    parity.losses_agree()


def test_the_gradient_of_every_parameter_agrees(parity: Parity) -> None:
    parity.gradients_agree()


def test_without_places_all_is_text(parity: Parity) -> None:
    everywhere = torch.arange(ROWS * TOKENS)
    plain = torch.stack([torch.arange(TOKENS).expand(ROWS, -1), torch.zeros(ROWS, TOKENS, dtype=torch.long)], -1)
    with torch.no_grad():
        told, untold = (parity.ours(Batch(shown=rows(), asked=everywhere, places=p)).tokens for p in (plain, None))
    close(untold, told, WITHIN)


def test_a_blank_written_token_by_token_gets_the_logits_of_one_written_at_once(parity: Parity) -> None:
    whole, prefix = infilling(), PREFIX[0]
    assert isinstance(whole.visible, Tensor) and whole.places is not None
    first = whole.shown[:1]
    cache, found = Cache(), []
    with torch.inference_mode():
        for begin, end in [(0, prefix + 1), *((n, n + 1) for n in range(prefix + 1, TOKENS))]:
            visible = whole.visible[:1, :end, :end] if not begin else "causal"
            last = torch.tensor([end - begin - 1])
            step = Batch(shown=first[:, begin:end], visible=visible, places=whole.places[:1, begin:end], asked=last)
            found.append(parity.ours(step, cache).tokens)
        asked = torch.arange(prefix, TOKENS)
        at_once = Batch(shown=first, visible=whole.visible[:1], places=whole.places[:1], asked=asked)
        wanted = parity.ours(at_once).tokens
    close(torch.cat(found), wanted, WITHIN)
