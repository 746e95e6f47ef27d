"""Branches of a text on the Generate page: kept, named, returned to; how each reads by the chosen run's tokenizer."""

import hashlib
from typing import Any

from lab.inference.model import Trained
from lab.ui.components.branches import Branch, Branches, BranchTexts, branches_of
from lab.ui.runs.picker import RunPicker, of_model
from lab.ui.shell import visitor
from lab.ui.shell.frame import Frame
from lab.ui.shell.lru import Kept
from lab.ui.shell.panel import any_of
from lab.ui.words import word

_marks = Kept(64)  # of tokenizers, by run and step


def branching(frame: Frame, picker: RunPicker) -> None:
    """The card of the branches."""
    kept = Branches(label=word("generate.branches"), elem_id="generate-branches")
    frame.share("branches", kept)
    texts = BranchTexts(visible="hidden")
    inputs = [*picker.asked, kept]
    frame.listen(any_of([kept.change, *picker.changes]), of_model(spelt), inputs, {"texts": texts})
    frame.opens(of_model(spelt), inputs, {"texts": texts})


def spelt(run: str, kept: str) -> dict[str, Any]:
    """How the tokens of each branch read, and the mark of the run's tokenizer."""
    trained = visitor.writer(run)
    if trained is None:
        return {}
    mark = _marks.get((run, trained.step), lambda: mark_of(trained))
    return {"texts": {"of": mark, "texts": [text_of(trained, mark, branch) for branch in branches_of(kept)]}}


def mark_of(trained: Trained) -> str:
    """Eight hexadecimal digits by which a tokenizer is known: ids mean the same to all that have them in common."""
    described = f"{trained.tokenizer.vocabulary.size} {trained.tokenizer.inner.to_str()}"
    return hashlib.sha256(described.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def text_of(trained: Trained, mark: str, branch: Branch) -> list[list[str]] | None:
    """Each token's text and bytes; nothing where they are not this tokenizer's."""
    if branch.of != mark or any(token >= trained.tokenizer.vocabulary.size for token in branch.ids):
        return None
    return [[piece.text, piece.bytes.hex()] for piece in trained.tokenizer.pieces(branch.ids)]
