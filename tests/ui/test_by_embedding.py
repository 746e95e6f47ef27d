"""With nothing trained: how well a run's vectors tell texts that are alike, by layer, on the town's pairs and on one's
own, and how alike two sentences of the visitor's are."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from bench import ANN, BOB, MARKUP, parent, still, taught
from playwright.sync_api import expect
from staying import Stay
from tiny import finished, steps

from lab.cli.main import main
from lab.runs.folder import home
from lab.serve.limits import limits
from lab.serve.ownership import owner_of
from lab.serve.uploads import keep_table
from lab.settings import SettingsError
from lab.ui.components.drawn import to_json
from lab.ui.pages.finetune import by_embedding
from lab.ui.words import in_language

__all__ = ["parent", "still", "taught"]  # fixtures

ONE, OTHER = "Rose planted some cabbages.", "Rose put cabbages into the earth."


def asked(**other: Any) -> dict[str, Any]:
    """What the page's controls say."""
    usual: dict[str, Any] = {"parent": "parent", "task": "similarity", "data": "town_similarity", "labels": "all"}
    return {**usual, "corpus_settings": {"stories": 90}, "language": "en", "text": "", "test": "", **other}


def shown(one: str = ONE, two: str = OTHER, visitor: str = ANN, **other: Any) -> dict[str, Any]:
    values: dict[str, Any] = by_embedding.unfold(visitor, one, two, asked(**other))
    json.loads(to_json(values["embedding picture"]))
    return values


def said(values: dict[str, Any], part: str = "embedding about", language: str = "en") -> str:
    return " ".join(in_language(text, language) for _, text in values[part])


def test_the_lines_are_those_of_the_command(parent: str, capsys: pytest.CaptureFixture[str]) -> None:
    values = shown()
    words = shlex.split(values["embedding command"]["command"])
    assert words[:4] == ["python", "-m", "lab", "evaluate"]
    assert main([*words[3:], "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)
    mean, cls = values["embedding picture"]["series"]
    assert {"mean": mean["y"], "cls": cls["y"]} == measured["by_layer"] and mean["x"] == [0, 1]
    assert values["embedding picture"]["baselines"][0]["y"] == measured["baselines"]["overlap"]
    assert f"{max(mean['y'] + cls['y']):.3f} on {measured['texts']} validation pairs" in said(values)


def test_ones_own_two_sentences_stand_beside_the_pairs(parent: str) -> None:
    mean, cls = shown()["embedding tiles"]["tiles"]
    assert -1 <= mean["value"] <= 1 and 0 <= float(mean["note"]["share"].rstrip("\u00a0%")) <= 100
    assert cls["name"]["pooled"] == {"word": "finetune.embedding.cls"}
    same = shown(ONE, ONE)["embedding tiles"]["tiles"]
    assert [tile["value"] for tile in same] == [1.0, 1.0], "a sentence is wholly like itself"
    for one, two in (("", OTHER), (ONE, "  "), ("", "")):
        values = shown(one, two)
        assert not values["embedding tiles"]["tiles"] and len(values["embedding own"]) == 1
        assert said(values, "embedding own").startswith("Write two sentences")
        assert values["embedding picture"]["series"], "the picture needs no sentences"


def test_chinese_is_measured_and_said_in_chinese(parent: str) -> None:
    values = shown("露丝种了一些卷心菜。", "露丝把卷心菜种到了地里。", language="zh")
    assert len(values["embedding tiles"]["tiles"]) == 2 and "验证句对" in said(values, language="zh")
    assert "--corpus-language zh" in values["embedding command"]["command"]


@pytest.mark.parametrize("markup", MARKUP)
def test_whatever_is_typed_has_a_cosine(markup: str, parent: str) -> None:
    tiles = shown(markup, "👍 你好")["embedding tiles"]["tiles"]
    assert len(tiles) == 2 and all(-1.001 <= tile["value"] <= 1.001 for tile in tiles)


def test_what_is_too_long_and_what_belongs_to_others_is_refused(parent: str) -> None:
    with pytest.raises(SettingsError, match="characters"):
        shown("x" * (limits().prompt + 1))
    values = shown(visitor=BOB)
    assert "somebody else" in said(values) and not values["embedding picture"]["series"]


def test_a_table_of_ones_own_is_measured(parent: str, tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    rows = [f"它 赢 👍 {n},它 输 {n % 3},{n % 6}" for n in range(40)]
    table.write_text("\n".join(["sentence1,sentence2,score", *rows]), encoding="utf-8")
    columns = {"text_column": "sentence1", "pair_column": "sentence2", "label_column": "score"}
    mark = keep_table(str(table), table.name)["mark"]
    values = shown(data="own", text=mark, **columns)
    assert [len(line["y"]) for line in values["embedding picture"]["series"]] == [2, 2]
    assert "on 4 validation pairs" in said(values)
    assert "my-texts.csv" in values["embedding command"]["command"]
    assert mark not in values["embedding command"]["command"]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"data": "own"}, "Upload a file"),
        ({"data": "town_en"}, "Choose labelled texts"),
        ({"parent": ""}, "Pretrain one first"),
        ({"parent": "nobody"}, "nobody"),
    ],
)
def test_what_lacks_is_said_in_one_sentence(other: dict[str, Any], why: str, parent: str) -> None:
    values = shown(**other)
    assert why.lower() in said(values).lower() and len(values["embedding about"]) == 1
    assert not values["embedding picture"]["series"] and not values["embedding tiles"]["tiles"]
    assert said(values, language="zh") != said(values)


