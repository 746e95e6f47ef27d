"""What a visitor asks for and cannot have is said; what they brought comes back; what they compare is told fairly."""

import re
from pathlib import Path
from typing import Any

import pytest
from bench import BOB
from browser import calm, visit
from playwright.sync_api import Page, expect
from staying import Stay
from tiny import finished

from lab.serve.ownership import owner_of

PATIENCE = 60_000  # milliseconds: other tests may keep the machine busy
HARBOUR = "渡船每天早上九点离开老港口，中午带着邮件回来，小红在码头上等她的哥哥。"
REFUSED: list[tuple[dict[str, str], list[str]]] = [
    ({"name": "nonsense"}, ["no page “nonsense”"]),
    (
        {"name": "pretrain", "size": "gigantic", "model": "bird", "run": "theirs"},
        ["size = gigantic", "model = bird", "belongs to somebody else"],
    ),
    ({"name": "attention", "run": "bert", "head": "9.9"}, ["2 layers of 2 heads, and no head 9.9"]),
    ({"name": "attention", "run": "../../etc", "head": "99"}, ["run = ../../etc", "head = 99"]),
    ({"name": "finetune", "run": "t5", "tuned": "nobody-1"}, ["T5 cannot be fine-tuned", "no run 'nobody-1'"]),
    ({"name": "parameters", "models": "bird*gpt2"}, ["models = bird*gpt2"]),
    ({"name": "parameters", "models": "gpt2*deberta_v3"}, ["models = gpt2*deberta_v3"]),  # a recipe without sizes
]


@pytest.fixture(scope="module")
def lab(asking: str, place: Path) -> str:
    """The lab with a tiny run of each family, and one that belongs to somebody else."""
    finished(place / "theirs", model="gpt", owner=owner_of(BOB))
    return asking


