"""What [MASK] does to a text: how far the hidden states of its other tokens move when one word becomes [MASK].

Only directions count: 1 - cosine of a token's state before and after, in each layer. The masked word itself, whose own
state changes in any case, is left out; special tokens such as [CLS], from which a classifier reads, are not.

L layers   T tokens   W width
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cosine_similarity

from lab.inference.hidden_states import hidden_states
from lab.inference.inputs import framed, with_special_tokens
from lab.inference.model import Trained
from lab.inference.probe import attends
from lab.inference.shown import showing
from lab.settings import SettingsError

WORDS = 24  # of a text that are masked in turn, spread evenly over it


def mask_shift(trained: Trained, text: str) -> list[float]:
    """The mean 1 - cosine after the embedding and after each layer, over the other tokens and over the words, each of
    which is masked in turn: L + 1 numbers. Raises SettingsError for a text without a word and something beside it, and
    for a model that knows no [MASK]."""
    words = trained.tokenizer.vocabulary
    if not attends(trained.model) or trained.left_to_right or trained.seq2seq is not None or trained.fills_onward:
        raise SettingsError("this model is not shown [MASK] in a text", "这个模型读的文本里没有 [MASK]")
    ids = framed(trained, with_special_tokens(trained, text))  # (T,)
    owner = words.words(ids[None])[0]  # (T,), -1 at special tokens
    owners = np.unique(owner[owner >= 0])
    if not len(owners) or not text.strip():
        raise SettingsError("type some text first", "请先输入文本")
    whole = _states(trained, ids)
    chosen = owners[np.unique(np.linspace(0, len(owners) - 1, WORDS).astype(np.int64))]
    moved = [
        _moved(whole, _states(trained, np.where(owner == word, words.mask, ids)), owner != word) for word in chosen
    ]
    return [round(value, 6) for value in torch.stack(moved).mean(0).tolist()]


def _states(trained: Trained, ids: NDArray[np.int64]) -> Tensor:
    """The hidden states of a text: (L + 1, T, W)."""
    return hidden_states(trained, showing(trained, ids))[0]


def _moved(before: Tensor, after: Tensor, others: NDArray[np.bool_]) -> Tensor:
    """The mean 1 - cosine of the other tokens' states: (L + 1,)."""
    kept = torch.from_numpy(others)
    return 1 - cosine_similarity(before[:, kept], after[:, kept], dim=-1).mean(1)
