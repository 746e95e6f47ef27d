"""Distillation: its loss worked out by hand, what a student starts from, and runs that go on as if never stopped."""

import math
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from test_engine import elsewhere
from tiny import finished, plan, steps

from lab.analysis.cost import ROWS, any_batch, step_cost
from lab.batch import Batch
from lab.bench.faulting.outcome import outcome
from lab.data.corpus import prepare
from lab.inference.model import load
from lab.layers.stacks import OneStack
from lab.models.albert import AlbertShape, albert
from lab.models.bert import BertShape, bert
from lab.models.distilbert import DistilbertShape, distilbert
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training import distillation
from lab.training.distillation import distillation_losses, inherit_layers
from lab.training.train import train

SIZES = {"width": 16, "heads": 2, "context": 16}


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return finished(tmp_path_factory.mktemp("teacher"), shape={**SIZES, "depth": 2}, training=steps(4))


def student(teacher: RunFolder, **values: Any) -> Run:
    return plan(model="distilbert", shape={**SIZES, "depth": 1}, teacher=str(teacher.path), **values)


def blocks(depth: int) -> OneStack:
    torch.manual_seed(depth)
    return bert(BertShape(**SIZES, depth=depth), 30)


@torch.no_grad()
def test_the_loss_by_hand() -> None:
    torch.manual_seed(0)
    small, large = distilbert(DistilbertShape(**SIZES, depth=1), 30), blocks(2)
    shown = torch.randint(1, 30, (2, 5))
    real = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    batch = Batch(shown=shown, real=real, asked=torch.tensor([1, 6]), answers=torch.tensor([7, 8]))
    parts = distillation_losses(small, large, batch)

    def read(model: OneStack) -> tuple[torch.Tensor, torch.Tensor]:
        x = model.stack(batch)
        return model.head(x, model.stack.embed.tokens.weight), x

    (mine, own), (theirs, guide) = read(small), read(large)
    nats = [-math.log(float(mine[n, t].softmax(-1)[a])) for (n, t), a in zip([(0, 1), (1, 1)], [7, 8], strict=True)]
    assert float(parts["tokens"] + parts["answers"]) == pytest.approx(2 * sum(nats) / 2, rel=1e-5)
    divergence, turned = 0.0, 0.0
    for n, t in [(n, t) for n in range(2) for t in range(5) if real[n, t]]:
        p, q = (each[n, t].div(2).softmax(-1).tolist() for each in (theirs, mine))
        divergence += sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
        u, v = own[n, t].tolist(), guide[n, t].tolist()
        dot = sum(a * b for a, b in zip(u, v, strict=True))
        turned += 1 - dot / math.hypot(*u) / math.hypot(*v)
    assert float(parts["chances"]) == pytest.approx(5 * 4 * divergence / 8, rel=1e-4)
    assert float(parts["direction"]) == pytest.approx(turned / 8, rel=1e-4)
    assert set(parts) == {"tokens", "answers", "chances", "direction"}


def test_a_student_of_another_width_hears_the_chances_alone() -> None:
    small = distilbert(DistilbertShape(width=8, heads=2, context=16, depth=1), 30)
    batch = Batch(shown=torch.ones(1, 4, dtype=torch.int64), asked=torch.tensor([1]), answers=torch.tensor([7]))
    assert set(distillation_losses(small, blocks(2), batch)) == {"tokens", "answers", "chances"}


def test_a_student_that_answers_as_its_teacher_has_no_more_to_learn_from_it() -> None:
    large = blocks(2)
    batch = Batch(shown=torch.ones(1, 4, dtype=torch.int64), asked=torch.tensor([1]), answers=torch.tensor([7]))
    parts = distillation_losses(large, large, batch)
    assert abs(parts["chances"].item()) < 1e-5 and abs(parts["direction"].item()) < 1e-5


def test_a_student_starts_from_every_second_block_and_all_else_that_has_the_same_shape() -> None:
    small, large = distilbert(DistilbertShape(**{**SIZES, "context": 12}, depth=2), 30), blocks(4)
    with torch.no_grad():
        for parameter in large.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    assert inherit_layers(small, large) == len(list(small.parameters()))
    for n in range(2):
        theirs = dict(large.stack.blocks[2 * n].named_parameters())
        assert all(torch.equal(value, theirs[name]) for name, value in small.stack.blocks[n].named_parameters())
    assert torch.equal(small.stack.embed.positions.table.weight, large.stack.embed.positions.table.weight[:12])
    assert torch.equal(small.head.dense.weight, large.head.dense.weight)  # type: ignore[union-attr]


