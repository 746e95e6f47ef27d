"""XLNet's query stream and GLM's blank beside the text: whose maps they are, and who sees whom in them."""

import copy
from dataclasses import replace
from typing import Any

import pytest
import torch
from test_head_steps import made

from lab.batch import collate
from lab.inference.asked import ask
from lab.inference.attention_maps import QUERY, maps_of
from lab.inference.decoding import Blanks
from lab.inference.edits import altered, masked
from lab.inference.predict import fill
from lab.inference.shown import exercise_of, showing, shown
from lab.layers.watch import looking
from lab.settings import SettingsError

TWO = "The [MASK] sat on [MASK]."


def test_the_query_stream_has_maps_of_its_own_a_row_for_each_gap() -> None:
    trained = made("xlnet")
    asked = shown(trained, TWO)
    content, query = maps_of(trained, asked)
    gaps = (asked.read == trained.tokenizer.vocabulary.mask).nonzero()[0].tolist()
    assert (content.kind, query.kind) == ("", QUERY) and list(query.places or ()) == gaps
    assert content.maps.shape[2] == len(asked.read) and query.maps.shape[2:] == (2, len(asked.read))
    assert query.lookers == ["[MASK]", "[MASK]"] and query.tokens == content.tokens
    for row, gap in enumerate(gaps):
        assert (query.maps[:, :, row, gap] == 0).all()  # never its own token, which the content stream may see
        assert (content.maps[:, :, gap, gap] > 0).all()
    assert torch.allclose(query.maps.sum(-1), torch.ones(1), atol=1e-5)


def test_they_are_the_maps_by_which_the_model_answers() -> None:
    """What passes the watches while the model is asked about the gaps: content and query in turn."""
    trained = made("xlnet")
    asked = shown(trained, TWO)
    passed: list[torch.Tensor] = []
    exercise = exercise_of(trained, asked.read)
    blocks: Any = trained.model.stack.blocks
    with torch.no_grad(), looking({block.attention.watch: passed.append for block in blocks}):
        trained.model(collate(exercise))
    _, query = maps_of(trained, asked)
    own = [maps[0] for maps in passed if maps.shape[2] == 2]
    assert len(own) == len(blocks) and torch.allclose(torch.stack(own), query.maps, atol=1e-6)


def test_without_a_gap_there_is_one_stream_alone() -> None:
    for name, text in (("xlnet", "no gap"), ("bert", TWO), ("gpt", TWO)):
        trained = made(name)
        assert [each.kind for each in maps_of(trained, shown(trained, text))] == [""]


def test_glm_reads_the_text_whole_and_writes_behind_it_looking_back() -> None:
    trained = made("glm")
    asked = shown(trained, TWO)
    [maps] = maps_of(trained, asked)
    given, whole = len(asked.text), len(asked.read)
    assert asked.behind == whole - given > 0 and maps.prefix == given
    start = trained.tokenizer.pieces([asked.read[given]])[0].text
    assert start == "[SOP]"
    assert (maps.maps[..., :given, :given] > 0).all() and (maps.maps[..., :given, given:] == 0).all()
    behind = maps.maps[..., given:, given:]
    assert (behind.triu(1) == 0).all() and (maps.maps[..., given:, :given] > 0).all()
    assert (behind[0, 0].tril() > 0).sum() == asked.behind * (asked.behind + 1) // 2


def test_what_glm_writes_there_is_what_it_fills_the_gap_with() -> None:
    trained = made("glm")
    asked = shown(trained, TWO)
    assert asked.answer is not None
    longest = trained.context - len(asked.text) - 1
    written = [token.id for token in Blanks(trained, asked.text).fill(min(12, longest))]
    assert asked.answer.tolist() == written
    best = fill(trained, TWO, best=1)[0][0]
    assert not written or written[0] == best.id
    again = showing(trained, asked.text, asked.answer)
    assert again.read.tolist() == asked.read.tolist()
    assert torch.allclose(maps_of(trained, again)[0].maps, maps_of(trained, asked)[0].maps)


def test_edits_compare_maps_of_the_same_writing() -> None:
    trained = made("glm")
    asked = shown(trained, TWO)
    same = altered(trained, asked)
    assert torch.equal(same.maps[0].maps, maps_of(trained, asked)[0].maps) and same.answer is not None
    assert torch.allclose(same.answer.probabilities, ask(trained, asked.text).probabilities)
    no_gap = asked.text.copy()
    no_gap[no_gap == trained.tokenizer.vocabulary.mask] = trained.tokenizer.vocabulary.ordinary[0]
    with pytest.raises(SettingsError, match="maps of one length"):
        altered(trained, asked, ids=no_gap)


def test_masking_a_token_of_xlnet_compares_the_content_stream() -> None:
    trained = made("xlnet")
    asked = shown(trained, TWO)
    other = altered(trained, asked, ids=masked(trained, asked.text, 0))
    assert [each.kind for each in other.maps] == [""]


def test_a_model_that_is_asked_leaves_no_trace_in_what_is_shown() -> None:
    trained = made("xlnet")
    asked = shown(trained, TWO)
    before = copy.deepcopy(asked.batch)
    maps_of(trained, asked)
    assert asked.batch.asked is None and torch.equal(asked.batch.shown, before.shown)
    assert replace(asked, behind=0).answer is None


def test_a_window_says_how_far_it_reaches_and_no_map_goes_further() -> None:
    for name, reach in (("mistral", 4), ("longformer", 3)):  # of a window of four, to one side or to both
        trained = made(name)
        [maps] = maps_of(trained, shown(trained, TWO))
        t = maps.maps.shape[-1]
        away = (torch.arange(t) - torch.arange(t)[:, None]).abs()
        assert maps.reach == reach and (maps.maps[..., away >= reach] == 0).all()
        assert (maps.maps[..., away.tril() == reach - 1].amax(-1) > 0).all()
    assert maps_of(made("bert"), shown(made("bert"), TWO))[0].reach is None
