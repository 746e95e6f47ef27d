"""Our ELECTRA's discriminator computes what ELECTRA in transformers computes; with the generator it learns what the
paper says."""

from dataclasses import replace

import pytest
import torch
from oracle import (
    CLOSE,
    CONTEXT,
    DEPTH,
    FEED,
    HEADS,
    MAPS_CLOSE,
    NARROW,
    VOCABULARY,
    WIDTH,
    close,
    copy_into,
    gaps,
    gradients,
    randomise,
    real,
    seen,
    translated,
)
from torch import Tensor
from torch.nn import functional

from lab.batch import Batch, losses
from lab.exchange.families.electra import NAMING as DISCRIMINATOR
from lab.layers.discriminator import Discriminator, detection
from lab.models.electra import WEIGHT, ElectraShape, electra

transformers = pytest.importorskip("transformers")

CLASSES = 3
SIZES = {"depth": DEPTH, "heads": HEADS, "feed": FEED, "context": CONTEXT}


def config(wide: bool = False, **more: int) -> object:
    return transformers.ElectraConfig(
        vocab_size=VOCABULARY,
        embedding_size=WIDTH if wide else NARROW,
        hidden_size=WIDTH,
        num_hidden_layers=DEPTH,
        num_attention_heads=HEADS,
        intermediate_size=FEED,
        max_position_embeddings=CONTEXT,
        attn_implementation="eager",
        **more,
    )


def half(name: str, wide: bool = False) -> ElectraShape:
    return ElectraShape(width=WIDTH, embedding_width=NARROW, half=name, wide=wide, **SIZES)


def text() -> Batch:
    return replace(gaps(), label=None)


# ---- the discriminator


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("wide", [False, True], ids=["embedding_width", "wide"])
def test_the_discriminator_agrees(wide: bool, dtype: torch.dtype) -> None:
    theirs = transformers.ElectraForPreTraining(config(wide))
    randomise(theirs)
    theirs, ours = theirs.to(dtype).eval(), electra(half("discriminator", wide), VOCABULARY).to(dtype).eval()
    copy_into(ours, translated(dict(theirs.named_parameters()), DISCRIMINATOR.names))
    batch = replace(text(), asked=None, answers=None)
    replaced = torch.arange(batch.shown.numel()).view_as(batch.shown) % 3 == 0
    with seen(ours) as (hidden, maps):
        logits = ours.head(ours.stack(batch))
    out = theirs(
        input_ids=batch.shown,
        attention_mask=batch.real,
        token_type_ids=batch.segments,
        labels=replaced.long(),
        output_hidden_states=True,
        output_attentions=True,
    )
    for mine, other in zip(hidden, out.hidden_states, strict=True):
        close(mine[real()], other[real()], CLOSE)
    for mine, other in zip(maps, out.attentions, strict=True):
        close(mine.transpose(1, 2)[real()], other.transpose(1, 2)[real()], MAPS_CLOSE)
    close(logits[real()], out.logits[real()], CLOSE)
    assert abs(detection(logits, replaced, batch.real).item() - out.loss.item()) < 1e-5

    def scalar(scores: Tensor) -> Tensor:  # the losses of both sides are always in single precision
        return functional.binary_cross_entropy_with_logits(scores[real()], replaced[real()].to(dtype))

    mine, other = (
        gradients(ours, scalar(logits)),
        translated(gradients(theirs, scalar(out.logits)), DISCRIMINATOR.names),
    )
    for name in mine:
        close(mine[name], other[name], CLOSE)


@torch.no_grad()
def test_the_head_for_sentences_agrees() -> None:
    theirs = transformers.ElectraForSequenceClassification(config(num_labels=CLASSES)).eval()
    randomise(theirs)
    ours = electra(half("discriminator"), VOCABULARY, CLASSES).eval()
    own = {name: value for name, value in ours.named_parameters() if name.startswith("head.")}
    copy_into(ours, translated(dict(theirs.named_parameters()), DISCRIMINATOR.names) | own)
    batch = replace(text(), asked=None, answers=None)
    logits = theirs(input_ids=batch.shown, attention_mask=batch.real, token_type_ids=batch.segments).logits
    close(ours(batch).sequence, logits, CLOSE)


# ---- both together, which transformers does not have


