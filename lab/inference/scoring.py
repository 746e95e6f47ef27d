"""Scoring: how likely a model that reads from left to right holds the tokens of a given text.

T tokens   V vocabulary
"""

from collections.abc import Sequence

import torch

from lab.batch import Batch
from lab.inference.decoding import suppressed
from lab.inference.model import Trained


def logprobs(trained: Trained, ids: Sequence[int]) -> list[float]:
    """The log-probability in nats of each token of a text that begins anew, up to the context: T, given those before
    it. Special tokens that the model never says have no share. For models whose every token sees only what is before
    it."""
    ids = [*ids][: trained.context]
    if not ids:
        return []
    shown = torch.tensor([[trained.tokenizer.vocabulary.end, *ids[:-1]]])  # (1, T)
    batch = Batch(shown=shown, visible="causal", asked=torch.arange(len(ids)))
    with torch.inference_mode():
        logits = trained.model(batch.to(trained.device)).tokens.float().cpu()  # (T, V)
        logits[:, suppressed(trained)] = -torch.inf
    return logits.log_softmax(-1).gather(-1, torch.tensor(ids)[:, None])[:, 0].tolist()
