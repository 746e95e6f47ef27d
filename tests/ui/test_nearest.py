"""The fold that shows what lies next to a word in the token embeddings of several runs."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from staying import Stay
from tiny import finished, plan
from trained import run_of

from lab.inference.neighbours import Near, analogy, neighbours
from lab.runs.folder import RunFolder, home
from lab.settings import SettingsError
from lab.ui.pages.pretrain import nearest as pretrain_nearest
from lab.ui.pages.pretrain.nearest import BEST, nearest, suits
from lab.ui.runs.beside import offered
from lab.ui.shell.visitor import trained
from lab.ui.words import in_language


def told(*asked: Any) -> tuple[list[list[str]], str, str]:
    """The columns of the answer, its note or what it says instead, and what is said of runs that have none."""
    answer = nearest("", *asked)
    columns = [[*map(plain, column)] for column in zip(*answer["table"]["rows"], strict=True)]
    return columns, plain(answer["table"].get("note", "")), " ".join(plain(text) for _, text in answer["said"])


def plain(text: Any) -> str:
    return in_language(text, "en") if isinstance(text, dict) else text


def test_each_run_has_a_column_with_its_tokens_and_the_nearest_by_their_cosine() -> None:
    (ranks, bert, gpt), _, said = told("bert-town", "", "mother", ["gpt-town", "bert-town"])
    assert ranks == ["tokens", *map(str, range(1, BEST + 1))] and not said
    for column, name in ((bert, "bert-town"), (gpt, "gpt-town")):
        found = neighbours(trained(name), "mother", BEST)
        assert column == ["mother", *(f"{near.token.strip()} {near.cosine:.2f}" for near in found)]
    assert gpt[1].startswith("father")


def test_three_words_are_an_analogy_whatever_stands_between_them() -> None:
    (_, gpt), note, _ = told("", "", " man, father，woman ", ["gpt-town"])
    found = analogy(trained("gpt-town"), ["man", "father", "woman"], 1)
    assert gpt[0] == "man · father · woman" and note == "man : father = woman : ?"
    assert gpt[1] == f"{found[0].token.strip()} {found[0].cosine:.2f}" and gpt[1].startswith("mother")
    assert told("", "", "two words", ["gpt-town"])[0] == [] and told("", "", " ", ["gpt-town"])[0] == []


def test_a_word_of_several_tokens_shows_how_it_is_cut() -> None:
    (_, bert), _, _ = told("", "", "妈妈", ["bert-town"])
    assert bert[0] == "妈|妈" and bert[1].startswith("爸")


def test_a_column_that_ends_early_says_why_and_every_token_in_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Near(id, token, 0.5) for id, token in enumerate((" cat", " ", "\n", "\x05"))]
    monkeypatch.setattr(pretrain_nearest, "neighbours", lambda *asked: found)
    (_, gpt), _, said = told("", "", "mother", ["gpt-town"])
    assert gpt[1:6] == ["cat 0.50", "␣ 0.50", "␊ 0.50", "␅ 0.50", "–"]
    assert "no further token of this kind" in said


def test_a_snapshot_has_the_vectors_of_its_step() -> None:
    (_, then), _, _ = told("small-bert-town", "0", "mother", [])
    (_, now), _, _ = told("small-bert-town", "", "mother", [])
    assert then[0] == now[0] and then[1:] != now[1:]


def test_who_has_no_vectors_is_named_and_the_others_are_shown() -> None:
    finished(home() / "counted", model="ngram", training={"steps": 1, "batch": 4})
    columns, _, said = told("counted", "", "mother", ["gpt-town"])
    assert len(columns) == 2 and "no token embeddings" in said
    columns, _, said = told("", "", "\ud800", ["gpt-town"])
    assert columns[1][0] and not said


def test_runs_of_others_stay_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered("", ["gpt-town", "no such run"], suits)["beside"]["value"] == ["gpt-town"]
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "classroom")
    with pytest.raises(SettingsError, match="belongs to somebody else"):
        nearest("a" * 32, run_of("gpt"), "", "mother", [])


def test_the_fold_answers_for_a_word_of_ones_own(stay: Stay, server: str) -> None:
    page = stay(server, "pretrain", run="small-bert-town")
    fold = page.locator("#fold-pretrain-nearest")
    fold.get_by_role("button").first.click()
    table = page.locator("#pretrain-nearest")
    expect(table).to_contain_text("grandfather")
    expect(table.locator("thead")).to_contain_text("Small BERT (town stories, with snapshots), step 8,000")
    fold.get_by_label("One word, or three for an analogy").fill("man father woman")
    expect(table).to_contain_text("man : father = woman : ?")
    expect(table.locator("tbody tr").nth(1)).to_contain_text("mother")
    fold.get_by_label("One word, or three for an analogy").fill("<b>three</b>")
    expect(table.locator("tbody tr").first).to_contain_text("three")
    fold.get_by_label("One word, or three for an analogy").fill("one two")
    expect(table).to_contain_text("Write one word")


def test_the_glossary_leads_to_the_open_fold(page: Page, server: str) -> None:
    page.goto(f"{server}/?page=glossary&find=analogy&lang=en")
    page.locator(".term", has_text="word analogy").get_by_role("link", name="See it: Pretrain").click()
    expect(page.locator("#pretrain-nearest")).to_contain_text("grandfather")
    expect(page).to_have_url(re.compile("page=pretrain&.*open=nearest"))


def test_a_run_that_has_saved_nothing_yet_says_so_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path))
    folder = RunFolder.create(plan(), home() / "just-begun")
    columns, _, said = told(folder.name, "", "mother", ["gpt-town"])
    assert len(columns) == 2 and said.endswith("No checkpoint yet, try again in a few seconds.")
