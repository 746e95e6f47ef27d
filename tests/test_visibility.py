"""The same weights under other masks: who may look at whom is what changes, and padding is no mask of the future."""

import pytest
import torch
from test_head_steps import FAMILIES, TEXT, kinds, made

from lab.inference.attention_maps import maps_of
from lab.inference.head_steps import head_steps
from lab.inference.shown import shown
from lab.inference.visibility import MASKS, PADS, half, under
from lab.settings import SettingsError

ONE_STACK = [name for name in FAMILIES if kinds(name) == ("",)]


@pytest.mark.parametrize("name", ONE_STACK)
def test_every_family_reads_under_every_mask_and_its_steps_still_end_where_the_model_does(name: str) -> None:
    trained = made(name)
    asked = shown(trained, "The cat [MASK] on")
    for mask in MASKS:
        other = under(trained, asked, mask)
        steps = head_steps(trained, other, "", 1, 1)
        assert steps.off < 1e-6 and len(steps.lookers) == len(other.read)


@pytest.mark.parametrize("name", ["bert", "gpt", "llama", "xlnet", "deberta_v2", "linear_transformer", "glm"])
def test_nobody_looks_where_the_mask_forbids_it(name: str) -> None:
    trained = made(name)
    asked = shown(trained, TEXT)
    t = len(asked.read)
    [full], [causal], [prefix] = (
        maps_of(trained, under(trained, asked, mask)) for mask in ("full", "causal", "prefix")
    )
    below = torch.ones(t, t).tril().bool()
    assert (full.maps > 0).all() and (causal.maps[..., below] > 0).all() and (causal.maps[..., ~below] == 0).all()
    behind = half(t)
    assert (prefix.maps[..., :behind, :behind] > 0).all() and (prefix.maps[..., behind:, behind:].triu(1) == 0).all()
    assert (prefix.maps[..., :behind, behind:] == 0).all()


@pytest.mark.parametrize("name", ["bert", "gpt", "llama", "albert"])
def test_padding_is_looked_at_by_no_token_and_changes_none(name: str) -> None:
    trained = made(name)
    asked = shown(trained, "The cat [MASK]")
    t = len(asked.read)
    [own], [padded] = (maps_of(trained, under(trained, asked, mask)) for mask in ("own", "padded"))
    assert padded.tokens[-PADS:] == [trained.tokenizer.pieces([trained.tokenizer.vocabulary.pad])[0].text] * PADS
    assert (padded.maps[..., :t, t:] == 0).all()
    assert torch.allclose(padded.maps[..., :t, :t], own.maps, atol=1e-6)


def test_the_masks_of_two_stacks_are_fixed() -> None:
    trained = made("t5")
    asked = shown(trained, TEXT)
    assert under(trained, asked, "own") is asked
    with pytest.raises(SettingsError, match="part of it"):
        under(trained, asked, "causal")
