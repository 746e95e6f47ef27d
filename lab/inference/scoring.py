"""Scoring: how likely a model that reads from left to right holds a given text.

T tokens   C characters   B bytes   V vocabulary
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from lab.batch import Batch
from lab.catalog import OBJECTIVES
from lab.data.template import given
from lab.inference.decoding import suppressed
from lab.inference.model import Trained
from lab.runs.run import Run
from lab.text import clean


def scores_texts(run: Run) -> bool:
    """Whether the run's model gives every token of a text a probability, given those before it: what was trained to
    answer, or to see what it is given whole, does not."""
    objective = OBJECTIVES[run.objective]
    alone = objective.seq2seq(run.settings_of("objective")) is None
    return run.task is None and alone and objective.left_to_right and given(objective) != "all"


def logprobs(trained: Trained, ids: Sequence[int]) -> list[float]:
    """The log-probability in nats of each token of a text that begins anew: T, given those before it. Special tokens
    that the model never says have no share, but the unknown token where it stands in the text. Of a text beyond the
    context each token is read behind about half a context at least. For models of which ``scores_texts`` is true."""
    ids, context = [*ids], trained.lookback
    scored: list[float] = []
    while len(scored) < len(ids):
        fresh = len(scored)
        start = 0 if not fresh else fresh - context // 2
        scored += _logprobs(trained, ids[start : start + context], start == 0)[fresh - start :]
    return scored


def _logprobs(trained: Trained, ids: Sequence[int], begins: bool) -> list[float]:
    """The same of what fits into the context. What does not begin anew has no token before its first."""
    before = trained.start if begins else []
    ids = ids[: trained.lookback + 1 - len(before)]
    unknown = {trained.tokenizer.vocabulary.unknown} & {*ids}
    shown = torch.tensor([[*before, *ids][:-1]])  # (1, T)
    asked = torch.arange(max(len(before) - 1, 0), shown.shape[1])
    batch = Batch(shown=shown, visible="causal", asked=asked)
    with torch.inference_mode():
        logits = trained.model(batch.to(trained.device)).tokens.float().cpu()  # (T, V)
        logits[:, [token for token in suppressed(trained) if token not in unknown]] = -torch.inf
    answers = torch.tensor([*ids[not begins :]])
    return [math.nan] * (not begins) + logits.log_softmax(-1).gather(-1, answers[:, None])[:, 0].tolist()


def bits_behind(trained: Trained, prompt: str, text: str) -> NDArray[np.float64]:
    """The surprise in bits of each UTF-8 byte of ``text`` behind ``prompt``: (B,). A token's surprise is shared evenly
    by its characters, and a character's by its bytes, so that models with different tokenizers can be compared. Of a
    long prompt the end is read."""
    prompt, text = clean(prompt)[-4 * trained.context :], clean(text)
    whole = prompt + text
    ids, spans = trained.tokenizer.encode_with_spans(whole)
    bits = -np.array(logprobs(trained, ids.tolist())) / math.log(2)  # (T,)
    shared = np.zeros(len(whole))  # (C,)
    for surprise, (start, end) in zip(bits, spans.tolist(), strict=True):
        first = min(start, len(whole) - 1)
        shared[first : max(end, first + 1)] += surprise / max(1, end - start)
    widths = np.array([len(character.encode()) for character in text], dtype=np.int64)  # (C,)
    return np.repeat(shared[len(prompt) :] / np.maximum(widths, 1), widths)
