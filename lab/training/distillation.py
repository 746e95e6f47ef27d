"""Knowledge distillation: a student learns from the answers and the last hidden states of a larger run's model.

As in the authors' code the distillation loss is taken at all tokens that are no padding, not only where something is
asked; the paper's loss is 5 parts of the teacher's probabilities, softened by a temperature, 2 of the masked tokens'
own labels and 1 of the hidden states' direction (cosine). The teacher's weights are kept with the run, so that a run
goes on with the same numbers wherever its teacher has gone since.

B batch   T tokens   M real tokens   N asked positions   W width   V vocabulary
"""

import json
import os
import re
import shutil
from dataclasses import replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from lab.batch import Batch
from lab.inference.model import Trained, load
from lab.layers.stacks import OneStack, Stack
from lab.layers.watch import looking
from lab.runs.finding import find_run
from lab.runs.folder import SEAL, TOKENIZER, RunFolder
from lab.settings import SettingsError

CHANCES, ANSWERS, DIRECTION = 5.0, 2.0, 1.0  # how much each loss weighs
TEMPERATURE = 2.0
HELD = "teacher"  # the folder inside the run's


def teacher_of(folder: RunFolder) -> Trained | None:
    """The model that a run learns from, as it was when the run began; None if it learns alone."""
    name = folder.run.teacher
    if name is None:
        return None
    kept = folder.path / HELD
    if not kept.exists():
        _keep(find_run(name, folder.path.parent), folder)
    trained = load(RunFolder.open(kept))
    trained.model.requires_grad_(False)
    return trained


def fitting(parent: RunFolder, context: int) -> Trained:
    """The model of a run that can teach. Raises SettingsError where it cannot."""
    trained = load(parent)
    if trained.left_to_right or trained.run.task or not _stacked(trained.model):
        raise SettingsError(
            "the teacher must be pretrained by masked language modelling: choose another one",
            "教师必须用掩码语言模型预训练过：请另选一个",
        )
    if trained.context < context:
        raise SettingsError(
            f"context {context} is longer than the teacher's {trained.context}",
            f"上下文长度 {context} 超过教师模型的 {trained.context}",
        )
    return trained


def _keep(parent: RunFolder, folder: RunFolder) -> None:
    """Copy what the teacher knows into the run's own folder, all of it or nothing."""
    trained = fitting(parent, folder.run.settings_of("model").context)
    checkpoint = parent.path / "checkpoints" / f"step-{trained.step:08d}"
    partial = folder.path / f".{HELD}.{os.getpid()}"
    shutil.rmtree(partial, ignore_errors=True)
    target = partial / "checkpoints" / checkpoint.name
    target.mkdir(parents=True)
    for name in ("run.json", TOKENIZER, SEAL):
        if (parent.path / name).exists():
            shutil.copyfile(parent.path / name, partial / name)
    for name in ("weights.safetensors", "state.json"):
        shutil.copyfile(checkpoint / name, target / name)
    sums = json.loads((checkpoint / "MANIFEST.json").read_text(encoding="utf-8"))
    kept = {name: digest for name, digest in sums.items() if (target / name).exists()}
    (target / "MANIFEST.json").write_text(json.dumps(kept), encoding="utf-8")
    partial.rename(folder.path / HELD)


def taught(student: nn.Module, teacher: Trained, vocabulary: int) -> nn.Module:
    """The student, ready to learn from the teacher. Raises SettingsError where the two cannot read the same."""
    if not _stacked(student):
        raise SettingsError(
            "this model cannot be a student in distillation: choose one that is a single stack of layers",
            "这个模型不能作蒸馏的学生：请选择只有一叠层的模型",
        )
    if vocabulary != teacher.tokenizer.vocabulary.size:
        raise SettingsError(
            "the student must read with its teacher's tokenizer: leave --tokenizer out",
            "学生必须使用教师的分词器：请去掉 --tokenizer",
        )
    inherit_layers(student, teacher.model)
    return student


