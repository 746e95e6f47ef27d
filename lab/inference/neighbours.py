"""Nearest neighbours and analogies in a model's token embeddings, by the cosine of the angle.

Neighbours are of one kind: to a word, what else may open a word, so that it is held against words and not against the
ends of others. A token that the model has hardly seen lies where chance put it: it is nobody's neighbour, where counts
are known.

V vocabulary   W width   K tokens of one kind
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lab.inference.model import Trained
from lab.layers.static import Looked
from lab.settings import SettingsError
from lab.spelling import spelling
from lab.tokenizer import Tokenizer
from lab.vocabulary import MASK
from lab.word_borders import kind, opens

SIMILAR = 5  # neighbours of a token
OFTEN = 10  # times that a token must have been seen to be anybody's neighbour
AT_ONCE = 1024


@dataclass(frozen=True)
class Near:
    """A token and the cosine of its vector with what was asked for."""

    id: int
    token: str
    cosine: float


def neighbours(trained: Trained, word: str, best: int = 10) -> list[Near]:
    """The tokens whose vectors point most nearly where that of ``word`` does, itself left out."""
    table = directions(trained)
    number = token_of(trained, word)
    return _nearest(trained, table @ table[number], [number], best)


def analogy(trained: Trained, words: Sequence[str], best: int = 10) -> list[Near]:
    """What is to the third word as the second is to the first, those left out (Mikolov et al. 2013a, section 4)."""
    table = directions(trained)
    a, b, c = (token_of(trained, word) for word in words)
    wanted = nn.functional.normalize(table[b] - table[a] + table[c], dim=0)
    return _nearest(trained, table @ wanted, [a, b, c], best)


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
    return {piece.text: _nearest(trained, table @ table[piece.id], [piece.id], best) for piece in chosen}


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


def token_of(trained: Trained, word: str) -> int:
    """The one token that ``word`` is, with the blank before it where words take that along. Raises SettingsError."""
    size = trained.tokenizer.vocabulary.size
    for text in (f" {word}", word) if trained.tokenizer.joins_blanks else (word,):
        ids = trained.tokenizer.encode(text)
        if len(ids) == 1 and int(ids[0]) < size and int(ids[0]) not in trained.tokenizer.vocabulary.specials.values():
            return int(ids[0])
    raise SettingsError(
        f"{word!r} is not one token of this model: try a shorter or a more common word",
        f"{word!r} 不是这个模型的一个词元：请换一个更短或更常见的词",
    )


def token_table(trained: Trained) -> Tensor | None:
    """The table from which a token's vector is looked up, (V, W): what a model itself calls its vectors, else the first
    that has a row for each token. None where a model spells its tokens."""
    if isinstance(trained.model, Looked):
        return trained.model.vectors().detach().float().cpu()
    for part in trained.model.modules():
        if isinstance(part, nn.Embedding) and part.num_embeddings == trained.tokenizer.vocabulary.size:
            return part.weight.detach().float().cpu()
    return None


def _nearest(trained: Trained, cosines: Tensor, asked: Sequence[int], best: int) -> list[Near]:
    """The tokens of greatest cosine: of those that the model knows and that are of the kind of what was ``asked``
    last, however long they are in Chinese, but none of the asked."""
    kinds = [each.rstrip("0123456789 ") for each in trained.tokenizer.vocabulary.kinds]
    alike = torch.tensor([each == kinds[asked[-1]] for each in kinds]) & known(trained)
    alike[[*asked, *trained.tokenizer.vocabulary.specials.values()]] = False
    values, places = cosines[alike].topk(min(best, int(alike.sum())))
    pieces = trained.tokenizer.pieces(alike.nonzero()[places, 0].tolist())
    return [Near(piece.id, spelling(piece), float(value)) for piece, value in zip(pieces, values, strict=True)]