def again(page: Page) -> None:
    """Load the page once more, in the other language."""
    chinese = page.locator("html").get_attribute("lang") == "zh-CN"
    page.get_by_role("button", name="English" if chinese else "中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "en" if chinese else "zh-CN")


def said(page: Page) -> Any:
    return page.locator(".lab-prose:visible")


def wrote(folder: Path, name: str, content: str) -> Path:
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def test_what_a_link_asks_for_and_cannot_have_is_said(lab: str, page: Page) -> None:
    for address, sentences in REFUSED:
        visit(page, lab, **address)
        for sentence in sentences:
            expect(page.locator(".lab-toasts .toast", has_text=sentence)).to_be_visible()
        if "size" in address:
            page.get_by_role("button", name="All settings").click()
            expect(page.get_by_role("radio", name=re.compile("^tiny"))).to_be_checked()


def test_a_file_that_cannot_be_read_stays_said(lab: str, page: Page, tmp_path: Path) -> None:
    visit(page, lab, "finetune", run="bert", data="own")
    page.locator("input[type=file]").first.set_input_files(wrote(tmp_path, "bad.csv", ""))
    problem = page.get_by_text("'bad.csv' is empty.")
    expect(problem).to_be_visible()
    calm(page)
    expect(problem).to_be_visible()


def test_the_marks_of_an_axis_are_round_numbers(lab: str, stay: Stay) -> None:
    page = stay(lab, "start")
    for low, high, count in ((1, 2, 5), (0, 3, 12), (-0.3, 0.3, 6), (0.1, 0.7, 6)):
        marks = page.evaluate("([low, high, count]) => window.lab.ticks(low, high, count)", [low, high, count])
        assert marks and marks == [round(mark, 9) for mark in marks] and low <= marks[0] and marks[-1] <= high
    assert page.evaluate("window.lab.ticks(1, 2, 5)")[-1] == 2


def test_a_door_that_leads_nowhere_is_not_there(lab: str, stay: Stay) -> None:
    page = stay(lab, "pretrain", run="bert")
    expect(page.get_by_role("button", name="Look into its attention")).to_be_visible()
    expect(page.get_by_role("button", name="Let it write")).to_be_hidden()


def test_a_door_leads_to_what_the_model_can_do(lab: str, stay: Stay) -> None:
    """T5 has no head for classes, but it writes answers."""
    page = stay(lab, "pretrain", run="t5")
    page.get_by_role("button", name="Fine-tune it").click()
    expect(page).to_have_url(re.compile("task=seq2seq"))
    expect(page.locator(".lab-choice summary", has_text="Sequence to sequence")).to_be_visible()
    expect(page.locator(".lab-toasts .toast")).to_have_count(0)


def settings(page: Page) -> Any:
    """The fold with all settings, in either language."""
    return page.get_by_role("button", name=re.compile("^(All settings|全部设置)"))


def test_a_pasted_text_comes_back(lab: str, stay: Stay) -> None:
    page = stay(lab, "pretrain", corpus="own")
    page.get_by_label("Or paste a text").fill("<img src=x onerror=window.ran=1> 🙂 " + "A word. " * 200)
    expect(page.locator(".lab-prose pre:visible")).to_contain_text("onerror")
    again(page)
    expect(page.locator(".lab-prose pre:visible")).to_contain_text("onerror")
    assert page.evaluate("window.ran") is None


def test_a_text_of_ones_own_comes_back_and_gives_the_pinned_sentence(lab: str, stay: Stay, tmp_path: Path) -> None:
    page = stay(lab, "pretrain", corpus="own")
    page.locator("input[type=file]").first.set_input_files(wrote(tmp_path, "harbour.txt", HARBOUR * 60))
    preview, pinned = (
        page.locator(".lab-prose pre:visible"),
        page.get_by_label("观察句").or_(page.get_by_label("Pinned sentence")),
    )
    expect(preview).to_contain_text("渡船每天")
    settings(page).click()
    expect(pinned).to_have_value(re.compile("^渡船每天"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert preview.evaluate("(pre) => pre.scrollWidth <= pre.clientWidth && pre.clientHeight > 60")  # lines wrap
    again(page)
    expect(preview).to_contain_text("渡船每天")
    settings(page).click()
    expect(pinned).to_have_value(re.compile("^渡船每天"))


def test_a_table_without_a_header_keeps_its_first_row_and_comes_back(lab: str, page: Page, tmp_path: Path) -> None:
    rows = "".join(
        f"the film was {'good' if n % 2 else 'bad'} again {n},{'yes' if n % 2 else 'no'}\n" for n in range(40)
    )
    visit(page, lab, "finetune")
    page.get_by_role("radio", name="Your own file").click()
    page.locator("input[type=file]").first.set_input_files(wrote(tmp_path, "films.csv", rows + "no label,\n" * 3))
    expect(said(page).get_by_text("has no label")).to_be_visible()
    page.get_by_label("Leave out rows").check()
    expect(said(page).get_by_text("40 texts in 2 classes: no (20), yes (20)")).to_be_visible()
    expect(said(page).get_by_text("Rows left out: 3. The first: line 41 has no label")).to_be_visible()
    page.get_by_role("button", name="A test file of your own").click()
    page.locator("input[type=file]").last.set_input_files(wrote(tmp_path, "new films.csv", rows))
    expect(said(page).get_by_text("40 more in the test file")).to_be_visible()
    again(page)
    expect(said(page).get_by_text("共 40 段文本，2 个类别")).to_be_visible()
    expect(said(page).get_by_text("略去了 3 行")).to_be_visible()
    expect(page.get_by_label("标签列")).to_have_value("第 2 列")
    expect(page.get_by_text("films.csv 已保存", exact=False).first).to_be_visible()
    page.get_by_role("button", name="自己的测试文件").click()
    expect(page.get_by_text("new films.csv 已保存")).to_be_visible()


def test_a_comparison_on_few_and_uneven_texts_is_told_fairly(lab: str, page: Page, tmp_path: Path) -> None:
    def rows(count: int, common: int) -> str:
        classes = [("bad" if n % common == 0 else "good") for n in range(count)]
        return "text,mood\n" + "".join(f"number {n} is {each},{each}\n" for n, each in enumerate(classes))

    visit(page, lab, "finetune", run="bert", data="own", epochs=1)
    page.locator("input[type=file]").first.set_input_files(wrote(tmp_path, "learn.csv", rows(60, 5)))
    expect(said(page).get_by_text("“good” alone is 80.0 % of the texts")).to_be_visible()
    page.get_by_role("button", name="A test file of your own").click()
    page.locator("input[type=file]").last.set_input_files(wrote(tmp_path, "wrong.csv", "text,mood\nwell,fair\n"))
    expect(page.get_by_text(re.compile("test file: line 2 has the label 'fair'", re.I)).first).to_be_visible()
    page.get_by_role("button", name="Clear").last.click()
    page.locator("input[type=file]").last.set_input_files(wrote(tmp_path, "test.csv", rows(12, 2)))
    expect(said(page).get_by_text("12 more in the test file")).to_be_visible()
    page.locator("#finetune-start").click()
    for which in ("From the pretrained run", "From random weights"):
        expect(page.get_by_text(f"{which}: Finished after 2 steps")).to_be_visible(timeout=PATIENCE)
    expect(page.locator(".tile:visible", has_text=re.compile(r"macro F1 0\.\d{3}"))).to_have_count(2)
    gain = page.locator(".tile:visible", has_text="What pretraining is worth")
    expect(gain).to_contain_text(re.compile(r"[+-]\d+\.\d\s±\s\d+\.\d points.*12 texts are too few to tell"))
    page.get_by_role("button", name="Confusion matrix").click()
    cells = page.locator(".lab-table:visible td.number")
    expect(cells).to_have_count(8)
    assert sum(map(int, cells.all_inner_texts())) == 24
    page.set_viewport_size({"width": 390, "height": 844})
    widths = page.locator("#pages .row > .lab-bars:visible, #pages .row > .lab-table:visible").evaluate_all(
        "all => all.map((each) => each.offsetWidth)"
    )
    assert len(widths) == 4 and min(widths) > 280  # on a phone they stand below each other