@pytest.mark.parametrize(("model", "why"), [("t5", "one stack"), ("ngram", "no vectors")])
def test_a_run_without_sentence_vectors_says_why(model: str, why: str, parent: str) -> None:
    finished(home() / "other", owner=owner_of(ANN), model=model, training=steps(1))
    assert why in said(shown(parent="other"))


def test_a_model_that_reads_from_left_to_right_has_a_last_token(parent: str) -> None:
    finished(home() / "other", owner=owner_of(ANN), model="gpt", training=steps(1))
    names = [line["name"]["word"] for line in shown(parent="other")["embedding picture"]["series"]]
    assert names == ["finetune.embedding.mean", "finetune.embedding.last"]


def test_nothing_is_worked_out_while_the_fold_is_closed_nor_twice(parent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, usual = list[int](), by_embedding.cosines
    monkeypatch.setattr(by_embedding, "cosines", lambda model, examples: calls.append(1) or usual(model, examples))
    chosen = asked(corpus_settings={"stories": 100})
    assert by_embedding.follow(ANN, False, ONE, OTHER, chosen) == {} == by_embedding.own(ANN, None, ONE, OTHER)
    assert by_embedding.follow(ANN, True, ONE, OTHER, chosen | {"task": "pairs"}) == {} and not calls
    for _ in range(2):
        drawn = by_embedding.follow(ANN, True, "Rose slept.", OTHER, chosen)["embedding drawn"]
    monkeypatch.setattr(by_embedding, "labelled", None)  # who writes asks for no examples again
    tiles = by_embedding.own(ANN, drawn, "Rose slept.", "Tom slept.")["embedding tiles"]["tiles"]
    assert tiles and len(calls) == 3, "the pairs once, two pairs of sentences once each"
    with pytest.raises(SettingsError, match="somebody else"):
        by_embedding.own(BOB, drawn, ONE, OTHER)


def test_many_pairs_are_read_in_part_and_that_is_said(parent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_embedding, "PAIRS", 5)
    values = shown(corpus_settings={"stories": 110})
    assert "on 5 validation pairs" in said(values) and "first 5 of" in said(values)


# ---- in the browser


def test_the_fold_stands_where_the_task_is_similarity_and_draws(stay: Stay, server: str) -> None:
    page = stay(server, "finetune", task="similarity", data="town_similarity")
    fold = page.get_by_role("button", name="With nothing trained")
    expect(fold).to_be_visible()
    fold.click()
    expect(page.get_by_text("Best: ")).to_be_visible(timeout=60_000)
    tile = page.locator(".tile", has_text="Cosine: mean").locator(".number")
    before = tile.inner_text()
    page.get_by_label("Your second sentence").fill("<b>露丝</b> 👍")
    expect(tile).not_to_have_text(before)
    page.get_by_label("Your second sentence").fill("")
    expect(page.get_by_text("Write two sentences")).to_be_visible()


def test_other_tasks_have_no_such_fold(stay: Stay, server: str) -> None:
    page = stay(server, "finetune", task="pairs")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    expect(page.get_by_role("button", name="With nothing trained")).to_have_count(0)
