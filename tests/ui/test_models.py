"""The page of families: a tree without loops, a card for each, recipes that are those of the files."""

import re

import pytest
from browser import visit
from playwright.sync_api import Page, expect

from lab.analysis.count import count, published
from lab.analysis.recipe import remarks
from lab.catalog import MODELS, OBJECTIVES, TOKENIZERS
from lab.entries import ModelEntry
from lab.registry import Entry
from lab.settings import SettingsError
from lab.ui.pages.models.handlers import ANCESTORS, NEAREST, WAYS, card, families, other_than, remarks_zh, sizes
from lab.ui.shell.papers import cited, named
from lab.ui.words import in_language


def test_every_family_is_in_the_tree_and_its_line_ends_at_a_root() -> None:
    parents = {family["name"]: family["parent"] for family in families()}
    assert list(parents) == [*ANCESTORS, *MODELS.names()]
    years = {family["name"]: family["year"] for family in families()}
    for name, parent in parents.items():
        line = [name]
        while (ancestor := parents[line[-1]]) is not None:
            assert ancestor in parents and ancestor not in line
            line.append(ancestor)
        assert parent is None or years[parent] <= years[name]
    assert all(family["way"] in WAYS for family in families())


@pytest.mark.parametrize("name", MODELS.names())
def test_every_family_has_a_card_in_both_languages(name: str) -> None:
    told, table, recipes, line = (card(name, "")[part] for part in ("description", "sizes", "recipes", "command"))
    for language in ("en", "zh"):
        said = " ".join(
            text if isinstance(text, str) else in_language(text, language)
            for kind, text in told
            if kind not in ("ul", "cite")
        )
        assert f"lab/models/{MODELS[name].build.__module__.rpartition('.')[2]}.py" in said and len(said) > 50
    assert any(right for _, right in recipes["rows"])
    assert line["command"].startswith(f"python -m lab pretrain --model {name} ")
    for model, _, number in table["rows"]:
        known = published(model)
        assert number == count(known.model, known.shape, known.vocabulary)["params"]["with_pretraining_heads"]
    assert ("note" in table) == any(published(model).headless for model, *_ in table["rows"])


@pytest.mark.parametrize("entry", [*MODELS, *OBJECTIVES], ids=lambda entry: entry.name)
def test_every_citation_leads_to_the_paper(entry: Entry) -> None:
    pieces = cited(entry.paper)
    assert "".join(text["en"] for text, _ in pieces) == entry.paper
    assert not re.search("section|table|algorithm|et al| and |code", "".join(text["zh"] for text, _ in pieces))
    assert any(address.startswith("https://") for _, address in pieces)


@pytest.mark.parametrize("entry", [entry for entry in MODELS if entry.published], ids=lambda entry: entry.name)
def test_where_a_paper_says_how_it_trained_is_said_in_chinese(entry: ModelEntry) -> None:
    assert entry.published is not None
    source = named(entry.published.source)
    assert source["en"] == entry.published.source
    words = "section|table|appendix|column|et al| and |first|weights|clipping|decay|warm-up|the |all |project"
    assert not re.search(words, source["zh"])


def test_a_citation_within_a_sentence_reads_as_on_its_own() -> None:
    assert named("Radford et al. 2019, section 2.3")["zh"] == "Radford 等 2019，第 2.3 节"
    source = "Brown et al. 2020, appendix B and table 2.1; openai/gpt-2, src/model.py (first weights)"
    assert named(source)["zh"] == "Brown 等 2020，附录 B 和表 2.1；openai/gpt-2，src/model.py (初始权重)"


def test_a_card_names_the_tokenizer_of_the_family_and_apart_from_it_that_of_the_lab() -> None:
    facts = next(body for kind, body in card("bert", "")["description"] if kind == "ul")
    said = {fact["word"]: fact["what"]["en"] for fact in facts}
    assert said["models.reads"] == "WordPiece" and said["models.reads.here"] == "Byte-level BPE"
    assert all({*model.reads} <= {*TOKENIZERS.names()} for model in MODELS)


@pytest.mark.parametrize("name", ["linear_transformer", "bilstm"])
def test_a_family_whose_paper_has_no_text_is_said_to_learn_and_read_as_here_alone(name: str) -> None:
    """Pictures and speech for the one, speech for the other: no tokenizer of theirs, no language model."""
    facts = next(body for kind, body in card(name, "")["description"] if kind == "ul")
    words = {fact["word"] for fact in facts}
    assert {"models.learns.here", "models.reads.here"} <= words and not {"models.learns", "models.reads"} & words


def test_the_transformer_stands_before_the_models_that_took_it_up() -> None:
    tree = {family["name"]: family for family in families()}
    assert tree["gpt1"]["parent"] == tree["t5"]["parent"] == "transformer" and tree["transformer"]["year"] == 2017
    assert other_than("gpt1") == "bert" and "Hochreiter" in MODELS["lstm"].paper


def test_models_are_dated_and_called_as_their_authors_do() -> None:
    """DeBERTa v2's code came in 2021, GLM-4 of 2024 is not the model of 2025, and 2019 brought GPT-2."""
    tree = {family["name"]: (family["title"]["en"], family["year"]) for family in families()}
    assert (tree["deberta_v1"], tree["deberta_v2"]) == (("DeBERTa", 2020), ("DeBERTa v2", 2021))
    assert (tree["glm4"], tree["gpt"]) == (("GLM-4-0414", 2025), ("GPT-2", 2019))
    told = {kind: body for kind, body in card("llama", "")["description"] if kind != "note"}
    assert {"word": "models.from", "what": {"en": "GPT-2", "zh": "GPT-2"}} in told["ul"]


