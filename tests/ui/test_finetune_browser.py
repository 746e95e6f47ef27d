"""The Fine-tune page in the browser: choices that go together, evidence on the text, mistakes to try again."""

import re

from browser import calm
from playwright.sync_api import expect
from staying import Stay, go


def test_what_pretraining_is_worth_stands_there_on_opening_and_another_result_is_a_click_away(
    server: str, stay: Stay
) -> None:
    page = stay(server, "finetune")
    picture = page.locator("#finetune-study")
    expect(picture.locator("path.band")).to_have_count(5)
    said = page.get_by_text(re.compile(r"^With 100 labels \(entity F1\)"))
    expect(said).to_be_visible()
    page.get_by_role("radio", name="Sentence classification (The small town (English))").click()
    expect(said).to_be_hidden()
    expect(page.get_by_text(re.compile(r"^With 100 labels \(accuracy\)"))).to_be_visible()
    assert "study=label_budgets-2-sentiment" in page.url


def test_of_several_ways_each_note_says_of_which_it_is(server: str, stay: Stay) -> None:
    page = stay(server, "finetune", how="full*frozen")
    expect(
        page.get_by_text("Full fine-tuning: all parameters are trained. Frozen (head only): the body")
    ).to_be_visible()


def test_a_word_has_one_static_vector_and_many_others_and_the_slider_asks_nobody(server: str, stay: Stay) -> None:
    page = stay(server, "finetune")
    page.get_by_role("button", name="One vector or many?").click()
    panels = page.locator(".lab-word_senses figure")
    expect(panels).to_have_count(3)  # BERT's token table, BERT, ELMo
    expect(panels.nth(1)).to_contain_text("BERT")
    expect(panels.last).to_contain_text("ELMo")
    expect(panels.first.locator("g.mark")).to_have_count(1)
    many = panels.last.locator("g.mark")
    expect(many.nth(5)).to_be_attached()
    calm(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before = many.first.locator(":scope > *").first.evaluate("(node) => node.outerHTML")
    slider = panels.last.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(panels.last.locator("output")).to_contain_text("after block")
    assert many.first.locator(":scope > *").first.evaluate("(node) => node.outerHTML") != before and not asked


def test_a_wrong_example_is_found_by_its_cell_weighed_and_tried_again(server: str, stay: Stay) -> None:
    page = stay(server, "finetune")
    go(page, "finetune", tuned="albert-town-sentiment")
    strength = page.locator(".lab-evidence .token.for, .lab-evidence .token.against")
    expect(strength.first).to_be_visible()
    before = strength.first.get_attribute("title")
    page.get_by_role("button", name="Occlusion").click()
    expect(strength.first).not_to_have_attribute("title", str(before))
    page.get_by_role("button", name="Confusion matrix").click()
    listed = page.locator(".lab-examples li")
    expect(listed.first).to_be_visible()
    cell = page.locator(".lab-table:visible button.cell").nth(1)
    count = int(cell.inner_text())
    cell.click()
    expect(page.locator(".lab-examples .what")).to_contain_text(f"{count} of 200 held-out examples are “ends badly”")
    expect(listed).to_have_count(min(count, 50))
    text = listed.first.locator(".text").inner_text()
    listed.first.locator("button").click()
    expect(page.get_by_label("Your text")).to_have_value(text)
    expect(page.locator(".lab-bars:visible li.chosen").first).to_contain_text("ends well")
    assert "evidence=occlusion" in page.url


def test_the_task_decides_which_texts_there_are_each_way_says_what_moves_and_the_address_keeps_it(
    server: str, stay: Stay
) -> None:
    page = stay(server, "finetune")
    go(page, "finetune", beside="none", study="label_budgets-2-sentiment")
    moved = page.locator("#finetune-forecast .tile", has_text="Trainable parameters")
    expect(moved).to_have_count(1)
    page.get_by_role("checkbox", name="LoRA").click()
    expect(moved).to_have_count(2)
    expect(moved.last).to_contain_text(re.compile(r"LoRA, rank 8, mean pooling\s*\d+\.\dK\s*of [\d,]+ \(\d\.\d\s%\)"))
    expect(page.get_by_role("radio", name="English", exact=True)).to_be_hidden()
    page.locator(".lab-choice summary", has_text="Sentence classification").click()
    page.get_by_role("radio", name="Token classification", exact=True).click()
    expect(page.get_by_role("radio", name="Town: named entities", exact=True)).to_be_checked()
    expect(page.get_by_role("radio", name="Small town, English")).to_be_hidden()
    expect(page.get_by_role("radio", name="English", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text(re.compile(r"^With 100 labels \(accuracy\)"))).to_be_visible()
    expect(page.get_by_role("radio", name="Town: named entities", exact=True)).to_be_checked()
    for way in ("Full", "LoRA"):
        expect(page.get_by_role("checkbox", name=way)).to_be_checked()
    expect(page.get_by_role("checkbox", name="Frozen")).not_to_be_checked()
    page.get_by_role("checkbox", name="Full").click()
    page.get_by_role("checkbox", name="LoRA").click()
    expect(page.get_by_role("checkbox", name="LoRA")).to_be_checked()  # one stays
