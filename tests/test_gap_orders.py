"""Gaps filled at once and one by one, and the pseudo-perplexity of a text, each beside single predictions."""

import math

import numpy as np
import pytest
import torch
from tiny import finished, steps

from lab.inference import predict
from lab.inference.gap_orders import ORDERS, fill_gaps, pseudo_logprobs, pseudo_perplexity
from lab.inference.model import Trained, load
from lab.settings import SettingsError
from lab.vocabulary import MASK

TEXT = f"The {MASK} sat on the {MASK} and {MASK}."


@pytest.fixture(scope="module", params=["bert", "xlnet"])
def filler(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return load(finished(tmp_path_factory.mktemp("run"), model=request.param, training=steps(8)))


def with_token(trained: Trained, text: str, gap: int, token: int) -> str:
    """The text with a token put into a gap, as text."""
    parts = text.split(MASK)
    word = trained.tokenizer.decode([token])
    head = MASK.join(parts[: gap + 1])
    return (head.rstrip() if word.startswith(" ") else head) + word + MASK.join(parts[gap + 1 :])


def test_at_once_every_gap_gets_its_own_best_guess(filler: Trained) -> None:
    guesses = [gap[0] for gap in predict.fill(filler, TEXT, 1)]
    filled = fill_gaps(filler, TEXT, "at once")
    assert filled.tokens == [guess.id for guess in guesses] and filled.turns == [0, 0, 0]
    assert filled.logprob == pytest.approx(sum(math.log(guess.probability) for guess in guesses), abs=1e-4)


@pytest.mark.parametrize("order", ORDERS[1:])
def test_one_by_one_each_gap_knows_those_before_it(filler: Trained, order: str) -> None:
    filled = fill_gaps(filler, TEXT, order)  # type: ignore[arg-type]
    expected = {"left to right": [0, 1, 2], "right to left": [2, 1, 0]}.get(order, filled.turns)
    assert filled.turns == expected and sorted(filled.turns) == [0, 1, 2]
    vocabulary = filler.tokenizer.vocabulary
    ids = np.array(predict.framed(filler, predict.with_gaps(filler, TEXT)))
    gaps, total = np.flatnonzero(ids == vocabulary.mask), 0.0
    for turn in range(3):
        gap = filled.turns.index(turn)
        exercise = predict.reading(filler, ids)
        with torch.no_grad():
            logits = filler.model(predict.collate(exercise)).tokens.float()
        logits[:, [*vocabulary.specials.values()]] = -torch.inf
        left = [place for place in gaps if ids[place] == vocabulary.mask]
        logprobs = logits.log_softmax(-1)
        best, at = logprobs.max(-1), left.index(gaps[gap])
        assert int(best.indices[at]) == filled.tokens[gap]
        if order == "surest first":
            assert at == int(best.values.argmax())
        total += float(best.values[at])
        ids[gaps[gap]] = filled.tokens[gap]
    assert filled.logprob == pytest.approx(total, abs=1e-4)


def test_the_pseudo_log_likelihood_masks_every_token_alone(filler: Trained) -> None:
    text = "The cat sat."
    ids, logprobs = pseudo_logprobs(filler, text)
    own = filler.tokenizer.encode(text)
    assert ids.tolist() == own.tolist() and len(logprobs) == len(own)
    for place in (0, len(own) - 1):
        shown = predict.framed(filler, own)
        at = int(np.flatnonzero(shown == own[0])[0]) + place
        shown[at] = filler.tokenizer.vocabulary.mask
        exercise = predict.reading(filler, shown)
        with torch.no_grad():
            logits = filler.model(predict.collate(exercise)).tokens.float()
        logits[:, [*filler.tokenizer.vocabulary.specials.values()]] = -torch.inf
        assert logprobs[place] == pytest.approx(float(logits.log_softmax(-1)[0, own[place]]), abs=1e-4)
    assert pseudo_perplexity(logprobs) == pytest.approx(math.exp(-sum(logprobs) / len(logprobs)))
    assert len(pseudo_logprobs(filler, text, 3)[1]) == 3 and pseudo_logprobs(filler, "")[1] == []


def test_models_that_write_are_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    for model in ("gpt", "t5", "glm"):
        trained = load(finished(tmp_path_factory.mktemp("run"), model=model, training=steps(1)))
        for ask in (lambda each: fill_gaps(each, TEXT, "at once"), lambda each: pseudo_logprobs(each, "a")):
            with pytest.raises(SettingsError, match="masked language model"):
                ask(trained)
