"""What heads do: maps whose role is known get that role, with the score that earns it."""

from typing import Any

import pytest
import torch
from test_head_steps import made

from lab.corpora.town_tasks.mentions import Linked
from lab.inference import head_roles
from lab.inference.attention_maps import Maps
from lab.inference.head_roles import ROLES, roles
from lab.inference.inputs import framed
from lab.inference.model import Trained
from lab.inference.shown import Shown, shown

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
    itself = ROLES.index("self")
    assert float(found.entropy[0, itself]) == 0 and float(found.distance[0, itself]) == 0
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


def test_words_that_belong_together_are_found_among_the_tokens() -> None:
    """A pronoun, a name of several tokens, and a text that is cut."""
    text = "Tom saw the cat and he ran away from it"
    he, it, cat = (text.index(word) for word in (" he ", " it", " the cat"))
    linked = Linked(text, (((he + 1, he + 3), ((0, 3),)), ((it + 1, it + 3), ((cat + 1, cat + 8),))))
    for name in ("bert", "gpt", "t5"):
        trained = made(name, context=64)
        asked = shown(trained, text)
        cells = head_roles._linked_cells(trained, asked, linked)
        tokens = [piece.text for piece in trained.tokenizer.pieces(asked.read)]
        pairs: dict[tuple[int, ...], str] = {}
        for row in cells.any(-1).nonzero()[:, 0].tolist():
            targets = tuple(cells[row].nonzero()[:, 0].tolist())
            pairs[targets] = pairs.get(targets, "") + tokens[row]
        said = {"".join(tokens[place] for place in targets).strip(): word.strip() for targets, word in pairs.items()}
        assert said == {"Tom": "he", "the cat": "it"}
    short = made("bert", context=16)
    assert head_roles._linked_cells(short, shown(short, text), linked).shape == (16, 16)


def test_a_head_that_looks_there_earns_the_role(monkeypatch: pytest.MonkeyPatch) -> None:
    trained = made("bert", context=64)
    linked = Linked("Tom saw a cat and he ran", (((18, 20), ((0, 3),)),))
    cells = head_roles._linked_cells(trained, shown(trained, linked.text), linked)

    def maps(trained: Trained, asked: Shown) -> list[Maps]:
        t = len(asked.read)
        even, wanted = torch.full((t, t), 1 / t), cells.float() if t == len(cells) else torch.zeros(t, t)
        some = wanted.sum(-1, keepdim=True)
        return [Maps(torch.stack([torch.where(some > 0, wanted / some.clamp(min=1), even), even])[None], "", [], [])]

    monkeypatch.setattr(head_roles, "maps_of", maps)
    found = roles(trained, TEXTS, {"coreference": [linked]})
    assert found.share["coreference"][0].tolist() == pytest.approx([1, found.uniform["coreference"]], abs=1e-6)
    assert (found.label(0, 0), found.label(0, 1)) == ("coreference", "")
