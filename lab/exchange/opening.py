"""The opening of an answer: what the decoder of an imported encoder-decoder has before it writes."""

from typing import Any

import numpy as np

from lab.catalog import OBJECTIVES
from lab.exchange.naming import Config
from lab.vocabulary import Vocabulary

START, FORCED = "decoder_start_token_id", "forced_bos_token_id"


def opening(objective: str, config: Config, generation: Config, vocabulary: Vocabulary) -> list[int]:
    """The ids of the opening where the files name another than the lab's models have that learnt this objective, else
    nothing: who fine-tuned a BART elsewhere may have begun otherwise. As in transformers, the config of generation, if
    there is one, goes before the model's."""
    said = config if generation.get(START) is None else generation
    seq2seq = OBJECTIVES[objective].seq2seq(OBJECTIVES[objective].settings())
    ids = [number for number in (said.get(START), _forced(said)) if number is not None]
    usable = all(type(number) is int and 0 <= number < vocabulary.size for number in ids)
    if seq2seq is None or said.get(START) is None or not usable:
        return []
    source = np.array(ids[:1], dtype=np.int64)  # an answer may begin with the language in which its source ends
    return [] if seq2seq.opening(source, vocabulary).tolist() == ids else ids


def _forced(said: Config) -> Any:
    """The token that is always written first, as older files name it, too."""
    older = said.get("bos_token_id") if said.get("force_bos_token_to_be_generated") is True else None
    return older if said.get(FORCED) is None else said[FORCED]
