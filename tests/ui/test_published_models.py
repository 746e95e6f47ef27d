"""The fold for published models: what it says of each, how a fetch goes on by itself, and a lab without a network."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import visit
from loopback_hub import COMMIT, Fake, ask_only, hub
from playwright.sync_api import Page, expect
from random_runs import run_of

from lab.exchange.export import export
from lab.exchange.hub_models import MODELS
from lab.exchange.hub_store import run_id
from lab.exchange.known import naming_of
from lab.serve import fetching
from lab.serve.limits import limits
from lab.ui.pages.tokenize import handlers as tokenize
from lab.ui.runs.published_models import begin, end, follow, look
from lab.ui.shell import visitor
from lab.ui.words import WORDS, in_language

NAME = "somebody/tiny-gpt"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("published")
    return export(run_of(naming_of("gpt"), path / "run"), path / "out").folder


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, exported: Path, tmp_path: Path) -> Iterator[Fake]:
    with hub() as found:
        found.models[NAME] = exported
        ask_only(found, monkeypatch)
        monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path / "home"))
        yield found


def said(answer: dict[str, Any]) -> str:
    return " ".join(str(text.get("word", "")) + in_language(text, "en") for _, text in answer["said"])


def test_every_model_of_the_list_says_its_family_size_licence_and_commit() -> None:
    for model in MODELS:
        answer = look(model.name.rpartition("/")[2])
        facts = answer["said"][0][1]
        assert facts["name"] == model.name and facts["licence"] == model.licence and answer["go"]["interactive"]
        commits = [text["commit"] for _, text in answer["said"][1:]]
        assert commits == ([model.revision[:7]] if model.revision else [])


def test_a_fetch_goes_on_by_itself_and_its_model_is_chosen_and_asked(fake: Fake) -> None:
    sized = look(NAME)
    assert sized["said"][0][1]["word"] == "hub.sized" and sized["go"]["interactive"]
    answer = begin(NAME)
    until = time.monotonic() + 120
    while "run" not in answer:
        assert answer["said"][0][0] == "busy" and answer["timer"]["active"], said(answer)
        assert time.monotonic() < until
        time.sleep(0.2)
        answer = follow(NAME)
    assert answer["run"] == run_id(NAME) and not answer["timer"]["active"]
    assert answer["said"][0][1]["commit"] == COMMIT[:7]
    assert (NAME, run_id(NAME)) in visitor.choices("")
    assert visitor.trained(run_id(NAME)).run.title == NAME
    assert look(NAME)["run"] == run_id(NAME)  # whoever picks it again has it at once
    asked = len(fake.asked)
    assert begin(NAME)["run"] == run_id(NAME) and len(fake.asked) == asked


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("somebody/nobody-has-it", "has no model"),
        ("<b>x</b>", "is no name of a model"),
        ("../../etc/passwd", "is no name of a model"),
        ("x" * 5000, "is no name of a model"),
        ("\ud800", "is no name of a model"),
    ],
)
def test_what_cannot_be_had_is_said_where_one_stands(fake: Fake, name: str, sentence: str) -> None:
    for answer in (look(name), begin(name)):
        [[kind, text]] = answer["said"]
        assert kind == "problem" and sentence in text["en"] and text["zh"]


def test_what_is_too_large_for_visitors_is_not_fetched(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    for field, sentence in (("published", "are fetched for visitors"), ("all_published", "are the most")):
        tight = replace(limits(), **{field: 10})
        monkeypatch.setattr(fetching, "limits", lambda tight=tight: tight)
        [[kind, text]] = begin(NAME)["said"]
        assert kind == "problem" and sentence in text["en"]
    assert not [line for line in fake.asked if "/resolve/" in line]


def test_one_model_comes_at_a_time(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "coming", lambda: ["somebody--other"])
    [[kind, text]] = begin(NAME)["said"]
    assert kind == "problem" and "somebody/other is being fetched" in text["en"]


def test_nothing_chosen_is_nothing_to_say(fake: Fake) -> None:
    for nothing in (None, "", "  "):
        assert look(nothing)["said"] == [] and begin(nothing) == {} and not look(nothing)["go"]["interactive"]
    assert end(NAME)  # what is not coming cannot be stopped, and nothing breaks


def test_a_published_tokenizer_stands_beside_the_others(fake: Fake) -> None:
    busy, answer = tokenize.fetch(NAME, "The cat sat.", "")
    assert busy["status"][0][0] == "busy"
    assert answer["cuts"]["rows"][-1]["title"] == NAME and NAME in answer["own"]
    assert [*tokenize.fetch("", "text", "")] == []
    *_, refused = tokenize.fetch("somebody/nobody-has-it", "text", "")
    assert refused["status"][0][0] == "problem"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_a_network_a_sentence_says_so_and_the_page_goes_on(server: str, page: Page, language: str) -> None:
    visit(page, server, "generate", lang=language)
    page.locator("#generate-write").wait_for()
    page.get_by_text(WORDS["hub.fold"][language], exact=True).locator("visible=true").click()
    box = page.get_by_label(WORDS["hub.choose"][language]).locator("visible=true")
    box.click()
    page.get_by_role("option", name="distilgpt2").locator("visible=true").click()
    expect(page.get_by_text("Apache-2.0").locator("visible=true")).to_be_visible()
    page.get_by_role("button", name=WORDS["hub.fetch"][language], exact=True).locator("visible=true").click()
    expect(page.locator(".lab-prose .problem").locator("visible=true")).to_contain_text("HF_HUB_OFFLINE")
    expect(page.locator("#generate-bars")).to_be_visible()
