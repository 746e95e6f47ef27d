"""The sizes that page and command line share, and the command that names them."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from tiny import finished, plan, steps

from lab.catalog import MODELS
from lab.cli.main import main
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.training.run_request import command, finetuning, pretraining
from lab.training.sizes import SIZES, USUAL, shape, size_of


def asked(model: str, sizes: dict[str, int]) -> Run:
    chosen = {"model": sizes, "training": {"steps": 1}}
    return pretraining(model=model, corpus="town_en", tokenizer=MODELS[model].tokenizer, chosen=chosen)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("model", [entry.name for entry in MODELS])
def test_a_size_is_found_again_in_the_command(model: str, size: str) -> None:
    run = asked(model, shape(model, size))
    words = shlex.split(command(run))
    named = words[words.index("--size") + 1] if "--size" in words else USUAL
    assert shape(model, named) == shape(model, size) and size_of(model, run.shape) == named
    assert "--width" not in words and "--depth" not in words


def test_what_differs_from_a_size_is_a_flag() -> None:
    words = shlex.split(command(asked("bert", {**shape("bert", "medium"), "heads": 8})))
    assert words[words.index("--size") + 1] == "medium" and words[words.index("--heads") + 1] == "8"


def test_the_generator_beside_deberta_is_no_deeper_for_a_size_that_says_how_wide_that_of_electra_is() -> None:
    assert "generator_depth" not in shape("deberta_v3", "tiny") and shape("electra", "tiny")["generator"] == 64
    old = plan(model="deberta_v3").dump()
    old["shape"] = {**old["shape"], "generator": 3}
    old["shape"].pop("generator_depth", None)
    assert Run.load(old).settings_of("model").generator_depth == 3


def test_the_command_line_begins_with_the_usual_size(tmp_path: Path) -> None:
    few = "--steps 1 --batch 2 --stories 40 --vocab 300 --json"
    assert main(["pretrain", "--model", "gpt", *few.split(), "--out", str(tmp_path / "run")]) == 0
    found = RunFolder.open(tmp_path / "run").run.settings_of("model")
    assert {name: getattr(found, name) for name in shape("gpt", USUAL)} == shape("gpt", USUAL)


def test_fine_tuning_goes_by_adamw_unless_somebody_wants_otherwise(tmp_path: Path) -> None:
    parent = finished(tmp_path / "parent")
    chosen = {"corpus": {"stories": 40}, "training": steps(1)}
    run = finetuning(parent, corpus="town_en", chosen=chosen, parent="parent")  # type: ignore[arg-type]
    assert run.plan.optimizer == "adamw" and "--optimizer" not in command(run)
    chosen["training"]["optimizer"] = "muon"
    other = finetuning(parent, corpus="town_en", chosen=chosen, parent="parent")  # type: ignore[arg-type]
    assert other.plan.optimizer == "muon" and "--optimizer muon" in command(other)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("model", ["mistral", "longformer"])
def test_a_window_is_narrower_than_what_is_read(model: str, size: str) -> None:
    sizes: Any = MODELS[model].settings.load(shape(model, size))
    assert 2 * sizes.window <= sizes.context
