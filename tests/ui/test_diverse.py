"""Diverse beam search on the Generate page and on the command line: its groups, one tree, and its borders."""

import json
from typing import Any

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from trained import run_of

from lab.cli.main import main
from lab.inference.beam_search import diverse_beam_search
from lab.settings import SettingsError
from lab.ui.pages.generate.diverse import diverse
from lab.ui.shell import visitor

PROMPT = "The town was"


@pytest.mark.parametrize("shown", [1, 2, 4])
def test_the_groups_and_the_tree_are_those_of_the_search(shown: int) -> None:
    run = run_of("gpt")
    answer = diverse(run, PROMPT, 3, 2, 1.5, 6, shown)
    found = diverse_beam_search(visitor.trained(run), PROMPT, 2, 3, 1.5, 6)
    assert len(answer["table"]["rows"]) == sum(len(group.best) for group in found)
    best = [f"{each.logprob:.2f}" for group in found for each in group.best]
    assert [row[2] for row in answer["table"]["rows"]] == best
    own = found[min(shown, 3) - 1]
    assert [len(step) for step in answer["tree"]["steps"]] == [len(step) for step in own.steps]
    json.dumps(answer, allow_nan=False)


def test_what_is_out_of_range_or_has_no_model_gets_a_sentence() -> None:
    run = run_of("gpt")
    for wrong in (
        (1, 2, 1, 6, 1),
        (3, 9, 1, 6, 1),
        (3, 2, -1, 6, 1),
        (3, 2, 1, 600, 1),
        (3, 2, 1, 6, 9),
        (3, 2, "", 6, 1),
    ):
        with pytest.raises(SettingsError):
            diverse(run, PROMPT, *wrong)  # type: ignore[arg-type]
    for other in ("", run_of("bert")):
        assert diverse(other, PROMPT, 3, 2, 1, 6, 1)["table"]["rows"] == []


def test_the_command_finds_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of("gpt")
    answer = diverse(run, PROMPT, 2, 2, 3.0, 5, 1)
    flags = ["--beams", "2", "--groups", "2", "--diversity", "3", "--tokens", "5"]
    assert " ".join(flags) in answer["command"]["command"]
    words: list[Any] = ["generate", "--run", run, "--prompt", PROMPT, "--json"]
    assert main([*words, *flags]) == 0
    groups = json.loads(capsys.readouterr().out)["groups"]
    assert [end["text"] for group in groups for end in group] == [row[1] for row in answer["table"]["rows"]]
    assert main([*words, *flags[:2], "--groups", "0"]) == main([*words, *flags[:2], "--diversity", "-1"]) == 2


def test_the_fold_shows_groups_and_a_tree(page: Page, asking: str) -> None:
    visit(page, asking, "generate", run="gpt", text=PROMPT, open="diverse", group_tokens="3")
    expect(page.locator("#generate-diverse tbody tr")).to_have_count(6)
    page.locator("#generate-diverse-tree .node").nth(3).wait_for()
    expect(page.locator("#generate-diverse-tree")).to_contain_text("Group 2 of 3")
