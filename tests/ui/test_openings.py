"""What a page asks for when it is opened: at once, and in turn where one answer is part of another question."""

import re
from typing import Any

import gradio as gr
from browser import visit
from playwright.sync_api import Page, Route, expect

from lab.ui.components.memo import Memo
from lab.ui.shell.frame import Frame


def copied(text: str) -> str:
    return text


def opened(*asked: tuple[int, int]) -> list[list[str]]:
    """For questions that read one memo each and change another, the scripts that come before each handler."""
    with gr.Blocks() as demo:
        frame = Frame(["start"])
        with frame.on("start"):
            memos = [Memo() for _ in range(5)]
            for reads, writes in asked:
                frame.opens(copied, memos[reads], memos[writes])
    events: dict[int, dict[str, Any]] = {event["id"]: event for event in demo.config["dependencies"]}

    def before(event: dict[str, Any]) -> list[str]:
        if event["trigger_after"] is None:
            return []
        ahead = events[event["trigger_after"]]
        return [*before(ahead), str(ahead["js"])]

    return [before(event) for event in events.values() if event["backend_fn"]]


def waits_for(scripts: list[str]) -> list[int]:
    waits = [wait for script in scripts for wait in re.findall(r"standing\(\[([\d, ]+)\]", script)]
    return [int(number) for wait in waits for number in wait.split(", ")]


def test_questions_that_have_nothing_in_common_wait_for_nothing_but_the_folds() -> None:
    first, second = opened((0, 1), (2, 3))
    assert first == second and len(first) == 1 and "unfold" in first[0]


def test_whatever_reads_or_changes_what_another_touches_waits_for_it() -> None:
    assert [waits_for(scripts) for scripts in opened((0, 1), (1, 2))] == [[], [1]]  # reads what the first changes
    assert [waits_for(scripts) for scripts in opened((0, 1), (2, 1))] == [[], [1]]  # changes the same
    assert [waits_for(scripts) for scripts in opened((0, 1), (2, 0))] == [[], [1]]  # changes what the first reads
    assert [waits_for(scripts) for scripts in opened((0, 1), (0, 2))] == [[], []]  # reads the same
    assert [waits_for(scripts) for scripts in opened((0, 1), (2, 3), (1, 3), (1, 4))] == [[], [], [1, 2], [1]]


def test_one_slow_answer_does_not_hold_up_the_run_on_show(page: Page, server: str) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        if held:
            route.fallback()
        else:
            held.append(route)

    page.route("**/gradio_api/run/**", hold)
    visit(page, server, "pretrain", run="gpt-town")
    expect(page.locator("#pretrain-state")).to_contain_text("Finished", timeout=60_000)
    assert len(held) == 1
    held[0].fallback()
