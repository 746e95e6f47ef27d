"""Why not mask them all? What was measured for the lab, and two models that a visitor trains to see it."""

import shlex
from typing import Any

import pytest
from bench import ANN, BOB, Still, learn, parent, still, taught

from lab.catalog import BENCHMARKS
from lab.cli.main import main
from lab.experiments import masking as experiment
from lab.experiments.masking import VIEWS
from lab.experiments.recorded import recorded
from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.ui.pages.finetune import mask_shares, mismatch
from lab.ui.shell.visitor import own
from lab.ui.words import in_language

__all__ = ["parent", "still", "taught"]  # fixtures


def document() -> dict[str, Any]:
    found = recorded("masking")
    assert found is not None, "assets/experiments holds what was measured"
    return found


def test_what_comes_with_the_lab_says_how_it_was_measured() -> None:
    words = shlex.split(document()["command"])
    assert words[:5] == ["python", "-m", "lab", "bench", "masking"] and main([*words[3:5], "--help"]) == 0
    asked = BENCHMARKS["masking"].settings.load(document()["settings"])
    arms = mask_shares.by_arm(document())
    assert [*arms] == [arm.name for arm in asked.named] and len(arms) == 4
    assert all([each.seed for each in those] == [*range(asked.seeds)] for those in arms.values()) and asked.seeds >= 3


def test_whoever_was_asked_at_masks_alone_does_not_name_what_stands_before_its_eyes() -> None:
    """The mismatch itself, in what was measured: no seed of the one comes near any seed of the other."""
    arms = mask_shares.by_arm(document())
    ours, every = ([each.answers["kept"].right for each in arms[name]] for name in ("80/10/10", "100/0/0"))
    assert min(ours) > max(every) + 0.3


def test_the_picture_the_table_and_the_sentences_hold_the_medians() -> None:
    drawn, table = mask_shares.bars(document())["bars"], mask_shares.numbers(document())
    kept = sorted(each.answers["kept"].right for each in mask_shares.by_arm(document())["80/10/10"])
    assert drawn[0]["value"] == kept[len(kept) // 2]
    assert [row[0] for row in table["rows"]] == [bar["name"] for bar in drawn]
    assert all(len(row) == len(table["columns"]) == 3 + len(VIEWS) for row in table["rows"])
    for language in ("en", "zh"):
        said = [in_language(text, language) for _, text in mask_shares.about(document())]
        assert f"{100 * drawn[0]['value']:.1f}" in said[0] and not any("{" in each for each in said)


# ---- one's own


@pytest.fixture
def small(still: Still, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mask_shares, "STEPS", 2)
    monkeypatch.setattr(experiment, "SHAPE", {"width": 16, "depth": 1, "heads": 2, "context": 16})
    mask_shares._said.cache_clear()


def test_two_models_are_queued_followed_and_asked(small: None) -> None:
    values = mask_shares.begin(ANN)
    assert (
        len(values["mask shares state"]) == 2
        and not values["mask shares own"]["rows"]
        and values["mask shares timer"]["active"]
    )
    assert mask_shares.follow(ANN, values["mask shares seen"]) == {}, "nothing is new"
    folders = [*own(ANN)]
    learn(folders[1])
    halfway = mask_shares.follow(ANN, values["mask shares seen"])
    assert len(halfway["mask shares state"]) == len(halfway["mask shares own"]["rows"]) == 1
    learn(folders[0])
    done = mask_shares.follow(ANN, halfway["mask shares seen"])
    assert [row[0] for row in done["mask shares own"]["rows"]] == ["80/10/10", "100/0/0"]
    assert not done["mask shares state"] and not done["mask shares timer"]["active"]
    shares = [folder.run.settings_of("objective") for folder in folders]
    assert {(each.mask, each.random) for each in shares} == {(0.8, 0.1), (1.0, 0.0)}


def test_nobody_sees_those_of_somebody_else(small: None) -> None:
    mask_shares.begin(ANN)
    assert mask_shares.follow(BOB) == mask_shares.follow("") != mask_shares.follow(ANN)
    with pytest.raises(SettingsError, match="no name for itself"):
        mask_shares.begin("")


def test_no_more_is_begun_than_may_wait(small: None) -> None:
    for _ in range(limits().own_waiting // 2):
        mask_shares.begin(ANN)
    with pytest.raises(SettingsError, match="under way"):
        mask_shares.begin(ANN)


# ---- how far a text moves before and after


@pytest.mark.parametrize("text", ["", "  ", "👍", "露丝住在车站附近。", "<img src=x onerror=1>", "[MASK]"])
def test_any_text_has_its_lines_or_a_sentence(parent: str, text: str) -> None:
    drawn = mismatch.shifts(ANN, parent, text)["shifts"]
    assert len(drawn["series"]) == bool(text.strip() and text != "[MASK]") and drawn["empty"]
    assert all(len(line["x"]) == len(line["y"]) == 2 for line in drawn["series"])


def test_a_text_that_is_too_long_and_a_run_of_somebody_else_are_refused(parent: str) -> None:
    with pytest.raises(SettingsError):
        mismatch.shifts(ANN, parent, "x" * (limits().prompt + 1))
    with pytest.raises(SettingsError, match="somebody else"):
        mismatch.shifts(BOB, parent, "x")
