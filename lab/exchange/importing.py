"""Import from Hugging Face: from a folder to a run that can be asked, measured and fine-tuned.

Everything is checked before the first number is read: the headers in a child process, then the conversion itself on
torch's meta device, where tensors have shapes and take no memory.
"""

import json
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lab.analysis.outline import outlined
from lab.catalog import MODELS, OBJECTIVES
from lab.exchange.known import naming_of_files
from lab.exchange.naming import Config, Naming, short
from lab.exchange.opening import opening
from lab.exchange.tokenizer_files import of_model
from lab.exchange.untrusted import read_apart
from lab.exchange.weights import Weights
from lab.runs import checkpoint
from lab.runs.checkpoint import State
from lab.runs.files import write
from lab.runs.folder import RunFolder
from lab.runs.run import IMPORTED, Run
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer

LARGEST = 20 * 10**9  # bytes of weights
CLASSES = 1_000
SPOKEN = ("eos_token_id", "bos_token_id")  # what a model's config says of writing unless a file of its own does

Sentence = tuple[str, str]  # English, Chinese
POOLERLESS: Sentence = (
    "the files' pooler is left out: without a head for whole texts a run has none, and fine-tuning starts a new one",
    "文件中的 pooler 未被保留：没有整句输出层的训练没有它，微调时会重新初始化",
)
HEADLESS: Sentence = (
    "the files have no head that tells tokens: it starts from chance, and so do its answers about tokens",
    "文件中没有判断词元的输出层：它从随机数开始，对词元的回答也是随机的",
)
HEADED: Sentence = (
    "the files' head is about single tokens or spans: the body alone is taken, and fine-tuning starts a new head",
    "文件中的输出层针对单个词元或片段：只取模型主体，微调时会换上新的输出层",
)
OTHER_HEADS = ("classifier.", "qa_outputs.", "score.")  # how such heads are called in every family


@dataclass(frozen=True)
class Brought:
    """A run made of strangers' files, and what is worth knowing about it."""

    folder: RunFolder
    vocabulary: int
    parameters: int
    notes: list[Sentence]


@dataclass(frozen=True)
class Plan:
    """What a folder holds, in our terms, before a number of it was read."""

    naming: Naming
    shape: Any
    size: int  # ids
    head: str  # "pair", "labels" or "" for none
    classes: int
    labels: tuple[str, ...]
    today: dict[str, str]  # today's names to those in the files
    targets: dict[str, torch.Size]  # what the files have for us
    fresh: dict[str, torch.Size]  # the head for tokens, where they have none
    beside: dict[str, torch.Size]  # what ours keeps that is no parameter, and files may leave out: zeros
    onward: bool  # whether it looks to the left only, where its family usually does not
    pooler: bool  # whether the files sum a text up in a way for which ours has no place
    apart: bool  # whether the files' head is about tokens or spans, and left out
    remark: Sentence | None  # how something in the config was understood

    @property
    def objective(self) -> str:
        """What such a model has learnt."""
        usual: str = self.naming.objective or MODELS[self.naming.model].objective
        return "clm" if self.onward else usual

    @property
    def notes(self) -> list[Sentence]:
        """What is worth knowing about it."""
        possible = [(self.apart, HEADED), (self.fresh, HEADLESS), (self.pooler, POOLERLESS)]
        return [note for there, note in possible if there] + ([self.remark] if self.remark else [])


def bring(source: Path, to: Path | None = None, *, title: str = "", most: int = LARGEST) -> Brought:
    """Make a run of the folder ``source``. Raises SettingsError, with nothing left behind, if it cannot."""
    what = ("the folder's weights", "文件夹中的权重")
    looked = read_apart("lab.exchange.headers:look", str(source), most, what=what)
    weights = Weights(source, {name: tuple(facts) for name, facts in looked["tensors"].items()})
    plan = planned(looked["config"], weights)
    spoken = {key: looked["generation"][key] for key in SPOKEN if looked["generation"].get(key) is not None}
    spoken["is_encoder_decoder"] = "writes" in MODELS[plan.naming.model].traits  # a config may leave it to its class
    goes_on = OBJECTIVES[plan.objective].left_to_right
    tokenizer, notes = of_model(source, looked["config"] | spoken, plan.size, goes_on=goes_on)
    begun = opening(plan.objective, looked["config"], looked["generation"], tokenizer.vocabulary)
    values = read(plan, weights)
    run = Run(
        kind=IMPORTED,
        model=plan.naming.model,
        shape=plan.shape.dump(),
        objective=plan.objective,
        pair=MODELS[plan.naming.model].pair if plan.head == "pair" else None,
        task="classify" if plan.head == "labels" else None,
        title=title or source.resolve().name,
    )
    folder = RunFolder.create(run, to, tokenizer)
    try:
        if plan.labels:
            write(folder.path / "labels.json", json.dumps({"labels": plan.labels}, ensure_ascii=False))
        if begun:
            write(folder.path / "opening.json", json.dumps({"ids": begun}))
        checkpoint.save(folder.path / "checkpoints", State(0, values, {}, {}))
        result = {"run": folder.name, "ended": "finished", "steps": 0, "seconds": 0.0, "validation": {}}
        write(folder.path / "result.json", json.dumps(result))
    except BaseException:
        shutil.rmtree(folder.path, ignore_errors=True)
        raise
    parameters = sum(values[name].numel() for name in [*plan.targets, *plan.fresh])
    return Brought(folder, plan.size, parameters, plan.notes + notes + _unasked(plan.objective, tokenizer))


