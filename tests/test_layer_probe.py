"""Probing: the classifier is at the minimum of its loss, it finds what is there in each layer, and changes nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import finished, steps
from torch.nn import functional

from lab.cli.main import main
from lab.data.reading import Parts
from lab.examples import Example
from lab.inference import layer_probe
from lab.inference.layer_probe import CHECKED, LEARNT, LEAST, WORDS, few, fit, mean, probed, shuffled
from lab.inference.model import Trained, load
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training.run_request import finetuning

TEXTS = ("a cat sat", "the dogs ran")


def run_for(folder: RunFolder, task: str, corpus: str = "town_en") -> Run:
    return finetuning(folder, task=task, corpus=corpus, chosen={"training": {"steps": 1}})


def two_texts() -> Parts:
    """Which of two texts it is, over and over."""
    examples = [Example(TEXTS[number % 2], label=number % 2) for number in range(12)]
    return Parts(examples, examples[:5], ("one", "other"))


def test_the_weights_are_at_the_minimum_of_the_penalised_loss() -> None:
    dice = torch.Generator().manual_seed(0)
    states = torch.randn(90, 4, generator=dice) * torch.tensor([1.0, 50.0, 0.1, 1.0]) + 3
    answers = (states[:, 0] + states[:, 3] + torch.randn(90, generator=dice) > 6).long()
    probe = fit(states, answers, 2)
    seen = (states - states.mean(0)) / states.std(0, correction=0)
    logits = probe(states)
    bias = probe(states.mean(0))
    # The gradient by the weights, worked out by hand: of the cross-entropy, and of half their squares over N.
    wrong = (logits.softmax(-1) - functional.one_hot(answers, 2)) / len(answers)  # (N, C)
    weights = torch.linalg.lstsq(seen, logits - bias).solution
    assert (seen.T @ wrong + weights / len(answers)).abs().max() < 1e-3
    assert wrong.sum(0).abs().max() < 1e-3
    assert (logits.argmax(-1) == answers).float().mean() > 0.7


def test_padding_is_no_part_of_a_mean() -> None:
    states = torch.arange(12.0).view(2, 3, 2)
    assert mean(states, torch.tensor([[True] * 3, [True, False, False]])).tolist() == [[2.0, 3.0], [6.0, 7.0]]
    assert mean(states, None).tolist() == states.mean(1).tolist()


@pytest.mark.parametrize("model", ["bert", "deberta_v3", "gpt", "elmo", "xlnet", "lstm", "word2vec", "glove"])
def test_what_stands_in_a_text_is_found_in_every_layer_and_nothing_global_is_touched(
    model: str, tmp_path: Path
) -> None:
    folder = finished(tmp_path, model=model, training=steps(1))
    trained, dice = load(folder), torch.get_rng_state()
    before = [weight.clone() for weight in trained.model.parameters()]
    found = probed(trained, run_for(folder, "classify"), two_texts())
    assert set(found["by_layer"]) == {1.0} and found["score"] == "accuracy"
    assert found["texts"] == {"learnt": 12, "checked": 5} and found["baselines"]["majority"] == pytest.approx(0.6)
    assert torch.equal(torch.get_rng_state(), dice) and torch.is_grad_enabled()
    assert all(map(torch.equal, before, trained.model.parameters()))
    assert all(weight.grad is None for weight in trained.model.parameters())


def test_words_have_the_tags_that_their_first_tokens_hold(tmp_path: Path) -> None:
    """A tag that follows from the word itself is in the embedding: that of "cat" and "dogs"."""
    folder = finished(tmp_path, training=steps(1))
    examples = [
        Example(text, words=((0, 1), (2, 5), (6, 9)), tags=(0, 1, 0))
        if text == "a cat sat"
        # "the dogs ran"
        else Example(text, words=((0, 3), (4, 8), (9, 12)), tags=(0, 1, 0))
        for text in TEXTS * 6
    ]
    found = probed(
        load(folder), run_for(folder, "tokens", "town_entities"), Parts(examples, examples[:4], ("O", "B-X"))
    )
    assert found["by_layer"][0] == 1.0 and found["score"] == "entity_f1" and found["texts"]["checked"] == 4


def test_shuffled_weights_are_as_large_and_know_nothing(tmp_path: Path) -> None:
    trained = load(finished(tmp_path, training=steps(1)))
    other = shuffled(trained)
    pairs = [*zip(trained.model.parameters(), other.model.parameters(), strict=True)]
    assert all(torch.equal(one.flatten().sort()[0], two.flatten().sort()[0]) for one, two in pairs)
    assert any(not torch.equal(one, two) for one, two in pairs)
    again = shuffled(trained).model.parameters()
    assert all(map(torch.equal, other.model.parameters(), again))


def test_a_probe_learns_from_a_few_examples() -> None:
    assert len(few([Example("a", label=0)] * 1000)) == LEARNT
    tagged = [Example("a b", words=((0, 1), (2, 3)), tags=(0, 0))] * 5000
    assert len(few(tagged[:LEARNT])) == LEARNT and 2 * LEARNT < WORDS
    long = [Example("a " * 100, words=((0, 1),) * 100, tags=(0,) * 100)] * 500
    assert WORDS - 100 <= 100 * len(few(long)) <= WORDS
    assert len(few([Example("a " * 9000, words=((0, 1),) * 9000, tags=(0,) * 9000)])) == 1


def test_who_reads_with_one_stack_and_writes_with_another_says_so(tmp_path: Path) -> None:
    folder = finished(tmp_path / "bart", model="bart", training=steps(1))
    with pytest.raises(SettingsError, match="writes with another"):
        probed(load(folder), run_for(folder, "classify"), two_texts())


def test_a_task_without_classes_is_refused(tmp_path: Path) -> None:
    folder = finished(tmp_path, training=steps(1))
    with pytest.raises(SettingsError, match="a probe needs classes"):
        probed(load(folder), run_for(folder, "similarity", "town_similarity"), two_texts())


def test_the_command_line_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder: Any = finished(tmp_path / "run", training=steps(1))
    line = ["evaluate", "--run", str(folder.path), "--corpus", "town_en", "--stories", "60"]
    assert main([*line, "--probe", "classify", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    trained: Trained = load(folder)
    assert len(found["by_layer"]) == len(found["shuffled"]) == trained.run.settings_of("model").depth + 1
    assert main([*line, "--probe", "classify"]) == 0
    said = capsys.readouterr().out
    assert "accuracy by layer" in said and "weights shuffled" in said and "majority" in said
    assert main([*line, "--probe", "classify", "--by-embedding"]) == 2
    assert "give one of" in capsys.readouterr().err
    assert main([*line[:3], "--probe", "classify"]) == 2 and "--corpus" in capsys.readouterr().err


def test_a_large_model_reads_fewer_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = finished(tmp_path, training=steps(1))
    trained, run = load(folder), run_for(folder, "classify")
    many = Parts(two_texts().train * 60, two_texts().train * 60, ("one", "other"))
    assert probed(trained, run, many)["texts"] == {"learnt": LEARNT, "checked": CHECKED}
    monkeypatch.setattr(layer_probe, "LARGE", trained.parameters // 4)
    fewer = probed(trained, run, many)["texts"]
    assert LEARNT // 4 - 1 <= fewer["learnt"] <= LEARNT // 4 and fewer["checked"] == LEAST
