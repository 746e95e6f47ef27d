"""An evaluation reads everything, says what it read, and has a figure for each thing that a model has learnt."""

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from random_runs import run_of
from tiny import finished, steps
from torch.nn import functional

from lab.batch import Batch, Document
from lab.cli.main import main
from lab.data.batches import Batches
from lab.data.byte_lengths import byte_lengths
from lab.data.corpus import prepare
from lab.data.stream import stream_of
from lab.exchange.export import export
from lab.exchange.importing import bring
from lab.exchange.known import naming_of
from lab.inference.model import load
from lab.layers.bilm import shifted
from lab.runs.folder import RunFolder
from lab.settings import SettingsError
from lab.training.evaluate import bytes_per_token, check, evaluate
from lab.training.session import opened

TEXT = "The town was quiet. Oscar walked home with his aunt, and the dog ran on ahead of them. "
TEXTS = [Document(TEXT * n) for n in (1, 3, 2, 5)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """A run of each kind that has something of its own to measure."""
    place = tmp_path_factory.mktemp("runs")
    kinds: dict[str, dict[str, Any]] = {
        "gpt": {},
        "electra": {},
        "deberta_v3": {},
        "t5": {},
        "bert": {"pair": "nsp"},
        "albert": {"pair": "sop"},
    }
    return {model: finished(place / model, model=model, training=steps(4), **how) for model, how in kinds.items()}


def test_the_loss_of_two_readings_is_the_mean_of_theirs_in_training_and_in_validation(tmp_path: Path) -> None:
    """Not that of their product, which sees both sides of a token and would stand beside a bigram that sees one."""
    session = opened(finished(tmp_path / "run", model="elmo", training=steps(4)))
    model = session.model.eval()
    nats, count = 0.0, 0
    with torch.no_grad():
        for batch in session.valid_batches.validation():
            assert batch.asked is not None and batch.answers is not None
            states = shifted(model.stack(batch)[-1]).flatten(0, 1)[batch.asked]
            for side in states.chunk(2, -1):
                nats += functional.cross_entropy(model.head(side), batch.answers, reduction="sum").item() / 2
            count += len(batch.answers)
    assert check(model, session.valid_batches)["loss"] == pytest.approx(nats / count, abs=1e-5)


@pytest.mark.parametrize("model", ["gpt", "bert"])
def test_all_of_a_corpus_is_measured_for_an_imported_run(model: str, tmp_path: Path) -> None:
    folder = bring(export(run_of(naming_of(model), tmp_path / "run"), tmp_path / "out").folder, tmp_path / "in").folder
    trained = load(folder)
    found = evaluate(trained, folder, TEXTS)
    held = stream_of(TEXTS, trained.tokenizer)
    assert found["read"]["part"] == "all" and found["read"]["documents"] == len(TEXTS)
    assert found["read"]["tokens"] == len(held.ids)
    if model == "gpt":  # once each, however far the windows overlap
        assert found["tokens"] == evaluate(trained, folder, TEXTS, 1)["tokens"] == len(held.ids) - 1
    lines = found["baselines"]
    assert lines["bigram"] < lines["unigram"] < lines["uniform"]


def test_the_baselines_of_an_imported_run_know_nothing_of_what_they_are_held_against(tmp_path: Path) -> None:
    folder = bring(export(run_of(naming_of("gpt"), tmp_path / "run"), tmp_path / "out").folder, tmp_path / "in").folder
    found = evaluate(load(folder), folder, [Document("the cat")])  # one window: nothing is left to be counted
    assert found["baselines"]["unigram"] == found["baselines"]["bigram"] == found["baselines"]["uniform"]


@pytest.mark.parametrize("model", ["t5", "bart", "glm"])
def test_what_learnt_rows_of_whole_sentences_is_measured(model: str, tmp_path: Path) -> None:
    folder = finished(tmp_path / model, model=model, training={**steps(2), "packing": "full_sentences"})
    assert evaluate(load(folder), folder)["baselines"]["unigram"] > 0
    assert evaluate(load(folder), folder, TEXTS)["loss"] > 0


def test_a_text_about_which_nothing_can_be_asked_is_refused_in_words(
    runs: dict[str, RunFolder], tmp_path: Path
) -> None:
    elmo = finished(tmp_path / "elmo", model="elmo")
    with pytest.raises(SettingsError, match="nothing can be asked"):  # both readings ask between two tokens
        evaluate(load(elmo), elmo, [Document("x")])
    session = opened(runs["bert"])
    monkey = [replace(batch, asked=None, answers=None) for batch in session.valid_batches.validation()]
    with pytest.raises(SettingsError, match="nothing can be asked"):
        bytes_per_token(SimpleNamespace(validation=lambda: monkey), session.trained.tokenizer)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["wordpiece", "words", "characters"])
