"""word2vec: a vector for each token from which its neighbours can be told from random tokens.

As in the authors' code, skip-gram predicts the middle token from each neighbour's vector, where the paper predicts
each neighbour from the middle token: over a text, the pairs are the same. The code takes single steps of plain
gradient descent (0.025, or 0.05 for CBOW); here the lab's optimizer takes steps over whole batches, at its own rate.
"""

from dataclasses import dataclass

from torch import nn

from lab.batch import Batch, Output
from lab.catalog import MODELS
from lab.entries import Learning, ShapeSettings
from lab.layers.embeddings import Embedding
from lab.layers.heads import MeanToken, SequenceHead
from lab.layers.kv_cache import Cache
from lab.layers.masks import others_mask
from lab.layers.static import Noise, against_noise, around
from lab.layers.tagging import ThroughLSTM
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class Word2vecShape(ShapeSettings):
    """The sizes of word2vec."""

    width: int = knob(128, "Size of a token's vector", "词向量维度", low=4, high=16384)
    method: str = knob("skip-gram", "Method", "方法", choices=("skip-gram", "cbow"))
    negatives: int = knob(5, "Negative samples for each target", "每个目标的负样本数", low=1, high=50)
    context: int = knob(128, "Context length in tokens", "上下文长度（词元数）", low=8, high=8192)


class NeighbourPredictor(nn.Module):
    """Scores tokens against the vectors that stand around them: each alone, or their mean."""

    def __init__(
        self,
        embed: Embedding,
        head: nn.Embedding,
        noise: Noise,
        sequence: SequenceHead | None = None,
        *,
        negatives: int,
        mean: bool,
    ) -> None:
        super().__init__()
        self.embed = embed
        self.head = head
        self.sequence = sequence
        self.each: nn.Module | None = None  # a head for each token, which fine-tuning may set
        self.noise = noise
        self.negatives = negatives
        self.mean = mean

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        if batch.asked is None:
            x = self.embed(batch.shown)  # (B, T, W)
            return Output(
                sequence=None if self.sequence is None else self.sequence(x, batch.real),
                each=None if self.each is None else self.each(x, batch.real),
            )
        # Who stands around whom is in the exercise: its window, drawn anew for each token.
        table = others_mask(batch)  # (B, T, T)
        if not self.training or batch.answers is None:
            # A trained score is log p less the noise's log p (Levy and Goldberg 2014, section 3.1).
            middle = around(self.embed(batch.shown), table).flatten(0, 1)[batch.asked]  # (N, W)
            return Output(tokens=middle @ self.head.weight.T + self.noise.logs())  # (N, V)
        # CBOW: the mean of the neighbours predicts the middle. Skip-gram: each neighbour does so by itself, which is
        # slower and serves rare tokens better.
        if self.mean:
            inner = around(self.embed(batch.shown), table).flatten(0, 1)[batch.asked]  # (N, W)
            right = batch.answers
        else:
            number, neighbour = table.flatten(0, 1)[batch.asked].nonzero(as_tuple=True)  # (P,) each
            row = batch.asked[number] // batch.shown.shape[1]
            inner, right = self.embed(batch.shown[row, neighbour]), batch.answers[number]  # (P, W), (P,)
        # Negative sampling: a softmax over the vocabulary for every pair would be too dear. Whether a pair is true or
        # made of a random token is asked instead, of a handful of random tokens.
        noise = self.noise.draw(len(right), self.negatives)
        loss = against_noise(inner, right, noise, self.head.weight)
        return Output(parts={"tokens": loss}, counts={"tokens": len(right)})


@MODELS.add(
    "word2vec",
    title="word2vec",
    zh=("word2vec", "用负采样为每个词元学一个静态词向量：把真实的邻居与随机词元区分开。"),
    paper="Mikolov et al. 2013b, sections 2.2 and 2.3",
    settings=Word2vecShape,
    traits={"windows", "pools", "states"},
    order=62,
    year=2013,
    parent=None,
    paradigm="static",
    own_loss="negative_sampling",
    each=lambda s, classes: ThroughLSTM(s.width, classes),
    objective="window",
    pair=None,
    tokenizer="byte_bpe",
    reads=("words",),
    learning_rate=5e-2,
    learning=Learning(
        shows="neighbours",
        seconds=60,
        why=("what it minimises is no loss of predicting tokens", "它所最小化的并不是预测词元的损失"),
    ),
)
def word2vec(s: Word2vecShape, vocabulary: int, classes: int = 0) -> NeighbourPredictor:
    """Learns one static vector for each token by negative sampling: true neighbours against random tokens."""
    # Two vectors for each token, one as a neighbour and one as a middle, or a token would be asked to be like itself.
    # The first is kept.
    embed = Embedding(nn.Embedding(vocabulary, s.width))
    head = nn.Embedding(vocabulary, s.width)
    # The authors' start: small vectors on one side, zeros on the other, so that no pair is likelier than another.
    nn.init.uniform_(embed.tokens.weight, -0.5 / s.width, 0.5 / s.width)
    nn.init.zeros_(head.weight)
    mean = s.method == "cbow"
    label = SequenceHead(MeanToken(), nn.Linear(s.width, classes)) if classes else None
    return NeighbourPredictor(embed, head, Noise(vocabulary), label, negatives=s.negatives, mean=mean)
