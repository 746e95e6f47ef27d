"""As published: the optimizer, schedule and first weights of a paper, asked for as a whole, and what they do."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import finished, go_on, plan, steps

from lab.bench.faulting.outcome import outcome
from lab.catalog import MODELS
from lab.cli.main import main
from lab.inference.model import build, load
from lab.published import OPTIMIZERS
from lab.runs.checkpoint import weights_of
from lab.runs.folder import RunFolder
from lab.runs.run import Training
from lab.settings import SettingsError
from lab.training.budget import Budget
from lab.training.optimizers import Lamb, decays, optimizer_of
from lab.training.presets import as_published, authors_settings, differences, source, with_authors_settings
from lab.training.session import opened
from lab.training.train import train

PUBLISHED = [entry.name for entry in MODELS if entry.published]


@pytest.mark.parametrize("model", PUBLISHED)
def test_a_run_as_published_learns(model: str, tmp_path: Path) -> None:
    folder = finished(tmp_path, model=model, training=steps(3, **as_published(MODELS[model])))
    assert folder.document("result.json")["ended"] == "finished"
    assert folder.run.plan.optimizer == (MODELS[model].published.optimizer or Training(steps=1).optimizer)


def test_every_family_of_transformers_says_how_its_paper_trained_it() -> None:
    unsaid = {entry.name for entry in MODELS} - {*PUBLISHED}
    without = "ngram word2vec glove bilstm chatglm glm4 macbert mistral linear_transformer"
    assert unsaid == {*without.split()}
    with pytest.raises(SettingsError, match="not published"):
        as_published(MODELS["glm4"])


NAMES = ("learning_rate", "warmup", "schedule", "beta1", "beta2", "epsilon", "weight_decay", "clip")
PAPERS = {  # None: neither the paper nor the released code says so
    "bert": (1e-4, 0.01, "linear", 0.9, 0.999, 1e-6, 0.01, 1.0),
    "roberta": (6e-4, 0.048, "linear", 0.9, 0.98, 1e-6, 0.01, 1000.0),
    "longformer": (3e-5, 500 / 65_000, None, 0.9, 0.98, 1e-6, 0.01, 1000.0),
    "albert": (0.00176, 0.025, "linear", 0.9, 0.999, 1e-6, 0.01, 1.0),
    "distilbert": (5e-4, 0.05, "linear", 0.9, 0.98, 1e-6, 0.0, 5.0),
    "spanbert": (1e-4, 1 / 240, "linear", 0.9, 0.999, 1e-8, 0.1, 1.0),
    "electra": (5e-4, 0.01, "linear", 0.9, 0.999, 1e-6, 0.01, 1.0),
    "deberta_v1": (2e-4, 0.01, "linear", 0.9, 0.999, 1e-6, 0.01, 1.0),
    "deberta_v2": (1.5e-4, 0.01, "linear", 0.9, 0.999, 1e-6, 0.01, 1.0),
    "deberta_v3": (5e-4, 0.08, "linear", 0.9, 0.999, 1e-6, 0.01, 1.0),
    "xlnet": (4e-4, 0.08, "linear", 0.9, 0.999, 1e-6, 0.01, 1.0),
    "gpt1": (2.5e-4, None, "cosine", 0.9, 0.999, 1e-8, 0.01, 1.0),
    "gpt": (6e-4, 0.00125, "cosine", 0.9, 0.95, 1e-8, 0.1, 1.0),
    "llama": (3e-4, 0.008, "cosine", 0.9, 0.95, 1e-5, 0.1, 1.0),
    "glm": (1e-4, 0.028, "cosine", 0.9, 0.95, 1e-8, 0.1, 1.0),
    "bart": (None, None, None, None, None, None, None, None),
    "mbart": (None, None, "linear", None, 0.98, 1e-6, None, None),
    "t5": (0.01, 10_000 / 2**19, "inverse_sqrt", None, None, None, 0.0, 1000.0),
    "t5_v11": (0.01, 10_000 / 2**19, "inverse_sqrt", None, None, None, 0.0, 1000.0),
    "elmo": (0.2, 0.0, "constant", None, None, None, 0.0, 10.0),
    "lstm": (1.0, 0.0, "constant", None, None, None, 0.0, 5.0),
}


def test_a_recipe_says_what_the_paper_or_its_code_says_and_nothing_else() -> None:
    """Read once more in the papers and in the authors' code, independently of the models' files."""
    assert PAPERS.keys() == set(PUBLISHED)
    for name, figures in PAPERS.items():
        said = as_published(MODELS[name])
        assert {each: said.get(each) for each in NAMES} == pytest.approx(dict(zip(NAMES, figures, strict=True))), name
    unsaid = {name for name in PUBLISHED if "init_std" not in as_published(MODELS[name])}
    assert unsaid == {"llama", "elmo", "lstm"}
    added_up = {
        name: said["loss_factor"] for name in PUBLISHED if "loss_factor" in (said := as_published(MODELS[name]))
    }
    assert added_up == {"elmo": 20.0, "lstm": 20.0}  # over 20 tokens, of which others take the mean


def test_the_factor_of_the_loss_is_one_of_the_gradient(tmp_path: Path) -> None:
    moved = []
    for factor in (1.0, 20.0):
        training = steps(1, optimizer="sgd", learning_rate=1e-2, warmup=0.0, weight_decay=0.0, clip=1000.0)
        folder = RunFolder.create(
            plan(model="lstm", training=training | {"loss_factor": factor}), tmp_path / f"times-{factor:g}"
        )
        before = {name: each.clone() for name, each in weights_of(opened(folder).model).items()}
        list(train(folder))
        after = weights_of(load(folder).model)
        moved.append(torch.cat([(after[name] - each).flatten() for name, each in before.items()]))
    torch.testing.assert_close(moved[1], 20 * moved[0], rtol=1e-2, atol=1e-6)


def test_a_recipe_says_where_it_stands(capsys: Any) -> None:
    from lab.ui.pages.pretrain import recipe  # noqa: PLC0415  the words are read when it is imported

    assert main(["list", "models", "--json"]) == 0
    listed = {each["name"]: each for each in json.loads(capsys.readouterr().out)["models"]}
    for name in PUBLISHED:
        where = source(MODELS[name])
        assert re.search(r"section \d|appendix|table \d|\.(py|sh)\b", where), name
        said = recipe.note(name, "published")[-1][1]
        assert said["word"] == "pretrain.recipe.source" and said["source"]["en"] == where
        assert listed[name]["published"]["source"] == where


def test_differences_name_the_lab_and_the_paper() -> None:
    found = {each.name: (each.lab, each.paper) for each in differences(MODELS["bert"])}
    assert (
        found["learning_rate"] == (4e-3, 1e-4) and found["beta2"] == (0.98, 0.999) and found["init_std"] == (None, 0.02)
    )
    assert found["initial_masking"] == (0.4, 0.15)
    assert "initial_masking" not in {each.name for each in differences(MODELS["gpt"])}
    assert "weight_decay" not in found and found["optimizer"] == ("muon", "adamw") and not differences(MODELS["glm4"])


def test_the_command_takes_a_paper_as_a_whole_and_flags_come_first(tmp_path: Path, capsys: Any) -> None:
    flags = "--steps 2 --batch 4 --corpus town_en --stories 40 --vocab 300 --width 16 --heads 2 --depth 1 --context 16"
    words = ["pretrain", "--model", "albert", *flags.split(), "--published", "--learning-rate", "0.5", "--json"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    said, run = capsys.readouterr().err, json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["training"]["optimizer"], run["training"]["learning_rate"], run["training"]["steps"]) == (
        "lamb",
        0.5,
        2,
    )
    assert "optimizer lamb (the lab: muon)" in said and "4,096 texts" in said
    assert "source: Lan et al. 2019, section 4.1" in said


@pytest.mark.parametrize("model", ["bert", "gpt", "electra", "deberta_v3"])
def test_first_weights_as_published_have_one_deviation(model: str) -> None:
    run = plan(model=model, training=steps(1, init_std=0.02))
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


@pytest.mark.parametrize("model", ["t5", "t5_v11"])
def test_first_weights_of_t5_as_published_keep_the_size_of_what_they_read(model: str) -> None:
    """Token vectors have a deviation of 1, maps that over the root of what they add up, queries less still."""
    sizes = {"width": 64, "heads": 4, "depth": 1, "context": 16}
    weights = weights_of(build(plan(model=model, shape=sizes, training=steps(1, init_std=1.0)), 300, 0))
    deviations = {name: float(each.std()) for name, each in weights.items() if each.dim() > 1}
    assert deviations["encoder.embed.tokens.weight"] == pytest.approx(1.0, rel=0.02)
    assert deviations["encoder.blocks.0.feed.down.weight"] == pytest.approx(256**-0.5, rel=0.03)
    assert deviations["decoder.blocks.0.cross.kv.weight"] == pytest.approx(64**-0.5, rel=0.03)
    assert deviations["decoder.blocks.0.cross.q.weight"] == pytest.approx((64 * 16) ** -0.5, rel=0.03)
    assert deviations["decoder.distances.table.weight"] == pytest.approx(64**-0.5, rel=0.3)
    assert set(weights["decoder.norm.weight"].tolist()) == {1.0}


def test_the_labs_t5_begins_by_looking_near_and_seeking_its_like() -> None:
    weights = weights_of(build(plan(model="t5"), 300, 0))
    both, onward = (weights[f"{part}.distances.table.weight"] for part in ("encoder", "decoder"))
    left, right = both[:16], both[16:]  # the buckets of distances to either side, two heads
    assert left[:3, 0].tolist() == [0.0, -3.0, -4.0] and right[1:3, 0].tolist() == [-1.0, -2.0]
    assert left[:3, 1].tolist() == [0.0, -1.0, -2.0] and right[1:3, 1].tolist() == [-3.0, -4.0]
    assert onward[:3, 0].tolist() == [0.0, -1.0, -2.0] and onward[1, 1] == -0.25
    queries, keys = (weights[f"decoder.blocks.0.cross.{part}.weight"] for part in ("q", "kv"))
    assert keys[: len(queries)].equal(queries) and not keys[len(queries) :].equal(queries)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_run_resumed_with_any_optimizer_ends_as_one_never_stopped(optimizer: str, tmp_path: Path) -> None:
    how = {"training": steps(8, optimizer=optimizer, learning_rate=0.01)}
    whole, parts = finished(tmp_path / "whole", **how), RunFolder.create(plan(**how), tmp_path / "parts")
    for until in (3, 10**9):
        go_on(str(parts.path), until=until)
    assert outcome(parts) == outcome(whole)


@pytest.mark.parametrize("decay", [0.01, 0.0])
def test_a_step_of_lamb_is_as_long_as_the_parameter_times_the_rate(decay: float) -> None:
    dice = torch.Generator().manual_seed(0)
    table, bias = (torch.nn.Parameter(torch.randn(shape, generator=dice)) for shape in ((4, 3), (3,)))
    before, length = [each.detach().clone() for each in (table, bias)], table.norm().item()
    table.grad, bias.grad = torch.randn(4, 3, generator=dice), torch.tensor([1.0, -2.0, 0.5])
    groups = [
        {"params": [table], "weight_decay": decay, "adapts": True},
        {"params": [bias], "weight_decay": 0.0, "adapts": False},
    ]
    Lamb(groups, 0.1, (0.9, 0.999), 1e-6).step()
    assert (table - before[0]).norm().item() == pytest.approx(0.1 * length, rel=1e-5)
    first = 0.1 / 0.001**0.5  # moments that begin at zero and are not corrected
    torch.testing.assert_close(bias.detach(), before[1] - 0.1 * first * bias.grad.sign(), rtol=1e-3, atol=0)


@pytest.mark.parametrize("decay", [0.01, 0.0])
def test_lamb_adapts_to_tables_and_not_to_biases_whatever_decays(decay: float) -> None:
    training = Training(steps=1, optimizer="lamb", weight_decay=decay)
    model = build(plan(model="albert"), 300, 0)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    for group in optimizer_of(model, training, 0.1).param_groups:
        assert all(decays(names[id(each)], each) == group["adapts"] for each in group["params"])


def share(step: int, **values: Any) -> float:
    budget = Budget(Training(steps=100, **values))
    budget.step = step - 1
    return round(budget.share, 6)


def test_the_rate_falls_as_the_schedule_says() -> None:
    assert [share(step, schedule="cosine", warmup=0.2, floor=0.1) for step in (10, 20, 60, 100)] == [0.5, 1, 0.55, 0.1]
    assert [share(step, schedule="constant", warmup=0.2) for step in (10, 60, 100)] == [0.5, 1, 1]
    assert [share(step, schedule="inverse_sqrt", warmup=0.04) for step in (1, 4, 16, 100)] == [1, 1, 0.5, 0.2]
    assert [share(step, schedule="inverse_sqrt", warmup=0.0) for step in (1, 4, 16, 100)] == [1, 0.5, 0.25, 0.1]
    assert [share(step, warmup=0.2, floor=0.5) for step in (10, 100)] == [0.5, 0.5005]


def test_no_bias_decays_whatever_its_shape() -> None:
    model = build(plan(model="xlnet"), 300, 0)
    spared = {name for name, each in model.named_parameters() if each.dim() > 1 and not decays(name, each)}
    assert {name.rpartition(".")[2] for name in spared} == {"token_bias", "distance_bias", "segment_bias"}
    assert decays("stack.embed.tokens.weight", torch.zeros(3, 4)) and not decays("norm.weight", torch.zeros(3))


def test_deberta_v3_masks_all_that_is_asked_as_its_authors_do() -> None:
    assert authors_settings(MODELS["deberta_v3"], "rtd") == {"mask": 1.0}
    assert with_authors_settings("deberta_v3", "rtd", {"learning_rate": 0.2}) == {"mask": 1.0, "learning_rate": 0.2}
    assert with_authors_settings("deberta_v3", "rtd", {"mask": 0.5}) == {"mask": 0.5}
    assert with_authors_settings("electra", "rtd", {"mask": 1.0, "learning_rate": 0.2}) == {"learning_rate": 0.2}
    assert not authors_settings(MODELS["deberta_v3"], "mlm")


def test_the_page_sets_what_the_paper_has_and_says_where_the_lab_differs() -> None:
    from lab.ui.pages.pretrain import recipe  # noqa: PLC0415  the words are read when it is imported

    paper = recipe.choose("bert", "published")
    assert {name: paper[name] for name in recipe.KNOBS} == {"loss_factor": 1.0} | as_published(MODELS["bert"])
    assert recipe.choose("lstm", "published")["loss_factor"] == 20.0
    assert recipe.choose("bert", "lab")["beta2"] == Training.knobs()["beta2"].default
    lines = {each["name"]["en"]: (each["paper"], each["lab"]) for each in paper["recipe note"][1][1]}
    assert lines["Learning rate"] == ("0.0001", "0.004") and "Weight decay" not in lines
    assert recipe.follow_model("bert", "lab").keys() == {"recipe note"}
    assert recipe.choose("glm4", "published")["recipe note"][0][1]["word"] == "pretrain.recipe.unknown"
    assert recipe.choose("x", "y")["recipe note"] == []
