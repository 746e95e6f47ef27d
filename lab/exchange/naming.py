"""Parameter names and config keys of a published architecture, beside the names of the lab.

A naming is a table, one file a family in ``families``. Tensors are asked for by our names,
so that none of ours can stay empty; what is left over of theirs must be on the naming's list of what may be ignored.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from lab.catalog import MODELS
from lab.exchange.headers import VOCABULARY
from lab.exchange.parts import Made, Source, as_made
from lab.settings import SettingsError

ENDS = (".weight", ".bias", "")
# In every family: what older files carry along, and how the norms were called when BERT was young.
IGNORED = (r"(.*\.)?position_ids", r"(.*\.)?inv_freq")
OLDER = ((r"LayerNorm\.gamma", "LayerNorm.weight"), (r"LayerNorm\.beta", "LayerNorm.bias"))
RECIPE = "cloze_lab"  # where a config that the lab wrote names the recipe: some share their architecture

Config = Mapping[str, Any]


@dataclass(frozen=True)
class Key:
    """Where a config keeps one of our settings, what it means if it is left out, and its values in their words. Of
    several names the first is read and all are written."""

    name: str | tuple[str, ...]
    default: Any
    words: Mapping[Any, Any] | None = None  # ours to theirs
    usual: Callable[[Any], Any] | None = None  # of a model's settings: what is meant where this one is left out

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,) if isinstance(self.name, str) else self.name

    def read(self, config: Config) -> Any:
        """The setting as the config has it."""
        value = config.get(self.names[0], self.default)
        if self.words is None:
            return value
        spellings = [ours for ours, theirs in self.words.items() if theirs == value]
        return spellings[0] if spellings else value  # the model's settings then say what is wrong with it

    def write(self, value: Any, shape: Any = None) -> dict[str, Any]:
        """The setting as a part of a config."""
        value = self.usual(shape) if value is None and self.usual else value
        return dict.fromkeys(self.names, value if self.words is None else self.words[value])


@dataclass(frozen=True, kw_only=True)
class Naming:
    """One architecture: whose names are whose, for tensors and for settings."""

    model: str  # our recipe
    kind: str  # the config's model_type
    tokens: str  # the class with a head for tokens
    pair: str = ""  # the class with a head for tokens and one about pairs of sentences
    labels: str = ""  # the class that names a label
    tag_head: str = ""  # how the class that tags tokens calls its head; "" where there is no such class
    span_class: str = ""  # what the class that finds answers is called behind the family's name
    onward: str = ""  # the class that says what comes next, of a body that is_decoder tells to look to the left only
    onward_remark: tuple[str, str] | None = None  # what is to be known of that class
    padding: str = "right"  # on which side of a text the class that names a label bears padding
    base: str = ""  # what stands before the names of the bare model, and is missing in some files
    names: Mapping[str, Source]  # our paths to theirs; * is a block's number
    label_names: Mapping[str, Source] = field(default_factory=dict)  # what is called otherwise in a classifier
    same: Mapping[str, str] = field(default_factory=dict)  # copies of a tensor that ours has once: copy to original
    again: Mapping[str, str] = field(default_factory=dict)  # copies that stand in a file beside a head of its own
    sums: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # several of ours, added up, for others to read
    spare: Mapping[str, str] = field(default_factory=dict)  # which tensor serves where another is missing
    older: Sequence[tuple[str, str]] = ()  # spellings of older files, as patterns, and today's
    ignored: Sequence[str] = ()  # patterns of names that mean nothing to us
    sizes: Mapping[str, Key]  # our settings in their config
    vocabulary: Key = field(default_factory=lambda: Key("vocab_size", None))
    fixed: Mapping[str, Any] = field(default_factory=dict)  # what the recipe takes for granted in a config
    assumed: Mapping[str, Any] = field(default_factory=dict)  # what is meant where such a key is left out, if not that
    fits: Callable[[Config], bool] = lambda config: True  # where several recipes share a model_type
    suits: Callable[[Any], bool] = lambda shape: True  # where one recipe has several classes
    written: bool = True  # False for names that are only read: transformers has others for the same model
    objective: str = ""  # what an imported one learns, if not what its recipe does
    to_shape: Callable[[Config], dict[str, Any]] = lambda config: {}  # settings that are more than one key
    to_config: Callable[[Any], dict[str, Any]] = lambda shape: {}  # and back
    doubt: Callable[[Config], tuple[str, str] | None] = lambda _: None  # what a config leaves open, and how it is read
    remark: Callable[[Any], tuple[str, str] | None] = lambda shape: None  # what transformers does otherwise
    tokens_remark: Callable[[Any], tuple[str, str] | None] = lambda shape: None  # the same where tokens are predicted
    hindrance: Callable[[Any], tuple[str, str] | None] = lambda shape: None  # why a shape of ours has no config

    # Sizes ------------------------------------------------------------------------------------------------------

    def shape(self, config: Config) -> Any:
        """Our settings for a config. Raises SettingsError where ours computes something else."""
        for key, value in self.fixed.items():
            given = config.get(key, self.assumed.get(key, value))
            if given != value:
                title = MODELS[self.model].title
                raise SettingsError(
                    f"the config has {key} {short(given)}; the lab's {title} is made with {value!r}",
                    f"配置中 {key} 为 {short(given)}，而本实验室的 {title} 使用 {value!r}",
                )
        settings = {knob: _plain(key.names[0], key.read(config)) for knob, key in self.sizes.items()}
        try:
            settings |= {knob: _plain(knob, value) for knob, value in self.to_shape(config).items()}
        except SettingsError:
            raise
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
            raise SettingsError(
                "the config's values are not of the kind that they should be", "配置中的值不是应有的类型"
            ) from None
        try:
            shape = MODELS[self.model].settings.load(settings)
        except SettingsError as error:
            key = next((key.names[0] for knob, key in self.sizes.items() if error.en.startswith(f"{knob} ")), "")
            named = SettingsError(f"the config's {key}: {error.en}", f"配置中的 {key}：{error.zh}")
            raise (named if key else error) from None
        self.refuse(shape)
        return shape

    def refuse(self, shape: Any) -> None:
        """Raise SettingsError where a shape of ours has no config."""
        hindrance = self.hindrance(shape)
        if hindrance is not None:
            raise SettingsError(*hindrance)

    def size(self, config: Config) -> int:
        """How many tokens the model of a config knows."""
        value = self.vocabulary.read(config)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= VOCABULARY:
            key = self.vocabulary.names[0]
            raise SettingsError(
                f"the config's {key} is {short(value)}: it must be a whole number from 1 to {VOCABULARY:,}",
                f"配置中的 {key} 为 {short(value)}：必须是 1 到 {VOCABULARY:,} 之间的整数",
            )
        return value

    def config(self, shape: Any, vocabulary: int) -> dict[str, Any]:
        """The config of our settings."""
        document: dict[str, Any] = {
            "model_type": self.kind,
            RECIPE: self.model,
            **self.fixed,
            **self.vocabulary.write(vocabulary),
        }
        for knob, key in self.sizes.items():
            document |= key.write(getattr(shape, knob), shape)
        return document | self.to_config(shape)

    # Tensors ----------------------------------------------------------------------------------------------------

    def made(self, target: str, *, classifier: bool = False) -> Made:
        """Of which tensors of theirs one of ours is made."""
        tables = (self.label_names, self.names) if classifier else (self.names,)
        for table in tables:
            for end in ("", *ENDS[:2]):
                if target.endswith(end):
                    mapping = _look_up(table, target.removesuffix(end) if end else target)
                    if mapping is not None:
                        return mapping.at(end)
        raise AssertionError(f"the naming of {self.model} does not know {target}")

    def take(
        self, theirs: Mapping[str, Tensor], targets: Iterable[str], shape: Any, *, classifier: bool = False
    ) -> Iterator[tuple[str, Tensor]]:
        """Our tensors, one after the other, made of theirs under today's names."""
        for target in targets:
            made = self.made(target, classifier=classifier)
            for name in made.of:
                if name not in theirs:
                    title = MODELS[self.model].title
                    raise SettingsError(
                        f"the weights lack the tensor {name!r}, which {title} needs",
                        f"权重中缺少 {title} 需要的张量 {name!r}",
                    )
            yield target, made.here([theirs[name] for name in made.of], shape)

    def give(self, ours: Mapping[str, Tensor], shape: Any, *, classifier: bool = False) -> dict[str, Tensor]:
        """Their tensors, made of ours."""
        stacked: dict[str, dict[int, Tensor]] = {}
        for target, tensor in ours.items():
            made = self.made(target, classifier=classifier)
            for name, part in zip(made.of, made.there(tensor, shape), strict=True):
                pieces = stacked.setdefault(name, {})
                assert (made.piece or 0) not in pieces, target
                pieces[made.piece or 0] = part
        whole = {
            name: torch.cat([pieces[number] for number in sorted(pieces)]) if len(pieces) > 1 else pieces[0]
            for name, pieces in stacked.items()
        }
        if "head.out.weight" in ours:
            whole |= {copy: whole[first] for copy, first in self.again.items()}
        sums = {
            name: [ours[summand] for summand in parts] for name, parts in self.sums.items() if ours.keys() >= {*parts}
        }
        return whole | {name: torch.stack(parts).sum(0) for name, parts in sums.items()}

    def today(self, names: Iterable[str], wanted: Iterable[str]) -> dict[str, str]:
        """Today's names to those in a file, whatever its age; what is to be ignored is left out.

        ``wanted`` are today's names that are of use. Raises SettingsError for a name that nobody knows.
        """
        wanted, patterns = set(wanted), self._patterns
        renamed: dict[str, str] = {}
        copies: dict[str, str] = {}
        for name in names:
            new = self.respelt(name, wanted)
            if new in renamed or new in copies:
                raise SettingsError(
                    f"the weights hold {new!r} twice, as {renamed.get(new) or copies[new]!r} and as {name!r}",
                    f"权重中 {new!r} 出现了两次：{renamed.get(new) or copies[new]!r} 和 {name!r}",
                )
            if new in wanted:
                renamed[new] = name
            elif self.same.get(new) in wanted:
                copies[new] = name
            elif not any(
                pattern.fullmatch(spelling) for pattern in patterns for spelling in (new, name, self.base + name)
            ):
                title = MODELS[self.model].title
                raise SettingsError(
                    f"the weights hold {short(name)}, for which {title} has no place",
                    f"权重中的 {short(name)} 在 {title} 中没有对应的位置",
                )
        for copy, name in copies.items():  # where a file kept only the copy, it is as good as the original
            renamed.setdefault(self.same[copy], name)
        return renamed

    def copies(self, names: Iterable[str], wanted: Iterable[str]) -> list[tuple[str, str]]:
        """Pairs of names in a file that must hold the same numbers, since ours has them once."""
        wanted = set(wanted)
        today = {self.respelt(name, wanted): name for name in names}
        there = [pair for pair in self.same.items() if {*pair} <= today.keys() and pair[0] not in wanted]
        return [(today[copy], today[first]) for copy, first in there]

    def respelt(self, name: str, wanted: set[str]) -> str:
        """Today's name of a tensor."""
        for pattern, new in (*OLDER, *self.older):
            name = re.sub(pattern + "$" if not pattern.startswith("^") else pattern, new, name)
        if name in wanted or name in self.same or not self.base:
            return name
        longer, shorter = self.base + name, name.removeprefix(self.base)
        return next((each for each in (longer, shorter) if each in wanted or each in self.same), name)

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        """What may be left over: what means nothing, and heads that this file's model does without."""
        heads = [
            path
            for table in (self.names, self.label_names)
            for mine, source in table.items()
            if mine.startswith("sequence.")
            for path in as_made(source).of
        ]
        return [
            re.compile(pattern)
            for pattern in (*IGNORED, *self.ignored, *(re.escape(path) + r"(\..*)?" for path in heads))
        ]


