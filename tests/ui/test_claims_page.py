"""The Claims page: one says what one expects, and only then sees what was measured."""

from typing import Any

import pytest
from bench import ANN, BOB, Still, still
from browser import visit, watched
from playwright.sync_api import Browser, expect

from lab.catalog import CLAIMS
from lab.experiments.claims import Measured, verdict
from lab.experiments.recorded import recorded
from lab.runs.finding import find_run
from lab.settings import SettingsError
from lab.ui.pages.claims.handlers import TEXTS, begin, command, told
from lab.ui.shell.visitor import own
from lab.ui.words import in_language

__all__ = ["still"]  # a fixture

ANSWERS = ("holds", "unclear", "contradicted")
OF_ONE_RUN = {"pretraining", "greedy_decoding"}


def measured_of(name: str, corpus: str = "town_en") -> Any:
    document = recorded(f"claims/{corpus}/{name}")
    assert document is not None
    return verdict(CLAIMS[name], [Measured(**each) for each in document["measured"]])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_card_tells_the_claim_and_what_was_measured_in_both_languages(language: str) -> None:
    for claim in CLAIMS:
        card = told(claim)
        texts = [card["title"], card["sentence"], card["found"]]
        for each, corpus in zip(card["measured"], TEXTS.values(), strict=True):
            texts += [each["difference"], each["elsewhere"], each["facts"]]
            assert each["says"] == measured_of(claim.name, corpus).says and each["seeds"] >= 3
            assert [len(arm["values"]) for arm in each["arms"]] == [each["seeds"]] * 2
        assert [each["language"] for each in card["measured"]] == [*TEXTS]
        said = [in_language(text, language) for text in texts]
        assert all(said) and not any("{" in each for each in said)


def test_the_facts_say_on_how_many_texts_and_from_how_many_labels() -> None:
    """A loss of 15 nats is that of a model which has seen a hundred stories and no more."""
    few, tuned = (told(CLAIMS[name])["measured"][0]["facts"] for name in ("dynamic_masking", "pretraining"))
    assert "only 100 stories" in in_language(few, "en") and "只取 100 个故事" in in_language(few, "zh")
    assert "Entity F1" in in_language(tuned, "en") and "on 100 labelled" in in_language(tuned, "en")
    assert "100 条标注" in in_language(tuned, "zh") and "实体 F1" in in_language(tuned, "zh")


def test_a_record_names_what_its_claim_measures() -> None:
    for claim in CLAIMS:
        documents = [recorded(f"claims/{corpus}/{claim.name}") for corpus in TEXTS.values()]
        names = {document["measure"] for document in documents if document}
        assert names == {claim.build(claim.settings.load({}))[0].measure.title[0]}


def test_the_command_is_that_of_the_claim_that_was_answered() -> None:
    assert command("depth") == {"command": "python -m lab claim depth"}
    assert command("") == command("no such claim") == {"command": "python -m lab claim"}


@pytest.mark.parametrize(
    "name", [claim.name for claim in CLAIMS if claim.name not in ("pretraining", "greedy_decoding")]
)
def test_both_arms_are_put_into_the_queue_and_told_apart(name: str, still: Still) -> None:
    begun = begin(ANN, name)
    first, second = (find_run(each).run for each in begun["compare"].split(","))
    assert begun["run"] == begun["compare"].split(",")[0] and not first.alike(second)
    assert first.title != second.title and first.owner == second.owner != ""
    assert len([*own(ANN)]) == 2 and not [*own(BOB)]
    steps = CLAIMS[name].settings.load({}).steps
    assert first.plan.steps == second.plan.steps == steps and first.corpus == second.corpus == "town_en"


def test_whoever_has_no_name_or_names_no_claim_starts_nothing(still: Still) -> None:
    with pytest.raises(SettingsError, match="no name for itself"):
        begin("", "depth")
    with pytest.raises(SettingsError, match="there is no claim"):
        begin(ANN, "<img src=x>")
    assert not [*own(ANN)]


def test_only_a_claim_of_two_runs_offers_to_train_them() -> None:
    assert {claim.name for claim in CLAIMS if not told(claim)["trains"]} == OF_ONE_RUN


def test_a_result_is_shown_to_whoever_has_said_what_to_expect(server: str, browser: Browser) -> None:
    with watched(browser.new_page()) as page:
        visit(page, server, "claims", lang="en")
        results = page.locator(".lab-claims .measured:visible")
        expect(page.locator(".lab-claims .claim")).to_have_count(len(CLAIMS.names()))
        expect(results).to_have_count(0)
        right = measured_of("depth").says
        card = page.locator("#claim-depth")
        card.get_by_role("button").nth(ANSWERS.index(right)).click()
        expect(results).to_have_count(1)
        expect(card.locator(".dot")).to_have_count(2 * len(measured_of("depth").differences))
        expect(page.locator(".lab-claims [role=status]")).to_have_text("1 of 1 as you expected.")
        page.wait_for_url("**claim=depth**")
        expect(page.locator(".lab-command code").last).to_have_text("python -m lab claim depth")
        page.get_by_role("button", name="Show all results").click()
        expect(results).to_have_count(len(CLAIMS.names()))
        page.get_by_role("button", name="Hide the results").click()
        expect(results).to_have_count(0)
        expect(page.locator(".lab-claims [role=status]")).to_have_text("")


def test_a_link_to_a_claim_tells_nothing_before_one_answers(server: str, browser: Browser) -> None:
    with watched(browser.new_page()) as page:
        visit(page, server, "claims", lang="zh", claim="pretraining")
        expect(page.locator("#claim-pretraining")).to_be_in_viewport()
        expect(page.locator(".lab-claims .measured:visible")).to_have_count(0)
        expect(page.locator(".lab-command code").last).to_have_text("python -m lab claim pretraining")
    page.context.close()
