"""Gradual unfreezing: who thaws when, and how fast each level learns."""

from pathlib import Path

import pytest
import torch
from labelled import file_of, parent_of, trained
from tiny import SIZES, steps

from lab.catalog import MODELS
from lab.runs import checkpoint
from lab.runs.folder import RunFolder
from lab.training.gradual import SLOWER, levels, thaw
from lab.training.run_request import finetuning

NAMES = ("sequence.out.weight", "stack.norm.weight", "stack.blocks.1.feed.up.weight", "stack.blocks.0.feed.up.weight")


def test_levels_go_down_from_the_head_to_the_embeddings() -> None:
    found = levels([*NAMES, "stack.embed.tokens.weight"])
    assert [found.get(name, 0) for name in (*NAMES, "stack.embed.tokens.weight")] == [0, 1, 1, 2, 3]
    both = levels(["decoder.blocks.0.a", "encoder.blocks.1.a", "encoder.norm.w", "encoder.blocks.0.a", "decoder.embed"])
    assert both == {
        "decoder.blocks.0.a": 1,
        "encoder.blocks.1.a": 2,
        "encoder.norm.w": 2,
        "encoder.blocks.0.a": 3,
        "decoder.embed": 4,
    }


@pytest.mark.parametrize("model", ["bert", "bart", "xlnet", "lstm", "albert", "electra"])
def test_every_family_has_its_embeddings_at_the_bottom(model: str) -> None:
    entry = MODELS[model]
    shape = entry.settings.load({name: size for name, size in SIZES.items() if name in entry.settings.knobs()})
    found = levels(dict(entry.build(shape, 50, 2).named_parameters()))
    lowest = {name for name, level in found.items() if level == max(found.values())}
    assert any("tokens" in name for name in lowest) and not any(".blocks." in name for name in lowest)


def test_what_has_not_thawed_takes_no_gradient_and_what_lies_deeper_learns_more_slowly() -> None:
    parts = [torch.nn.Parameter(torch.ones(1)) for _ in range(4)]
    optimizer = torch.optim.SGD([{"params": [part], "level": level} for level, part in enumerate(parts)], lr=1.0)
    taken = []
    for progress in (0.0, 0.32, 1 / 3, 2 / 3, 0.99):
        for part in parts:
            part.grad = torch.ones(1)
        for group in optimizer.param_groups:
            group["lr"] = 1.0
        thaw(optimizer, progress)
        taken.append(sum(part.grad is not None for part in parts))
    assert taken == [2, 2, 3, 4, 4]
    assert [group["lr"] for group in optimizer.param_groups] == pytest.approx([SLOWER**-level for level in range(4)])


def test_a_run_thaws_from_the_top_down(tmp_path: Path) -> None:
    parent = parent_of("bert", tmp_path / "parent", shape={"width": 16, "depth": 2, "heads": 2, "context": 16})
    path = file_of("classify", tmp_path)
    chosen = {
        "corpus": {"path": path, "test": path},
        "training": steps(6, learning_rate=1e-3, warmup=0.0),
        "tuning": {"how": "gradual"},
    }
    run = finetuning(parent, corpus="labelled", chosen=chosen, parent=str(parent.path))
    before, _ = checkpoint.load_weights(parent.path / "checkpoints")
    moved = []
    for until in (2, 4, 6):
        folder = trained(RunFolder.create(run, tmp_path / str(until)), until=until)
        after, _ = checkpoint.load_weights(folder.path / "checkpoints")
        names = {name for name in before.keys() & after.keys() if not torch.equal(before[name], after[name])}
        moved.append({part for part in ("blocks.1", "blocks.0", "embed") if any(part in name for name in names)})
    assert moved == [{"blocks.1"}, {"blocks.1", "blocks.0"}, {"blocks.1", "blocks.0", "embed"}]