def test_bits_per_byte_are_over_the_bytes_of_the_text_whatever_its_tokens_spell(kind: str, tmp_path: Path) -> None:
    folder = finished(tmp_path / kind, model="gpt", tokenizer=kind, training=steps(2))
    trained = load(folder)
    for text in ("the cat sat, and the dog ran", "猫坐在垫子上。 the cat 🦊", "龘靐齉爩" * 5):  # the last is unknown
        found = evaluate(trained, folder, [Document(text)])
        # All tokens but the first are asked about, and stand for their share of the bytes that tokens spell.
        lengths = trained.tokenizer.token_bytes[stream_of([Document(text)], trained.tokenizer).ids]
        share = lengths[1:].sum() / lengths.sum() if lengths.any() else (len(lengths) - 1) / len(lengths)
        bits = found["loss"] * found["tokens"] / math.log(2)
        assert found["bits_per_byte"] == pytest.approx(bits / (share * len(text.encode())), rel=1e-5)


def test_a_text_that_is_spelt_exactly_keeps_the_bytes_of_its_tokens(runs: dict[str, RunFolder]) -> None:
    trained = load(runs["gpt"])
    stream = stream_of([Document("naïve 猫🦊 and so on")], trained.tokenizer)
    assert stream.bytes == trained.tokenizer.token_bytes[stream.ids].sum()
    assert (byte_lengths(stream, trained.tokenizer) == trained.tokenizer.token_bytes).all()
    assert (byte_lengths(replace(stream, bytes=None), trained.tokenizer) == trained.tokenizer.token_bytes).all()


def test_a_stride_shows_more_of_the_past_and_measures_the_same_tokens(runs: dict[str, RunFolder]) -> None:
    gpt = runs["gpt"]
    trained = load(gpt)
    whole, fine = (evaluate(trained, gpt, TEXTS, stride) for stride in (None, 1))
    assert whole["tokens"] == fine["tokens"] and whole["baselines"] == fine["baselines"]
    assert (whole["read"]["stride"], fine["read"]["stride"]) == (15, 1)
    ids = torch.from_numpy(stream_of(TEXTS, trained.tokenizer).ids)
    nats = 0.0
    for last in range(1, len(ids)):  # each token from the fifteen before it
        nats += _nats(trained.model, ids[max(0, last - 15) : last], ids[last])
    assert fine["loss"] == pytest.approx(nats / (len(ids) - 1), rel=1e-5)


def _nats(model: torch.nn.Module, past: torch.Tensor, answer: torch.Tensor) -> float:
    batch = Batch(shown=past[None], visible="causal", asked=torch.tensor([len(past) - 1]))
    with torch.inference_mode():
        return functional.cross_entropy(model(batch).tokens, answer[None]).item()


@pytest.mark.parametrize("model", ["electra", "deberta_v3"])
def test_a_discriminator_has_figures_of_its_own(model: str, runs: dict[str, RunFolder]) -> None:
    folder = runs[model]
    for found in (folder.document("result.json")["validation"], evaluate(load(folder), folder)):
        assert 0 < found["discriminator_loss"] < 5 and 0 <= found["discriminator_accuracy"] <= 1
        assert 0.8 < found["discriminator_majority"] < 1  # what is not asked is never replaced
        assert found["loss"] > 3 > found["discriminator_loss"]


