"""A trained model, loaded from its run with the weights of its newest checkpoint or of a snapshot."""

from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from lab.asking import Seq2Seq
from lab.catalog import MODELS, OBJECTIVES, TASKS
from lab.data.reading import own_frame, reader_of
from lab.data.template import given
from lab.inference.tuning import merged, tuned
from lab.inference.weight_layout import arranged
from lab.layers.heads import EachToken, MeanToken, SequenceHead
from lab.layers.init import Undrawn, initialise_evenly
from lab.layers.static import Meets
from lab.layers.window import GlobalFirst
from lab.runs import token_counts
from lab.runs.checkpoint import load_weights, newest, set_weights, weights_of
from lab.runs.folder import RunFolder
from lab.runs.run import IMPORTED, Run
from lab.runs.snapshots import weights_at
from lab.runs.tuning import ADAPTER, LORA, MEAN, PREFIX
from lab.settings import SettingsError
from lab.tasks.parts.reader import Reader
from lab.tokenizer import Tokenizer
from lab.vocabulary import Vocabulary

SEQUENCE_HEAD, EACH_HEAD = "sequence.", "each."  # the parts that a parent may lack, or a model that starts from it
CLASSES = "sequence.out."  # the part that fine-tuning replaces


@dataclass(frozen=True)
class Trained:
    """A run's model with its tokenizer."""

    run: Run
    model: nn.Module
    tokenizer: Tokenizer
    labels: tuple[str, ...] = ()  # the names of a classifier's classes
    step: int = 0
    opening: tuple[int, ...] = ()  # what an imported one's decoder has before it writes, if not what the lab's have
    counts: NDArray[np.int64] | None = None  # (V,) how often each token is in what it learnt from, where that is known

    @property
    def context(self) -> int:
        """The most tokens that the model reads at once."""
        context: int = self.run.settings_of("model").context
        return context

    @property
    def lookback(self) -> int:
        """The most tokens behind which the model predicts the next: one less than the context where its rows did not
        overlap, since nobody asked what follows their last token, and a table of positions has learnt nothing of that
        place; nor is it known of the start of a fine-tuned one. Imported models were shown what follows it."""
        taught = self.run.kind == IMPORTED or self.run.asks_last
        return self.context - (self.left_to_right and not taught)

    @property
    def parameters(self) -> int:
        """How many parameters the model has."""
        return sum(weight.numel() for weight in self.model.parameters())

    @property
    def left_to_right(self) -> bool:
        """Whether the model was trained to continue a text, rather than to fill gaps."""
        return OBJECTIVES[self.run.objective].left_to_right

    @property
    def given(self) -> Literal["all", "causal"]:
        """Who may look at whom in a text that is given, and of which nothing is asked."""
        return given(OBJECTIVES[self.run.objective])

    @property
    def seq2seq(self) -> Seq2Seq | None:
        """How the model is asked to write, if it was trained to write answers to what it reads."""
        seq2seq = OBJECTIVES[self.run.objective].seq2seq(self.run.settings_of("objective"))
        if seq2seq is None or not self.opening:
            return seq2seq
        return replace(seq2seq, opening=lambda source, vocabulary: np.array(self.opening, dtype=np.int64))

    @property
    def fills_onward(self) -> bool:
        """Whether the model writes what fills a gap, token by token, and not one token for each gap."""
        return OBJECTIVES[self.run.objective].decoding.filling is not None

    @property
    def reader(self) -> Reader:
        """How the model is shown labelled texts."""
        return reader_of(self.run, self.tokenizer)

    @property
    def opens(self) -> list[int]:
        """The special tokens before every text with which the model goes on: those of an imported one's tokenizer."""
        before, _ = own_frame(self.run, self.tokenizer) or ((), ())
        return [*before]

    @property
    def start(self) -> list[int]:
        """What the model reads before the first token of a text: those, or else what stands before every document."""
        return self.opens or [self.tokenizer.vocabulary.start]

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return next(chain(self.model.parameters(), self.model.buffers())).device


def build(run: Run, vocabulary: int, classes: int, each: int = 0) -> nn.Module:
    """The run's model with fresh weights, which depend on the seed alone; its heads have so many outputs for a whole
    sequence and for ``each`` token."""
    torch.manual_seed(run.seed)
    model, std = made(run, vocabulary, classes, each), run.plan.init_std if run.training else None
    return model if std is None else (MODELS[run.model].authors_start or initialise_evenly)(model, std)


