"""Loss by context length: the same tokens behind more and more of their context; none behind more than was learnt."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from bigram import knowing
from tiny import finished, steps
from torch import nn

from lab.batch import Batch
from lab.catalog import OBJECTIVES
from lab.corpora.town_stories import Town, document
from lab.inference import loss_by_context as measuring
from lab.inference.decoding import GREEDY, generate, suppressed
from lab.inference.loss_by_context import LEAST, TARGETS, loss_by_context, reach
from lab.inference.model import load
from lab.inference.scoring import logprobs
from lab.noise import Dice
from lab.runs.folder import SHIPPED, RunFolder
from lab.runs.run import IMPORTED, Run
from lab.settings import SettingsError

TEXTS = ["The town was quiet. Nobody slept well in the rain, and the baker went home. 猫 🦜", "The harbour was full."]


def test_a_bigram_model_gains_nothing_from_more_than_one_token() -> None:
    """By hand: behind "a" came "b" twice and "c" twice, behind both always "a"."""
    trained = knowing("abacabaca", context=32)
    size, never = trained.tokenizer.vocabulary.size, len(suppressed(trained))
    rest = 0.5 / size
    sayable = 1 - never * rest
    after_a, after_b = -math.log2((0.25 + rest) / sayable), -math.log2((0.5 + rest) / sayable)
    found = loss_by_context(trained, ["ab" * 60])
    assert found.lengths[:4] == [1, 2, 4, 8] and found.targets == 120 - found.lengths[-1]
    asked = range(found.lengths[-1], 120)
    expected = sum(after_a if place % 2 else after_b for place in asked) / len(asked)
    assert found.bits == pytest.approx([expected] * len(found.bits), abs=1e-5)


@pytest.mark.parametrize("model", ["gpt", "lstm", "llama"])
def test_each_length_is_the_mean_over_tokens_asked_one_by_one(model: str, tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model=model, training=steps(3)))
    found = loss_by_context(trained, TEXTS)
    ids = [each.tolist() for each in trained.tokenizer.encode_all(TEXTS)]
    longest, never = found.lengths[-1], suppressed(trained)
    every = [(text, place) for text in ids for place in range(longest, len(text))]
    assert LEAST <= found.targets == len(every) < TARGETS
    share = sum(map(len, ids)) / sum(len(text.encode()) for text in TEXTS)
    for length, bits in zip(found.lengths, found.bits, strict=True):
        nats = []
        for text, place in every:
            batch = Batch(
                shown=torch.tensor([text[place - length : place]]),
                visible="causal",
                asked=torch.tensor([length - 1]),
            )
            with torch.no_grad():
                logits = trained.model(batch).tokens[0]
            logits[never] = -torch.inf
            nats.append(-float(logits.log_softmax(-1)[text[place]]))
        assert bits == pytest.approx(np.mean(nats) / math.log(2) * share, abs=1e-4)


def test_beyond_the_context_is_tried_where_positions_have_no_table(tmp_path: Path) -> None:
    for model, longest in (("gpt", 16), ("llama", 32), ("lstm", 32)):
        trained = load(finished(tmp_path / model, model=model, training=steps(1)))
        assert trained.context == 16 and reach(trained) == longest
        found = loss_by_context(trained, [" ".join(TEXTS)])
        assert found.lengths[-1] == longest and found.lengths == [2**power for power in range(longest.bit_length())]


def test_of_a_short_text_fewer_lengths_are_tried_and_of_a_shorter_one_none(tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model="gpt", training=steps(1)))
    text = "0" * (LEAST + 3)  # each a token of its own, for so small a vocabulary
    assert len(trained.tokenizer.encode(text)) == LEAST + 3
    assert loss_by_context(trained, [text]).lengths == [1, 2]
    for texts in ([], [""], ["short"], ["a b"] * 3):
        with pytest.raises(SettingsError, match=f"at least {LEAST + 1} tokens"):
            loss_by_context(trained, texts)


def test_a_large_model_is_asked_less_and_less_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = load(finished(tmp_path, model="lstm", training=steps(1)))
    text = " ".join(TEXTS * 4)
    whole = loss_by_context(trained, [text])
    assert whole.targets == TARGETS and whole.lengths[-1] == 32
    read = trained.parameters * sum(whole.lengths)
    monkeypatch.setattr(measuring, "WORK", 60 * read)
    fewer = loss_by_context(trained, [text])
    assert fewer.targets == 60 and fewer.lengths == whole.lengths
    monkeypatch.setattr(measuring, "WORK", 10 * read)
    shorter = loss_by_context(trained, [text])
    assert shorter.targets >= LEAST and shorter.lengths == [1, 2, 4, 8] and sum(shorter.lengths) * LEAST <= 10 * 61
    monkeypatch.setattr(measuring, "WORK", 0)
    assert loss_by_context(trained, [text]).lengths == [1]


@pytest.mark.parametrize(("model", "objective"), [("bert", "mlm"), ("t5", "span_corruption"), ("gpt", "prefix_lm")])
def test_who_does_not_read_from_left_to_right_alone_is_refused(model: str, objective: str, tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model=model, objective=objective, training=steps(1)))
    with pytest.raises(SettingsError, match="from those before it"):
        loss_by_context(trained, TEXTS)


# ---- the last place of a context, of which nothing was learnt


class Counting(nn.Module):
    """A model that remembers the most tokens that it has had before it at once."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model, self.most = model, 0

    def forward(self, batch: Batch, cache: Any = None) -> Any:
        read = 0 if cache is None else cache.length
        self.most = max(self.most, read + batch.shown.shape[1])
        return self.model(batch, cache)


@pytest.mark.parametrize("name", [each.name for each in OBJECTIVES if each.left_to_right])
def test_no_row_asks_what_follows_its_last_token(name: str) -> None:
    objective = OBJECTIVES[name]
    settings = objective.settings()
    vocabulary = knowing("ab", context=32).tokenizer.vocabulary
    exercise = objective.build(np.full((50, 16), vocabulary.size - 1), settings, vocabulary, Dice(0, np.arange(50)))
    assert exercise.following and not exercise.asked[:, -1].any() and exercise.asked[:, -2].all()


def test_texts_are_written_and_scored_without_a_place_of_which_nothing_was_learnt(tmp_path: Path) -> None:
    """Where rows do not overlap, a table of positions has learnt what follows each place but the last: there a GPT said
    anything."""
    trained = load(finished(tmp_path, model="gpt", training=steps(1)))
    ids = trained.tokenizer.encode(TEXTS[0]).tolist()
    apart, imported = (
        Run.load(trained.run.dump() | other) for other in ({"training": steps(1, overlap=False)}, {"kind": IMPORTED})
    )
    for run, most in ((trained.run, trained.context), (apart, trained.context - 1), (imported, trained.context)):
        for use in (
            lambda known: logprobs(known, ids),
            lambda known: [*generate(known, "The town", GREEDY, 3 * known.context)],
            lambda known: [*generate(known, TEXTS[0], GREEDY, 3 * known.context)],
        ):
            counting = Counting(trained.model)
            use(replace(trained, run=run, model=counting))
            assert counting.most == most


def test_the_model_that_comes_with_the_lab_is_no_worse_where_its_context_is_full() -> None:
    trained = load(RunFolder.open(SHIPPED / "gpt-town"))
    town = Town()
    found = loss_by_context(trained, [document(town.seed, number, "en").text for number in range(3990, 4000)])
    assert found.lengths[-1] == trained.context - 1 and found.bits[-1] < 1.2 * found.bits[-2] < 0.3 * found.bits[0]
