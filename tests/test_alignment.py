"""Cross-attention beside what was written: for each token the row from which it came, as transformers has it."""

from pathlib import Path
from typing import Any

import pytest
import torch
from random_runs import run_of
from tiny import finished

from lab.exchange.export import export
from lab.exchange.known import namings
from lab.inference.alignment import alignment
from lab.inference.decoding import GREEDY, Reply, continuation, generate
from lab.inference.model import load
from lab.settings import SettingsError

transformers = pytest.importorskip("transformers")

TEXT = "The cat 猫"


@pytest.mark.parametrize("model", ["t5", "bart"])
def test_each_written_token_has_the_row_from_which_it_was_written(model: str, tmp_path: Path) -> None:
    naming = next(each for each in namings() if each.model == model and each.written)
    run = run_of(naming, tmp_path / "run")
    trained, out = load(run), export(run, tmp_path / "out").folder
    peer: Any = transformers.AutoModelForSeq2SeqLM.from_pretrained(out, attn_implementation="eager").eval()
    found, reply = alignment(trained, TEXT, 7), continuation(trained, TEXT)
    assert isinstance(reply, Reply)
    written = [piece.id for piece in found.written]
    assert written == [token.id for token in generate(trained, TEXT, GREEDY, 7)] and written
    layers, opening = len(found.shares), reply.ids
    for place in range(len(written)):  # step by step, as it is written: the last position writes the next token
        with torch.no_grad():
            said = peer(
                input_ids=torch.from_numpy(reply.source)[None],
                decoder_input_ids=torch.tensor([[*opening, *written[:place]]]),
                output_attentions=True,
            )
        for layer in range(layers):
            theirs = said.cross_attentions[layer][0].mean(0)[-1]  # (S,)
            assert torch.allclose(found.shares[layer, place], theirs, atol=1e-6)
    assert [piece.id for piece in found.source] == reply.source.tolist()
    assert alignment(trained, "", 2).written and len(alignment(trained, TEXT * 500, 10**6).source) <= trained.context


def test_who_has_no_encoder_beside_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no encoder"):
        alignment(load(finished(tmp_path, model="gpt")), TEXT)
