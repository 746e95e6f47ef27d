"""Parameter-efficient fine-tuning: which parameters of a model move, and how many these are.

All of them, at once or one block after another (Howard and Ruder 2018); the head alone, a probe of frozen features; the
last blocks; LoRA's products beside attention's projections (Hu et al. 2021); the biases (Ben Zaken et al. 2022); a
prefix of keys and values in front of those of the text (Li and Liang 2021); or adapters behind the feed-forward
networks (Houlsby et al. 2019). The head of the task moves always. Where the model writes its answers, that of
pretraining is read, and moves where whole layers do.
"""

import re
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from lab.catalog import MODELS, TASKS
from lab.entries import TaskEntry
from lab.layers.adapter import Adapter
from lab.layers.attention import Attention
from lab.layers.feedforward import MLP, GatedMLP
from lab.layers.low_rank import adapt, merge, plain
from lab.layers.prefix import Prefix
from lab.runs.run import Run
from lab.runs.tuning import ADAPTER, BITFIT, FROZEN, FULL, GRADUAL, LAST, LORA, PREFIX, Tuning
from lab.settings import SettingsError

HEADS = ("sequence.", "each.")
PRETRAINING = ("head.", "boundary.", "generator.", "late.")  # through these no task reads a sequence
_BLOCK = re.compile(r"(?:stack|decoder)\.blocks\.(\d+)\.")
_FEED = re.compile(r"(?!generator\.)(?:.*\.)?blocks\.\d+\.feed")
_ATTENTION = re.compile(r"(?:.*\.)?blocks\.\d+\.(?:attention|cross)\.\w+")
_ANYWHERE = re.compile(r"(?:.*\.)?blocks\.\d+\.(?:attention|cross|feed)\.\w+")


def tuned(model: nn.Module, run: Run) -> nn.Module:
    """The model, ready to be fine-tuned as the run says: what does not move asks for no gradient. Raises SettingsError
    where nothing but the head would move in a model that has no such parts."""
    how = run.tuning
    if how.how == FULL or run.task is None:
        return model
    if how.how == GRADUAL:
        if not any(map(_BLOCK.match, dict(model.named_parameters()))):
            raise _nothing(run)
        return model
    if how.how == PREFIX:
        for part in model.modules():
            if isinstance(part, Attention) and part.takes_prefix:
                part.prefix = Prefix(part.kv_heads, how.prefix, part.head_width)
    if how.how == ADAPTER:
        for name, part in model.named_modules():
            if isinstance(part, MLP | GatedMLP) and _FEED.fullmatch(name):
                part.adapter = Adapter(part.down.out_features, how.bottleneck)
    if how.how == LORA:
        pattern = _ANYWHERE if how.everywhere else _ATTENTION
        maps = [part for name, part in model.named_modules() if isinstance(part, nn.Linear) and pattern.fullmatch(name)]
        for part in maps:
            adapt(part, how.rank, how.alpha / how.rank)
    own = {plain(name): parameter for name, parameter in model.named_parameters()}
    task = TASKS[run.task]
    head = {name for name in own if name.startswith(_heads(task, how.how))}
    beside = {*_beside_the_head(task, how, own)} - {name for name in own if name.startswith("generator.")}
    if not beside and (how.how != FROZEN or not head):
        raise _nothing(run)
    for name, parameter in own.items():
        parameter.requires_grad_(name in head or name in beside)
    return model


def _heads(task: TaskEntry, how: str) -> tuple[str, ...]:
    """What the names of the head begin with. Where the model writes the answer no head is new: its own is the last of
    its layers, and moves where whole layers do."""
    if task.writes:
        return ("head.",) if how in (FROZEN, LAST) else ()
    return HEADS


def _beside_the_head(task: TaskEntry, how: Tuning, own: dict[str, nn.Parameter]) -> Iterator[str]:
    """The names of what moves beside the head."""
    if how.how == LORA:
        yield from (name for name in own if ".lora_" in name)
    if how.how == PREFIX:
        yield from (name for name in own if ".prefix." in name)
    if how.how == ADAPTER:
        yield from (name for name in own if ".adapter." in name)
    if how.how == BITFIT:
        body = (name for name in own if not name.startswith((*HEADS, *_unread(task))))
        yield from (name for name in body if "bias" in name.rpartition(".")[2])
    if how.how == LAST:
        numbers = {name: int(block[1]) for name in own if (block := _BLOCK.match(name))}
        first = max(numbers.values(), default=0) + 1 - how.blocks
        yield from (name for name, number in numbers.items() if number >= first)
        yield from (name for name in own if numbers and name.startswith(("stack.norm.", "decoder.norm.")))


def asking(model: nn.Module, task: TaskEntry) -> dict[str, nn.Parameter]:
    """The parameters that ask for a gradient, without the heads of pretraining, which the task does not read."""
    own = {plain(name): parameter for name, parameter in model.named_parameters()}
    return {name: each for name, each in own.items() if each.requires_grad and not name.startswith(_unread(task))}


def _unread(task: TaskEntry) -> tuple[str, ...]:
    """What the names of the heads of pretraining begin with that the task does not read: none, where it writes."""
    return () if task.writes else PRETRAINING


def moving(model: nn.Module, loss: Tensor) -> list[str]:
    """The names of the parameters that a loss moves: those that ask for a gradient and are reached by it."""
    asking = [(plain(name), parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    slopes = torch.autograd.grad(loss, [parameter for _, parameter in asking], allow_unused=True)
    return [name for (name, _), slope in zip(asking, slopes, strict=True) if slope is not None]


def merged(model: nn.Module, run: Run) -> nn.Module:
    """The model with plain weights. Raises SettingsError where there is more to it than weights can hold."""
    if run.tuning.how in (PREFIX, ADAPTER):
        en, zh = {PREFIX: ("a prefix is", "前缀"), ADAPTER: ("an adapter is", "适配器")}[run.tuning.how]
        raise SettingsError(
            f"{en} no part of the model's own weights: export the run that it started from, or start from that",
            f"{zh}不属于模型自身的权重：请导出它所用的起点训练，或从那个训练开始",
        )
    return merge(model) if run.tuning.how == LORA else model


def _nothing(run: Run) -> SettingsError:
    title, title_zh = MODELS[run.model].title, MODELS[run.model].title_zh
    lacks = {
        LORA: ("has no attention whose projections could be adapted", "没有可用 LoRA 调整的注意力"),
        BITFIT: ("has no biases", "没有偏置"),
        LAST: ("has no blocks", "没有层"),
        GRADUAL: ("has no blocks that could thaw one after another", "没有可逐层解冻的层"),
        PREFIX: ("has no attention to which the lab can add a prefix", "没有本实验室能加前缀的注意力"),
        ADAPTER: ("has no feed-forward network to put an adapter behind", "没有可加适配器的前馈网络"),
        FROZEN: ("has no head of its own for this task", "在这个任务上没有单独的输出层"),
    }[run.tuning.how]
    return SettingsError(
        f"{title} {lacks[0]}: choose another way to fine-tune it, such as full fine-tuning (full)",
        f"{title_zh} {lacks[1]}：请选择其他微调方式，例如全部微调 (full)",
    )
