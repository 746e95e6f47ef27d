"""Probing on the page: the scores by layer of the chosen runs on the chosen texts, as the command has them."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from bench import ANN, BOB, parent, still, taught
from playwright.sync_api import expect
from staying import Stay
from tiny import finished, steps

from lab.cli.main import main
from lab.runs.folder import home
from lab.serve.ownership import owner_of
from lab.serve.uploads import keep_table
from lab.ui.components.drawn import to_json
from lab.ui.pages.finetune import probing
from lab.ui.words import in_language

__all__ = ["parent", "still", "taught"]  # fixtures


def asked(**other: Any) -> dict[str, Any]:
    """What the page's controls say."""
    usual: dict[str, Any] = {"parent": "parent", "beside": "random", "task": "classify", "data": "town_en"}
    usual |= {"labels": "all", "corpus_settings": {"stories": 60}, "language": "en", "text": "", "test": ""}
    return usual | other


def shown(visitor: str = ANN, **other: Any) -> dict[str, Any]:
    values: dict[str, Any] = probing.follow(visitor, True, asked(**other))
    json.loads(to_json(values["probe picture"]))
    return values


def said(values: dict[str, Any], language: str = "en") -> str:
    return " ".join(in_language(text, language) for _, text in values["probe about"])


@pytest.mark.parametrize(
    ("task", "data"), [("classify", "town_en"), ("tokens", "town_entities"), ("pairs", "town_pairs")]
)
def test_the_lines_are_those_of_the_command(
    task: str, data: str, parent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    values = shown(task=task, data=data)
    words = shlex.split(values["probe command"]["command"])
    assert words[:4] == ["python", "-m", "lab", "evaluate"]
    assert main([*words[3:], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    line, control = values["probe picture"]["series"]
    assert line["y"] == pytest.approx(found["by_layer"], abs=1e-4) and line["x"] == [0, 1]
    assert control["y"] == pytest.approx(found["shuffled"], abs=1e-4) and control["name"]["word"].endswith("shuffled")
    assert f"Learnt from {found['texts']['learnt']} examples" in said(values)
    assert "个样本学习" in said(values, "zh")


def test_every_run_that_stands_beside_has_a_line_and_one_control_is_enough(parent: str) -> None:
    finished(home() / "other", owner=owner_of(ANN), model="gpt", training=steps(1))
    values = shown(beside="random*other*parent")
    assert (
        len(values["probe picture"]["series"]) == 3
        and len({each["colour"] for each in values["probe picture"]["series"]}) == 3
    )
    assert said(values).count("best ") == 2


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"data": "own"}, "Upload a file"),
        ({"data": "town_similarity"}, "Choose labelled texts"),
        ({"parent": "nobody"}, "nobody"),
        ({"parent": "", "beside": ""}, ""),
    ],
)
def test_what_lacks_is_said_in_one_sentence(other: dict[str, Any], why: str, parent: str) -> None:
    values = shown(**other)
    assert why.lower() in said(values).lower() and not values["probe picture"]["series"]
    assert values["probe command"] == {"command": ""}


def test_a_run_that_has_none_says_why_and_the_others_are_shown(parent: str) -> None:
    finished(home() / "other", owner=owner_of(ANN), model="t5", training=steps(1))
    values = shown(parent="other", beside="parent")
    assert len(values["probe picture"]["series"]) == 2 and "T5" in said(values)
    assert "--run parent" in values["probe command"]["command"]
    assert "somebody else" in said(shown(visitor=BOB))


def test_a_table_of_ones_own_is_probed(parent: str, tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text(
        "\n".join(["text,label", *(f"它 {'赢' if n % 2 else '输'} 👍 {n},{n % 2}" for n in range(40))]),
        encoding="utf-8",
    )
    mark = keep_table(str(table), table.name)["mark"]
    values = shown(data="own", text=mark, text_column="text", label_column="label")
    assert [len(line["y"]) for line in values["probe picture"]["series"]] == [2, 2]
    assert mark not in values["probe command"]["command"] and "my-texts.csv" in values["probe command"]["command"]


def test_nothing_is_worked_out_while_the_fold_is_closed_nor_twice(parent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, usual = list[int](), probing.probed
    monkeypatch.setattr(probing, "probed", lambda *each: calls.append(1) or usual(*each))
    chosen = asked(corpus_settings={"stories": 70})
    assert probing.follow(ANN, False, chosen) == {} == probing.follow(ANN, True, chosen | {"task": "similarity"})
    assert not calls
    for _ in range(2):
        probing.follow(ANN, True, chosen)
    assert len(calls) == 2, "the run and its control"


def test_the_fold_draws_and_follows_the_task(stay: Stay, server: str) -> None:
    page = stay(server, "finetune", data="town_acceptability")
    fold = page.locator("#fold-finetune-probing")
    fold.get_by_role("button").first.click()
    expect(fold).to_contain_text("Learnt from 500 examples", timeout=60_000)
    expect(fold.locator("#finetune-probe svg path").first).to_be_visible()
    page.evaluate("window.lab.goto('finetune', ['task'], ['similarity'])")
    expect(fold).to_be_hidden()
