"""A model as it was: the slider along a run leads to the pages that ask the model at that step."""

import re
from pathlib import Path
from typing import Any

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from tiny import finished
from trained import run_of

from lab.runs.folder import home
from lab.runs.snapshots import steps
from lab.settings import SettingsError
from lab.ui.pages.attention import maps as attention
from lab.ui.pages.generate import filling
from lab.ui.runs import picker
from lab.ui.shell import visitor

TEXT = "The [MASK] sat."


def moved(page: Page, slider: Any, key: str) -> None:
    """Move a slider by a key."""
    slider.focus()
    page.keyboard.press(key)


def command(page: Page) -> Any:
    return page.locator(".lab-command code").locator("visible=true")


def test_a_model_at_a_step_answers_otherwise_and_by_its_own_command() -> None:
    run = run_of("bert")
    first, *_, last = steps(home() / run)
    now, then = filling.fill(run, TEXT), filling.fill(picker.named(run, str(first)), TEXT)
    assert first == 0 and now["gaps"] != then["gaps"]
    assert f"--run {run} --at-step 0 --text" in then["command"]["command"]
    assert "--at-step" not in now["command"]["command"]
    maps = [attention.look(name, TEXT, "1.1")["maps"] for name in (run, f"{run}@0", f"{run}@{last}")]
    assert len({*maps}) >= 2
    with pytest.raises(SettingsError, match="not kept"):
        visitor.trained(f"{run}@{last + 1}")


def test_a_handler_of_one_model_is_told_of_run_and_step_as_one() -> None:
    asked = picker.of_model(lambda *inputs: inputs, 1)
    assert asked("x", "bert", "8", "y") == ("x", "bert@8", "y") and asked("x", "bert", "", "y") == ("x", "bert", "y")
    assert picker.named("", "8") == ""


def test_the_slider_along_a_run_asks_the_model_as_it_was(asking: str, page: Page) -> None:
    visit(page, asking, "attention", run="bert", step="0", text=TEXT)
    slider = page.locator(".lab-snapshots input:visible")
    expect(page.locator(".lab-snapshots .reading:visible")).to_have_text("step 0")
    page.locator(".lab-command summary:visible").click()
    expect(command(page)).to_contain_text("--run bert --at-step 0")
    moved(page, slider, "End")
    expect(command(page)).not_to_contain_text("--at-step")
    expect(page).not_to_have_url(re.compile("step="))
    visit(page, asking, "attention", run="bert", step="5")
    expect(page.locator(".toast", has_text="not kept")).to_be_visible()


def test_the_pinned_sentence_leads_to_the_model_of_its_moment(server: str, place: Path, page: Page) -> None:
    finished(place / "followed", model="gpt", pinned="Once upon a time")
    visit(page, server, "pretrain", run="followed")
    page.wait_for_selector(".lab-pinned:visible")
    doors = page.get_by_role("button", name="Let it write")
    moved(page, page.locator(".lab-pinned input:visible"), "Home")
    expect(page.locator(".lab-pinned .kept")).to_contain_text("as it was at step 0")
    doors.click()
    expect(page).to_have_url(re.compile("run=followed.*step=0|step=0.*run=followed"))
    expect(page.locator(".lab-snapshots .reading:visible")).to_have_text("step 0")
