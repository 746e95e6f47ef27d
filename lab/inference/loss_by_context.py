"""Loss by context length: how much better the next token is predicted, the more tokens before it are seen.

The same tokens are asked for again and again, each time with more of what stands before them, so that nothing but the
context changes. Where positions have no table, twice as many tokens as in training are tried, too.

M tokens that are asked for   K tokens of context   V vocabulary
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from lab.batch import Batch
from lab.inference.decoding import suppressed
from lab.inference.model import Trained
from lab.inference.scoring import scores_texts
from lab.layers.disentangled import Distances
from lab.layers.positions import Learned
from lab.settings import SettingsError
from lab.text import clean

LONGEST = 512  # tokens of context, at most
TARGETS, LEAST = 128, 40  # tokens that are asked for, at most and at least
AT_ONCE = 8192  # tokens in a batch, by which its memory is bounded
WORK = 3e11  # parameters times tokens that are read: some seconds of two cores


@dataclass(frozen=True)
class LossByContext:
    """The loss in bits per byte at each context length in tokens: 1, 2, 4 and so on, and the longest."""

    lengths: list[int]
    bits: list[float]
    targets: int  # tokens that were asked for


def loss_by_context(trained: Trained, texts: Sequence[str]) -> LossByContext:
    """How well a model that reads from left to right predicts tokens of ``texts``, each of which begins anew, by how
    many tokens before them it sees. Raises SettingsError for other models, and where the texts are too short."""
    if not scores_texts(trained.run):
        raise SettingsError(
            "only a model that predicts each token from those before it has a loss by context length",
            "只有由前文预测每个词元的模型，才有随上下文长度变化的损失",
        )
    cleaned = [clean(text) for text in texts]
    documents = trained.tokenizer.encode_all(cleaned)
    longest = reach(trained)
    lengths = sorted({2**power for power in range(longest.bit_length())} | {longest})
    while lengths and _count(documents, lengths[-1]) < LEAST:
        lengths.pop()
    if not lengths:
        raise SettingsError(f"at least {LEAST + 1} tokens of text are needed", f"至少需要 {LEAST + 1} 个词元的文本")
    while len(lengths) > 1 and affordable(trained.parameters, lengths) < LEAST:  # a large model is tried less far
        lengths.pop()
    ends = _ends(documents, lengths[-1], max(LEAST, min(TARGETS, affordable(trained.parameters, lengths))))
    per_byte = sum(map(len, documents)) / sum(len(text.encode()) for text in cleaned) / math.log(2)
    bits = [per_byte * _loss(trained, documents, ends, length) for length in lengths]
    return LossByContext(lengths, bits, len(ends))


def reach(trained: Trained) -> int:
    """The longest context that is tried: that of training where positions have a table, else twice as long."""
    bounded = any(isinstance(part, Learned | Distances) for part in trained.model.modules())
    return min(LONGEST, trained.lookback if bounded else 2 * trained.lookback)


def affordable(parameters: int, lengths: Sequence[int]) -> int:
    """How many tokens can be asked for behind each of the ``lengths``, so that nobody waits long for a large model."""
    return int(WORK // (max(1, parameters) * sum(lengths)))


def _count(documents: Sequence[NDArray[np.int64]], length: int) -> int:
    """How many tokens have so many before them."""
    return sum(max(0, len(ids) - length) for ids in documents)


def _ends(documents: Sequence[NDArray[np.int64]], length: int, most: int) -> list[tuple[int, int]]:
    """Which tokens are asked for, spread over all that have so many before them: of a document, at a place. (M,)"""
    every = [(number, place) for number, ids in enumerate(documents) for place in range(length, len(ids))]
    return [every[at] for at in np.linspace(0, len(every) - 1, min(most, len(every))).astype(int)]


def _loss(
    trained: Trained, documents: Sequence[NDArray[np.int64]], ends: Sequence[tuple[int, int]], length: int
) -> float:
    """The mean loss in nats of the tokens at ``ends`` (M,) behind ``length`` tokens."""
    rows = torch.from_numpy(np.stack([documents[number][place - length : place] for number, place in ends]))  # (M, K)
    answers = torch.tensor([int(documents[number][place]) for number, place in ends])  # (M,)
    never = [token for token in suppressed(trained) if not (answers == token).any()]  # the unknown one may be asked for
    total = 0.0
    for shown, right in zip(*(each.split(max(1, AT_ONCE // length)) for each in (rows, answers)), strict=True):
        asked = torch.arange(1, len(shown) + 1) * length - 1  # the last of each row
        batch = Batch(shown=shown.long(), visible="causal", asked=asked).to(trained.device)
        with torch.inference_mode():
            logits = trained.model(batch).tokens.float().cpu()  # (M, V)
            logits[:, never] = -torch.inf
            total -= float(logits.log_softmax(-1).gather(-1, right[:, None]).sum())
    return total / len(ends)