def _unasked(name: str, tokenizer: Tokenizer) -> list[Sentence]:
    """What is to be said where a tokenizer lacks special tokens without which nobody can be asked what was learnt."""
    objective, there = OBJECTIVES[name], tokenizer.vocabulary.specials
    lacking = sorted(token for token in objective.packing.special_tokens if token not in there)
    if not lacking:
        return []
    return [
        (
            f"the tokenizer lacks special tokens that {objective.title.lower()} needs, such as {lacking[0]}: the model "
            "cannot be asked as it was pretrained",
            f"分词器缺少{objective.title_zh}需要的特殊词元，例如 {lacking[0]}：不能按预训练时的方式提问",
        )
    ]


def planned(config: Config, weights: Weights) -> Plan:
    """Our model for a config, and which tensor comes from where; shapes that do not agree are refused here."""
    naming, apart = naming_of_files(config, weights), _of_tokens(config)
    shape, size = naming.shape(config), naming.size(config)
    weights = weights.without(OTHER_HEADS) if apart else weights
    head, classes = _head(naming, config, weights)
    outline = outlined(naming.model, shape, size, classes)
    targets, beside = (
        {name: tensor.shape for name, tensor in tensors}
        for tensors in (outline.named_parameters(), outline.named_buffers())
    )
    wanted = {name for target in [*targets, *beside] for name in naming.made(target, classifier=head == "labels").of}
    wanted |= {spare for name, spare in naming.spare.items() if name in wanted}
    today = naming.today(weights, wanted)
    for name, spare in naming.spare.items():
        if name in wanted and spare in today:
            today.setdefault(name, today[spare])
    heads = {name: targets[name] for name in targets if name.startswith("head.")}
    lacking = not any(part in today for name in heads for part in naming.made(name).of)
    fresh = heads if lacking else {}
    targets = {name: targets[name] for name in targets if name not in fresh}
    labels = _labels(config, classes if head == "labels" else 0)
    onward = bool(naming.onward and config.get("is_decoder"))
    if onward and head == "labels":
        raise SettingsError(
            "this classifier reads its first token, which sees nothing of the text where is_decoder is true",
            "is_decoder 为 true 时，这个分类器所读的第一个词元看不到文本的其余部分",
        )
    pooler = not head and _pools(naming, weights)
    found = naming, shape, size, head, classes, labels, today, targets, fresh, beside
    plan = Plan(*found, onward, pooler, apart, naming.doubt(config))
    _agree(plan, weights.outline())
    return plan


def read(plan: Plan, weights: Weights) -> dict[str, Tensor]:
    """All tensors of our model, with the numbers of the files."""
    naming = plan.naming
    for copy, first in naming.copies(weights, {*plan.today}):
        if not torch.equal(weights[copy], weights[first]):
            title = MODELS[naming.model].title
            free = "tied" in naming.sizes and copy.endswith(naming.made("head.out.weight").of)
            raise SettingsError(
                f"the tensors {short(copy)} and {short(first)} differ; {title} has one for both"
                + free * " unless the config says tie_word_embeddings false",
                f"张量 {short(copy)} 与 {short(first)} 不同，而 {title} 中二者是同一个"
                + free * "，除非配置中 tie_word_embeddings 为 false",
            )
    theirs = _Renamed(weights, plan.today)
    values = dict(naming.take(theirs, _there(plan), plan.shape, classifier=plan.head == "labels"))
    values |= {name: _started(name, size) for name, size in plan.fresh.items()}
    zeros = {name: torch.zeros(size) for name, size in plan.beside.items()}
    return zeros | {name: value.contiguous() for name, value in values.items()}


