"""When does pretraining pay? A study that comes with the lab, and one's own, which is queued and followed."""

import json
import re
import shlex
from typing import Any

import pytest
from bench import ANN, BOB, MARKUP, NO_RUN, Still, parent, still, taught

from lab.cli.main import main
from lab.experiments.starts import Outcome
from lab.experiments.study import STUDY, conduct
from lab.runs.folder import RunFolder, home
from lab.serve import worker
from lab.serve.limits import limits
from lab.settings import SettingsError
from lab.ui.pages.finetune import studies
from lab.ui.pages.finetune.label_budgets import by_objective, gist, numbers, picture
from lab.ui.shell.answers import NOTE
from lab.ui.words import in_language

__all__ = ["parent", "still", "taught"]  # fixtures


def asked(**other: Any) -> dict[str, Any]:
    """What the page's controls say for a study of a few runs of a few milliseconds."""
    usual = {"parent": "parent", "data": "town_en", "corpus_settings": {"stories": 40}, "text": "", "epochs": 1}
    usual |= {"training": {"batch": 4, "learning_rate": 1e-3}, "budgets": "10*30", "study_seeds": 1, "study_steps": 2}
    return {**usual, **other}


def begun(**other: Any) -> RunFolder:
    return RunFolder(home() / studies.begin(ANN, asked(**other))["study"])


def test_a_study_takes_each_start_with_each_budget_and_seed(parent: str) -> None:
    folder = begun(study_seeds=2)
    assert folder.status() == "waiting"
    worker.work(str(folder.path))
    values = studies.look(ANN, folder.name)
    assert folder.status() == "finished"
    cells = values["study numbers"]["rows"]
    assert [len(row) for row in cells] == [3, 3]
    assert all(re.fullmatch(r"[\d.]+\s\([\d.]+\u2060–\u2060[\d.]+\)\s%", cell) for row in cells for cell in row[1:])
    drawn = values["study picture"]
    assert [one["x"] for one in drawn["series"]] == [[10.0, 30.0], [10.0, 30.0]] and drawn["logx"]
    for one in drawn["series"]:
        assert all(low <= middle <= high for low, middle, high in zip(one["low"], one["y"], one["high"], strict=True))
    assert values["study state"] == [["note", {"word": "finetune.study.finished", "n": 8, "of": 8, "ahead": 0}]]
    assert studies.look(ANN, folder.name, values["study seen"]) == {}, "nothing is new"


def test_points_appear_as_they_are_there_and_stay_when_it_is_stopped(parent: str) -> None:
    folder = begun()
    pauses = conduct(folder)
    assert next(pauses).seconds == 0.0 and folder.status() == "running"
    next(pauses)
    values = studies.look(ANN, folder.name)
    assert values["study seen"]["cells"] == 1 and values["study timer"]["active"] and values["study stop"]["visible"]
    assert [len(one["x"]) for one in values["study picture"]["series"]] == [1, 0]
    studies.stop(ANN, folder.name)
    assert [*pauses] == [] and folder.status() == "stopped"
    stopped = studies.look(ANN, folder.name)
    assert stopped["study state"][0][1]["word"] == "finetune.study.stopped" and stopped["study state"][0][1]["n"] == 1


def test_a_study_that_was_interrupted_goes_on_where_it_was(parent: str) -> None:
    folder = begun()
    first = conduct(folder)
    next(first), next(first)
    first.close()  # the worker dies
    assert folder.status() == "interrupted"
    assert studies.look(ANN, folder.name)["study resume"]["visible"]
    with pytest.raises(SettingsError, match="there is no such study"):
        studies.resume(BOB, folder.name)
    waiting = studies.resume(ANN, folder.name)
    assert waiting["study seen"]["status"] == "waiting" and not waiting["study resume"]["visible"]
    with pytest.raises(SettingsError, match="under way"):
        studies.resume(ANN, folder.name)
    assert len([*conduct(folder)]) == 1 + 3
    done = studies.look(ANN, folder.name)
    assert done["study seen"]["cells"] == 4 and not done["study resume"]["visible"]


def test_one_study_at_a_time_and_nobody_elses(parent: str) -> None:
    folder = begun()
    with pytest.raises(SettingsError, match="one of your studies is under way"):
        studies.begin(ANN, asked())
    for name in (folder.name, *NO_RUN):
        with pytest.raises(SettingsError, match="there is no such study"):
            studies.stop(BOB, name)
    assert folder.name not in [name for _, name in studies.offered(BOB)]
    seen = studies.look(BOB, folder.name)
    assert seen["study"] != folder.name and isinstance(seen[NOTE], SettingsError)
    studies.stop(ANN, folder.name)
    assert folder.status() == "stopped"
    assert begun().status() == "waiting"


@pytest.mark.parametrize("wrong", [{"study_steps": 0}, {"study_steps": "many"}, {"study_seeds": 99}, {"budgets": ""}])
def test_what_cannot_be_is_said_before_and_nothing_begins(parent: str, wrong: dict[str, Any]) -> None:
    said = studies.cost(ANN, asked(**wrong))["study cost"][0][1]
    assert set(said) == {"en", "zh"}
    with pytest.raises(SettingsError):
        studies.begin(ANN, asked(**wrong))
    assert not [*home().glob(f"*/{STUDY}")]