def made(run: Run, vocabulary: int, classes: int, each: int = 0) -> nn.Module:
    """The same, with whatever numbers chance gives."""
    entry, shape = MODELS[run.model], run.settings_of("model")
    model: nn.Module = entry.build(shape, vocabulary, classes)
    if each:
        model.each = entry.each(shape, each) if entry.each else EachToken(shape.width, each, dropout=shape.dropout)
    if run.tuning.pooling == MEAN:
        # A dense layer of the model's own has learnt to read the one token, and makes little of a mean.
        for part in [part for part in model.modules() if isinstance(part, SequenceHead)]:
            part.pooler = MeanToken()
    return model


def tell_statistics(model: nn.Module, vocabulary: Vocabulary) -> nn.Module:
    """The model, its parts told how the tokens are spelt and how often each is seen, where they want to know."""
    for part in model.modules():
        if isinstance(part, Meets):
            part.meet(vocabulary)
    return model


def load(folder: RunFolder, step: int | None = None) -> Trained:
    """The model of a run as it was last saved, or as it was at a ``step`` of which a snapshot was kept. Raises
    SettingsError where there is nothing to load."""
    run, tokenizer = folder.run, folder.tokenizer()
    try:
        weights, reached = load_weights(folder.path / "checkpoints")
    except FileNotFoundError:
        raise _unready(folder) from None
    if tokenizer is None:
        raise SettingsError(
            f"the tokenizer of the run {folder.name} is missing: put the file back, or train the run anew",
            f"训练 {folder.name} 缺少分词器：请把文件放回原处，或重新训练",
        )
    if step is not None:
        weights, reached = weights_at(folder.path, step), step
    if not all(weight.sum(dtype=torch.float64).isfinite() for weight in weights.values()):  # quicker than one by one
        raise SettingsError(
            f"weights of the run {folder.name} are not finite numbers: its training diverged; train with a lower "
            "learning rate or a longer warm-up",
            f"训练 {folder.name} 的权重不是有限的数 (NaN)：训练发散了；请降低学习率或延长预热",
        )
    labels = tuple(folder.document("labels.json").get("labels", ()))
    with Undrawn():  # the weights that were saved take the place of all; and the seed is everybody's
        model = tuned(made(run, tokenizer.vocabulary.size, *heads_of(run, labels)), run)
    set_weights(model, weights)
    opening = tuple(folder.document("opening.json").get("ids", ()))
    counts = token_counts.kept(folder, tokenizer.vocabulary.size)
    return Trained(run, arranged(model.eval()), tokenizer, labels, reached, opening, counts)


def _unready(folder: RunFolder) -> SettingsError:
    """Why there are no weights of a run: it has saved none yet, or what it has saved is damaged."""
    if newest(folder.path / "checkpoints") is None:
        return SettingsError(
            f"the run {folder.name} has no checkpoint yet: let it learn a little longer",
            f"训练 {folder.name} 还没有检查点：请让它多训练一会儿",
        )
    return SettingsError(
        f"every checkpoint of the run {folder.name} is damaged: put its files back, or train the run anew",
        f"训练 {folder.name} 的检查点都已损坏：请把文件放回原处，或重新训练",
    )


def inherit(model: nn.Module, parent: RunFolder) -> None:
    """Give a model the weights of the run that it starts from, all but the layer that names the classes."""
    weights, _ = load_weights(parent.path / "checkpoints")
    if parent.run.tuning.how in (LORA, PREFIX, ADAPTER):
        with torch.random.fork_rng(devices=[]):
            weights = weights_of(merged(load(parent).model, parent.run))
    own = weights_of(model)
    heads = SEQUENCE_HEAD, EACH_HEAD
    new = (CLASSES, EACH_HEAD)
    taken = {name: weights[name] for name in weights if not name.startswith(new if name in own else heads)}
    kept = {name: own[name] for name in own.keys() - taken.keys() if name.startswith(heads)}
    for path, part in model.named_modules():
        if isinstance(part, GlobalFirst):
            taken = part.started(path + ".", taken) | taken
    set_weights(model, taken | kept)


def classes_of(run: Run, labels: tuple[str, ...]) -> int:
    """How many classes the model's sequence head tells apart."""
    return heads_of(run, labels)[0]


def heads_of(run: Run, labels: tuple[str, ...]) -> tuple[int, int]:
    """How many outputs the model's heads have for a whole sequence and for each token; 0 where there is none."""
    if run.task is None:
        return 2 if run.pair else 0, 0
    task = TASKS[run.task]
    outputs = task.outputs(len(labels))
    return outputs * (task.head == "sequence"), outputs * (task.head == "each")
