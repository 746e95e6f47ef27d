"""The LSTM families compute what a few independent lines do, gate by gate, with every parameter random.

B batch   T tokens   W width   V vocabulary   S width of one direction
"""

import pytest
import torch
from oracle import CLOSE, ROWS, TOKENS, VOCABULARY, WIDTH, close, gradients, randomise, real, step_by_step
from torch import Tensor, nn

from lab.batch import Batch, losses
from lab.catalog import MODELS
from lab.inference.probe import watching
from lab.layers.kv_cache import Cache
from lab.layers.stacks import OneStack

SINGLE, DOUBLE = torch.float32, torch.float64
LENGTHS = real().sum(1).tolist()


def built(name: str, dtype: torch.dtype, **knobs: object) -> OneStack:
    settings = MODELS[name].settings.load({"width": WIDTH, "depth": 2, "context": 20, **knobs})
    model: OneStack = MODELS[name].build(settings, VOCABULARY, 3)
    randomise(model)
    return model.to(dtype).eval()


def batch(visible: str) -> Batch:
    dice = torch.Generator().manual_seed(2)
    asked = torch.tensor([0, 5, TOKENS, TOKENS + 6, 2 * TOKENS + 12])
    return Batch(
        shown=torch.randint(1, VOCABULARY, (ROWS, TOKENS), generator=dice) * real(),
        visible=visible,  # type: ignore[arg-type]
        real=real(),
        asked=asked,
        answers=torch.randint(0, VOCABULARY, asked.shape, generator=dice),
        label=torch.tensor([0, 2, 1]),
    )


def recurrence(x: Tensor, weights: dict[str, Tensor], end: str = "") -> Tensor:
    """One row (T, W) through one direction of an LSTM, one token and one gate at a time: (T, S)."""
    inner, outer = weights[f"weight_ih_l0{end}"], weights[f"weight_hh_l0{end}"]
    bias = weights[f"bias_ih_l0{end}"] + weights[f"bias_hh_l0{end}"]
    state = memory = x.new_zeros(outer.shape[1])
    out = []
    for token in x:
        enter, forget, new, leave = (inner @ token + outer @ state + bias).chunk(4)
        memory = torch.sigmoid(forget) * memory + torch.sigmoid(enter) * torch.tanh(new)
        state = torch.sigmoid(leave) * torch.tanh(memory)
        out.append(state)
    return torch.stack(out)


