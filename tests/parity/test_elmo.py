"""ELMo computes what a few independent lines do, letter by letter and gate by gate, with every parameter random.

T tokens   S width of one direction's state   W both directions   C cells   L letters   F filters
"""

import pytest
import torch
from oracle import CLOSE, TOKENS, close, gradients, randomise, real
from tiny import finished, plan, shape, steps
from torch import Tensor

from lab.batch import Batch, losses
from lab.catalog import MODELS
from lab.inference.model import load
from lab.inference.neighbours import directions
from lab.inference.predict import fill
from lab.inference.probe import watching
from lab.layers.bilm import TwoWayPredictor
from lab.layers.char_cnn import Spelling
from lab.layers.projected_lstm import ProjectedCell, turned
from lab.vocabulary import SPECIALS, Vocabulary

SINGLE, DOUBLE = torch.float32, torch.float64
VOCABULARY, CLASSES, LENGTHS = 300, 3, real().sum(1).tolist()
OPENS, CLOSES, BEHIND = 259, 260, 261


def built(dtype: torch.dtype, strong: float = 2.0, **knobs: object) -> TwoWayPredictor:
    """A model in which, with ``strong`` weights, memories and states are clipped."""
    settings = MODELS["elmo"].settings.load({"width": 12, "depth": 3, "context": 20, **knobs})
    model: TwoWayPredictor = MODELS["elmo"].build(settings, VOCABULARY, CLASSES)
    randomise(model)
    with torch.no_grad():
        for name, value in model.named_parameters():
            value *= strong if "back.project" in name or "forth.read" in name else 2
    return model.to(dtype)


def batch() -> Batch:
    dice = torch.Generator().manual_seed(2)
    asked = torch.tensor([0, 1, 5, TOKENS, TOKENS + 1, 2 * TOKENS + 3])
    shown = torch.randint(1, VOCABULARY, real().shape, generator=dice) * real()
    label = torch.tensor([0, 2, 1])
    return Batch(shown=shown, real=real(), asked=asked, answers=shown.flatten()[asked], label=label)


def word(token: int, w: dict[str, Tensor]) -> Tensor:
    """One token's vector, a stretch of letters at a time: (S,)."""
    spelt = [OPENS, *(byte + 1 for byte in token.to_bytes(4, "big")), CLOSES]
    letters = [w["stack.words.embed.weight"][letter] for letter in spelt + [BEHIND] * (16 - len(spelt))]
    found = []
    for n in range(1, 8):
        kernel, bias = w[f"stack.words.cnn.of_{n}.weight"], w[f"stack.words.cnn.of_{n}.bias"]
        stretches = [sum(kernel[:, :, i] @ letters[at + i] for i in range(n)) for at in range(16 - n + 1)]
        found.append((torch.stack(stretches).max(0).values + bias).clamp_min(0))  # type: ignore[arg-type]
    x = torch.cat(found)  # (F,)
    for n in range(2):
        path = f"stack.words.highway.{n}."
        gate = 1 / (1 + (-(w[path + "gate.weight"] @ x + w[path + "gate.bias"])).exp())
        x = gate * (w[path + "dense.weight"] @ x + w[path + "dense.bias"]).clamp_min(0) + (1 - gate) * x
    return w["stack.words.project.weight"] @ x + w["stack.words.project.bias"]


def reading(x: list[Tensor], path: str, w: dict[str, Tensor]) -> list[Tensor]:
    """One direction of one layer over one row, a token at a time."""
    state = x[0].new_zeros(6)
    memory = x[0].new_zeros(48)
    out = []
    for token in x:
        gates = w[path + "read.weight"] @ token + w[path + "read.bias"] + w[path + "again.weight"] @ state
        i, j, f, o = gates.view(4, 48)
        memory = ((f + 1).sigmoid() * memory + i.sigmoid() * j.tanh()).clip(-3, 3)
        state = (w[path + "project.weight"] @ (o.sigmoid() * memory.tanh())).clip(-3, 3)
        out.append(state)
    return out


