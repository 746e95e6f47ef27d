"""The table of what heads do: each head once, the clearest first, measured once for a model."""

import json

import pytest
from browser import visit
from playwright.sync_api import Page, expect
from trained import run_of

from lab.inference import head_roles
from lab.inference.head_roles import ROLES
from lab.ui.pages.attention.roles import SENTENCES, STORIES, linked, texts, what_heads_do
from lab.ui.words import in_language


def test_the_table_lists_every_head_with_its_score_beside_uniform_attention() -> None:
    table = what_heads_do("bert-town")["roles"]
    json.dumps(table, allow_nan=False)
    heads = [in_language(row[0], "en") for row in table["rows"]]
    assert len(heads) == len({*heads}) == 30 and len(table["columns"]) == len(table["rows"][0]) == 6
    said = {head: in_language(row[1], "en") for head, row in zip(heads, table["rows"], strict=True)}
    assert "the previous token" in said.values()  # as its maps show at first sight
    for row in table["rows"]:
        if row[2] != "–":
            score, even = (float(text.split("\N{NO-BREAK SPACE}")[0]) for text in row[2:4])
            assert score > even


def test_for_each_role_the_head_that_does_most_of_it_is_named() -> None:
    best = what_heads_do("gpt-town")["best"]
    json.dumps(best, allow_nan=False)
    said = {in_language(row[0], "en"): (in_language(row[1], "en"), row[2], row[3]) for row in best["rows"]}
    ahead = {"next", "second_after"}  # of which it sees nothing
    assert len(said) == len(best["rows"]) == len({*ROLES} - ahead - {"special"}) + 2
    head, score, even = said["the subject a verb agrees with"]
    number, other = (float(text.split("\N{NO-BREAK SPACE}")[0]) for text in (score, even))
    assert head == "Layer 6, head 3" and number > 1.5 * other
    assert "whom a pronoun means (coreference)" in said
    assert len(linked()["agreement"]) == SENTENCES and len(linked()["coreference"]) == 2 * STORIES


def test_a_model_is_measured_once_and_one_without_attention_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    first = what_heads_do(run_of("gpt"))
    monkeypatch.setattr(head_roles, "roles", None)
    assert what_heads_do(run_of("gpt")) == first
    monkeypatch.undo()
    assert "no attention" in what_heads_do(run_of("lstm"))["roles"]["empty"]["en"]
    assert what_heads_do("")["roles"]["empty"]["word"] == "attention.no_runs"
    assert len(texts()) == 2 * STORIES and all(texts())


def test_the_cells_that_name_a_head_lead_to_it() -> None:
    given = what_heads_do("bert-town")
    for table in (given["roles"], given["best"]):
        column, names = table["leads"]
        for name, row in zip(names, table["rows"], strict=True):
            layer, head = map(int, name.split("."))
            assert row[column] == {"word": "components.head", "layer": layer, "head": head}


def test_from_a_role_one_comes_to_the_head_and_to_what_knocking_it_out_does(page: Page, asking: str) -> None:
    visit(
        page,
        asking,
        "attention",
        run="t5",
        text="the [MASK] sat",
        head="cross.1.1",
        edit="skip",
        factor="0.5",
        open="roles",
    )
    cell = page.locator("#attention-best .cell").last
    name = cell.inner_text()
    cell.click()
    expect(page.locator("#attention-maps .head-title")).to_have_text(name)
    expect(page.locator("#attention-maps .kinds [aria-checked=true]").first).to_have_text("Encoder")
    page.get_by_role("button", name="Knock out the chosen head").last.click()
    said = page.locator("#attention-edited")
    layer, head = (part.split()[-1] for part in name.split(", "))
    expect(said).to_contain_text(f"The output of head {head} in layer {layer} is multiplied by 0.")
    expect(page.get_by_role("button", name="Edit and watch")).to_be_focused()