def test_who_reads_both_ways_and_writes_on_in_one_stack_is_no_left_to_right_decoder() -> None:
    ways = {family["name"]: family["way"] for family in families()}
    assert (ways["glm"], ways["chatglm"], ways["gpt"]) == ("prefix-decoder", "decoder", "decoder")
    assert "both sides" in in_language(WAYS["prefix-decoder"], "en") and "双向" in in_language(WAYS[ways["glm"]], "zh")


def test_where_files_hold_less_than_is_trained_it_is_said_why() -> None:
    note = sizes("glove")["note"]
    assert (note["name"], note["kept"], note["all"]) == ("glove.6B.50d", "20,000,000", "40,800,000")
    assert int(note["all"].replace(",", "")) == 400_000 * 2 * (50 + 1)
    assert "softmax over 793,471 words" in in_language(sizes("elmo")["note"], "en")
    assert "900,000,000" in in_language(sizes("word2vec")["note"], "zh")
    assert "glove.6B.200d" in [name for name, *_ in sizes("glove")["rows"]]


def test_what_is_stated_is_not_said_to_be_in_the_paper() -> None:
    assert [in_language(column, "en") for column in sizes("xlnet")["columns"]][1] == "Stated"
    assert all("documentation" in stated["en"] for _, stated, _ in sizes("xlnet")["rows"])


def test_a_card_builds_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh server took up to four seconds for a family, while the last one's card stood there."""
    sizes.cache_clear()
    monkeypatch.setattr("lab.ui.pages.models.handlers.count", lambda *_: pytest.fail("that takes seconds"))
    for name in MODELS.names():
        if name not in ("elmo", "word2vec", "glove"):  # small, and not counted with their heads
            card(name, NEAREST)


def test_a_family_stands_beside_the_one_it_changed_unless_another_is_chosen() -> None:
    assert other_than("albert") == "bert" and other_than("<b>") == "bert"
    cards = {other: card("albert", other) for other in (NEAREST, "bert", "albert", "gpt")}
    assert {other: told["other"] for other, told in cards.items()} == {
        NEAREST: NEAREST,
        "bert": "bert",
        "albert": NEAREST,
        "gpt": "gpt",
    }
    beside = {other: told["recipes"] for other, told in cards.items()}
    assert beside[NEAREST] == beside["bert"] == beside["albert"]
    assert beside["gpt"]["left"] == {"en": "GPT-2", "zh": "GPT-2"}
    assert sizes("albert")["rows"] and in_language(sizes("albert")["columns"][0], "zh") == "模型"
    with pytest.raises(SettingsError, match="there is no model"):
        card("<img src=x>", "bert")


def test_what_a_file_says_of_itself_is_there_in_chinese_with_the_same_numbers() -> None:
    def facts(text: str) -> list[str]:
        return sorted(re.findall(r"\d[\d.]*\d|\d", text.translate(str.maketrans("一二三四五六七八九十", "1234567890"))))

    files = {entry.build.__module__.rpartition(".")[2]: entry for entry in MODELS}
    assert {*remarks_zh()} == {*files}
    for name, entry in files.items():
        for english, chinese in zip(remarks(entry).split("\n"), remarks_zh()[name], strict=True):
            assert {*facts(english)} <= {*facts(chinese)}, name


def test_an_address_without_a_second_family_compares_with_the_nearest(page: Page, server: str) -> None:
    visit(page, server, "models", model="longformer")
    names = page.locator("#models-recipes strong:visible")
    expect(names).to_have_text(["RoBERTa", "Longformer"])
    page.locator("#models-other input").fill("Longformer")
    page.locator("#models-other input").press("Enter")
    expect(page.locator("#models-other input")).to_have_value("Its nearest relative in the tree")
    expect(names).to_have_text(["RoBERTa", "Longformer"])


@pytest.mark.parametrize("wide", [1280, 390])
def test_a_click_in_the_tree_opens_the_family_and_marks_what_it_changed(page: Page, server: str, wide: int) -> None:
    page.set_viewport_size({"width": wide, "height": 900})
    visit(page, server, "models")
    page.locator(".lab-family_tree button:visible", has_text=re.compile(r"^RoBERTa")).click()
    expect(page.get_by_role("heading", name="RoBERTa", exact=True).locator("visible=true")).to_be_visible()
    expect(page.locator("#models-recipes code.right.own:visible").first).to_be_visible()
    assert "model=roberta" in page.url
    page.reload()
    expect(page.get_by_role("heading", name="RoBERTa", exact=True).locator("visible=true")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    page.get_by_role("button", name="Pretrain one").locator("visible=true").click()
    expect(page.locator(".lab-choice summary:visible", has_text="RoBERTa")).to_be_visible()


@pytest.mark.parametrize(("model", "lang"), [("deberta_v2", "zh"), ("gpt", "en"), ("elmo", "en"), ("bert", "zh")])
def test_the_published_sizes_fit_on_a_phone(page: Page, server: str, model: str, lang: str) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    visit(page, server, "models", model=model, lang=lang)
    table = page.locator("#models-sizes .table")
    expect(table.locator("td.number").first).to_be_visible()
    assert table.evaluate("(node) => node.scrollWidth <= node.clientWidth")
