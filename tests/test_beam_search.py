"""Beam search beside that of transformers, beside trying everything, and as a record of what it looked at."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from random_runs import run_of
from tiny import finished, steps

from lab.cli.main import main
from lab.exchange.export import export
from lab.exchange.known import namings
from lab.inference import beam_search as module
from lab.inference import decoding
from lab.inference.beam_search import beam_search
from lab.inference.model import Trained, load

transformers = pytest.importorskip("transformers")

PROMPT = "The cat"


@pytest.fixture(scope="module", params=["gpt", "llama", "t5"])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Trained, Any]:
    """A run of random numbers, and the same model in transformers."""
    folder = tmp_path_factory.mktemp("run")
    naming = next(each for each in namings() if each.model == request.param and each.written)
    run = run_of(naming, folder / "run")
    kind = "AutoModelForSeq2SeqLM" if request.param == "t5" else "AutoModelForCausalLM"
    out = export(run, folder / "out").folder
    model = getattr(transformers, kind).from_pretrained(out, attn_implementation="eager").eval()
    model.generation_config = transformers.GenerationConfig()  # nothing is ruled out
    return load(run), model


def ending(monkeypatch: pytest.MonkeyPatch, trained: Trained, rank: int) -> int:
    """Let a text end at the token that is so likely behind the prompt, and let nothing be ruled out."""
    monkeypatch.setattr(decoding, "suppressed", lambda trained: [])
    begin = decoding.continuation
    end = int(begin(trained, PROMPT).next_logits().topk(rank + 1).indices[rank])

    def begun(trained: Trained, prompt: str) -> Any:
        text = begin(trained, prompt)
        text.ends = {end}
        return text

    monkeypatch.setattr(module, "continuation", begun)
    return end


@pytest.mark.parametrize(
    ("beams", "penalty", "rank"), [(1, 1.0, 40), (3, 1.0, 1), (4, 0.0, 2), (5, 2.0, 0), (4, -1.0, 1)]
)
def test_the_hypotheses_and_their_scores_are_those_of_transformers(
    monkeypatch: pytest.MonkeyPatch, exported: tuple[Trained, Any], beams: int, penalty: float, rank: int
) -> None:
    trained, model = exported
    end = ending(monkeypatch, trained, rank)
    text = module.continuation(trained, PROMPT)
    source = torch.tensor([text.ids if trained.seq2seq is None else text.source.tolist()])
    more: dict[str, Any] = {}
    if trained.seq2seq is not None:
        more = {"decoder_input_ids": torch.tensor([text.ids]), "decoder_start_token_id": text.ids[0]}
    out = model.generate(
        source,
        **more,
        num_beams=beams,
        num_return_sequences=beams,
        length_penalty=penalty,
        max_new_tokens=6,
        eos_token_id=end,
        pad_token_id=0,
        do_sample=False,
        output_scores=True,
        return_dict_in_generate=True,
    )
    search = beam_search(trained, PROMPT, beams, 6, penalty)
    ours = [hypothesis.ids for hypothesis in search.best]
    begun = len(text.ids)
    assert [[*ids] for ids in ours] == [
        row[: len(ids)] for row, ids in zip(out.sequences[:, begun:].tolist(), ours, strict=True)
    ]
    if beams > 1:
        scores = [hypothesis.score for hypothesis in search.best]
        assert scores == pytest.approx(out.sequences_scores.tolist(), abs=1e-4)


@pytest.mark.parametrize("exported", ["gpt"], indirect=True)  # each first token costs a pass of the model
def test_with_beams_enough_nothing_better_exists(
    monkeypatch: pytest.MonkeyPatch, exported: tuple[Trained, Any]
) -> None:
    """Of all pairs of tokens none is likelier than what the search finds that keeps every first one."""
    trained, _ = exported
    end = ending(monkeypatch, trained, 3)
    first = module.continuation(trained, PROMPT).next_logits().log_softmax(-1)
    best = (-math.inf, ())
    for token in range(len(first)):
        if token == end:
            best = max(best, (float(first[token]), (token,)))
            continue
        text = module.continuation(trained, PROMPT)
        text.add(token)
        logprob, second = text.next_logits().log_softmax(-1).max(-1)
        best = max(best, (float(first[token] + logprob), (token, int(second))))
    found = beam_search(trained, PROMPT, len(first), 2, 0.0).best[0]
    assert found.ids == best[1] and found.logprob == pytest.approx(best[0], abs=1e-4)


def test_one_beam_is_greedy_decoding(exported: tuple[Trained, Any]) -> None:
    trained, _ = exported
    greedy = [*decoding.generate(trained, PROMPT, decoding.GREEDY, 6)]
    (found,) = beam_search(trained, PROMPT, 1, 6, 0.0).best
    assert [*found.ids][: len(greedy)] == [token.id for token in greedy]
    if len(greedy) == 6:
        assert found.logprob == pytest.approx(sum(token.logprob for token in greedy), abs=1e-4)


def test_the_record_holds_every_candidate_with_what_became_of_it(exported: tuple[Trained, Any]) -> None:
    trained, _ = exported
    search = beam_search(trained, PROMPT, 3, 5)
    assert [*itertools.chain(*search.steps)] == [*range(len(search.candidates))]
    for depth, step in enumerate(search.steps, 1):
        scores = [search.candidates[number].score for number in step]
        assert scores == sorted(scores, reverse=True) and len(step) == 6
        assert sum(search.candidates[number].fate == "kept" for number in step) == (3 if depth < 5 else 0)
        for number in step:
            candidate = search.candidates[number]
            parent = search.candidates[candidate.parent] if depth > 1 else None
            assert (candidate.parent == -1) == (parent is None) and (parent is None or parent.fate == "kept")
            before = parent.score if parent else 0.0
            assert candidate.score == pytest.approx(before + candidate.logprob, abs=1e-4)
            assert len(search.path(number)) == depth
    assert [search.path(best.last) for best in search.best] == [[*best.ids] for best in search.best]


def test_the_command_line_searches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = finished(tmp_path / "run", model="gpt", training=steps(3))
    words = ["generate", "--run", str(folder.path), "--prompt", "The", "--tokens", "4", "--json"]
    assert main([*words, "--beams", "3", "--length-penalty", "0"]) == 0
    found = json.loads(capsys.readouterr().out)["beams"]
    ours = beam_search(load(folder), "The", 3, 4, 0.0).best
    assert [each["score"] for each in found] == pytest.approx([each.score for each in ours])
    assert main([*words, "--beams", "0"]) == main([*words, "--beams", "2", "--sampler", "greedy"]) == 2
