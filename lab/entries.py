"""Registry entries: one typed class per register, whose fields are all that page, command line and tests know."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lab.asking import Decoding, Seq2Seq
from lab.published import Published
from lab.registry import Entry
from lab.settings import Settings, knob
from lab.vocabulary import Vocabulary

if TYPE_CHECKING:  # what is picked is listed without loading torch
    from torch import Tensor, nn

    from lab.batch import Batch, Output
    from lab.examples import Example, Examples, Prediction, Unit

Ids = NDArray[np.int64]
Scores = NDArray[np.float32]  # a head's answers to a unit: one row for each of its rows, or of its tokens


@dataclass(frozen=True, kw_only=True)
class ShapeSettings(Settings):
    """The sizes of a model. Those that a family does not have are as here."""

    # No fields: attributes of the class, whose place a field of the same name takes.
    context = 0  # every family has one
    depth = 0
    decoder_depth = None  # type: int | None
    width = 0
    dropout = 0.0
    feed = None  # type: int | None
    memory = 0  # tokens remembered from before the text


@dataclass(frozen=True, kw_only=True)
class Learning:
    """When one sees that a model learns, trained as the lab trains it unasked, where that is later than one expects.

    ``shows`` says by what it is seen: a loss below the bigram baseline, or tokens whose nearest neighbours mean
    something like them. ``seconds`` is how long that takes, as measured on two cores with the smallest size, of which
    the settings in ``least`` must be raised; ``longer`` names corpora on which it takes so many. ``why`` is the reason,
    in English and Chinese.
    """

    shows: Literal["loss", "neighbours"]
    seconds: int
    why: tuple[str, str]
    least: Mapping[str, int] = field(default_factory=dict)
    longer: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ModelEntry(Entry):
    """A family of models. ``traits`` are what it offers to objectives."""

    settings: type[ShapeSettings]
    year: int
    first: str = ""  # the model of that year, where the family's title is that of others, too
    parent: str | None  # the family that it changes
    paradigm: Literal["encoder", "recurrent", "decoder", "prefix-decoder", "encoder-decoder", "static"]
    objective: str  # what it learns, unless somebody wants otherwise
    pair: str | None  # and about pairs of sentences
    tokenizer: str  # the lab's choice for small texts
    reads: tuple[str, ...]  # the kinds of tokenizer of its published models; none where its paper has no text
    learning_rate: float  # the highest one of its recipe
    objective_settings: Mapping[str, Any] = field(default_factory=dict)  # the authors' own
    published: Published | None = None  # its training as published
    authors_start: Callable[[Any, float], Any] | None = None  # draws them by ``init_std``, if not all alike
    pooler: bool = False  # whether published files hold a pooler though it learns nothing about pairs
    own_loss: str = ""  # what it minimises, where that is no loss of guessing tokens
    each: "Callable[[Any, int], nn.Module] | None" = None  # its head for each token, of so many outputs, if not linear
    learning: Learning | None = None  # what one should know before a short run


@dataclass(frozen=True, kw_only=True)
class ObjectiveSettings(Settings):
    """The settings of an objective. What it lets nobody choose is as here."""

    # No fields: attributes of the class, whose place a field of the same name takes.
    dynamic = True  # whether it draws anew in every epoch
    copies = 1  # drawings that are read in turn, where it does not
    short = 0.0  # share of pairs of sentences that are short


@dataclass(frozen=True, kw_only=True)
class Masking(ObjectiveSettings):
    """The settings of an objective that asks for some tokens of a text, drawn anew each time."""

    share: float = knob(0.15, "Masking rate: share of targets", "掩码率：目标词元的比例", low=0.01, high=1.0, step=0.01)


@dataclass(frozen=True, kw_only=True)
class Shares:
    """How much of a text is asked, and which shares of that are masked, made random or made similar words; None where
    that never happens."""

    asked: float
    masked: float | None = None
    random: float | None = None
    similar: float | None = None


@dataclass(frozen=True, kw_only=True)
class Rates:
    """How much an objective asks of a text, by its settings; nothing where no rate says it.

    ``shares`` says it of one that asks for tokens one by one, ``asked`` mean and standard deviation of how many of the
    ids (T,) where that follows a rule of its own, None where there is no formula, and ``draws`` what one 80/10/10 draw
    decides for. ``share`` is that of one which asks for a fixed share, ``missing`` what an encoder does not get to read
    of the ids. ``second`` is how often the second answer of a sentence-pair objective is the right one.
    """

    shares: Callable[[Any], Shares] | None = None
    asked: Callable[[Ids, Any, Vocabulary], tuple[float, float] | None] | None = None
    share: Callable[[Any], float] | None = None
    missing: Callable[[Ids, Any, Vocabulary], float] | None = None
    second: Callable[[Any], float] | None = None
    draws: Literal["token", "word", "span"] = "token"


@dataclass(frozen=True, kw_only=True)
class Packing:
    """What an objective needs of the text: ``room`` for so many tokens in a context, ``special_tokens`` of its own, and
    ``cooccurrences``, a count over the whole of it."""

    room: Callable[[int, Any], int] | None = None
    special_tokens: tuple[str, ...] = ()
    cooccurrences: Callable[..., Any] | None = None


@dataclass(frozen=True, kw_only=True)
class ObjectiveEntry(Entry):
    """A pretraining objective. ``traits`` are what it needs of a model."""

    settings: type[ObjectiveSettings]
    stage: Literal["token", "pair"]  # whether it disturbs tokens or picks a pair of sentences
    frame: str = ""  # the special tokens around a text, a name in lab.data.template
    left_to_right: bool = False  # whether what it teaches is to go on
    given: str = ""  # "all": the beginning of a text that is to go on is seen whole
    answers: tuple[tuple[str, str], ...] = ()  # about a pair, in English and Chinese
    used: Callable[..., Any] | None = None  # how many sentences a pair has used up
    learnt_by: tuple[str, ...] = ()  # models that the lab lacks, or that learn something else here
    boundary: bool = False  # whether spans may be asked a second time, from their ends
    likens: bool = False  # whether it wants to know which tokens are similar
    rates: Rates = Rates()
    decoding: Decoding = Decoding()
    packing: Packing = Packing()

    @property
    def masks(self) -> bool:
        """Whether it draws tokens of a text to ask for, at a masking rate."""
        return issubclass(self.settings, Masking)

    @property
    def pairs_tokens(self) -> bool:
        """Whether it is learnt by models without attention, from pairs of tokens that stand near each other."""
        return bool(self.traits & {"windows", "cooccurrences"})

    @property
    def writes(self) -> bool:
        """Whether who learnt it can be asked to write: to go on, to answer, or to fill blanks token by token."""
        return self.left_to_right or self.decoding.seq2seq is not None or self.decoding.filling is not None

    def seq2seq(self, settings: Settings) -> Seq2Seq | None:
        """How a model is asked to write that learnt with these settings; None where it does not write."""
        seq2seq = self.decoding.seq2seq
        return seq2seq(settings) if callable(seq2seq) else seq2seq


@dataclass(frozen=True, kw_only=True)
class TokenizerEntry(Entry):
    """A kind of tokenizer."""

    keeps: Literal["everything", "characters", "letters", "words"]  # what decoding gives back
    ends: str  # what limits the size of its vocabulary
    growing: Callable[..., Iterator[Any]]  # vocabularies of growing size, each from the one before


@dataclass(frozen=True)
class SoFar:
    """The tokens of a text that grows, of which the first ``given`` were there before the model wrote, and what
    samplers, by their names, have kept since."""

    ids: Sequence[int] = ()
    given: int = 0
    states: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SamplerState:
    """One number that a sampler keeps from token to token: what it ``starts`` with by its settings, and what it is
    ``after`` a token, by what it was, the logits (V,) that reached the sampler, the settings and the token."""

    starts: Callable[[Any], float]
    after: "Callable[[float, Tensor, Any, int], float]"


@dataclass(frozen=True, kw_only=True)
class SamplerEntry(Entry):
    """A rule that changes logits (..., V) before a token is drawn, those of each text by themselves."""

    looks_back: bool = False  # whether it depends on what the text holds so far, which it then takes, too
    state: SamplerState | None = None  # what it keeps, which it then takes, too

    def applied(self, logits: "Tensor", settings: Settings, so_far: SoFar) -> "Tensor":
        """The logits (..., V) after the rule, those of texts that hold the same so far."""
        more = [so_far] if self.looks_back else [] if self.state is None else [self.kept(settings, so_far)]
        changed: Tensor = self.build(logits, settings, *more)
        return changed

    def kept(self, settings: Settings, so_far: SoFar) -> float:
        """What a sampler with a state has kept."""
        assert self.state is not None, f"{self.name} keeps nothing"
        return so_far.states.get(self.name, self.state.starts(settings))


@dataclass(frozen=True, kw_only=True)
class CorpusEntry(Entry):
    """A source of texts. Of the examples that are ``held_out`` the first few are a fair sample."""

    labelled: bool  # whether its texts have classes
    task: str = ""  # the name of the one task that its examples are for
    language: str = ""  # of a corpus that comes with the lab: "en", "zh" or "both"
    classes: Sequence[str] | None = None  # their names, where they are known
    endings: tuple[str, ...] = ()  # of the names of files that are read so unasked
    address: str = ""  # what an address that is read so begins with
    large: Callable[[Any], dict[Path, str] | None] | None = None  # its files and their encodings, if too large to hold
    examples: "Callable[[Any, TaskEntry], Examples] | None" = None  # what it holds for a task, if no texts and classes
    held_out: "Callable[[Any, TaskEntry, Sequence[str]], Sequence[Example] | None] | None" = None  # for validation


@dataclass(frozen=True, kw_only=True)
class TaskEntry(Entry):
    """What a pretrained model is fine-tuned for. ``traits`` are what it needs of a model, where not one of
    ``otherwise`` will do as well.

    An example ``holds`` these fields, which stand in a file's ``columns`` under one of their usual names. ``build``
    makes units of it, and one head of the model answers them: that for the ``sequence``, that for ``each`` token or
    that which says ``tokens``, with as many ``outputs`` as so many classes need. ``predict`` reads the answers to all
    units of an example; where it is None, the answer is written. ``measure`` holds predictions against examples,
    ``yardsticks`` are the same of whoever has not read them.
    """

    holds: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    names: bool  # whether its classes have names
    head: Literal["sequence", "each", "tokens"]
    outputs: Callable[[int], int]
    loss: "Callable[[Output, Batch], tuple[Tensor, float]]"  # nats or squares, a mean, and of how many answers
    predict: "Callable[[Example, Sequence[Unit], Sequence[Scores], Sequence[str], Any], Prediction] | None"
    measure: "Callable[[Sequence[Prediction], Sequence[Example], Sequence[str]], dict[str, Any]]"
    yardsticks: "Callable[[Sequence[Example], Sequence[Example], Sequence[str]], dict[str, float]]"
    score: str  # the measure that counts
    several: bool = False  # whether a long text makes several units
    learnt: "Callable[[Sequence[Unit]], Sequence[Unit]] | None" = None  # those of an example that are learnt from
    otherwise: tuple[frozenset[str], ...] = ()

    @property
    def writes(self) -> bool:
        """Whether the model writes its answer, by the head with which it has learnt to."""
        return self.head == "tokens"


@dataclass(frozen=True, kw_only=True)
class BenchmarkEntry(Entry):
    """Ours beside a peer, in one run."""