def by_hand(shown: Batch, w: dict[str, Tensor]) -> tuple[list[list[Tensor]], Tensor, Tensor]:
    """Hidden states by layer and row, each without its padding; the loss about tokens; the scores of the classes."""
    hidden: list[list[Tensor]] = [[] for _ in range(4)]
    nats, classes = [], []
    for number, (row, n) in enumerate(zip(shown.shown.tolist(), LENGTHS, strict=True)):
        forth = back = [word(token, w) for token in row[:n]]
        layers = [torch.cat([torch.stack(forth), torch.stack(back)], 1)]
        for layer in range(3):
            path = f"stack.blocks.{layer}.cell."
            right = reading(forth, path + "forth.", w)
            left = reading(back[::-1], path + "back.", w)[::-1]
            if layer:
                right = [a + b for a, b in zip(right, forth, strict=True)]
                left = [a + b for a, b in zip(left, back, strict=True)]
            forth, back = right, left
            layers.append(torch.cat([torch.stack(forth), torch.stack(back)], 1))
        for all_of_it, one in zip(hidden, layers, strict=True):
            all_of_it.append(one)
        shares = w["sequence.pooler.shares"].exp() / w["sequence.pooler.shares"].exp().sum()
        mixed = w["sequence.pooler.scale"] * sum(s * one for s, one in zip(shares, layers, strict=True))
        classes.append(w["sequence.out.weight"] @ mixed.max(0).values + w["sequence.out.bias"])
        for place in shown.asked.tolist():  # type: ignore[union-attr]
            at = place - number * TOKENS
            if 0 <= at < TOKENS:
                nothing = torch.zeros_like(forth[0])
                sides = [forth[at - 1] if at else nothing, back[at + 1] if at + 1 < n else nothing]
                scores = [w["head.weight"] @ side + w["head.bias"] for side in sides]
                nats.append(sum(s.logsumexp(0) - s[row[at]] for s in scores) / 2)
    return hidden, torch.stack(nats).mean(), torch.stack(classes)  # type: ignore[arg-type]


@pytest.mark.parametrize(("dtype", "strong"), [(SINGLE, 2.0), (DOUBLE, 2.0), (DOUBLE, 20.0)])
def test_states_losses_and_gradients_are_those_of_a_few_lines(dtype: torch.dtype, strong: float) -> None:
    model, shown = built(dtype, strong), batch()
    with watching(model) as seen:
        output = model(shown)
    hidden, nats, classes = by_hand(shown, dict(model.named_parameters()))
    assert (max(float(state.detach().abs().max()) for state in hidden[1]) == 3) == (strong > 2)
    for states, rows in zip(seen.hidden, hidden, strict=True):
        for state, row in zip(states, rows, strict=True):
            close(state[: len(row)], row.detach(), CLOSE)
    close(output.sequence, classes, CLOSE)  # type: ignore[arg-type]
    mine, theirs = losses(output, shown)["tokens"], nats
    close(mine, theirs, CLOSE)
    mine, theirs = mine + output.sequence.square().mean(), theirs + classes.square().mean()  # type: ignore[union-attr]
    wanted = gradients(model, theirs)
    for name, gradient in gradients(model, mine).items():
        size = wanted[name].abs().max().clamp_min(1)
        close(gradient / size, wanted[name] / size, CLOSE)


def test_asked_about_a_gap_it_gives_the_mean_of_both_sides() -> None:
    model, shown = built(DOUBLE).eval(), batch()
    x = model.stack(shown)[-1]
    place = 5
    sides = [x[0, place - 1, :6], x[0, place + 1, 6:]]
    wanted = sum(model.head(side).log_softmax(-1) for side in sides) / 2
    close(model(shown).tokens[2], wanted, CLOSE)


def test_what_stands_at_a_place_is_hidden_from_its_question() -> None:
    model, shown = built(DOUBLE).eval(), batch()
    before = model(shown).tokens
    shown.shown[0, 5] = 17
    assert torch.equal(model(shown).tokens[2], before[2])
    assert not torch.equal(model(shown).tokens[1], before[1])


