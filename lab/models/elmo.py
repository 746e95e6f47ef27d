"""ELMo: two LSTMs that never meet read a text from either side, from words that are spelt out.

As in the authors' code: highways begin by carrying, memory and state are clipped, the second layer's input is added to
what it says. Each row of text is begun with an empty state, where the authors carry theirs on into the next batch, and
all tokens are scored, where they score the right one against 8192 others.
"""

from dataclasses import dataclass

from torch import nn

from lab.catalog import MODELS
from lab.entries import Learning, ShapeSettings
from lab.layers.bilm import Mixed, TwoReadings, TwoWayPredictor
from lab.layers.char_cnn import Spelt
from lab.layers.heads import SequenceHead
from lab.layers.init import initialise_recurrent
from lab.layers.projected_lstm import TwoWays
from lab.layers.tagging import ThroughLSTM
from lab.published import Published
from lab.settings import SettingsError, knob

LETTER = 16  # width of a letter's vector
FULL = {"longest": 50, "filters": 2048}  # as published
FEW = {"longest": 16, "filters": 128}


@dataclass(frozen=True, kw_only=True)
class ElmoShape(ShapeSettings):
    """The sizes of ELMo."""

    width: int = knob(128, "Hidden size, both directions together", "隐藏维度，两个方向合计", low=4, high=16384)
    depth: int = knob(2, "Number of layers", "层数", low=1, high=128)
    full: bool = knob(False, "Character CNN of the published size", "公布规模的字符卷积")
    short: bool = knob(False, "One highway layer instead of two", "只用一个 Highway 层，而非两个")
    context: int = knob(128, "Context length in tokens", "上下文长度（词元数）", low=8, high=8192)
    dropout: float = knob(0.0, "Dropout rate", "丢弃率 (dropout)", low=0.0, high=0.9, step=0.05)

    def check(self) -> None:
        if self.width % 2:
            raise SettingsError(
                f"width {self.width} is odd: two directions share it", f"隐藏维度 {self.width} 是奇数：两个方向各占一半"
            )


@MODELS.add(
    "elmo",
    title="ELMo",
    zh=("ELMo", "字符卷积之上向前、向后两个 LSTM 语言模型，词向量随上下文而变。"),
    paper="Peters et al. 2018, section 3",
    settings=ElmoShape,
    traits={"directions", "pools", "states"},
    order=30,
    year=2018,
    parent="lstm",
    paradigm="recurrent",
    objective="bilm",
    pair=None,
    tokenizer="byte_bpe",
    reads=("words",),
    each=lambda s, classes: ThroughLSTM(s.width, classes, layers=s.depth + 1),
    learning_rate=1.5e-2,
    learning=Learning(
        shows="loss",
        seconds=150,
        why=(
            "its LSTMs read token by token, and each predicts from one side alone",
            "它的 LSTM 逐个词元地读，且每个方向只凭一侧的文字预测",
        ),
    ),
    published=Published(
        source="allenai/bilm-tf, bin/train_elmo.py and bilm/training.py",
        optimizer="adagrad",
        learning_rate=0.2,
        warmup=0.0,
        schedule="constant",
        weight_decay=0.0,
        clip=10.0,
        loss_factor=20.0,
        beside=(
            "384 rows of 20 tokens a step, the mean loss times 20, 10 epochs, dropout 0.1, a sample of the vocabulary "
            "in the softmax; the weights start as the lab's",
            "每步 384 行，每行 20 词元，平均损失乘以 20，共 10 轮，丢弃率 0.1，softmax 只取词表的一个样本；"
            "权重的初始值用本实验室的",
        ),
    ),
)
def elmo(s: ElmoShape, vocabulary: int, classes: int = 0) -> TwoWayPredictor:
    """A forward and a backward LSTM language model over a character CNN: vectors depend on the context."""
    # Words are spelt by a character CNN: whoever meets "unhappily" for the first time still knows its letters.
    words = Spelt(vocabulary, s.width // 2, letter=LETTER, highways=1 if s.short else 2, **(FULL if s.full else FEW))
    # Two LSTMs that never see each other's states. Their cells are far wider than what they say, which a projection
    # makes narrow again: else the recurrent map would be the dearest part.
    blocks = [TwoWays(s.width, 4 * s.width, residual=n > 0, dropout=s.dropout) for n in range(s.depth)]
    # One softmax for both directions; to either of them half of the width belongs.
    head = nn.Linear(s.width // 2, vocabulary)
    # A task takes a learnt mixture of all layers: lower ones know more of grammar, upper ones of meaning (section 5.3).
    label = SequenceHead(Mixed(s.depth + 1), nn.Linear(s.width, classes)) if classes else None
    return initialise_recurrent(TwoWayPredictor(TwoReadings(words, blocks, dropout=s.dropout), head, label))
