"""n-gram: how likely a token is after the few before it, by counting.

One discount for each length, as Kneser and Ney have it; Chen and Goodman's modified form has three.
"""

from dataclasses import dataclass

from torch import nn

from lab.batch import Batch, Output
from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.kv_cache import Cache
from lab.layers.ngrams import Counting, Grams, KneserNey, with_history
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class NgramShape(ShapeSettings):
    """How far an n-gram looks back."""

    order: int = knob(3, "Longest sequence counted, in tokens", "所数的最长序列的词元数", low=1, high=5)
    context: int = knob(128, "Context length in tokens", "上下文长度（词元数）", low=8, high=8192)


class Counted(Counting):
    """Counts while it learns; then says what comes next by what it has counted."""

    def __init__(self, grams: Grams, smoothing: nn.Module) -> None:
        super().__init__()
        self.grams = grams
        self.smoothing = smoothing

    def count(self, batch: Batch) -> None:
        self.grams.count(batch)

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        assert batch.visible == "causal", "what stands behind is not looked at"
        if batch.asked is None:
            return Output()
        new = batch.shown.shape[1]
        # What was read before the row belongs to the history of its first tokens.
        whole = with_history(batch.shown, self.grams.order - 1, cache.carried(0) if cache else None)
        endings = [each[:, -new:].flatten()[batch.asked] for each in self.grams.endings(whole)]  # each (N,)
        return Output(tokens=self.smoothing(self.grams, endings).expand(len(batch.asked), -1))  # (N, V)


@MODELS.add(
    "ngram",
    title="n-gram",
    zh=("n 元语法", "n 元语法模型（Kneser–Ney 平滑）：统计前面几个词元之后各词元出现的次数，不用梯度。"),
    paper="Kneser and Ney 1995, section 3",
    settings=NgramShape,
    traits={"causal", "counts"},
    order=61,
    year=1995,
    parent=None,
    paradigm="static",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("words",),
    learning_rate=1e-3,
)
def ngram(s: NgramShape, vocabulary: int, classes: int = 0) -> Counted:
    """n-gram model with Kneser–Ney smoothing: counts which token follows the few before it, without gradients."""
    # There is nothing to be initialised and nothing to descend: one pass over the text, and it is trained.
    return Counted(Grams(vocabulary, s.order), KneserNey())
