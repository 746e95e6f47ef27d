"""Hidden states: what a text is after the embedding and after each layer.

B rows   L layers   T tokens   W width
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lab.batch import Batch
from lab.inference.model import Trained
from lab.inference.neighbours import token_table
from lab.inference.probe import stack_of, watching
from lab.inference.shown import Shown
from lab.layers.watch import looking
from lab.settings import SettingsError


def hidden_states(trained: Trained, asked: Shown, kind: str = "") -> tuple[Tensor, NDArray[np.int64]]:
    """Of what is shown, in the stack that draws this kind of maps: (L + 1, T, W), the embedding first, and the ids (T,)
    that stand there. Raises SettingsError where there is no such stack."""
    stack = stack_of(trained.model, kind)
    seen: list[Tensor] = []
    with torch.no_grad(), looking({stack.watch: seen.append}):
        trained.model(asked.batch)
    return torch.cat(seen).float().cpu(), asked.written if kind in ("decoder", "cross") else asked.read


def states_of(trained: Trained, batch: Batch) -> list[Tensor]:
    """The hidden states of a batch, (B, T, W) each: of the embedding, then of every block; of a model that is nothing
    but a table of vectors, those of the table; none of one that only counts. Raises SettingsError where a model reads
    with one stack and writes with another."""
    if trained.seq2seq is not None:
        raise SettingsError(
            "this model reads with one stack and writes with another: choose one with a single stack",
            "这个模型由编码器读、解码器写：请选择只有编码器或只有解码器的模型",
        )
    with torch.no_grad(), watching(trained.model) as seen:
        trained.model(batch.to(trained.device))
    states = [state.float().cpu() for state in seen.hidden]
    table = None if states else token_table(trained)
    return states if table is None else [table[batch.shown]]
