"""Mean pooling: worked out by hand, kept with the run, and refused where no token is to be replaced by a mean."""

from pathlib import Path

import pytest
import torch
from labelled import file_of, parent_of, trained, tuning

from lab.cli.main import main
from lab.exchange.export import export
from lab.inference.model import load
from lab.layers.heads import MeanToken, SequenceHead
from lab.runs.folder import RunFolder
from lab.runs.run import IMPORTED
from lab.runs.tuning import AUTO, MEAN, OWN
from lab.settings import SettingsError
from lab.training.evaluate_task import evaluate_task
from lab.training.run_request import command


@pytest.mark.parametrize("causal", [True, False])
def test_the_mean_is_that_of_the_tokens_that_are_not_padding(causal: bool) -> None:
    head = SequenceHead(MeanToken(), torch.nn.Linear(2, 3))
    x = torch.tensor([[[1.0, 2.0], [3.0, 6.0], [9.0, -9.0]], [[1.0, 0.0], [2.0, 1.0], [3.0, 5.0]]])
    real = torch.tensor([[True, True, False], [True, True, True]])
    expected = head.out(torch.tensor([[2.0, 4.0], [2.0, 2.0]]))
    torch.testing.assert_close(head(x, real, causal=causal), expected)
    torch.testing.assert_close(head(x[1:], None, causal=causal), expected[1:])
    assert head.reads(causal=causal) is None, "all tokens are read, so that the last block works all of them out"


@pytest.mark.parametrize("model", ["bert", "gpt", "electra", "deberta_v1", "xlnet", "bart", "longformer", "glm"])
@pytest.mark.parametrize("task", ["classify", "pairs", "similarity", "choice"])
def test_a_run_is_pooled_alike_in_training_and_when_it_is_asked(model: str, task: str, tmp_path: Path) -> None:
    parent = parent_of(model, tmp_path / "parent")
    folders = {
        how: trained(RunFolder.create(tuning(parent, task, tmp_path, 3, pooling=how), tmp_path / how))
        for how in ("own", MEAN)
    }
    losses = {how: folder.document("result.json")["validation"]["loss"] for how, folder in folders.items()}
    assert losses["own"] != losses[MEAN]
    assert evaluate_task(load(folders[MEAN]))["loss"] == pytest.approx(losses[MEAN], abs=1e-5)


@pytest.mark.parametrize(
    ("model", "task", "published", "wanted"),
    [
        ("bert", "classify", False, MEAN),
        ("bert", "classify", True, OWN),
        ("bert", "tokens", False, OWN),
        ("gpt", "pairs", False, OWN),
        ("lstm", "classify", False, OWN),
    ],
)
def test_where_none_is_chosen_it_is_the_one_that_suits(
    model: str, task: str, published: bool, wanted: str, tmp_path: Path
) -> None:
    """What a run keeps is never auto, and its command names the one that is not."""
    parent = parent_of(model, tmp_path / "parent", **({"kind": IMPORTED} if published else {}))
    run = tuning(parent, task, tmp_path, pooling=AUTO)
    assert run.tuning.pooling == wanted
    assert (f"pooling {wanted}" in command(run)) == (task != "tokens" and model != "lstm")


@pytest.mark.parametrize(
    ("model", "task", "words"),
    [("bert", "tokens", "Token"), ("lstm", "classify", "LSTM"), ("word2vec", "classify", "word2vec")],
)
def test_it_is_refused_where_nothing_is_summed_up_by_one_token(
    model: str, task: str, words: str, tmp_path: Path
) -> None:
    parent = parent_of(model, tmp_path / "parent")
    with pytest.raises(SettingsError, match="mean pooling is for tasks") as refused:
        tuning(parent, task, tmp_path, pooling=MEAN)
    assert words.lower() in refused.value.en.lower() and "平均池化" in refused.value.zh


def test_its_classes_are_not_exported_and_its_command_is_whole(tmp_path: Path) -> None:
    parent = parent_of("bert", tmp_path / "parent")
    run = tuning(parent, "classify", tmp_path, 1, pooling=MEAN)
    with pytest.raises(SettingsError, match="mean pooling"):
        export(trained(RunFolder.create(run, tmp_path / "run")), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert "pooling mean" in command(run)


def test_the_terminal_takes_it(tmp_path: Path) -> None:
    parent_of("bert", tmp_path / "parent")
    path = file_of("classify", tmp_path)
    words = ["finetune", "--run", str(tmp_path / "parent"), "--data", path, "--test", path, "--steps", "1"]
    assert main([*words, "--pooling", "mean", "--out", str(tmp_path / "made")]) == 0
    assert RunFolder.open(tmp_path / "made").run.tuning.pooling == MEAN
