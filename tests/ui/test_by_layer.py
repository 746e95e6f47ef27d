"""The fold that shows weights and activations by layer, of any run that one may see."""

import pytest
from tiny import plan
from trained import run_of

from lab.runs.folder import RunFolder, home
from lab.settings import SettingsError
from lab.ui.pages.pretrain.by_layer import MOST, along, spread
from lab.ui.words import in_language


def test_a_few_steps_are_taken_with_the_first_and_the_last() -> None:
    assert spread([]) == [] and spread([7]) == [7] and spread([0, 1, 9]) == [0, 1, 9]
    assert spread(list(range(16))) == [0, 4, 8, 11, 15] and len(spread(list(range(1000)))) == MOST


def test_each_moment_has_a_line_over_all_layers() -> None:
    found = along("", "small-bert-town")
    states, weights = (found[name]["series"] for name in ("states", "weights"))
    assert len(states) == len(weights) == MOST and states[0]["name"]["n"] == "0"
    for one, other in zip(states, weights, strict=True):
        assert one["x"] == [0, *other["x"]] and other["x"][0] == 1 and min(one["y"] + other["y"]) > 0
    assert states[0]["y"] != states[-1]["y"] and weights[0]["y"] != weights[-1]["y"]


def test_who_has_no_layers_says_so_and_without_a_run_nothing_is_asked() -> None:
    assert along("", "")["states"]["empty"] == {"word": "pretrain.layers.waiting"}
    for name in ("lstm", "elmo"):
        assert "not made of transformer layers" in in_language(along("", run_of(name))["weights"]["empty"], "en")


def test_a_run_of_somebody_else_stays_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "classroom")
    with pytest.raises(SettingsError, match="belongs to somebody else"):
        along("a" * 32, run_of("gpt"))


def test_a_run_that_has_kept_nothing_yet_says_so() -> None:
    folder = RunFolder.create(plan(model="gpt"), home() / "gpt-unbegun")
    said = along("", folder.name)["states"]
    assert said["series"] == [] and "has no checkpoint" in in_language(said["empty"], "en")