def _look_up(table: Mapping[str, Source], path: str) -> Made | None:
    if path in table:
        return as_made(table[path])
    for mine, source in table.items():
        if "*" in mine:
            number = re.fullmatch(re.escape(mine).replace(r"\*", r"(\d+)"), path)
            if number:
                return as_made(source).numbered(number[1])
    return None


def _plain(key: str, value: Any) -> Any:
    """A value that may go into a sentence: no lists and no novels."""
    if isinstance(value, list | dict) or len(str(value)) > 40:
        raise SettingsError(f"the config's {key} is {short(value)}", f"配置中的 {key} 为 {short(value)}")
    return value


def must_share(config: Config, head: str, width: str, heads: str) -> None:
    """Raises SettingsError where a config gives heads another width than their share of the model's."""
    own, whole, count = (config.get(key) for key in (head, width, heads))
    if own is None or not isinstance(whole, int) or not isinstance(count, int):
        return
    if not isinstance(own, int) or own * count != whole:
        raise SettingsError(
            f"the config gives {short(count)} heads {short(own)} numbers each; here they share width {short(whole)}",
            f"配置中 {short(count)} 个头每头 {short(own)} 个数；本实验室中各头均分隐藏维度 {short(whole)}",
        )


def short(value: Any) -> str:
    """A stranger's value, as much of it as a sentence bears."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
