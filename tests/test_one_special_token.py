"""A published GPT has one special token, and no mask: whatever does not need one works all the same."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from random_runs import run_of
from test_exchange import tokens_of

from lab.analysis.preview import corrupt
from lab.catalog import OBJECTIVES, SAMPLERS
from lab.exchange.export import export
from lab.exchange.importing import bring
from lab.exchange.known import naming_of
from lab.inference import inputs
from lab.inference.asked import ask
from lab.inference.attention_maps import attention
from lab.inference.decoding import generate
from lab.inference.model import Trained, load
from lab.runs.folder import RunFolder, hub
from lab.settings import SettingsError
from lab.ui.pages.attention import editing, input_sum, lens, maps, roles, similarity, stepping
from lab.ui.pages.generate import beams, beside, exposure, measures, shots, writing
from lab.ui.pages.start import handlers as start
from lab.vocabulary import MASK

TEXT = "The cat sat on the mat. 猫坐在垫子上。"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    path = tmp_path_factory.mktemp("gpt")
    out = export(run_of(naming_of("gpt"), path / "run"), path / "out").folder
    tokens_of(out, {"[END]": "<|endoftext|>"})
    document = (out / "tokenizer.json").read_text()
    (out / "tokenizer.json").write_text(document.replace(MASK, "gone"))
    return bring(out, path / "back").folder


@pytest.fixture
def gpt(folder: RunFolder) -> Trained:
    return load(folder)


@pytest.fixture
def name(folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of the run where the pages find it."""
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path))
    shutil.copytree(folder.path, hub() / "somebody--gpt")
    return "somebody--gpt"


def test_there_is_no_mask_and_a_gap_says_so(gpt: Trained) -> None:
    assert MASK not in gpt.tokenizer.vocabulary.specials and gpt.tokenizer.vocabulary.gap == -1
    with pytest.raises(SettingsError, match="no token that serves as"):
        inputs.with_gaps(gpt, f"The {MASK} sat.")


def test_it_writes_and_is_looked_into(gpt: Trained) -> None:
    ids = inputs.framed(gpt, inputs.with_special_tokens(gpt, TEXT))
    assert [*generate(gpt, TEXT, [("greedy", {})], tokens=3)]
    assert attention(gpt, TEXT)[0].maps.isfinite().all()
    assert torch.isfinite(ask(gpt, ids).probabilities).all()


def test_its_end_of_text_may_be_typed(gpt: Trained) -> None:
    ids = inputs.with_special_tokens(gpt, "a<|endoftext|>b")
    assert (ids == gpt.tokenizer.vocabulary.end).sum() == 1


@pytest.mark.parametrize("objective", [each.name for each in OBJECTIVES if each.left_to_right])
def test_a_left_to_right_exercise_is_made_of_its_tokens(gpt: Trained, objective: str) -> None:
    try:
        corrupted = corrupt(TEXT, OBJECTIVES[objective], gpt.tokenizer)
    except SettingsError as error:
        assert "no token that serves as" in error.en  # a mark that this objective writes
        return
    assert "masked" not in corrupted.kinds(corrupted.tokenizer.vocabulary)


def test_the_pages_show_it(name: str) -> None:
    controls = [False for _ in SAMPLERS]
    controls += [item.default for entry in SAMPLERS for item in entry.settings.knobs().values()]
    wish = json.dumps({"ids": [], "have": 0, "count": 2, "number": 1})
    assert maps.look(name, TEXT, "")["maps"]
    assert stepping.walk(name, TEXT, "1.1")["walk"]
    assert editing.edit(name, TEXT, "1.1", "scale", "head", 0, "", "")["answers"]
    assert roles.what_heads_do(name)["roles"]
    for answer in (lens.through_the_lens(name, TEXT), similarity.similar_layers(name, TEXT, "")):
        assert all("empty" not in value for value in answer.values() if isinstance(value, dict)), answer
    assert "empty" not in input_sum.added_up(name, TEXT, "")["sum"]
    assert writing.write(wish, name, TEXT, 0, *controls)["writing"]["tokens"]
    assert beside.beside(name, TEXT, 0, *controls)["columns"]["columns"]
    assert beams.search(name, TEXT, 2, 3, 1.0)
    assert [*measures.measure(name, "", TEXT, 0, *controls)][-1]["measured"]["rows"]
    assert [*exposure.compare(name, "", TEXT, "The town was quiet. " * 12, 0, *controls)][-1]["said"]
    lines = "one | yes\ntwo | no\nthree | yes\nfour | no"
    assert [*shots.compare(name, [], lines, True, 0)][-1]["table"]["rows"]
    view = start.view(TEXT, 0, name)
    assert view["clm"]["rows"] and start.going_on(TEXT, name)["rows"]
