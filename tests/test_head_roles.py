"""What heads do: maps whose role is known get that role, with the score that earns it."""

from typing import Any

import pytest
import torch
from test_head_steps import made

from lab.inference import head_roles
from lab.inference.attention_maps import Maps
from lab.inference.head_roles import ROLES, roles
from lab.inference.inputs import framed
from lab.inference.model import Trained
from lab.inference.shown import Shown

TEXTS = ["the cat saw the dog", "a dog ran and a cat sat"]


def ideal(role: str, trained: Trained, ids: Any) -> torch.Tensor:
    """The map of a head that does nothing but its role, and looks at itself where it cannot."""
    cells = head_roles._cells(trained, ids, role).float()
    alone = cells.sum(-1, keepdim=True) == 0
    cells = torch.where(alone, torch.eye(len(ids)), cells)
    return cells / cells.sum(-1, keepdim=True)


def staged(monkeypatch: pytest.MonkeyPatch, *names: str) -> Trained:
    """A model one layer of which has a head for each role that is named, and one that looks evenly."""
    trained = made("bert", context=32)

    def maps(trained: Trained, asked: Shown) -> list[Maps]:
        t = len(asked.read)
        heads = [ideal(name, trained, asked.read) for name in names] + [torch.full((t, t), 1 / t)]
        return [Maps(torch.stack(heads)[None], "", [], [])]

    monkeypatch.setattr(head_roles, "maps_of", maps)
    return trained


def test_a_head_that_does_one_thing_is_called_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = roles(staged(monkeypatch, *ROLES), TEXTS)
    assert [found.label(0, head) for head in range(len(ROLES) + 1)] == [*ROLES, ""]
    for number, role in enumerate(ROLES):
        assert float(found.share[role][0, number]) == pytest.approx(1, abs=1e-6)
        assert float(found.share[role][0, len(ROLES)]) == pytest.approx(found.uniform[role], abs=1e-6)
    assert float(found.entropy[0, len(ROLES)]) == pytest.approx(found.most, abs=1e-5)
    assert float(found.entropy[0, 2]) == 0 and float(found.distance[0, 2]) == 0  # the one that looks at itself
    assert 0.8 < float(found.distance[0, 0]) < 1  # the first token has none before it and looks at itself


def test_what_followed_last_time_is_found_by_hand() -> None:
    trained = made("bert")
    a, b, c = trained.tokenizer.vocabulary.ordinary[:3]
    ids = framed(trained, torch.tensor([a, b, c, a, b]).numpy())  # [CLS] a b c a b [SEP]
    cells = head_roles._cells(trained, ids, "induction").nonzero().tolist()
    assert cells == [[4, 2], [5, 3]]  # the second a looks at the first b, the second b at c


@pytest.mark.parametrize("name", ["bert", "gpt", "t5", "albert", "xlnet"])
def test_families_are_measured_and_the_future_counts_for_none(name: str) -> None:
    trained = made(name)
    found = roles(trained, TEXTS)
    layers, heads = found.entropy.shape
    assert all(((share >= 0) & (share <= 1.0001)).all() for share in found.share.values())
    assert ("next" in found.share) == (name != "gpt") and ("induction" in found.share) == (name != "t5")
    assert (found.entropy <= found.most + 1e-4).all() and (found.distance >= 0).all() and layers == heads == 2