def test_the_cost_is_told_before_and_what_takes_too_long_is_refused(parent: str) -> None:
    said = studies.cost(ANN, asked())["study cost"][0][1]
    assert (said["n"], said["starts"], said["budgets"], said["seeds"]) == (4, 2, 2, 1) and said["time"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studies, "limits", lambda: type(limits())(**{**vars(limits()), "seconds": 0.0}))
        with pytest.raises(SettingsError, match="this would take about"):
            studies.begin(ANN, asked())


def test_a_study_takes_as_long_as_its_runs_have_steps(parent: str) -> None:
    """However small the label budget is, from which a run of its own would take few steps; each is evaluated once."""
    times = {
        (budgets, steps): studies.planned(ANN, asked(budgets=budgets, study_steps=steps))[1]
        for budgets in ("10", "10*30")
        for steps in (100, 1000)
    }
    for steps in (100, 1000):
        assert times["10*30", steps] == pytest.approx(2 * times["10", steps], rel=0.05)
    check = (10 * times["10", 100] - times["10", 1000]) / 9  # a constant, beside what the steps take
    assert 0 < check < 0.25 * times["10", 100]


@pytest.mark.parametrize("markup", MARKUP)
def test_no_study_is_named_by_what_a_visitor_types(still: Still, markup: str) -> None:
    assert markup not in json.dumps(studies.look(ANN, markup)["study picture"], ensure_ascii=True)


def test_a_study_whose_run_was_deleted_says_nothing_and_breaks_nothing(parent: str) -> None:
    folder = begun()
    worker.work(str(folder.path))
    RunFolder(home() / "parent").delete()
    assert studies.look(ANN, folder.name)["study picture"]["series"] == []


# ---- what comes with the lab


@pytest.mark.parametrize("name", sorted(studies.shipped()))
def test_what_comes_with_the_lab_says_how_it_was_measured(name: str) -> None:
    document = studies.shipped()[name]
    words = shlex.split(document["command"])
    assert words[:5] == ["python", "-m", "lab", "bench", "finetune"] and words[-1] == "--json"
    assert main([*words[3:5], "--help"]) == 0
    pretrained = [start for start in document["starts"] if not start["fresh"]]
    learnt = {(start["objective"], start["pair"]) for start in pretrained}
    assert learnt == {("mlm", None), ("clm", None), ("mlm", "sop")}
    assert len({start["steps"] for start in pretrained}) == 1, "all were pretrained for as many steps"
    asked = document["settings"]
    cells = len(document["starts"]) * len(asked["budgets"].split(",")) * asked["seeds"]
    assert len(document["outcomes"]) == cells and asked["seeds"] >= 3


@pytest.mark.parametrize("name", sorted(studies.shipped()))
def test_what_comes_with_the_lab_is_drawn_with_a_yardstick_and_a_band(name: str) -> None:
    document = studies.shipped()[name]
    drawn = picture(document, by_objective(document))
    lines = drawn["series"][: len(document["starts"])]
    assert len(drawn["series"]) + len(drawn["baselines"]) == 1 + len(lines), "one yardstick, level or growing"
    assert len({in_language(one["name"], "en") for one in lines}) == len(lines)
    assert len({one["colour"] + one["dash"] for one in lines}) == len(lines)
    said = in_language(studies.about(document, by_objective(document))[0][1], "zh")
    assert "100" in said and "{" not in said


def test_a_yardstick_that_grows_with_the_labels_is_drawn_over_the_budgets() -> None:
    def drawn(*heights: float) -> dict[str, Any]:
        start = {"name": "a", "fresh": False, "objective": "mlm", "pair": None}
        outcomes = [
            {"start": "a", "budget": n, "seed": 0, "score": 0.9, "seconds": 1.0, "baselines": {"by_word_f1": height}}
            for n, height in zip((10, 100), heights, strict=True)
        ]
        document = {"score": "entity_f1", "task": "tokens", "corpus": "town_entities"}
        return picture(document | {"starts": [start], "outcomes": outcomes}, by_objective({"starts": [start]}))

    growing, level = drawn(0.2, 0.6), drawn(0.6, 0.6)
    assert growing["series"][1]["y"] == [0.2, 0.6] and not growing["baselines"]
    assert len(level["series"]) == 1 and [line["y"] for line in level["baselines"]] == [0.6]


def test_a_band_is_drawn_from_the_least_to_the_greatest() -> None:
    outcomes = [
        {"start": "a", "budget": budget, "seed": seed, "score": score, "seconds": 1.0, "baselines": {"majority": 0.5}}
        for budget, scores in ((10, (0.2, 0.6, 0.4)), (100, (0.9, 0.8, 0.7)))
        for seed, score in enumerate(scores)
    ]
    start = {"name": "a", "fresh": False, "objective": "mlm", "pair": None}
    document = {"score": "accuracy", "task": "classify", "corpus": "town_en", "starts": [start], "outcomes": outcomes}
    name = by_objective(document)
    (line,) = picture(document, name)["series"]
    assert (line["x"], line["y"], line["low"], line["high"]) == ([10.0, 100.0], [0.4, 0.8], [0.2, 0.7], [0.6, 0.9])
    assert numbers(document, name)["rows"][0][1] == "40.0\u00a0(20.0\u2060–\u206060.0)\u00a0%"
    found = [Outcome(**each) for each in outcomes]
    assert in_language(gist(found, document, name), "en") == (
        "With 100 labels (accuracy): Masked language modelling 80.0\u00a0%."
    )