def by_hand(model: OneStack, shown: Batch, both: bool) -> tuple[list[list[Tensor]], Tensor, Tensor]:
    """Hidden states by layer and row, each without its padding; the logits asked for; what sums each row up."""
    weights = dict(model.named_parameters())
    rows = [weights["stack.embed.tokens.weight"][row[:n]] for row, n in zip(shown.shown, LENGTHS, strict=True)]
    hidden = [rows]
    for layer in range(2):
        start = f"stack.blocks.{layer}.cell."
        cell = {name.removeprefix(start): value for name, value in weights.items() if name.startswith(start)}
        right = [recurrence(row, cell) for row in rows]
        left = [recurrence(row.flip(0), cell, "_reverse").flip(0) for row in rows] if both else None
        rows = [torch.cat(pair, 1) for pair in zip(right, left, strict=True)] if left else right
        hidden.append(rows)
    assert shown.asked is not None
    asked = torch.stack([rows[place // TOKENS][place % TOKENS] for place in shown.asked.tolist()])
    half = WIDTH // 2
    ends = [torch.cat([row[-1][:half], row[0][half:]]) if both else row[-1] for row in rows]
    return hidden, asked @ weights["stack.embed.tokens.weight"].T, torch.stack(ends)


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
@pytest.mark.parametrize(("name", "visible"), [("lstm", "causal"), ("bilstm", "all")])
def test_states_logits_losses_and_gradients_are_those_of_the_equations(
    name: str, visible: str, dtype: torch.dtype
) -> None:
    model, shown = built(name, dtype), batch(visible)
    with watching(model) as seen:
        output = model(shown)
    hidden, tokens, ends = by_hand(model, shown, both=name == "bilstm")
    assert len(seen.hidden) == 3 and not seen.maps
    for mine, theirs in zip(seen.hidden, hidden, strict=True):
        for row, n, wanted in zip(mine, LENGTHS, theirs, strict=True):
            close(row[:n], wanted, CLOSE)
    close(output.tokens, tokens, CLOSE)
    assert model.sequence is not None
    sequence = ends @ model.sequence.out.weight.T + model.sequence.out.bias
    close(output.sequence, sequence, CLOSE)
    parts = losses(output, shown)
    again = nn.functional.cross_entropy(tokens, shown.answers), nn.functional.cross_entropy(sequence, shown.label)
    assert abs(parts["tokens"].item() - again[0].item()) < 1e-6
    exact = nn.functional.cross_entropy(output.tokens, shown.answers)
    label = nn.functional.cross_entropy(output.sequence, shown.label)
    mine, theirs = gradients(model, exact + label), gradients(model, sum(again))
    for path in mine:
        close(mine[path], theirs[path], CLOSE)


def test_the_future_does_not_leak_into_an_lstm() -> None:
    model, shown = built("lstm", DOUBLE), torch.randint(0, VOCABULARY, (1, 9))
    other = shown.clone()
    other[0, 6:] = 3
    asked = torch.arange(6)
    one, two = (model(Batch(shown=each, visible="causal", asked=asked)).tokens for each in (shown, other))
    assert torch.equal(one, two)


def test_padding_does_not_leak_into_the_direction_from_the_right() -> None:
    model, shown = built("bilstm", DOUBLE), torch.randint(0, VOCABULARY, (1, 9))
    padded = torch.cat([shown, torch.full((1, 4), 7)], 1)
    asked = torch.arange(9)
    alone = model(Batch(shown=shown, asked=asked))
    beside = model(Batch(shown=padded, real=torch.arange(13)[None] < 9, asked=asked))
    close(alone.tokens, beside.tokens, CLOSE)
    close(alone.sequence, beside.sequence, CLOSE)


def test_a_state_carried_on_gives_what_reading_again_gives() -> None:
    model, rows = built("lstm", SINGLE), torch.randint(0, VOCABULARY, (2, 12))
    logits = step_by_step(model, rows, 4)
    asked = torch.arange(2 * 12)
    whole = model(Batch(shown=rows, visible="causal", asked=asked)).tokens.view(2, 12, -1)[:, 3:]
    close(logits, whole, CLOSE)


@torch.inference_mode()
def test_rows_of_a_carried_state_can_be_chosen_and_repeated() -> None:
    model, rows = built("lstm", SINGLE), torch.randint(0, VOCABULARY, (2, 5))
    cache = Cache()
    model(Batch(shown=rows[:, :4], visible="causal"), cache)
    cache.select(torch.tensor([1, 1, 0]))
    assert cache.length == 4
    last = rows[[1, 1, 0], 4:]
    cached = model(Batch(shown=last, visible="causal", asked=torch.arange(3)), cache).tokens
    whole = model(Batch(shown=rows[[1, 1, 0]], visible="causal", asked=torch.tensor([4, 9, 14]))).tokens
    close(cached, whole, CLOSE)


@pytest.mark.parametrize("name", ["lstm", "bilstm"])
def test_the_largest_values_sum_up_real_tokens_only(name: str) -> None:
    shown = batch("all" if name == "bilstm" else "causal")
    model = built(name, DOUBLE, pool="largest")
    hidden, _, _ = by_hand(model, shown, both=name == "bilstm")
    assert model.sequence is not None
    wanted = model.sequence.out(torch.stack([row.amax(0) for row in hidden[-1]]))
    close(model(shown).sequence, wanted, CLOSE)


def test_a_head_of_its_own_is_another_table() -> None:
    tied, free = built("lstm", SINGLE), built("lstm", SINGLE, tied=False)
    own = sum(p.numel() for p in free.parameters()) - sum(p.numel() for p in tied.parameters())
    assert own == VOCABULARY * WIDTH


@pytest.mark.parametrize(("both", "directions"), [(False, 1), (True, 2)])
def test_a_layer_has_the_parameters_of_the_formula(both: bool, directions: int) -> None:
    """4 h (in + h) + 8 h for each layer and direction."""
    model = built("bilstm" if both else "lstm", SINGLE)
    h = WIDTH // directions
    count = sum(p.numel() for p in model.stack.blocks[1].parameters())
    assert count == directions * (4 * h * (WIDTH + h) + 8 * h)
