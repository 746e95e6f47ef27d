"""Nearest neighbours and analogies in a model's token embeddings, by the cosine of the angle.

Neighbours are of one kind: to a word, what else may open a word, so that it is held against words and not against the
ends of others. A token that the model has hardly seen lies where chance put it: it is nobody's neighbour, where counts
are known.

V vocabulary   W width   K tokens of one kind
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import torch
from torch import Tensor, nn

from lab.inference.model import Trained
from lab.layers.static import Looked
from lab.settings import SettingsError
from lab.spelling import spelling
from lab.text import clean
from lab.tokenizer import Tokenizer
from lab.vocabulary import MASK
from lab.word_borders import kind, opens

SIMILAR = 5  # neighbours of a token
OFTEN = 10  # times that a token must have been seen to be anybody's neighbour
AT_ONCE = 1024
LONGEST = 60  # characters of a word


@dataclass(frozen=True)
class Near:
    """A token and the cosine of its vector with what was asked for."""

    id: int
    token: str
    cosine: float


def neighbours(trained: Trained, word: str, best: int = 10) -> list[Near]:
    """The tokens whose vectors point most nearly where that of ``word`` does, its own left out. A word of several
    tokens has the mean of their vectors."""
    table, own = directions(trained), tokens_of(trained, word)
    return _nearest(trained, table @ _direction(trained, own), kind(_spelt(trained, word)), own, best)


def analogy(trained: Trained, words: Sequence[str], best: int = 10) -> list[Near]:
    """What is to the third word as the second is to the first, those left out (Mikolov et al. 2013a, section 4)."""
    table, own = directions(trained), [tokens_of(trained, word) for word in words]
    a, b, c = (_direction(trained, ids) for ids in own)
    wanted = nn.functional.normalize(b - a + c, dim=0)
    return _nearest(trained, table @ wanted, kind(_spelt(trained, words[2])), [*chain(*own)], best)


def near_words(trained: Trained, text: str, words: int = 4, best: int = SIMILAR) -> dict[str, list[Near]]:
    """The neighbours of a few words of a text: of those that are one token and open a word, the longest."""
    ordinary, seen = trained.tokenizer.vocabulary.ordinary, known(trained)
    pieces = {piece.id: piece for piece in trained.tokenizer.pieces(trained.tokenizer.encode(text.replace(MASK, " ")))}
    whole = [
        piece
        for piece in pieces.values()
        if piece.id in ordinary and seen[piece.id] and opens(piece.bytes) and piece.text.strip().isalpha()
    ]
    longest = sorted(whole, key=lambda piece: -len(piece.text.strip()))[:words]
    table = directions(trained)
    chosen = [piece for piece in whole if piece in longest]
    return {
        piece.text: _nearest(trained, table @ table[piece.id], kind(piece.bytes), [piece.id], best) for piece in chosen
    }


def directions(trained: Trained) -> Tensor:
    """The vectors of all tokens, each of length one: (V, W)."""
    table = token_table(trained)
    if table is None:
        raise SettingsError("this model has no token embeddings to compare", "这个模型没有词元向量")
    return nn.functional.normalize(table, dim=-1)


def similar(trained: Trained, tokenizer: Tokenizer, best: int = SIMILAR) -> list[list[int]]:
    """For each id of the tokenizer those of the tokens of its kind whose vectors point most nearly where its own does.

    The vectors are a run's, and its tokens and the tokenizer's are matched by their spelling: the two need not be the
    same. Kinds are those of ``lab.word_borders``, so that a word gives way to a word. Rare tokens have no neighbours
    and are nobody's.
    """
    vectors, seen = directions(trained), known(trained)
    spelt = {piece.bytes: piece.id for piece in trained.tokenizer.pieces(range(trained.tokenizer.vocabulary.size))}
    kinds: dict[str, list[tuple[int, int]]] = defaultdict(list)  # ids of the tokenizer and of the run
    for piece in tokenizer.pieces(range(tokenizer.vocabulary.size)):
        own = spelt.get(piece.bytes, -1)
        if piece.bytes and own >= 0 and seen[own]:
            kinds[kind(piece.bytes)].append((piece.id, own))
    rows: list[list[int]] = [[] for _ in range(tokenizer.vocabulary.size)]
    for ids in kinds.values():
        group = vectors[[own for _, own in ids]]  # (K, W)
        for start in range(0, len(ids), AT_ONCE):
            cosines = group[start : start + AT_ONCE] @ group.T
            cosines.fill_diagonal_(-torch.inf) if not start else cosines.diagonal(start).fill_(-torch.inf)
            nearest = cosines.topk(min(best, len(ids) - 1)).indices.tolist()
            for (own, _), row in zip(ids[start:], nearest, strict=False):
                rows[own] = [ids[place][0] for place in row]
    return rows


def knowing_neighbours(trained: Trained, tokenizer: Tokenizer | None = None) -> Tokenizer:
    """A tokenizer, the run's own if there is no other, that has been told which of its tokens are similar."""
    tokenizer = tokenizer or trained.tokenizer
    return tokenizer.with_neighbours(similar(trained, tokenizer))


