"""GloVe: vectors whose dot products tell how often two tokens stand near each other.

Word and context vectors learn alike, and a token's vector is the sum of both. The authors draw pairs from a table and
take single steps of AdaGrad (0.05); here pairs come as the text brings them, and the lab's optimizer takes steps over
whole batches, at its own rate.
"""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch, Output
from lab.catalog import MODELS
from lab.entries import Learning, ShapeSettings
from lab.layers.cooccurrence import PairHead, Table, pairs, weighted_squares
from lab.layers.embeddings import Embedding
from lab.layers.heads import MeanToken, SequenceHead
from lab.layers.kv_cache import Cache
from lab.layers.masks import others_mask
from lab.layers.static import around
from lab.layers.tagging import ThroughLSTM
from lab.settings import knob


@dataclass(frozen=True, kw_only=True)
class GloveShape(ShapeSettings):
    """The sizes of GloVe."""

    width: int = knob(128, "Size of a token's vector", "词向量维度", low=4, high=16384)
    most: float = knob(
        100.0, "x_max: count at which the weight stops growing", "x_max：权重不再增长的次数", low=1, high=1e6
    )
    power: float = knob(0.75, "Exponent of the weight (alpha)", "权重的指数 (alpha)", low=0, high=1)
    context: int = knob(128, "Context length in tokens", "上下文长度（词元数）", low=8, high=8192)


class PairPredictor(nn.Module):
    """Scores how often tokens meet; where one is asked for, by the mean of the vectors that stand around it."""

    def __init__(
        self,
        embed: Embedding,
        head: PairHead,
        table: Table,
        sequence: SequenceHead | None = None,
        *,
        most: float,
        power: float,
    ) -> None:
        super().__init__()
        self.embed = embed
        self.head = head
        self.sequence = sequence
        self.each: nn.Module | None = None  # a head for each token, which fine-tuning may set
        self.table = table
        self.most, self.power = most, power

    def forward(self, batch: Batch, cache: Cache | None = None) -> Output:
        if batch.asked is None:
            vectors = functional.embedding(batch.shown, self.vectors())  # (B, T, W)
            return Output(
                sequence=None if self.sequence is None else self.sequence(vectors, batch.real),
                each=None if self.each is None else self.each(vectors, batch.real),
            )
        table, x = others_mask(batch), self.embed(batch.shown)  # (B, T, T), (B, T, W)
        if not self.training or batch.answers is None:
            return Output(tokens=self.head(around(x, table).flatten(0, 1)[batch.asked]))  # (N, V)
        # Each pair that meets in this batch, instead of each cell of the whole table.
        number, row, place, apart = pairs(batch, table)  # (P,) each
        token, other = batch.answers[number], batch.shown[row, place]
        times, scores = self.table.times(token, other), self.head.pairs(x[row, place], other, token)
        wrong = weighted_squares(scores, times, apart, most=self.most, power=self.power)
        weights = (1 / apart).sum()
        mean = wrong * self.table.mean / weights.clamp(min=1e-9)  # over the table; where nothing meets, 0
        return Output(parts={"tokens": mean}, counts={"tokens": weights})

    def vectors(self) -> Tensor:
        """Each token's vector as it is published: (V, W)."""
        return self.embed.tokens.weight + self.head.weight


@MODELS.add(
    "glove",
    title="GloVe",
    zh=("GloVe", "为每个词元学一个静态词向量，使点积拟合共现次数的对数。"),
    paper="Pennington et al. 2014, section 3",
    settings=GloveShape,
    traits={"cooccurrences", "pools", "states"},
    order=63,
    year=2014,
    parent="word2vec",
    paradigm="static",
    own_loss="weighted_squares",
    each=lambda s, classes: ThroughLSTM(s.width, classes),
    objective="cooccurrence",
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
def glove(s: GloveShape, vocabulary: int, classes: int = 0) -> PairPredictor:
    """Learns one static vector for each token; dot products fit the logarithm of co-occurrence counts."""
    # Two vectors and two biases for each token: how often it occurs at all goes to the biases, and the dot product is
    # left with what two tokens have to do with each other.
    embed = Embedding(nn.Embedding(vocabulary, s.width))
    head = PairHead(vocabulary, s.width)
    for side in (embed.tokens.weight, head.weight, head.bias, head.other):
        nn.init.uniform_(side, -0.5 / s.width, 0.5 / s.width)
    label = SequenceHead(MeanToken(), nn.Linear(s.width, classes)) if classes else None
    return PairPredictor(embed, head, Table(), label, most=s.most, power=s.power)
