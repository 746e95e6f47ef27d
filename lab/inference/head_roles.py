"""What heads do: at which kind of token each head looks, on the mean over several texts, beside uniform attention.

Previous, next and the same token, the separator and the first token are what Clark et al. 2019 (section 3) found in
BERT; an induction head looks at what followed the last time the token stood there (Olsson et al. 2022, section 2), and
is measured on random tokens that are repeated. Coreference and agreement, too, are roles that Clark et al. found
(section 5); they are measured on texts that are ``Linked``: of which it is known what belongs to what.

L layers   H heads   T tokens
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.corpora.town_tasks.mentions import Linked
from lab.inference.attention_maps import maps_of
from lab.inference.inputs import framed
from lab.inference.model import Trained
from lab.inference.shown import Shown, showing, shown
from lab.noise import Dice

ROLES = ("previous", "next", "second_before", "second_after", "self", "same", "first", "special", "induction")
AHEAD = {"second_before": -2, "previous": -1, "self": 0, "next": 1, "second_after": 2}  # tokens, of the one looked at
NOTHING_LINKED: Mapping[str, Sequence[Linked]] = MappingProxyType({})
IN_FRONT = 2  # special tokens that may stand in front of a text
REPEATED, TIMES = 12, 4  # tokens of a random sequence that stands twice, and so many of them
LEAST, OFTEN = 0.3, 2.0  # a head has a role that takes this share of its weights, and so many times the uniform share


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Means over all rows of all texts that could look at such a token."""

    share: dict[str, Tensor]  # (L, H): the weights that go there
    uniform: dict[str, float]  # what a head with uniform attention would give there
    entropy: Tensor  # (L, H) nats
    most: float  # nats: the entropy of uniform attention
    distance: Tensor  # (L, H) tokens between who looks and who is looked at

    def label(self, layer: int, head: int) -> str:
        """The role that stands out most from uniform attention, "" where none does."""
        lift = {
            role: float(share[layer, head]) - self.uniform[role]
            for role, share in self.share.items()
            if share[layer, head] >= max(LEAST, OFTEN * self.uniform[role])
        }
        return max(lift, key=lambda role: lift[role], default="")


def roles(trained: Trained, texts: Sequence[str], linked: Mapping[str, Sequence[Linked]] = NOTHING_LINKED) -> Roles:
    """The roles of the heads that look at their own text, an encoder's where there are two stacks; and of those roles
    by whose name texts are ``linked``."""
    taken: dict[str, list[tuple[Tensor, Tensor]]] = {role: [] for role in (*ROLES, *linked)}
    spread: list[tuple[Tensor, float, Tensor]] = []
    for asked, measured in _readings(trained, texts, linked):
        maps = maps_of(trained, asked)[0].maps  # (L, H, T, T)
        seen = _visible(maps)
        for role, wanted in measured.items():
            cells = wanted & seen
            rows = cells.any(-1)  # (T,)
            even = cells.sum(-1) / seen.sum(-1)  # (T,)
            taken[role].append(((maps * cells).sum(-1)[:, :, rows], even[rows]))
        if "previous" in measured:
            spread.append(_spread(maps, seen))
    filled = {role: each for role, each in taken.items() if sum(len(even) for _, even in each)}
    return Roles(
        share={role: torch.cat([share for share, _ in each], -1).mean(-1) for role, each in filled.items()},
        uniform={role: float(torch.cat([even for _, even in each]).mean()) for role, each in filled.items()},
        entropy=torch.stack([entropy for entropy, _, _ in spread]).mean(0),
        most=float(np.mean([most for _, most, _ in spread])),
        distance=torch.stack([distance for _, _, distance in spread]).mean(0),
    )


def _readings(
    trained: Trained, texts: Sequence[str], linked: Mapping[str, Sequence[Linked]]
) -> Iterator[tuple[Shown, dict[str, Tensor]]]:
    """Each text, and the repeated random tokens; and where a head of each role that is measured on them looks."""
    for text in texts:
        asked = shown(trained, text)
        yield asked, {role: _cells(trained, asked.read, role) for role in ROLES if role != "induction"}
    for role, each in linked.items():
        for one in each:
            asked = shown(trained, one.text)
            yield asked, {role: _linked_cells(trained, asked, one)}
    ordinary = trained.tokenizer.vocabulary.ordinary
    count = min(REPEATED, (trained.context - 3) // 2)
    for number in range(TIMES if count > 1 and trained.seq2seq is None else 0):
        once = ordinary[(Dice(number).random(count)[0] * len(ordinary)).astype(int)]
        asked = showing(trained, framed(trained, np.concatenate([once, once])))
        yield asked, {"induction": _cells(trained, asked.read, "induction")}


def _visible(maps: Tensor) -> Tensor:
    """Who may look at whom: (T, T) bool, as the maps show it."""
    return (maps > 0).any(0).any(0)


def _cells(trained: Trained, ids: NDArray[np.int64], role: str) -> Tensor:
    """Where a head of a role looks: (T, T) bool."""
    t, place = len(ids), torch.arange(len(ids))
    ahead = place - place[:, None]  # (T, T): how far behind the looking token the other stands
    special = torch.from_numpy(trained.tokenizer.vocabulary.is_special(ids))
    same = torch.from_numpy(ids[:, None] == ids) & ~special & (ahead != 0)
    if role in AHEAD:
        return ahead == AHEAD[role]
    match role:
        case "same":
            return same
        case "first":
            return (place == 0).expand(t, t)
        case "special":
            return special.expand(t, t)
    before = same & (ahead < 0)  # the token stood there before
    return torch.roll(before, 1, 1) & (ahead <= 0)  # and what followed it then


def _linked_cells(trained: Trained, asked: Shown, linked: Linked) -> Tensor:
    """Where the tokens of each word would find those that it belongs to: (T, T) bool, as far as the text is read."""
    ids, spans = trained.tokenizer.encode_with_spans(linked.text)  # (N,), (N, 2)
    t = len(asked.read)
    count, start = max((_alike(asked.read[at:], ids), -at) for at in range(min(t, IN_FRONT + 1)))
    cells = torch.zeros(t, t, dtype=torch.bool)

    def tokens(span: tuple[int, int]) -> list[int]:
        here = np.flatnonzero((spans[:count, 0] < span[1]) & (spans[:count, 1] > span[0]))
        return [int(place) - start for place in here]

    for word, belongs in linked.links:
        for other in belongs:
            cells[np.ix_(tokens(word), tokens(other))] = True
    return cells


def _alike(some: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """How many ids from the first one on are the same."""
    count = min(len(some), len(other))
    apart = np.flatnonzero(some[:count] != other[:count])
    return int(apart[0]) if len(apart) else count


def _spread(maps: Tensor, seen: Tensor) -> tuple[Tensor, float, Tensor]:
    """Entropy, the most that it could be, and distance, on the mean over rows."""
    place = torch.arange(maps.shape[-1])
    entropy = torch.special.entr(maps).sum(-1).mean(-1)  # (L, H)
    most = float(np.mean([math.log(count) for count in seen.sum(-1).tolist()]))
    distance = (maps * (place - place[:, None]).abs()).sum(-1).mean(-1)  # (L, H)
    return entropy, most, distance
