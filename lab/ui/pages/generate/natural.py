"""What a masked language model says of whole texts on the Generate page: gaps filled in several orders, and the
pseudo-perplexity of two sentences."""

import math
from typing import Any

import numpy as np

from lab.inference.gap_orders import ORDERS, fill_gaps, pseudo_logprobs, pseudo_perplexity
from lab.inference.inputs import framed, with_gaps
from lab.inference.model import Trained
from lab.serve.limits import limits, within
from lab.spelling import text_of
from lab.ui.shell import visitor
from lab.ui.shell.answers import Values
from lab.ui.shell.figures import probability
from lab.ui.words import say
from lab.vocabulary import MASK

LONGEST = 128  # tokens of a sentence that are masked, each alone


def orders(run: str, text: str) -> dict[str, Any]:
    """The text with its gaps filled at once, and one by one in several orders."""
    within(text, limits().prompt)
    columns = [say(f"generate.orders.{name}") for name in ("order", "text", "logprob")]
    trained = masked_model(run)
    if trained is None:
        return {"columns": columns, "rows": [], "empty": say("generate.orders.not")}
    ids = framed(trained, with_gaps(trained, text))
    gaps = np.flatnonzero(ids == trained.tokenizer.vocabulary.gap)
    if len(gaps) < 2:
        far = say("generate.orders.far", n=trained.context) if text.count(MASK) >= 2 else say("generate.orders.few")
        return {"columns": columns, "rows": [], "empty": far}
    rows = []
    for order in ORDERS:
        filling = fill_gaps(trained, text, order)
        ids[gaps] = filling.tokens
        pieces = [piece for piece in trained.tokenizer.pieces(ids.tolist()) if not piece.special]
        rows.append([say(f"generate.order.{order}"), text_of(pieces), f"{filling.logprob:.2f}"])
    return {"columns": columns, "rows": rows}


def natural(run: str, one: str, other: str) -> Values:
    """Two sentences, each token coloured by what the model gives it where it is masked alone."""
    for text in (one, other):
        within(text, limits().prompt)
    trained = masked_model(run)
    if trained is None:
        return {"natural": {"columns": [], "empty": say("generate.orders.not")}}
    columns = [scored(trained, text) for text in (one, other) if text.strip()]
    return {"natural": {"columns": columns, "empty": say("generate.natural.empty")}}


def scored(trained: Trained, text: str) -> dict[str, Any]:
    """A sentence with its pseudo-perplexity. A token that the vocabulary does not have is not asked about, and a long
    sentence is not read to its end: either is said."""
    ids, logprobs = pseudo_logprobs(trained, text, LONGEST)
    pieces, whole = trained.tokenizer.pieces(ids.tolist()), trained.tokenizer.encode(text)
    unknown = int((framed(trained, whole[:LONGEST]) == trained.tokenizer.vocabulary.unknown).sum())
    read, perplexity = len(ids) + unknown, f"{pseudo_perplexity(logprobs):.1f}" if logprobs else "–"
    counted = {"n": len(ids), "nats": f"{-sum(logprobs):.1f}"}
    note = say("generate.natural.note", **counted)
    if unknown:
        note = say("generate.natural.unknown", unknown=unknown, **counted)
    return {
        "title": say("generate.natural.title", perplexity=perplexity),
        "note": say("generate.natural.cut", note=note, all=len(whole), read=read) if read < len(whole) else note,
        "tokens": [
            {"text": piece.text, "bytes": piece.bytes.hex(), "p": probability(math.exp(logprob))}
            for piece, logprob in zip(pieces, logprobs, strict=True)
        ],
    }


def masked_model(run: str) -> Trained | None:
    """The run, if it fills gaps with single tokens."""
    trained = visitor.trained(run) if run else None
    if trained is None or trained.left_to_right or trained.seq2seq is not None or trained.fills_onward:
        return None
    return trained