def known(trained: Trained) -> Tensor:
    """Which tokens the model has seen often enough; all of them where nobody has counted: (V,)."""
    if trained.counts is None:
        return torch.ones(trained.tokenizer.vocabulary.size, dtype=torch.bool)
    return torch.from_numpy(trained.counts >= OFTEN)


def tokens_of(trained: Trained, word: str) -> list[int]:
    """The tokens of ``word`` as it stands in a text. Raises SettingsError where the model does not know them."""
    ids: list[int] = trained.tokenizer.encode(_spelt(trained, word).decode()).tolist()
    if not ids or {*ids} & {*trained.tokenizer.vocabulary.specials.values()}:
        raise SettingsError(
            f"{word[:LONGEST]!r} is nothing that this model has tokens for: try another word",
            f"这个模型没有 {word[:LONGEST]!r} 的词元：请换一个词",
        )
    return ids


def _spelt(trained: Trained, word: str) -> bytes:
    """A word as it stands in a text: behind a blank where tokens take that along, which Chinese does without."""
    spelt = clean(word.strip()[:LONGEST]).encode()
    return b" " + spelt if trained.tokenizer.joins_blanks and spelt and not opens(spelt) else spelt


def _direction(trained: Trained, ids: Sequence[int]) -> Tensor:
    """Where the mean of the tokens' vectors points: (W,)."""
    table = token_table(trained)
    assert table is not None  # else ``directions`` has said so
    return nn.functional.normalize(table[[*ids]].mean(0), dim=0)


def token_table(trained: Trained) -> Tensor | None:
    """The table from which a token's vector is looked up, (V, W): what a model itself calls its vectors, else the first
    that has a row for each token. None where a model spells its tokens."""
    if isinstance(trained.model, Looked):
        return trained.model.vectors().detach().float().cpu()
    for part in trained.model.modules():
        if isinstance(part, nn.Embedding) and part.num_embeddings == trained.tokenizer.vocabulary.size:
            return part.weight.detach().float().cpu()
    return None


def _nearest(trained: Trained, cosines: Tensor, like: str, asked: Sequence[int], best: int) -> list[Near]:
    """The tokens of greatest cosine: of those that the model knows and that are of a kind, however long they are in
    Chinese, but none of the ``asked``."""
    alike = [_whatever_length(each) == _whatever_length(like) for each in trained.tokenizer.vocabulary.kinds]
    open_to = torch.tensor(alike) & known(trained)
    open_to[[*asked, *trained.tokenizer.vocabulary.specials.values()]] = False
    values, places = cosines[open_to].topk(min(best, int(open_to.sum())))
    pieces = trained.tokenizer.pieces(open_to.nonzero()[places, 0].tolist())
    return [Near(piece.id, spelling(piece), float(value)) for piece, value in zip(pieces, values, strict=True)]


def _whatever_length(of: str) -> str:
    return of.rstrip("0123456789 ")