def test_a_row_turned_twice_is_itself_and_padding_stays_behind() -> None:
    x = torch.arange(8.0).view(2, 4, 1)
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    assert turned(x, mask)[..., 0].tolist() == [[3, 2, 1, 0], [5, 4, 6, 7]]
    assert torch.equal(turned(turned(x, mask), mask), x) and torch.equal(turned(x, None), x.flip(1))


@pytest.mark.filterwarnings("ignore:LSTM with projections")
def test_a_cell_is_torchs_projected_lstm_where_nothing_is_clipped() -> None:
    """torch's gates stand in another order, and it has no bias of its own for forgetting."""
    mine, theirs = ProjectedCell(5, 7), torch.nn.LSTM(5, 7, proj_size=5, batch_first=True)
    with torch.no_grad():
        for value in theirs.parameters():
            torch.nn.init.normal_(value, std=0.2)
        enter, forget, new, leave = range(4)
        order = [enter, new, forget, leave]
        mine.read.weight.copy_(theirs.weight_ih_l0.view(4, 7, 5)[order].flatten(0, 1))
        mine.again.weight.copy_(theirs.weight_hh_l0.view(4, 7, 5)[order].flatten(0, 1))
        bias = (theirs.bias_ih_l0 + theirs.bias_hh_l0).view(4, 7)[order]
        bias[2] -= 1
        mine.read.bias.copy_(bias.flatten())
        mine.project.weight.copy_(theirs.weight_hr_l0)
    x = torch.randn(2, 6, 5, generator=torch.Generator().manual_seed(1))
    close(mine(x), theirs(x)[0], CLOSE)


def test_words_are_spelt_between_marks_and_cut_to_fit() -> None:
    spelt = [b""] * len(SPECIALS) + [b" cat", "猫".encode(), b"incomprehensible"]
    spelling = Spelling(len(spelt), 10)
    names = {name: number for number, name in enumerate(SPECIALS)}
    spelling.meet(Vocabulary(len(spelt), names, spelling=lambda: spelt))
    rows = spelling(torch.arange(len(spelt))).tolist()
    assert rows[6] == [259, 33, 100, 98, 117, 260, 261, 261, 261, 261]
    assert rows[7][:5] == [259, 0xE7 + 1, 0x8C + 1, 0xAB + 1, 260]
    assert rows[8] == [259, *(letter + 1 for letter in b"incompre"), 260]
    pad, unknown, begin, separate, mask, end = rows[:6]
    assert pad == [0] * 10 and begin[:3] == [259, 257, 260] and separate == end and end[:3] == [259, 258, 260]
    assert unknown == mask == [259, 260] + [261] * 8


def test_it_learns_the_town_fills_gaps_and_neighbours_are_spelt_alike(tmp_path) -> None:  # type: ignore[no-untyped-def]
    sizes = {"width": 32, "depth": 1, "context": 16}
    run = finished(tmp_path, model="elmo", shape=sizes, training=steps(80, batch=16))
    trained, validation = load(run), run.document("result.json")["validation"]
    assert validation["loss"] < 4.0  # by frequency alone it is about 5
    assert len(fill(trained, "the [MASK] in", best=3)[0]) == 3
    assert directions(trained).shape == (300, 16)
    letters = trained.model.stack.words.spelling.letters  # type: ignore[union-attr]
    known = trained.tokenizer.encode("a")[0]
    assert letters[known, :3].tolist() == [OPENS, ord("a") + 1, CLOSES]  # type: ignore[index]


def test_the_smallest_shape_has_the_parameters_of_the_formula() -> None:
    model = MODELS["elmo"].build(MODELS["elmo"].settings.load(shape("elmo")), 300, 0)
    assert plan(model="elmo").settings_of("model").width == 16
    s, c, f = 8, 64, 128
    words = 262 * 16 + 770 * 16 + f + 2 * 2 * (f * f + f) + f * s + s
    assert sum(p.numel() for p in model.parameters()) == words + 2 * (4 * c * (2 * s + 1) + c * s) + 300 * (s + 1)
