"""What a model says of a given text is what it says of it token by token."""

import math
from pathlib import Path

import numpy as np
import pytest
from bigram import knowing
from tiny import finished, plan, steps

from lab.inference.decoding import continuation, suppressed
from lab.inference.model import load
from lab.inference.scoring import bits_behind, logprobs, scores_texts


@pytest.mark.parametrize("model", ["gpt", "lstm"])
def test_a_text_is_as_likely_as_its_tokens_one_by_one(model: str, tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model=model, training=steps(3)))
    ids = [int(token) for token in trained.tokenizer.encode("The town was quiet. 猫")][: trained.context]
    text, expected = continuation(trained, ""), []
    for token in ids:
        expected.append(float(text.next_logits().log_softmax(-1)[token]))
        text.add(token)
    assert logprobs(trained, ids) == pytest.approx(expected, abs=1e-4)
    assert logprobs(trained, []) == []
    unknown = trained.tokenizer.vocabulary.unknown
    assert math.isfinite(sum(logprobs(trained, [*ids[:3], unknown, *ids[3:5]])))


def test_beyond_the_context_each_token_is_read_behind_half_a_context(tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model="gpt", training=steps(3)))
    ids = [int(token) for token in trained.tokenizer.encode("The town was quiet. Nobody slept well in the rain. 猫 🦜")]
    context, scored = trained.context, logprobs(trained, ids)
    assert len(scored) == len(ids) > 2 * context
    assert scored[:context] == pytest.approx(logprobs(trained, ids[:context]), abs=1e-5)
    text = continuation(trained, trained.tokenizer.decode(ids[context // 2 : context]))
    expected = float(text.next_logits().log_softmax(-1)[ids[context]])
    assert scored[context] == pytest.approx(expected, abs=1e-4)


def test_each_byte_has_its_bits_by_hand() -> None:
    """Behind "a" came "b" twice and "c" twice, behind "b" always "a", and behind "x" anything may come."""
    trained = knowing("abacabaca", context=32)
    size, never = trained.tokenizer.vocabulary.size, len(suppressed(trained))
    rest = 0.5 / size
    sayable = 1 - never * rest  # special tokens that are never said have no share
    ab, ba = -math.log2((0.25 + rest) / sayable), -math.log2((0.5 + rest) / sayable)
    new, any_byte = -math.log2(rest / sayable), math.log2(size - never)
    assert bits_behind(trained, "a", "bab") == pytest.approx([ab, ba, ab], abs=1e-5)
    assert bits_behind(trained, "a" * 500, "b") == pytest.approx([ab], abs=1e-5)
    assert bits_behind(trained, "a", "猫") == pytest.approx([(new + 2 * any_byte) / 3] * 3, abs=1e-5)
    assert len(bits_behind(trained, "a", "")) == 0 and len(bits_behind(trained, "", "")) == 0
    assert len(bits_behind(trained, "\ud800", "\ud800!")) == 4, "a lone surrogate is read as U+FFFD"


@pytest.mark.parametrize("text", ["quiet. 猫和🦜", "猫", " ", "x" * 90])
def test_no_bit_is_lost_where_tokens_are_longer_or_shorter_than_characters(text: str, tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model="gpt", training=steps(3)))
    prompt = "The town was "
    bits, ids = bits_behind(trained, prompt, text), trained.tokenizer.encode(prompt + text).tolist()
    before = bits_behind(trained, "", prompt + text)
    assert len(bits) == len(text.encode()) and np.isfinite(bits).all()
    assert before.sum() == pytest.approx(-sum(logprobs(trained, ids)) / math.log(2), rel=1e-5)
    assert bits == pytest.approx(before[len(prompt) :])


def test_who_answers_or_sees_its_text_whole_gives_it_no_probability() -> None:
    assert scores_texts(plan(model="gpt", objective="clm")) and scores_texts(plan(model="lstm", objective="clm"))
    for model, objective in (("bert", "mlm"), ("t5", "span_corruption"), ("gpt", "prefix_lm")):
        assert not scores_texts(plan(model=model, objective=objective)), objective
