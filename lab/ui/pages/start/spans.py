"""Span corruption on Start: a sentinel in the place of each span, below it the span and what a model writes there."""

from collections.abc import Sequence
from typing import Any

from lab.analysis.preview import corrupt
from lab.catalog import OBJECTIVES
from lab.inference import predict
from lab.inference.model import Trained
from lab.ui.exercise.draw import Row, gap_rows
from lab.ui.exercise.shipped import SPANS as OURS
from lab.ui.exercise.shipped import learnt, tokenizer
from lab.ui.pages.start.answerer import SPANS, answering, as_learnt, longest, title_of
from lab.ui.shell.inputs import head, whole_seed
from lab.ui.words import say


def spans(text: str, seed: float, model: str = "") -> dict[str, Any]:
    """The text under span corruption, as the lab's model that writes spans reads and answers it, or the chosen one."""
    text, objective, answerer = head(text), OBJECTIVES[SPANS], answering(model)
    if not text.strip():
        return {"rows": [], "empty": say("start.empty")}
    writer, settings = learnt(objective, answerer), as_learnt(objective, answerer)
    reader = tokenizer(objective, answerer)
    corrupted = corrupt(text, objective, reader, settings.dump(), seed=whole_seed(seed), longest=longest(answerer))
    assert corrupted.exercise.source is not None
    guesses = predict.written(writer, corrupted.exercise.source[0], longest=predict.PINNED_GAP) if writer else []
    seq2seq = objective.seq2seq(settings)
    assert seq2seq is not None
    rows = gap_rows(corrupted, seq2seq, guesses)
    note = _about(rows, settings, writer) if writer else []
    note += [say("start.spans.read")] if guesses and (writer is not answerer or model == OURS) else []
    return {"rows": rows, "group": f"start-{SPANS}", "note": note}


def _about(rows: Sequence[Row], settings: Any, writer: Trained) -> list[dict[str, Any]]:
    """How many spans are right, and how many were removed."""
    if len(rows) == 2:
        return [say("start.spans.none")]
    written, size = [chip["kind"] for chip in rows[-1]["tokens"] if chip], len(writer.tokenizer.vocabulary.ordinary)
    score = {"right": written.count("predicted"), "asked": len(written), "size": f"{size:,}"}
    usual: Any = OBJECTIVES[SPANS].settings()
    shares = {"share": f"{100 * settings.share:g}", "usual": f"{100 * usual.share:g}"}
    removed = say("start.spans.drawn", **shares, span=f"{settings.span:g}", long=f"{usual.span:g}")
    return [say("start.spans.score", model=title_of(writer), **score), removed]
