"""Cost on the page: formulas for the visitor's own text, and points that are measured once for everybody."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from trained import run_of

from lab.analysis.attention_length import HEADS, LENGTHS, WIDTH
from lab.sandbox import Limits, stream
from lab.serve import following
from lab.serve.following import at_hand, followed
from lab.settings import SettingsError
from lab.ui.pages.attention import cost
from lab.ui.pages.attention.cost import cost_opened, measure_cost
from lab.ui.words import in_language

ODD = ["", "a", "🦜🦜", "<img src=x onerror=window.hit=1>", "${1}{{x}}`\\", "\ud800"]
ROWS = [
    {"tokens": n, "kind": kind, "seconds": n * n * 1e-6, "bytes": n * 2**20} for n in (64, 128) for kind in ("map",)
]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nothing has been measured."""
    following._works.clear()
    yield
    following._works.clear()


def spoken(said: list[Any]) -> str:
    return " ".join(in_language(text, "en") for _, text in said)


def test_a_stream_gives_the_values_as_they_come_and_the_child_s_sentence() -> None:
    assert list(stream("builtins:range", 3)) == [0, 1, 2] and not list(stream("builtins:range", 0))
    with pytest.raises(SettingsError, match="took longer than 1 seconds"):
        list(stream("itertools:repeat", 1, 10**9, limits=Limits(seconds=1.0)))
    with pytest.raises(SettingsError, match="has ended"):
        list(stream("builtins:iter", 1))
    with pytest.raises(SettingsError, match="at most 3 are read"):
        list(stream("lab.serve.limits:within", "text", 3))


def test_many_who_ask_follow_one_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def slowly(function: str, *_: Any, limits: Limits) -> Iterator[int]:
        begun.append(function)
        for number in range(3):
            time.sleep(0.15)
            yield number

    monkeypatch.setattr(following.sandbox, "stream", slowly)
    seen: list[list[list[int]]] = [[], []]
    both = [threading.Thread(target=lambda at=at: seen[at].extend(followed("a:b", limits=Limits()))) for at in (0, 1)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert begun == ["a:b"] and seen[0][-1] == seen[1][-1] == [0, 1, 2] and seen[0][0] == [] and len(seen[0]) >= 3
    assert at_hand("a:b") == [0, 1, 2] and at_hand("a:c") is None
    monkeypatch.setattr(following, "KEPT_SECONDS", 0.0)
    assert at_hand("a:b") is None


def test_what_failed_is_said_to_all_and_can_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any, limits: Limits) -> Iterator[int]:
        yield 1
        raise SettingsError("no", "不")

    monkeypatch.setattr(following.sandbox, "stream", failing)
    for _ in range(2):
        with pytest.raises(SettingsError, match="no"):
            list(followed("a:b", limits=Limits()))
        assert at_hand("a:b") is None


def test_no_more_than_a_few_wait_in_line(monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()

    def held(*_: Any, limits: Limits) -> Iterator[int]:
        go.wait(10)
        yield 1

    monkeypatch.setattr(following.sandbox, "stream", held)
    try:
        for number in range(following.LINE):
            next(followed("a:b", number, limits=Limits()))
        with pytest.raises(SettingsError, match="too many"):
            next(followed("a:b", "one more", limits=Limits()))
    finally:
        go.set()


@pytest.mark.parametrize("text", ODD)
def test_the_formulas_are_filled_with_the_text_s_own_length(text: str) -> None:
    answer = cost_opened(run_of("bert"), text)
    json.dumps(answer, allow_nan=False)
    columns, rows = answer["formulas"]["columns"], answer["formulas"]["rows"]
    n = int(columns[1]["n"])
    assert (
        rows[0][1] == f"2 · {n}² · {WIDTH} = {2 * n * n * WIDTH:,}"
        and rows[3][1] == f"{HEADS} · {n}² = {HEADS * n * n:,}"
    )
    assert rows[0][2] == "2 · 4096² · 128 = 4.29 · 10⁹"
    assert not answer["time"]["series"][0]["x"] and "Nothing has been measured" in spoken(answer["said"])


def test_without_a_run_the_longest_is_told_and_a_long_text_is_refused() -> None:
    assert len(cost_opened("", "")["formulas"]["columns"]) == 2
    with pytest.raises(SettingsError, match="characters"):
        cost_opened(run_of("bert"), "a" * 2**20)


def test_the_points_come_while_they_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "followed", lambda *_, limits: iter([[], ROWS[:1], ROWS]))
    answers = list(measure_cost())
    assert [len(answer["time"]["series"][0]["x"]) for answer in answers if "time" in answer] == [0, 1, 2, 2]
    value = answers[-1]["time"]
    assert value["series"][0]["y"] == pytest.approx([4.096, 16.384]) and value["logx"] and value["logy"]
    square, line = value["series"][-2:]
    assert square["y"][1] / square["y"][0] == pytest.approx(4) and line["y"][1] / line["y"][0] == pytest.approx(2)
    assert answers[-1]["memory"]["series"][0]["y"] == [64, 128] and "Measured" in spoken(answers[-1]["said"])
    assert value["until"] == LENGTHS[-1]


def test_one_presses_and_sees_points_on_log_log_axes(page: Page, asking: str) -> None:
    visit(page, asking, "attention", run="bert", text="the cat")
    page.get_by_role("button", name="Cost:").click()
    expect(page.locator("#attention-cost-formulas td").first).to_be_visible()
    page.get_by_role("button", name="Measure on this machine").click()
    expect(page.locator("#attention-cost-time circle.measured").first).to_be_visible()
    marks = page.locator("#attention-cost-time svg[role=img] text")
    expect(marks.get_by_text("2,000", exact=True)).to_be_visible()
    expect(page.locator("#attention-cost-next circle.measured").first).to_be_visible()
