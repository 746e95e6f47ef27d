"""As published: the optimizer, schedule and first weights of a paper, asked for as a whole, and what they do."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import finished, go_on, plan, state, steps

from lab.catalog import MODELS
from lab.cli.main import main
from lab.engine.budget import Budget
from lab.engine.checkpoint import weights_of
from lab.engine.model import build
from lab.engine.optimizers import Lamb, decays
from lab.engine.presets import as_published, authors_settings, differences, with_authors_settings
from lab.engine.run import RunFolder, Training
from lab.published import OPTIMIZERS
from lab.settings import SettingsError

PUBLISHED = [entry.name for entry in MODELS if entry.published]


@pytest.mark.parametrize("model", PUBLISHED)
def test_a_run_as_published_learns(model: str, tmp_path: Path) -> None:
    folder = finished(tmp_path, model=model, training=steps(3, **as_published(MODELS[model])))
    assert folder.document("result.json")["ended"] == "finished"
    assert folder.run.plan.optimizer == MODELS[model].published.optimizer


def test_every_family_of_transformers_says_how_its_paper_trained_it() -> None:
    unsaid = {entry.name for entry in MODELS} - {*PUBLISHED}
    assert unsaid == {"ngram", "word2vec", "glove", "bilstm", "chatglm", "glm4", "macbert"}
    with pytest.raises(SettingsError, match="not published"):
        as_published(MODELS["glm4"])


def test_differences_name_the_lab_and_the_paper() -> None:
    found = {each.name: (each.lab, each.paper) for each in differences(MODELS["bert"])}
    assert found["rate"] == (1e-3, 1e-4) and found["beta2"] == (0.98, 0.999) and found["deviation"] == (None, 0.02)
    assert "decay" not in found and "optimizer" not in found and not differences(MODELS["glm4"])


def test_the_command_takes_a_paper_as_a_whole_and_flags_come_first(tmp_path: Path, capsys: Any) -> None:
    flags = "--steps 2 --batch 4 --corpus town_en --stories 40 --vocab 300 --width 16 --heads 2 --depth 1 --context 16"
    words = ["pretrain", "--model", "albert", *flags.split(), "--published", "--rate", "0.5", "--json"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    said, run = capsys.readouterr().err, json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["training"]["optimizer"], run["training"]["rate"], run["training"]["steps"]) == ("lamb", 0.5, 2)
    assert "optimizer lamb (the lab: adamw)" in said and "4,096 texts" in said


@pytest.mark.parametrize("model", ["bert", "gpt", "electra", "deberta_v3"])
def test_first_weights_as_published_have_one_deviation(model: str) -> None:
    run = plan(model=model, training=steps(1, deviation=0.02))
    weights = weights_of(build(run, 300, 0))
    tables = {name: each for name, each in weights.items() if each.dim() > 1 and each.numel() > 2000}
    assert tables
    for name, each in tables.items():
        assert 0.018 < each.std() < 0.022 or not each.any(), name
    ends = [each for name, each in weights.items() if name.endswith("feed.down.weight")]
    assert all(0.017 * (2**-0.5 if model == "gpt" else 1) < each.std() for each in ends)
    assert model != "gpt" or ends[0].std() < 0.017  # what ends a branch is smaller (Radford et al. 2019, section 2.3)
    usual = weights_of(build(plan(model=model), 300, 0))
    assert all(usual[name].std() > 0.1 for name in tables if name.endswith("tokens.weight"))


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_run_resumed_with_any_optimizer_ends_as_one_never_stopped(optimizer: str, tmp_path: Path) -> None:
    how = {"training": steps(8, optimizer=optimizer, rate=0.01)}
    whole, parts = finished(tmp_path / "whole", **how), RunFolder.create(plan(**how), tmp_path / "parts")
    for until in (3, 10**9):
        go_on(str(parts.path), until=until)
    assert state(parts) == state(whole)


def test_a_step_of_lamb_is_as_long_as_the_parameter_times_the_rate() -> None:
    dice = torch.Generator().manual_seed(0)
    table, bias = (torch.nn.Parameter(torch.randn(shape, generator=dice)) for shape in ((4, 3), (3,)))
    before, length = [each.detach().clone() for each in (table, bias)], table.norm().item()
    table.grad, bias.grad = torch.randn(4, 3, generator=dice), torch.tensor([1.0, -2.0, 0.5])
    groups = [{"params": [table], "weight_decay": 0.01}, {"params": [bias], "weight_decay": 0.0}]
    Lamb(groups, 0.1, (0.9, 0.999), 1e-6).step()
    assert (table - before[0]).norm().item() == pytest.approx(0.1 * length, rel=1e-5)
    first = 0.1 / 0.001**0.5  # moments that begin at zero and are not corrected
    torch.testing.assert_close(bias.detach(), before[1] - 0.1 * first * bias.grad.sign(), rtol=1e-3, atol=0)


def share(step: int, **values: Any) -> float:
    budget = Budget(Training(steps=100, **values))
    budget.step = step - 1
    return round(budget.share, 6)


def test_the_rate_falls_as_the_schedule_says() -> None:
    assert [share(step, schedule="cosine", warmup=0.2, floor=0.1) for step in (10, 20, 60, 100)] == [0.5, 1, 0.55, 0.1]
    assert [share(step, schedule="constant", warmup=0.2) for step in (10, 60, 100)] == [0.5, 1, 1]
    assert [share(step, schedule="inverse_sqrt", warmup=0.04) for step in (1, 4, 16, 100)] == [1, 1, 0.5, 0.2]
    assert [share(step, warmup=0.2, floor=0.5) for step in (10, 100)] == [0.5, 0.5005]


def test_no_bias_decays_whatever_its_shape() -> None:
    model = build(plan(model="xlnet"), 300, 0)
    spared = {name for name, each in model.named_parameters() if each.dim() > 1 and not decays(name, each)}
    assert {name.rpartition(".")[2] for name in spared} == {"token_bias", "distance_bias", "segment_bias"}
    assert decays("stack.embed.tokens.weight", torch.zeros(3, 4)) and not decays("norm.weight", torch.zeros(3))


def test_deberta_v3_masks_all_that_is_asked_as_its_authors_do() -> None:
    assert authors_settings(MODELS["deberta_v3"], "rtd") == {"mask": 1.0}
    assert with_authors_settings("deberta_v3", "rtd", {"rate": 0.2}) == {"mask": 1.0, "rate": 0.2}
    assert with_authors_settings("deberta_v3", "rtd", {"mask": 0.5}) == {"mask": 0.5}
    assert with_authors_settings("electra", "rtd", {"mask": 1.0, "rate": 0.2}) == {"rate": 0.2}
    assert not authors_settings(MODELS["deberta_v3"], "mlm")


def test_the_page_sets_what_the_paper_has_and_says_where_the_lab_differs() -> None:
    from lab.ui.handlers import recipe  # noqa: PLC0415  the words are read when it is imported

    paper = recipe.choose("bert", "published")
    assert {name: paper[name] for name in recipe.KNOBS} == as_published(MODELS["bert"])
    assert recipe.choose("bert", "lab")["beta2"] == Training.knobs()["beta2"].default
    lines = {each["name"]["en"]: (each["paper"], each["lab"]) for each in paper["recipe note"][1][1]}
    assert lines["Learning rate"] == ("0.0001", "0.001") and "Weight decay" not in lines
    assert recipe.follow_model("bert", "lab").keys() == {"recipe note"}
    assert recipe.choose("glm4", "published")["recipe note"][0][1]["word"] == "pretrain.recipe.unknown"
    assert recipe.choose("x", "y")["recipe note"] == []