def test_the_discriminators_loss_is_that_of_its_training_without_the_weight(runs: dict[str, RunFolder]) -> None:
    session = opened(RunFolder(runs["electra"].path))
    assert isinstance(session.valid_batches, Batches)
    batch = next(session.valid_batches.validation(limit=8))
    with torch.inference_mode():
        part = session.model.eval()(batch).parts["detection"].item()
    assert check(session.model, session.valid_batches, limit=8)["discriminator_loss"] == pytest.approx(
        part / 50, rel=1e-4
    )


@pytest.mark.parametrize("model", ["bert", "albert"])
def test_pairs_have_an_accuracy_beside_the_commonest_answer(model: str, runs: dict[str, RunFolder]) -> None:
    folder = runs[model]
    found = evaluate(load(folder), folder, TEXTS)
    assert found["pairs"] > 3 and 0 <= found["sequence_accuracy"] <= 1 and found["sequence_loss"] > 0
    assert 0.5 <= found["sequence_majority"] <= 1


def test_accuracy_is_given_with_marks_and_end_and_without(runs: dict[str, RunFolder]) -> None:
    folder = runs["t5"]
    trained = load(folder)
    found = evaluate(trained, folder)
    assert 0.1 < found["marks_and_end"] < 0.6
    assert {"text_accuracy", "text_loss", "marks_and_end"} <= folder.document("result.json")["validation"].keys()
    nats = hits = count = 0.0
    special = {*trained.tokenizer.vocabulary.specials.values()}
    feed = Batches(folder.run, prepare(folder).valid, trained.tokenizer.vocabulary, validating=True)
    for batch in feed.everything():
        assert batch.answers is not None
        with torch.inference_mode():
            tokens = trained.model(batch).tokens
        for logits, answer in zip(tokens, batch.answers, strict=True):
            if int(answer) not in special:
                nats += functional.cross_entropy(logits[None], answer[None]).item()
                hits, count = hits + (logits.argmax() == answer).item(), count + 1
    assert found["text_loss"] == pytest.approx(nats / count, rel=1e-5)
    assert found["text_accuracy"] == pytest.approx(hits / count)
    assert math.isclose(1 - count / found["tokens"], found["marks_and_end"])


def test_a_run_whose_text_has_gone_is_measured_on_another(tmp_path: Path, capsys: Any) -> None:
    learnt_from, other = tmp_path / "learnt_from.txt", tmp_path / "other.txt"
    for file in (learnt_from, other):
        file.write_text(TEXT * 6)
    settings = {"corpus_settings": {"path": str(learnt_from)}}
    folder = finished(tmp_path / "run", model="gpt", training=steps(4), corpus="file", **settings)
    learnt_from.unlink()
    found = evaluate(load(folder), folder, TEXTS)
    assert "recurring" not in found["read"] and found["read"]["documents"] == len(TEXTS)
    lines = found["baselines"]
    assert lines["bigram"] < lines["unigram"] < lines["uniform"]
    assert main(["evaluate", "--run", str(folder.path), "--corpus", str(other)]) == 0
    last = capsys.readouterr().out.strip().splitlines()[-1]
    assert last == "what the run learnt from is not here: the baselines are counted on the rest of this text"
    assert main(["evaluate", "--run", str(folder.path)]) == 2  # its own validation part is asked for
    assert "learnt_from.txt" in capsys.readouterr().err


def test_the_command_says_what_was_read(runs: dict[str, RunFolder], tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "t.txt"
    file.write_text(TEXT * 4)
    assert main(["evaluate", "--run", str(runs["gpt"].path), "--corpus", str(file), "--stride", "4"]) == 0
    said, known = capsys.readouterr().out.strip().splitlines()[-2:]
    assert known.endswith("% of its sentences stand in what it learnt from")
    assert said.startswith("read all of the corpus: 1 text with") and "of at most 16 tokens, 4 apart" in said
    assert main(["evaluate", "--run", str(runs["bert"].path), "--stride", "4"]) == 2
    assert "left to right" in capsys.readouterr().err