@pytest.fixture
def both() -> Discriminator:
    torch.manual_seed(1)
    model: Discriminator = electra(ElectraShape(width=WIDTH, embedding_width=NARROW, generator=8, **SIZES), VOCABULARY)
    randomise(model)
    return model


def test_the_two_halves_share_their_tables(both: Discriminator) -> None:
    assert both.generator is not None
    mine, other = both.stack.embed, both.generator.stack.embed
    for part in ("tokens", "positions", "segments", "norm"):
        assert getattr(mine, part) is getattr(other, part)
    assert mine.project is not other.project
    assert both.generator.stack.blocks[0].attention.heads == 1  # a third of three heads of eight


def test_the_loss_is_the_generators_and_fifty_times_the_discriminators(both: Discriminator) -> None:
    batch = text()
    assert batch.asked is not None and batch.answers is not None and both.generator is not None
    torch.manual_seed(7)
    parts = losses(both(batch), batch)
    torch.manual_seed(7)
    tokens = both.generator(batch).tokens
    guess = torch.multinomial(tokens.softmax(-1), 1)[:, 0]
    shown, replaced = batch.shown.clone(), torch.zeros_like(batch.shown)
    for place, drawn, right in zip(batch.asked.tolist(), guess.tolist(), batch.answers.tolist(), strict=True):
        shown[place // shown.shape[1], place % shown.shape[1]] = drawn
        replaced[place // shown.shape[1], place % shown.shape[1]] = int(drawn != right)
    chance = both.head(both.stack(replace(batch, shown=shown))).sigmoid()
    nats = -torch.where(replaced == 1, chance, 1 - chance).log()[real()].mean()
    assert parts["tokens"].item() == pytest.approx(functional.cross_entropy(tokens, batch.answers).item(), abs=1e-6)
    assert parts["detection"].item() == pytest.approx(50 * nats.item(), rel=1e-5) and WEIGHT == 50
    assert set(parts) == {"tokens", "detection"}


def test_a_guess_that_is_right_counts_as_true(both: Discriminator) -> None:
    batch = text()
    assert batch.answers is not None
    sure = functional.one_hot(batch.answers, VOCABULARY).float() * 1e4  # the generator knows every answer
    guessed, replaced = both.fill(batch, sure)
    assert not replaced.any()
    off = functional.one_hot((batch.answers + 1) % VOCABULARY, VOCABULARY).float() * 1e4
    guessed, replaced = both.fill(batch, off)
    assert replaced.flatten().nonzero()[:, 0].tolist() == batch.asked.tolist()  # type: ignore[union-attr]
    assert torch.equal(guessed.shown.flatten()[batch.asked], (batch.answers + 1) % VOCABULARY)


def test_a_guess_at_what_follows_a_row_stands_in_no_row(both: Discriminator) -> None:
    shown = torch.arange(10, 26).view(2, 8)
    every = torch.arange(16)
    batch = Batch(shown=shown, visible="causal", asked=every, answers=shown.flatten() + 1, following=True)
    wrong = functional.one_hot(torch.full((16,), 7), VOCABULARY) * 1e4
    guessed, replaced = both.fill(batch, wrong)
    assert torch.equal(guessed.shown[:, 0], shown[:, 0]) and (guessed.shown[:, 1:] == 7).all()
    assert not replaced[:, 0].any() and replaced[:, 1:].all()


def test_nothing_flows_back_from_the_discriminator_into_the_generator(both: Discriminator) -> None:
    assert both.generator is not None
    both(text()).parts["detection"].backward()
    assert all(p.grad is None for p in both.generator.stack.blocks.parameters())
    assert all(p.grad is not None for p in both.stack.parameters())


def test_the_draw_follows_torchs_generator_in_training_and_is_always_the_same_to_a_spectator(
    both: Discriminator,
) -> None:
    def drawn(seed: int) -> Tensor:
        torch.manual_seed(seed)
        flat = torch.zeros(1000, VOCABULARY)
        return both._draw(flat.softmax(-1))

    both.train()
    assert torch.equal(drawn(1), drawn(1)) and not torch.equal(drawn(1), drawn(2))
    both.eval()
    assert torch.equal(drawn(1), drawn(2))
    before = torch.get_rng_state()
    both(text())
    assert torch.equal(torch.get_rng_state(), before)
