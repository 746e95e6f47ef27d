"""What a model says of a given text is what it says of it token by token."""

from pathlib import Path

import pytest
from tiny import finished, steps

from lab.inference.decoding import continuation
from lab.inference.model import load
from lab.inference.scoring import logprobs


@pytest.mark.parametrize("model", ["gpt", "lstm"])
def test_a_text_is_as_likely_as_its_tokens_one_by_one(model: str, tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model=model, training=steps(3)))
    ids = [int(token) for token in trained.tokenizer.encode("The town was quiet. 猫")][: trained.context]
    text, expected = continuation(trained, ""), []
    for token in ids:
        expected.append(float(text.next_logits().log_softmax(-1)[token]))
        text.add(token)
    assert logprobs(trained, ids) == pytest.approx(expected, abs=1e-4)
    assert logprobs(trained, []) == [] and len(logprobs(trained, ids * 40)) == trained.context
