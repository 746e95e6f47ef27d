"""A family's step is held only against a step that does the same, and every family with a class has one."""

import json
from dataclasses import replace
from typing import Any

import pytest

from lab.bench.arms import family as arms
from lab.bench.family_step import FamilyStep, exchanged, family_step, judged, line, run_of
from lab.exchange.known import naming_of
from lab.settings import SettingsError


def turn(ours: float, peer: float) -> dict[str, float]:
    return {"ours": ours, "peer": peer}


def steps_of(first: dict[str, float], last: dict[str, float]) -> dict[str, Any]:
    return {"first": first, "last": last, "seconds": {"ours": [0.1, 0.2, 0.1], "peer": [0.3, 0.2, 0.3]}}


def test_a_familys_ratio_is_that_of_the_median_steps() -> None:
    found = judged(steps_of(turn(5.0, 5.00001), turn(4.0, 4.0005)))
    assert found["agree"] and found["ratio"] == 3.0 and found["spread"] == [2.0, 3.0]
    assert found["milliseconds"] == {"ours": 100.0, "peer": 300.0}
    assert "3.00 times as fast (2.00 to 3.00)" in line("bert", found)


@pytest.mark.parametrize("ends", [(turn(5.0, 5.001), turn(4.0, 4.0)), (turn(5.0, 5.0), turn(4.0, 4.1))])
def test_a_family_has_no_ratio_where_its_losses_differ(ends: tuple[dict[str, float], dict[str, float]]) -> None:
    found = judged(steps_of(*ends))
    assert found["ratio"] is None and found["spread"] == [] and not found["agree"]
    assert "no ratio" in line("bert", found)


def test_every_family_that_can_be_exported_is_measured_as_it_learns() -> None:
    assert {"bert", "xlnet", "gpt", "t5", "glm4"} <= {*exchanged()}
    for family in exchanged():
        run = run_of(family, FamilyStep())
        naming = naming_of(family, run.settings_of("model"))
        assert naming.tokens.endswith(("LM", "LMHeadModel", "Generation", "PreTraining"))  # a class with a loss


def test_a_family_without_a_class_is_refused_in_words() -> None:
    with pytest.raises(SettingsError, match="transformers has no class for 'lstm'"):
        FamilyStep(families="bert,lstm")


SMALL = FamilyStep(steps=2, batch=2, length=32, threads=1)


@pytest.mark.parametrize("family", exchanged())
def test_both_arms_of_a_family_take_the_same_steps(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    arms.main(run_of(family, SMALL), SMALL.steps, alike=False, compiled=False)
    found = judged(json.loads(capsys.readouterr().out.splitlines()[-1]))
    assert found["agree"] and found["ratio"] > 0


def test_the_peer_alone_is_compiled(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []

    def compiled(module: Any, **how: Any) -> Any:  # a compiler takes a quarter of a minute
        seen.append((type(module).__name__, how))
        return module

    monkeypatch.setattr("torch.compile", compiled)
    arms.main(run_of("gpt", SMALL), SMALL.steps, alike=False, compiled=True)
    assert seen == [("GPT2LMHeadModel", {"dynamic": False})]
    assert judged(json.loads(capsys.readouterr().out.splitlines()[-1]))["agree"]


def test_a_family_is_measured_in_a_process_of_its_own() -> None:
    said: list[str] = []
    document, lines = family_step(("town_en", {}), replace(SMALL, families=" gpt"), said.append)
    assert [*document["families"]] == ["gpt"] and said == lines and document["settings"]["families"] == "gpt"
    assert json.loads(json.dumps(document)) == document
