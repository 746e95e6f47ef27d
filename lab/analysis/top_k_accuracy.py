"""Top-k accuracy: how often the true word is among a model's first guesses, beside the unigram and bigram baselines.

Each word of a text is asked in turn: as the one gap in it, or, of a model that writes from left to right, as the next
token behind what stands before it; of a model that writes spans, as the first token behind the sentinel of the one gap.
A gap is filled with one token: a word that is spelt with several cannot be guessed and counts as missed. In Chinese
each token is a word. Punctuation is not asked.

V vocabulary   T tokens of a text   N asked tokens
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.batch import Exercise, collate
from lab.catalog import OBJECTIVES
from lab.data.baselines import Counts
from lab.inference.inputs import framed, masked_alone
from lab.inference.model import Trained
from lab.noise import Dice
from lab.objectives.parts.encoder_decoder import encoder_decoder
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer

PART = "\N{REPLACEMENT CHARACTER}"  # what a token shows that is a part of a character
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class TopK:
    """How many words were asked, how many of those are one token, and the shares of all that were guessed first, and
    among the first 5."""

    asked: int
    whole: int
    top1: float
    top5: float

    @classmethod
    def of(cls, asked: int, ranks: Sequence[int]) -> "TopK":
        """From the rank of each true token, 0 being the likeliest; the other words were missed."""
        first, among = (sum(rank < k for rank in ranks) / max(asked, 1) for k in (1, 5))
        return cls(asked, len(ranks), first, among)


def of_model(trained: Trained, texts: Iterable[str]) -> TopK:
    """The model's own. Raises SettingsError if it was pretrained to do something else than to say what stands in a gap
    or next."""
    spans = trained.seq2seq is not None and bool(trained.seq2seq.says)
    if trained.fills_onward or (trained.seq2seq is not None and not spans):
        raise SettingsError(
            "this model writes whole texts instead of saying what stands in a gap",
            "这个模型写出整段文本，而不是说出空处是什么",
        )
    ask, read = _behind_sentinel if spans else _next if trained.left_to_right else _gaps, list(texts)
    ranks = [rank for text in read for rank in ask(trained, text)]
    return TopK.of(_count(trained.tokenizer, read), ranks)


def of_baselines(counts: Counts, tokenizer: Tokenizer, texts: Iterable[str]) -> dict[str, TopK]:
    """Of the same tokens, guessed by how common they are ("unigram"), and by how often they came behind the token
    before ("bigram")."""
    common = _places(np.argsort(-counts.tokens, kind="stable"))  # (V,)
    ranks: dict[str, list[int]] = {"unigram": [], "bigram": []}
    read = list(texts)
    for text in read:
        ids = np.concatenate([[tokenizer.vocabulary.end], tokenizer.encode(text)])
        for place in np.flatnonzero(_asked(tokenizer, ids)):
            ranks["unigram"].append(int(common[ids[place]]))
            ranks["bigram"].append(int(_behind(counts, ids[place - 1], common)[ids[place]]))
    return {name: TopK.of(_count(tokenizer, read), found) for name, found in ranks.items()}


def _count(tokenizer: Tokenizer, texts: Iterable[str]) -> int:
    """How many words there are, those of several tokens once."""
    return sum(int((joined == 0).sum()) for joined in (_joined(tokenizer, tokenizer.encode(text)) for text in texts))


def _asked(tokenizer: Tokenizer, ids: Ids) -> NDArray[np.bool_]:
    """Which tokens are whole words: (T,)."""
    joined = _joined(tokenizer, ids)
    return (joined == 0) & (np.append(joined[1:], 0) <= 0)


def _joined(tokenizer: Tokenizer, ids: Ids) -> Ids:
    """Of each token whether it begins a word, 0, goes on with one, 1, or is none, -1: (T,)."""
    pieces, joined, open_ = tokenizer.pieces(ids), [], False
    for piece in pieces:
        text = piece.text.strip()
        word = not piece.special and any(map(_letter, text))
        goes_on = word and open_ and piece.text[:1] == text[:1] and _spelt(text[0])
        joined.append(int(goes_on) if word else -1)
        open_ = word and _spelt(text[-1])
    return np.array(joined, dtype=np.int64)


def _letter(character: str) -> bool:
    return character.isalnum() or character == PART


def _spelt(character: str) -> bool:
    """Whether words are spelt with the character, as with a Latin letter; a Chinese character is a word, but a part of
    one is none."""
    return character == PART or (character.isalnum() and not unicodedata.name(character, "").startswith("CJK"))


def _gaps(trained: Trained, text: str) -> list[int]:
    """The rank of each word of the text, masked alone."""
    ids = framed(trained, trained.tokenizer.encode(text))  # (T,)
    places = np.flatnonzero(_asked(trained.tokenizer, ids))
    return _ranks(trained, masked_alone(trained, ids, places), ids[places]) if len(places) else []


def _behind_sentinel(trained: Trained, text: str) -> list[int]:
    """The rank of each word of the text, masked alone, as the first token of the span that the decoder writes."""
    vocabulary, seq2seq = trained.tokenizer.vocabulary, trained.seq2seq
    assert seq2seq is not None
    ids = trained.tokenizer.encode(text)[: trained.context - 1]  # (T,), and the end behind it
    places = np.flatnonzero(_asked(trained.tokenizer, ids))
    if not len(places):
        return []
    masked = np.where(np.arange(len(ids)) == places[:, None], vocabulary.mask, ids)  # (N, T)
    sources = [seq2seq.read(row, vocabulary) for row in masked]
    first = [int(seq2seq.opening(source, vocabulary)[-1]) for source in sources]
    sentinel = vocabulary.role(seq2seq.says[0])
    targets = [np.array([sentinel, answer], dtype=np.int64) for answer in ids[places]]
    exercise = encoder_decoder(sources, targets, first, vocabulary.pad)
    behind = np.tile([False, True], (len(places), 1))  # (N, 2)
    return _ranks(trained, replace(exercise, asked=behind), ids[places])


def _next(trained: Trained, text: str) -> list[int]:
    """The rank of each word of the text behind those before it, which stand behind what is before every text."""
    vocabulary, run = trained.tokenizer.vocabulary, trained.run
    ids = np.concatenate([trained.start, trained.tokenizer.encode(text)])[None, : trained.context]  # (1, T)
    exercise = OBJECTIVES[run.objective].build(ids, run.settings_of("objective"), vocabulary, Dice(0))
    asked = exercise.asked & _asked(trained.tokenizer, exercise.answers[0])
    return _ranks(trained, replace(exercise, asked=asked), exercise.answers[asked]) if asked.any() else []


def _ranks(trained: Trained, exercise: Exercise, answers: Ids) -> list[int]:
    """How many tokens are held likelier than each answer (N,). Special tokens are no guesses."""
    with torch.no_grad():
        logits: Tensor = trained.model(collate(exercise).to(trained.device)).tokens.float().cpu()  # (N, V)
    logits[:, [*trained.tokenizer.vocabulary.specials.values()]] = -torch.inf
    true = logits.gather(1, torch.from_numpy(answers)[:, None])  # (N, 1)
    return [int(rank) for rank in (logits > true).sum(1)]


def _behind(counts: Counts, before: int, common: Ids) -> Ids:
    """The rank of every token behind one: (V,). Those never seen there follow the others, by how common they are."""
    size = len(counts.tokens)
    first, last = np.searchsorted(counts.pairs, [before * size, (before + 1) * size])
    times = np.zeros(size, dtype=np.int64)
    times[counts.pairs[first:last] % size] = counts.times[first:last]
    return _places(np.lexsort((common, -times)))


def _places(order: Ids) -> Ids:
    """The place of each token in an order of them: (V,)."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places
