"""Runs and links of earlier versions, in which a recipe had a kind of attention, are read as models of today."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import finished, plan, shape, steps

from lab.batch import Batch
from lab.catalog import MODELS
from lab.inference.model import load
from lab.runs.earlier import BEGAN, CHOSE, VERSION, today
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training import run_request
from lab.training.session import opened


def document(model: str, **more: Any) -> dict[str, Any]:
    """A run as it was once written."""
    return plan(model=model).dump() | {"shape": shape(model) | more}


@pytest.mark.parametrize("model", sorted(CHOSE))
def test_a_run_with_full_attention_is_read_as_before(model: str) -> None:
    assert Run.load(document(model, attention="full", window=32)) == plan(model=model)
    assert Run.load(document(model, window=32)) == plan(model=model)
    assert "attention" not in MODELS[model].settings.knobs()


def test_a_llama_with_a_window_is_a_mistral() -> None:
    old = document("llama", attention="window", window=5, groups=1, rope_scale=1.0, bias="none", stretched_from=8192)
    run = Run.load(old)
    assert run.model == "mistral" and run.shape == shape("llama") | {"window": 5, "kv_heads": 1}
    assert Run.load(document("llama", attention="window")).shape["window"] == 32
    assert Run.load(run.dump()) == run


def test_the_weights_of_such_a_run_are_those_of_the_mistral(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", model="mistral", shape=shape("mistral") | {"window": 5}, training=steps(2))
    ids = torch.arange(6, 18)[None]
    before = load(folder).model(Batch(shown=ids, visible="causal", asked=torch.tensor([9]))).tokens
    written = json.loads((folder.path / "run.json").read_text("utf-8"))
    written |= {"model": "llama", "shape": written["shape"] | {"attention": "window", "bias": "none"}}
    (folder.path / "run.json").write_text(json.dumps(written), "utf-8")
    again = load(RunFolder.open(folder.path))
    assert again.run.model == "mistral"
    assert torch.equal(again.model(Batch(shown=ids, visible="causal", asked=torch.tensor([9]))).tokens, before)


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("bert", {"attention": "window", "window": 4}),
        ("gpt", {"attention": "linear"}),
        ("llama", {"attention": "linear"}),
    ]
    + [("llama", {"attention": "window", "bias": "qkv"}), ("llama", {"attention": "window", "rope_scale": 8.0})],
)
def test_what_the_lab_has_no_more_is_said_in_one_sentence(model: str, more: dict[str, Any]) -> None:
    title = MODELS[model].title
    with pytest.raises(SettingsError, match=f"no {title} with attention '{more['attention']}' any more") as caught:
        Run.load(document(model, **more))
    assert MODELS[model].title_zh in caught.value.zh and "Mistral" in caught.value.zh


def test_a_model_that_never_had_a_choice_is_still_strict() -> None:
    assert today("t5", {"attention": "full"}) == ("t5", {"attention": "full"})
    with pytest.raises(SettingsError, match="no setting 'attention'"):
        Run.load(document("t5", attention="full"))


def test_a_link_is_read_as_a_run_is() -> None:
    def asked(model: str, **chosen: Any) -> Run:
        known: dict[str, Any] = {"corpus": "town_en", "tokenizer": "byte_bpe"}
        return run_request.pretraining(model=model, chosen={"model": chosen, "training": {"steps": 1}}, **known)

    assert asked("gpt", attention="full", window=7) == asked("gpt")
    assert asked("llama", attention="window", window=7) == asked("mistral", window=7)
    with pytest.raises(SettingsError, match="train a Longformer, a Mistral or a Linear Transformer"):
        asked("bert", attention="linear")


def test_a_run_from_before_rows_overlapped_goes_on_without(tmp_path: Path) -> None:
    """What follows the last token of its rows was never asked: it is resumed and read as it began."""
    folder = finished(tmp_path / "run", model="gpt", training=plan(model="gpt", training=steps(2)).plan.dump())
    assert folder.run.plan.overlap and load(folder).lookback == 16
    path = folder.path / "run.json"
    written = json.loads(path.read_text("utf-8"))
    del written["training"]["overlap"]
    path.write_text(json.dumps(written), "utf-8")
    earlier = RunFolder.open(folder.path)
    assert not earlier.run.plan.overlap and load(earlier).lookback == 15
    asked = opened(earlier, print).train_batches.batch(0, 4).asked
    assert asked is not None and len(asked) == 4 * 15
    bert = plan(training=steps(2)).plan.dump()
    del bert["overlap"]
    assert Run.load(plan(training=bert).dump()) == plan(training=steps(2, **bert))  # it has no rows to overlap


@pytest.mark.parametrize("model", sorted(BEGAN))
def test_a_run_from_before_the_lab_wrote_its_version_goes_on_at_the_rate_it_began_with(
    model: str, tmp_path: Path
) -> None:
    begun = plan(model=model, objective=MODELS[model].objective, training=steps(2))
    path = RunFolder.create(replace(begun, training=begun.plan.dump()), tmp_path / "run").path / "run.json"
    assert RunFolder.open(path.parent).run.learning_rate == MODELS[model].learning_rate != BEGAN[model]
    written = json.loads(path.read_text("utf-8"))
    assert written["versions"].pop("cloze-lab") == VERSION and written["training"]["learning_rate"] is None
    path.write_text(json.dumps(written), "utf-8")
    assert RunFolder.open(path.parent).run.learning_rate == BEGAN[model]
    path.write_text(json.dumps(written | {"training": written["training"] | {"learning_rate": 0.03}}), "utf-8")
    assert RunFolder.open(path.parent).run.learning_rate == 0.03
    assert Run.load(begun.dump()).learning_rate == MODELS[model].learning_rate  # it is not begun yet


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == VERSION
