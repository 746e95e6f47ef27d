"""Contrastive search beside a loop over the model in transformers, without a cache; and by its borders."""

from pathlib import Path
from typing import Any

import pytest
import torch
from random_runs import run_of
from tiny import finished, steps

from lab.exchange.export import export
from lab.exchange.known import namings
from lab.inference import decoding
from lab.inference.contrastive_search import contrastive_search
from lab.inference.decoding import GREEDY, continuation, generate
from lab.inference.model import Trained, load
from lab.settings import SettingsError

transformers = pytest.importorskip("transformers")

PROMPT = "The cat sat on the"


@pytest.fixture(scope="module", params=["gpt", "llama"])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Trained, Any]:
    """A run of random numbers, and the same model in transformers."""
    folder = tmp_path_factory.mktemp("run")
    naming = next(each for each in namings() if each.model == request.param and each.written)
    run = run_of(naming, folder / "run")
    out = export(run, folder / "out").folder
    return load(run), transformers.AutoModelForCausalLM.from_pretrained(out, attn_implementation="eager").eval()


def by_the_book(model: Any, ids: list[int], k: int, alpha: float, tokens: int) -> list[list[tuple[int, float, float]]]:
    """Equation 5, every candidate read from the beginning: its token, probability and penalty; the taken one first."""
    steps = []
    for _ in range(tokens):
        with torch.no_grad():
            before = model(torch.tensor([ids]), output_hidden_states=True)
        probabilities, likeliest = before.logits[0, -1].softmax(-1).topk(k)
        context, rows = before.hidden_states[-1][0], []
        for token, p in zip(likeliest.tolist(), probabilities.tolist(), strict=True):
            with torch.no_grad():
                state = model(torch.tensor([[*ids, token]]), output_hidden_states=True).hidden_states[-1][0, -1]
            rows.append((token, p, float(torch.cosine_similarity(context, state[None]).max())))
        rows.sort(key=lambda row: alpha * row[2] - (1 - alpha) * row[1])
        ids = [*ids, rows[0][0]]
        steps.append(rows)
    return steps


@pytest.mark.parametrize(("k", "alpha"), [(1, 0.6), (4, 0.6), (7, 0.2), (5, 1.0)])
def test_it_takes_what_the_equation_takes(
    exported: tuple[Trained, Any], monkeypatch: pytest.MonkeyPatch, k: int, alpha: float
) -> None:
    monkeypatch.setattr(decoding, "suppressed", lambda trained: [])
    trained, model = exported
    ids = [int(i) for i in continuation(trained, PROMPT).ids]
    tokens = min(8, trained.context - len(ids))
    truth = by_the_book(model, ids, k, alpha, tokens)
    ours = [*contrastive_search(trained, PROMPT, k, alpha, tokens)]
    assert tokens >= 4 and ours
    for choice, rows in zip(ours, truth, strict=False):
        assert choice.token == rows[0][0]
        terms = {row.token: (row.probability, row.penalty) for row in choice.candidates}
        assert set(terms) == {token for token, _, _ in rows}
        for token, p, penalty in rows:
            assert terms[token] == pytest.approx((p, penalty), abs=1e-4)
    assert len(ours) == tokens or ours[-1].token == trained.tokenizer.vocabulary.end


FAMILIES: list[tuple[str, dict[str, Any]]] = [
    ("gpt", {}),
    ("linear_transformer", {}),
    ("t5", {}),
    ("mbart", {}),
    ("gpt", {"objective": "prefix_lm"}),
]


@pytest.mark.parametrize(("model", "others"), FAMILIES, ids=lambda each: str(each))
def test_without_a_penalty_it_is_greedy_decoding_even_beyond_the_context(
    model: str, others: dict[str, Any], tmp_path: Path
) -> None:
    trained = load(finished(tmp_path / "run", model=model, training=steps(3), **others))
    most = 2 * trained.context
    greedy = [token.id for token in generate(trained, "The town", GREEDY, most)]
    found = [choice.token for choice in contrastive_search(trained, "The town", 3, 0.0, most)]
    # The end of the text is told, too; of an answer that fills the context the last token is missing.
    assert found[: len(greedy)] == greedy[: len(found)] and abs(len(found) - len(greedy)) <= 1
    for choice in contrastive_search(trained, "The town", 3, 0.9, most):
        assert all(-1 <= row.penalty <= 1.0001 for row in choice.candidates)
        assert choice.taken == max(range(len(choice.candidates)), key=lambda i: choice.candidates[i].score)


def test_a_model_without_blocks_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="hidden states"):
        next(contrastive_search(load(finished(tmp_path / "run", model="lstm", training=steps(2))), "The"))
