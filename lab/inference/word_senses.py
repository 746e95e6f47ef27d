"""Contextual word vectors: the hidden states of a model at one word of a sentence, layer by layer.

The first one is static: the mean of the rows that the token table has for the word's tokens, the same in every
sentence. Those after it are the mean of the states above these tokens, after every block (Peters et al. 2018, section
5.3; Ethayarajh 2019).

T tokens   W width
"""

import re
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from lab.batch import collate
from lab.inference.hidden_states import states_of
from lab.inference.inputs import around, framed, reading
from lab.inference.model import Trained
from lab.inference.neighbours import token_table
from lab.settings import SettingsError

_CHINESE = re.compile("[\u3400-\u9fff]")


def place_of(word: str, text: str) -> tuple[int, int] | None:
    """The characters of the first place where ``word`` stands in a text, as a whole word, in the singular or with an
    s; of Chinese, which has no blanks, wherever its characters stand. None where it does not."""
    pattern = re.escape(word) if _CHINESE.search(word) else rf"\b{re.escape(word)}s?\b"
    match = re.search(pattern, text, re.IGNORECASE)
    return match.span() if match else None


def word_vectors(trained: Trained, text: str, place: tuple[int, int]) -> list[Tensor]:
    """The vectors of the word that covers the characters ``place`` of a text, each (W,): the static one, then one for
    every block. Of a text that is longer than the context the part around the word is read. Raises SettingsError where
    a model has no such states."""
    ids, spans = trained.tokenizer.encode_with_spans(text)
    here = np.flatnonzero((spans[:, 0] < place[1]) & (spans[:, 1] > place[0]))
    if not len(here):
        raise SettingsError("the word has no tokens here", "这个词在这里没有词元")
    before, behind = (len(part) for part in around(trained))
    room = trained.context - before - behind
    start = int(np.clip((here[0] + here[-1] + 1 - room) // 2, 0, max(len(ids) - room, 0)))
    own = torch.from_numpy(ids[here].copy())
    tokens = torch.from_numpy(here[here < start + room] - start + before)
    table = token_table(trained)
    static = [] if table is None else [table[own].mean(0)]
    exercise = reading(trained, framed(trained, ids[start : start + room]))
    batch = collate(replace(exercise, asked=np.zeros_like(exercise.asked)))
    states = [state[0, tokens].mean(0) for state in states_of(trained, batch)]  # each (W,)
    return static + states[bool(static) :]