def test_a_student_of_other_sizes_keeps_its_own_start_where_shapes_differ() -> None:
    small, large = distilbert(DistilbertShape(width=8, heads=2, context=16, depth=1), 30), blocks(2)
    assert inherit_layers(small, large) == 1  # the bias of each token
    shared = albert(AlbertShape(**SIZES, depth=4, embedding_width=16), 30)
    like = distilbert(DistilbertShape(**SIZES, depth=2), 30)
    assert inherit_layers(like, shared) > 20
    assert torch.equal(like.stack.blocks[1].attention.out.weight, shared.stack.blocks[0].attention.out.weight)


def test_a_run_with_a_teacher_is_resumed_in_a_new_process_as_if_never_stopped_even_without_the_teacher(
    tmp_path: Path, teacher: RunFolder
) -> None:
    near = Path(shutil.copytree(teacher.path, tmp_path / "near"))
    values = {"shape": {**SIZES, "depth": 1, "dropout": 0.1}, "model": "distilbert", "teacher": str(near)}
    whole = finished(tmp_path / "whole", **values)
    parts = RunFolder.create(plan(**values), tmp_path / "parts")
    elsewhere(parts, until=5)
    shutil.rmtree(near)
    elsewhere(parts)
    assert outcome(parts) == outcome(whole)


def test_a_student_takes_its_teachers_tokenizer_and_is_asked_like_any_run(tmp_path: Path, teacher: RunFolder) -> None:
    folder = RunFolder.create(student(teacher, tokenizer_settings={"vocabulary": 280}, training=steps(2)), tmp_path)
    assert all(math.isfinite(step.loss) for step in train(folder))
    assert load(folder).tokenizer.save() == load(teacher).tokenizer.save()
    assert prepare(folder).tokenizer.vocabulary.size == load(teacher).tokenizer.vocabulary.size


def test_what_cannot_teach_or_learn_is_refused_in_words(tmp_path: Path, teacher: RunFolder) -> None:
    with pytest.raises(SettingsError, match="nothing beside it"):
        plan(pair="nsp", teacher=str(teacher.path))
    onward = finished(tmp_path / "onward", model="gpt", training=steps(1))
    for values, said in [
        ({"teacher": str(onward.path)}, "the teacher must be pretrained by masked language modelling"),
        ({"shape": {**SIZES, "depth": 1, "context": 32}}, "context 32 is longer than the teacher's 16"),
        ({"model": "electra", "objective": "mlm", "shape": SIZES}, "cannot be a student in distillation"),
    ]:
        run = Run(**{**student(teacher).dump(), **values})
        with pytest.raises(SettingsError, match=said):
            list(train(RunFolder.create(run, tmp_path / said[:6])))
        assert not (tmp_path / said[:6] / distillation.HELD).exists() or "electra" in str(values)


def test_a_teacher_costs_its_way_forward_and_the_answers_everywhere(teacher: RunFolder) -> None:
    alone, taught = plan(model="distilbert", shape={**SIZES, "depth": 1}), student(teacher)
    vocabulary, tokens, head = 300, 4 * 16, 16 * (300 + 16)
    one, two = (step_cost(run, vocabulary) for run in (alone, taught))
    batch = any_batch(replace(alone, training={"steps": 1, "batch": ROWS}), vocabulary)
    asked = len(batch.asked) * 4 / ROWS
    # Without a teacher the last block works out what is asked alone: for all others it makes queries, keys and values,
    # but neither looks nor goes on. On its way back the kernel of attention makes the scores once more.
    others, look = tokens - 4 * batch.most, 2 * 16 * 16
    last = others * (2 * 9 * 16**2 + 2 * look)
    blocks = tokens * 2 * (2 * 12 * 16**2 + 2 * look)  # the maps and the looks of the teacher's two
    assert two.forward - one.forward == (tokens - asked) * 2 * head + tokens * 2 * head + blocks + last
    # Nothing goes back through the teacher.
    assert two.backward - one.backward == (tokens - asked) * 4 * head + 2 * last + others * look
