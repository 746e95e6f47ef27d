"""The fold of the loss by context length: a line for each run that reads from left to right, and what is said of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from staying import Stay
from tiny import finished
from trained import run_of

from lab.inference.loss_by_context import loss_by_context
from lab.runs.folder import home
from lab.settings import SettingsError
from lab.ui.components.drawn import to_json
from lab.ui.pages.pretrain import by_context
from lab.ui.pages.pretrain.by_context import measured, stories, tongue, unlearnt
from lab.ui.shell.visitor import trained
from lab.ui.words import in_language

TEXT = "The town was quiet. Nobody slept well in the rain, and the baker went home early. 猫 🦜 <b>x</b> " * 2


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer stories, for the sake of time."""
    monkeypatch.setattr(by_context, "STORIES", 4)
    stories.cache_clear()


def told(*asked: Any) -> tuple[list[dict[str, Any]], str]:
    """The lines, and what is said below them."""
    values = measured("", *asked)
    assert json.loads(to_json(values["picture"]))
    return values["picture"]["series"], " ".join(in_language(text, "en") for _, text in values["said"])


def test_the_line_is_the_loss_at_each_length_on_ones_own_text_or_on_stories() -> None:
    for text, texts in ((TEXT, [TEXT]), (" \n", stories("zh"))):
        (line,), said = told("gpt-town", "", text, "zh", [])
        found = loss_by_context(trained("gpt-town"), texts)
        assert (line["x"], line["y"]) == (found.lengths, found.bits)
        assert f"{found.targets} tokens predicted; {found.bits[0]:.2f} bits per byte behind 1 token" in said
        assert f"{min(found.bits):.2f} behind {found.lengths[found.bits.index(min(found.bits))]}, the best" in said
    assert stories("zh") != stories("en")


def test_stories_are_read_in_the_language_that_the_run_has_learnt() -> None:
    names = {corpus: finished(home() / corpus, model="lstm", corpus=corpus).name for corpus in ("town_en", "town_zh")}
    for page in ("en", "zh"):
        assert [tongue("", name, page) for name in names.values()] == ["en", "zh"]
        assert tongue("", "gpt-town", page) == tongue("", "", page) == page


def test_a_run_on_a_text_file_is_asked_about_the_part_that_it_has_not_learnt(tmp_path: Path) -> None:
    file = tmp_path / "harbour.txt"
    file.write_text("".join(f"渡船{number}点开出。\n" for number in range(900)), encoding="utf-8")
    name = finished(home() / "own", model="gpt", corpus="file", corpus_settings={"path": str(file)}).name
    (text,) = unlearnt("", name)
    assert text.endswith("渡船899点开出。\n") and "渡船799点" not in text and "渡船830点" in text
    (line,), _ = told(name, "", "", "en", [])
    assert line["y"] == loss_by_context(trained(name), [text]).bits
    file.unlink()
    again = finished(home() / "town", model="lstm").name
    assert unlearnt("", again) == unlearnt("", "") == ()


def test_what_lies_beyond_the_context_is_a_line_of_its_own_that_joins_on() -> None:
    for overlap, longest, most in ((True, 16, 32), (False, 8, 30)):  # whose rows stand apart has learnt behind 15
        name = f"rotary-{longest}"
        finished(home() / name, model="llama", training={"steps": 2, "batch": 4, "overlap": overlap})
        (inside, beyond), said = told(name, "", TEXT, "en", [])
        assert max(inside["x"]) == longest and beyond["x"][-1] == most
        assert (beyond["x"][0], beyond["y"][0]) == (inside["x"][-1], inside["y"][-1])
        assert beyond["kind"] == "points" and in_language(beyond["name"], "en").endswith("beyond its context of 16")
        assert beyond["colour"] == inside["colour"] and "tokens predicted" in said


def test_who_has_no_such_loss_is_named_and_the_others_are_drawn() -> None:
    lines, said = told("bert-town", "", TEXT, "en", ["gpt-town"])
    assert len(lines) == 1 and "Only a model that predicts each token" in said
    lines, said = told("gpt-town", "", "short", "en", [])
    assert not lines and "At least 41 tokens of text are needed" in said
    assert told("", "", TEXT, "en", []) == ([], "")
    (line,), _ = told("", "", "\ud800 <img src=x>\0 " * 9, "en", ["gpt-town", "gpt-town", 5])
    assert all(y > 0 for y in line["y"])


def test_runs_of_others_stay_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_PROFILE", "classroom")
    with pytest.raises(SettingsError, match="belongs to somebody else"):
        measured("a" * 32, run_of("gpt"), "", TEXT, "en", [])


def test_the_fold_draws_what_is_typed(stay: Stay, server: str) -> None:
    page = stay(server, "pretrain", run="gpt-town")
    fold = page.locator("#fold-pretrain-context")
    fold.get_by_role("button").first.click()
    fold.get_by_label("Text of your own").fill(TEXT)
    fold.get_by_label("Text of your own").blur()
    expect(fold).to_contain_text("GPT (town stories and books), step 6,500: ")
    n = loss_by_context(trained("gpt-town"), [TEXT]).targets
    expect(fold).to_contain_text(f"{n} tokens predicted")
    expect(page.locator("#pretrain-context .chart path.line").first).to_be_visible()
    assert "open=context" in page.evaluate("window.lab.link()")
    fold.get_by_role("button").first.click()
