"""The same weights under another attention mask: full, causal or prefix; and the text with padding behind it.

T tokens   P numbers of a position
"""

from dataclasses import replace

import numpy as np
import torch
from torch.nn import functional

from lab.inference.model import Trained
from lab.inference.shown import Shown
from lab.settings import SettingsError

MASKS = OWN, FULL, CAUSAL, PREFIX, PADDED = ("own", "full", "causal", "prefix", "padded")
PADS = 2  # tokens of padding


def under(trained: Trained, asked: Shown, mask: str) -> Shown:
    """What is shown, under one of the ``MASKS``. "prefix": the first half sees itself whole, the rest looks back.
    "padded": as the model reads, with padding behind the text. Raises SettingsError for a model of two stacks, whose
    masks are part of it."""
    if mask == OWN:
        return asked
    if trained.seq2seq is not None:
        raise SettingsError(
            "the masks of an encoder-decoder are part of it: its encoder sees all, its decoder looks back",
            "编码器–解码器的掩码是固定的：编码器看全文，解码器只能回看",
        )
    t, batch = len(asked.read), replace(asked.batch, order=None)
    if mask in (FULL, CAUSAL):
        return replace(asked, batch=replace(batch, visible="all" if mask == FULL else "causal"))
    if mask == PREFIX:
        place = torch.arange(t, device=batch.shown.device)
        table = (place < half(t)) | (place <= place[:, None])  # (T, T)
        return replace(asked, batch=replace(batch, visible=table))
    assert mask == PADDED, mask
    pad = trained.tokenizer.vocabulary.pad
    shown = functional.pad(batch.shown, (0, PADS), value=pad)
    visible = batch.visible
    if not isinstance(visible, str):
        visible = functional.pad(visible, (0, PADS, 0, PADS), value=True)
    padded = replace(
        batch,
        shown=shown,
        real=(torch.arange(t + PADS, device=shown.device) < t)[None],
        visible=visible,
        segments=None if batch.segments is None else functional.pad(batch.segments, (0, PADS)),
        positions=None if batch.positions is None else functional.pad(batch.positions, (0, 0, 0, PADS)),
    )
    ids = np.concatenate([asked.read, np.full(PADS, pad)])
    return Shown(batch=padded, read=ids, written=ids, behind=asked.behind + PADS)


def half(t: int) -> int:
    """How many tokens a prefix has."""
    return (t + 1) // 2
