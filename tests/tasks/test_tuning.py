"""How a model is fine-tuned: what moves is what was chosen, nothing else, and checkpoints hold no more than that."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from labelled import TEXTS, began, parent_of, told, trained, tuning
from safetensors.torch import load_file
from tiny import finished, shape, steps

from lab.bench.faulting.outcome import outcome
from lab.catalog import MODELS, TASKS, fits
from lab.data.reading import parts_of
from lab.exchange.export import export
from lab.inference.answering import answer
from lab.inference.model import build, inherit, load
from lab.inference.tuning import tuned
from lab.layers.low_rank import adapt, merge
from lab.runs import checkpoint
from lab.runs.folder import RunFolder
from lab.settings import SettingsError
from lab.training.evaluate_task import evaluate_task
from lab.training.session import opened

WAYS = ("full", "gradual", "frozen", "last", "lora", "bitfit", "prefix", "adapter")
PARTLY = WAYS[2:]  # something stays as it is
# Who has no attention to adapt or to stand in front of, no biases, or no blocks.
LACKING = {
    "gradual": {"word2vec", "glove"},
    "prefix": {
        "lstm",
        "bilstm",
        "elmo",
        "word2vec",
        "glove",
        "xlnet",
        "deberta_v1",
        "deberta_v2",
        "deberta_v3",
        "longformer",
        "mistral",
        "linear_transformer",
    },
    "adapter": {"lstm", "bilstm", "elmo", "word2vec", "glove"},
    "lora": {"lstm", "bilstm", "elmo", "word2vec", "glove"},
    "last": {"word2vec", "glove"},
    "bitfit": {"word2vec", "glove", "llama", "mistral", "glm4"},
}
FAMILIES = [model.name for model in MODELS if fits(model, TASKS["classify"])]


def run_in(tmp_path: Path, parent: RunFolder, how: str, task: str = "classify", **more: Any) -> RunFolder:
    run = tuning(parent, task, tmp_path, how=how, steps_of=4, **more)
    return RunFolder.create(run, tmp_path / how)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("model", FAMILIES)
def test_what_was_chosen_moves_and_nothing_else(model: str, how: str, parents: Any, tmp_path: Path) -> None:
    if model in LACKING.get(how, set()):
        with pytest.raises(SettingsError, match="choose another way"):
            trained(run_in(tmp_path, parents(model), how))
        return
    folder = trained(run_in(tmp_path, parents(model), how))
    before = start(folder)
    after, _ = checkpoint.load_weights(folder.path / "checkpoints")
    assert before.keys() == after.keys()
    moved = {name for name in after if not torch.equal(before[name], after[name])}
    head = {name for name in moved if name.startswith("sequence.")}
    assert head and began(folder)["moving"] >= sum(after[name].numel() for name in moved) > 0
    beside = {
        "full": lambda name: True,
        "gradual": lambda name: True,
        "frozen": lambda name: False,
        "last": lambda name: ".blocks." in name or ".norm." in name,
        "lora": lambda name: ".lora_" in name,
        "bitfit": lambda name: "bias" in name,
        "prefix": lambda name: ".prefix." in name,
        "adapter": lambda name: ".adapter." in name,
    }[how]
    assert all(map(beside, moved - head)) and bool(moved - head) == (how != "frozen")


def start(folder: RunFolder) -> dict[str, torch.Tensor]:
    """The weights before the first step: of a run of the same settings that has not begun."""
    model = opened(RunFolder.create(folder.run, folder.path.parent / "start")).model
    return {name: tensor.clone() for name, tensor in checkpoint.weights_of(model).items()}


@pytest.mark.parametrize("how", PARTLY)
def test_a_checkpoint_holds_what_moved_and_what_stays_stands_beside_it_once(
    how: str, parents: Any, tmp_path: Path
) -> None:
    folder = trained(run_in(tmp_path, parents("bert"), how))
    moved = load_file(next(folder.path.glob("checkpoints/step-*/weights.safetensors")))
    frozen = load_file(folder.path / "checkpoints" / checkpoint.FROZEN)
    assert not moved.keys() & frozen.keys() and {*moved, *frozen} == {*checkpoint.weights_of(load(folder).model)}
    assert sum(tensor.numel() for tensor in moved.values()) < sum(tensor.numel() for tensor in frozen.values())
    (folder.path / "checkpoints" / checkpoint.FROZEN).write_bytes(b"broken")
    with pytest.raises(SettingsError, match="is damaged"):
        load(folder)


@pytest.mark.parametrize("how", WAYS[1:])
@pytest.mark.parametrize("task", ["classify", "tokens"])
def test_a_run_is_resumed_bit_by_bit(how: str, task: str, parents: Any, tmp_path: Path) -> None:
    whole = trained(run_in(tmp_path, parents("bert"), how, task))
    parts = RunFolder.create(whole.run, tmp_path / "parts")
    trained(parts, until=2)
    assert outcome(trained(parts)) == outcome(whole)


def test_classes_stay_numbered_as_the_run_keeps_them_where_its_file_changes(parents: Any, tmp_path: Path) -> None:
    def wrote(labels: str) -> None:
        rows = [{"text": text, "label": labels[number % len(labels)]} for number, text in enumerate(TEXTS)]
        (tmp_path / "classify.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    folder = run_in(tmp_path, parents("bert"), "full")
    wrote("abc")
    trained(folder, until=2)
    wrote("bc")
    assert np.sum(evaluate_task(load(folder))["confusion"], 1).tolist() == [0, 4, 4], "b is still the second of three"
    trained(folder)
    assert folder.status() == "finished" and np.sum(told(folder, "check")[-1]["confusion"], 1).tolist() == [0, 4, 4]
    wrote("abcd")
    for looked_at in (lambda: evaluate_task(load(folder)), lambda: opened(folder)):
        with pytest.raises(SettingsError, match="does not know the label 'd'; it knows: a, b, c"):
            looked_at()


def test_lora_begins_as_the_model_was_and_merges_into_it(parents: Any, tmp_path: Path) -> None:
    linear, x = torch.nn.Linear(6, 4), torch.randn(3, 6)
    plain, before = torch.nn.Sequential(linear), linear(x)
    adapt(linear, 2, 2.0)
    assert torch.equal(linear(x), before)
    with torch.no_grad():
        linear.parametrizations.weight[0].lora_b.copy_(torch.randn(4, 2))
    changed = linear(x)
    assert not torch.allclose(changed, before)
    merge(plain)
    torch.testing.assert_close(linear(x), changed)
    assert not any("lora" in name for name, _ in plain.named_parameters())


def test_a_run_with_lora_is_answered_exported_and_started_from(parents: Any, tmp_path: Path) -> None:
    folder = trained(run_in(tmp_path, parents("bert"), "lora"))
    example = parts_of(folder.run).train[0]
    said = answer(load(folder), example)
    names = [*load_file(export(folder, tmp_path / "out").folder / "model.safetensors")]
    assert not any("lora" in name for name in names) and "classifier.weight" in names
    again = RunFolder.create(tuning(folder, "classify", tmp_path, steps_of=1), tmp_path / "again")
    trained(again)
    model = load(again).model
    inherit(model, folder)
    merged = load(folder)
    weight = merged.model.stack.blocks[0].attention.qkv.weight
    torch.testing.assert_close(model.stack.blocks[0].attention.qkv.weight, weight, rtol=0, atol=1e-6)
    assert sum(said.chances) == pytest.approx(1)


def test_the_rank_says_how_many_parameters_move(parents: Any, tmp_path: Path) -> None:
    counts = {}
    for rank, everywhere in ((2, False), (4, False), (2, True)):
        path = tmp_path / f"{rank}{everywhere}"
        path.mkdir()
        folder = run_in(path, parents("bert"), "lora", rank=rank, everywhere=everywhere)
        trained(folder, until=1)
        counts[rank, everywhere] = began(folder)["moving"]
    head = (16 * 16 + 16) + (16 * 2 + 2)
    # qkv maps 16 to 48 numbers, out 16 to 16, up 16 to 64 and down back.
    assert counts[2, False] - head == 2 * (16 + 48 + 16 + 16)
    assert counts[4, False] - head == 2 * (counts[2, False] - head)
    assert counts[2, True] - counts[2, False] == 2 * (16 + 64 + 64 + 16)


def test_what_has_no_head_of_its_own_cannot_be_frozen(tmp_path: Path) -> None:
    parent = parent_of("gpt", tmp_path / "gpt")
    with pytest.raises(SettingsError, match="no head of its own"):
        trained(run_in(tmp_path, parent, "frozen", "seq2seq"))


@pytest.mark.parametrize(("how", "moves"), [("last", True), ("lora", False), ("bitfit", False), ("adapter", False)])
def test_the_head_of_pretraining_moves_with_whole_layers_alone(how: str, moves: bool, tmp_path: Path) -> None:
    parent = parent_of("gpt", tmp_path / "gpt", shape={**shape("gpt"), "tied": False})
    folder = RunFolder.create(tuning(parent, "seq2seq", tmp_path, how=how, steps_of=4), tmp_path / how)
    head = of_head(tuned(build(folder.run, 300, 0), folder.run))
    assert head and all(parameter.requires_grad is moves for parameter in head.values())


def test_of_a_head_that_writes_the_biases_are_the_models_own(tmp_path: Path) -> None:
    parent = parent_of("bert", tmp_path / "bert", objective="prefix_lm")
    folder = RunFolder.create(tuning(parent, "seq2seq", tmp_path, how="bitfit", steps_of=4), tmp_path / "bitfit")
    head = of_head(tuned(build(folder.run, 300, 0), folder.run))
    assert {name for name, parameter in head.items() if parameter.requires_grad} == {n for n in head if "bias" in n}


def of_head(model: torch.nn.Module) -> dict[str, torch.nn.Parameter]:
    return {name: parameter for name, parameter in model.named_parameters() if name.startswith("head.")}


def test_an_older_run_without_a_way_moves_everything(tmp_path: Path) -> None:
    run = finished(tmp_path / "run", training=steps(1)).run
    assert run.tuning.how == "full" and "moving" not in began(RunFolder(tmp_path / "run"))