def _started(name: str, size: torch.Size) -> Tensor:
    """What a head that must yet learn starts from."""
    if len(size) > 1:
        return 0.02 * torch.randn(size, generator=torch.Generator().manual_seed(0))
    return torch.ones(size) if name.endswith("norm.weight") else torch.zeros(size)


class _Renamed(dict[str, Tensor]):
    """Tensors under today's names, read one by one."""

    def __init__(self, weights: Weights, names: dict[str, str]) -> None:
        super().__init__()
        self._weights, self._names = weights, names
        self._twice = {old for old, times in Counter(names.values()).items() if times > 1}  # one stands in for another

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __missing__(self, name: str) -> Tensor:
        old = self._names[name]
        return self._weights[old].clone() if old in self._twice else self._weights[old]


def _head(naming: Naming, config: Config, names: Iterable[str]) -> tuple[str, int]:
    """What the file's model says about whole sequences: about pairs, one of several labels, or nothing."""
    there, own = {*names}, naming.names.get("sequence.out")
    labels = naming.label_names.get("sequence.out", None if naming.pair else own)
    for head, source, named in (("labels", labels, naming.labels), ("pair", own, naming.pair)):
        if named and isinstance(source, str) and {source + ".weight", naming.base + source + ".weight"} & there:
            if head == "pair":
                return head, 2
            given = config.get("id2label")
            classes = len(given) if isinstance(given, dict) and given else 2
            _must_choose(config.get("problem_type"), classes)
            return head, classes
    return "", 0


def _of_tokens(config: Config) -> bool:
    """Whether the files' head names each token, or finds where an answer begins and ends."""
    made = str(config.get("architectures"))
    return "ForTokenClassification" in made or "ForQuestionAnswering" in made


def _must_choose(problem: Any, classes: int) -> None:
    """Raises SettingsError for a head that does not name one class of several."""
    if classes > 1 and problem in (None, "single_label_classification"):
        return
    kind = problem if problem in ("multi_label_classification", "regression") else "regression"
    raise SettingsError(
        f"the files' head is for {kind}; the lab's classifiers choose one class of several",
        f"文件中的输出层用于 {kind}；本实验室的分类器从几个类别中选一个",
    )


def _pools(naming: Naming, names: Iterable[str]) -> bool:
    """Whether there is a layer that sums a whole text up, of which ours is made where there is a head behind it."""
    own = naming.names.get("sequence.pooler.dense")
    return isinstance(own, str) and bool({own + ".weight", (own + ".weight").removeprefix(naming.base)} & {*names})


def _labels(config: Config, classes: int) -> tuple[str, ...]:
    if classes > CLASSES:
        raise SettingsError(
            f"the config names {classes:,} labels; {CLASSES:,} are the most",
            f"配置中有 {classes:,} 个标签，最多 {CLASSES:,} 个",
        )
    given = config.get("id2label") or {}
    return tuple(str(given.get(str(number), number))[:100] for number in range(classes))


def _there(plan: Plan) -> list[str]:
    """Those of our tensors that are made of the files'."""
    beside = [name for name in plan.beside if {*plan.naming.made(name).of} <= plan.today.keys()]
    return [*plan.targets, *beside]


def _agree(plan: Plan, outline: dict[str, Tensor]) -> None:
    """Every tensor of ours, made of shapes alone, has the shape that the config promises."""
    theirs = {new: outline[old] for new, old in plan.today.items()}
    taking = plan.naming.take(theirs, _there(plan), plan.shape, classifier=plan.head == "labels")
    promised = plan.targets | plan.beside
    for target in _there(plan):
        made = plan.naming.made(target, classifier=plan.head == "labels")
        shapes = ", ".join(f"{name} {[*theirs[name].shape]}" for name in made.of if name in theirs)
        try:
            _, tensor = next(taking)
            agree = tensor.shape == promised[target]
        except (RuntimeError, IndexError, ValueError) as error:
            if isinstance(error, SettingsError):
                raise
            agree = False
        if not agree:
            wanted = [*promised[target]]
            raise SettingsError(
                f"the weights do not have the shapes that the config says: {shapes} cannot make {target} {wanted}",
                f"权重的形状与配置不符：{shapes} 不能构成 {target} {wanted}",
            )
