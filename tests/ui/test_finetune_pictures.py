"""What the Fine-tune page draws beside its curves: calibration, and the score over how many parameters moved."""

import shlex

from lab.catalog import BENCHMARKS
from lab.cli.main import main
from lab.examples import Example, Prediction
from lab.experiments.recorded import recorded
from lab.ui.pages.finetune import calibration, moved
from lab.ui.words import in_language

SURE = [Prediction(label=1, chances=(0.1, 0.9)), Prediction(label=0, chances=(0.7, 0.3))]
TRUE = [Example("a", label=1), Example("b", label=1)]


def test_the_diagram_has_a_dot_for_each_bin_that_holds_answers_and_the_diagonal() -> None:
    """One answer of 0.9 that is right and one of 0.7 that is wrong: 10 and 70 points apart, 40 on average."""
    arm, perfect = calibration.diagrams(["an arm"], [(SURE, TRUE)])["series"]
    assert (arm["x"], arm["y"]) == ([0.7, 0.9], [0.0, 1.0]) and perfect["x"] == perfect["y"] == [0.0, 1.0]
    (row,) = calibration.errors(["an arm"], [(SURE, TRUE)])["rows"]
    assert row == ["an arm", "40.0\u00a0%", "80.0\u00a0%", "50.0\u00a0%"]


def test_whoever_is_always_right_and_sure_has_no_calibration_error() -> None:
    said = [Prediction(label=1, chances=(0.0, 1.0))] * 3
    (row,) = calibration.errors(["an arm"], [(said, TRUE[:1] * 3)])["rows"]
    assert row[1] == "0.0\u00a0%"


# ---- every way, as it was measured for the lab


def document() -> dict[str, object]:
    found = recorded("tuning_ways")
    assert found is not None, "assets/experiments holds what was measured"
    return found


def test_what_comes_with_the_lab_says_how_it_was_measured() -> None:
    known = document()
    words = shlex.split(str(known["command"]))
    assert words[:5] == ["python", "-m", "lab", "bench", "tuning_ways"] and main([*words[3:5], "--help"]) == 0
    settings = BENCHMARKS["tuning_ways"].settings.load(known["settings"])
    ways = moved.counted(known)
    assert len(ways) == 9 and all(len(runs) == settings.seeds * len(settings.budget) for _, runs in ways)


def test_each_way_has_the_learning_rate_that_was_best_with_another_seed() -> None:
    known = document()
    for way, runs in moved.counted(known):
        swept = [each for each in known["tried"] if each["swept"] and each["way"] == way]
        best = max(each["outcome"]["score"] for each in swept)
        assert {each["outcome"]["seed"] for each in swept}.isdisjoint(each.outcome.seed for each in runs)
        rates = {each["learning_rate"] for each in swept if each["outcome"]["score"] == best}
        assert {each.learning_rate for each in runs} == {min(rates)}


def test_the_ways_are_drawn_from_the_fewest_parameters_to_the_most() -> None:
    known = document()
    (dots,) = moved.of_ways(known)["series"]
    assert dots["x"] == sorted(dots["x"]) and len(dots["names"]) == 9
    names = [in_language(name, "en") for name in dots["names"]]
    assert names[0].startswith("Frozen") and "Full fine-tuning" in names[-2:]
    for low, middle, high in zip(dots["low"], dots["y"], dots["high"], strict=True):
        assert low <= middle <= high
    assert all("{" not in in_language(text, language) for _, text in moved.about(known) for language in ("en", "zh"))