@torch.no_grad()
def inherit_layers(student: nn.Module, teacher: nn.Module) -> int:
    """Start the student from the teacher's weights, of its blocks from evenly spread ones: of twice as many, from every
    second. A part whose shape differs keeps its own start. Returns how many tensors were taken."""
    mine, theirs = _stack(student), _stack(teacher)
    blocks = [*theirs.blocks] * theirs.times  # as they run
    step = max(1, len(blocks) // len(mine.blocks))
    parameters = dict(teacher.named_parameters())
    taken = 0
    for name, parameter in student.named_parameters():
        match = re.fullmatch(r"stack\.blocks\.(\d+)\.(.+)", name)
        if match and int(match[1]) * step < len(blocks):
            source = dict(blocks[int(match[1]) * step].named_parameters()).get(match[2])
        else:
            source = parameters.get(name)
        if source is not None and (source.shape == parameter.shape or _longer(name, source, parameter)):
            parameter.copy_(source[: len(parameter)])
            taken += 1
    return taken


def _longer(name: str, source: Tensor, own: Tensor) -> bool:
    """Whether a position table has the rows of a shorter one."""
    return "positions" in name and source.shape[1:] == own.shape[1:] and len(source) > len(own)


def distillation_losses(student: nn.Module, teacher: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """The losses in nats, ready weighted, of one batch: they add up to the loss that is learnt from."""
    assert batch.asked is not None and batch.answers is not None
    real = torch.arange(batch.shown.numel(), device=batch.shown.device)
    if batch.real is not None:
        real = real[batch.real.flatten()]  # (M,)
    everywhere = replace(batch, asked=real, most=None, answers=None, label=None)
    with torch.no_grad():
        teacher_logits, teacher_states = _read(teacher, everywhere)  # (M, V), (M, W)
    logits, states = _read(student, everywhere)
    place = torch.searchsorted(real, batch.asked)  # (N,)
    answers = functional.cross_entropy(logits[place].float(), batch.answers)
    parts = {
        "tokens": answers,  # by itself, so that it can be held against the baselines
        "answers": (ANSWERS - 1) * answers,
        "chances": CHANCES * soft_divergence(logits, teacher_logits),
    }
    if states.shape == teacher_states.shape:  # a narrower student has no states to compare
        parts["direction"] = DIRECTION * (1 - functional.cosine_similarity(states, teacher_states, dim=-1)).mean()
    return parts


def distillation_counts(batch: Batch) -> dict[str, float]:
    """Over how many labels, or tokens that are no padding, each of the losses is a mean."""
    assert batch.answers is not None
    asked, heard = len(batch.answers), batch.shown.numel() if batch.real is None else int(batch.real.sum())
    return {"tokens": asked, "answers": asked, "chances": heard, "direction": heard}


def soft_divergence(mine: Tensor, theirs: Tensor) -> Tensor:
    """The Kullback-Leibler divergence (KL) of softened probabilities (M, V), scaled back by the temperature's square
    (Hinton et al. 2015)."""
    soft, wanted = ((logits.float() / TEMPERATURE).log_softmax(-1) for logits in (mine, theirs))
    return functional.kl_div(soft, wanted, reduction="batchmean", log_target=True) * TEMPERATURE**2


def _read(model: nn.Module, batch: Batch) -> tuple[Tensor, Tensor]:
    """The logits and the last hidden states at the asked positions."""
    assert batch.asked is not None
    states: list[Tensor] = []
    with looking({_stack(model).watch: states.append}):
        logits = model(batch).tokens
    return logits, states[-1].flatten(0, 1)[batch.asked]


def _stacked(model: nn.Module) -> bool:
    """Whether the model is one stack of blocks whose states can be compared."""
    return isinstance(model, OneStack) and isinstance(model.stack, Stack)


def _stack(model: nn.Module) -> Stack:
    assert isinstance(model, OneStack) and isinstance(model.stack, Stack)
    return model.stack
