"""The Tokenize page: its handlers as functions, and training on one's own file in a browser."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from browser import calm, visit
from playwright.sync_api import Browser, Page, expect
from staying import Stay, go

from lab.analysis.cost import example, step_cost
from lab.analysis.count import count, tensors
from lab.analysis.vocabulary_sweep import SIZES, sweep
from lab.catalog import CORPORA, TOKENIZERS, sized
from lab.data.corpus import town_documents
from lab.serve import curves, tokenizers
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer
from lab.ui.components.drawn import to_json
from lab.ui.pages.tokenize import compression
from lab.ui.pages.tokenize import handlers as tokenize

HOSTILE = [
    "",
    "a",
    " ",
    "\n",
    "👩‍🚀",
    "你好",
    "\ud83d",
    "<img src=x onerror=alert(1)>",
    "${1}",
    "[MASK]",
    "\0",
    "e\u0301",
]


def final(*asked: Any) -> dict[str, Any]:
    """What a training ends with."""
    return list(tokenize.learn(*asked))[-1]


def kept(path: str) -> str:
    """An upload as it is kept."""
    return str(tokenize.take(path)["file"])


def row(kind: str, text: str) -> dict[str, Any]:
    """What is shown of a text for one kind of tokenizer."""
    found: dict[str, Any] = tokenize.show(text, "")["cuts"]["rows"][TOKENIZERS.names().index(kind)]
    assert found["name"] == kind
    return found


def shown(kind: str, text: str) -> list[str]:
    return [each[0] for each in row(kind, text)["tokens"]]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file to learn from."""
    path = tmp_path_factory.mktemp("own") / "own text.txt"
    path.write_text("the cat sat on the mat\n" * 40, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_shown(text: str) -> None:
    cuts, lesson = tokenize.show(text, "").values()
    assert [each["name"] for each in cuts["rows"]] == TOKENIZERS.names()
    assert to_json(cuts) and to_json(lesson)


def test_bytes_bring_everything_back_and_others_say_what_is_lost() -> None:
    text = "Anna 🙂 lost"
    for kind in ("byte_bpe", "bytes"):
        assert row(kind, text)["back"] == [] and row(kind, text)["said"]["word"] == "tokenize.lossless"
    holes = row("char_bpe", text)
    assert holes["back"] == [["Anna ", ""], ["[UNK]", "wrong"], [" lost", ""]]
    assert (holes["said"]["n"], holes["said"]["all"]) == ("1", "11")
    assert [each[3:] for each in holes["tokens"] if each[5]] == [[5, 6, "unknown"]]


def test_white_space_that_wordpiece_drops_is_lost_and_what_it_adds_is_marked() -> None:
    cut = row("wordpiece", "lost  her,red")
    assert "".join(text for text, _ in cut["back"]) == "lost her , red"
    assert [each for each in cut["back"] if each[1]] == [[" ", "replaced"], [" ", "replaced"]]
    assert cut["said"]["n"] == "1", "one of two blanks"


def test_a_broken_character_is_shown_as_its_bytes_with_the_character_they_belong_to() -> None:
    tokens = row("bytes", "a🙂")["tokens"]
    assert [each[2] for each in tokens] == ["61", "F0", "9F", "99", "82"]
    assert [each[3:] for each in tokens] == [[0, 1, ""], *[[1, 2, "part"]] * 4]


def test_the_measures_can_be_checked_by_hand() -> None:
    found = {each["name"]["word"]: each["value"] for each in row("bytes", "ab 🙂")["measures"]}
    expected = {"n": 7, "word": 3.5, "rate": 7 / 4, "byte": 1.0, "unknown": 0.0, "used": 7 / 262}
    assert found == {f"tokenize.{name}": value for name, value in expected.items()}
    assert row("bytes", "ab 🙂")["lengths"] == [7, 0, 0, 0, 0, 0, 0, 0]


def test_of_a_megabyte_the_beginning_is_read_and_that_is_said() -> None:
    cuts, lesson = tokenize.show("many words " * 100_000, "").values()
    assert cuts["note"]["word"] == "tokenize.head"
    assert all(len(each["tokens"]) <= 400 for each in cuts["rows"]) and cuts["rows"][0]["more"] > 0
    assert len(to_json(cuts)) + len(to_json(lesson)) < 300_000


def test_the_merge_player_plays_what_was_counted() -> None:
    text = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)
    _, lesson = tokenize.show(text, "").values()
    first, second = lesson["ties"][0]["merges"][:2]
    assert first[:4] == ["e", "s", 9, 2] and first[4][0] == ["e", "s", 9]
    assert second[4][0][:2] == second[:2], "the pair in front is the one that is merged"
    for each in lesson["ties"]:
        for left, right, times, _, rivals in each["merges"]:
            assert rivals[0] == [left, right, times] and all(other[2] <= times for other in rivals)


def test_a_text_without_merges_gives_way_to_stories() -> None:
    for text, corpus in (("Anna", "town_en"), ("小红 and Anna", "town_zh"), ("", "town_en"), ("🙂", "town_en")):
        (_, lesson) = tokenize.show(text, "").values()
        longest = max((left + right for left, right, *_ in lesson["ties"][0]["merges"]), key=len)
        assert lesson["note"].get("n", 0) == 0 and len(longest) > 5
        assert longest in " ".join(document.text for document in town_documents(corpus, CORPORA[corpus].settings()))
    assert "note" not in tokenize.show("low low lower", "")["merges"]


def test_where_nothing_is_typed_stories_are_in_the_page_s_language_and_some_text_is_asked_for() -> None:
    for text in ("", " "):
        taught = {language: tokenize.show(text, "", "", language)["merges"] for language in ("en", "zh")}
        asked = "tokenize.merges.story" if text else "tokenize.merges.empty"
        assert {lesson["note"]["word"] for lesson in taught.values()} == {asked}
        written = {language: "".join(word for word, _ in lesson["words"]) for language, lesson in taught.items()}
        assert written["en"].isascii() and "的" in written["zh"]
    assert tokenize.show("", "")["cuts"]["note"]["word"] == "tokenize.empty"
    assert "的" in str(tokenize.show("小红", "", "", "en")["merges"]["words"]), "a text has a language of its own"
    *_, learnt = tokenize.learn("", tokenize.CORPUS, tokenize.VOCABULARY, "", "", "", "zh")
    assert learnt["merges"] == tokenize.show("", "", "", "zh")["merges"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat sat", 3),
        ("lost", 1),
        (" ", 0),
        ("🙂 🙂", 2),
        ("小红 去 公园", 0),
        ("สวัสดี ครับ", 0),
        ("비가 온다", 2),
        ("Anna 和 Tom", 3),
    ],
)
def test_tokens_per_word_are_said_where_white_space_parts_words(text: str, words: int) -> None:
    (value,) = [each["value"] for each in row("bytes", text)["measures"] if each["name"]["word"] == "tokenize.word"]
    assert value == (len(text.encode()) / words if words else "–")


def test_a_paragraph_costs_more_in_languages_that_were_not_learnt() -> None:
    costs = final("", tokenize.CORPUS, tokenize.VOCABULARY, "", "")["paragraphs"]
    by_code = {each["code"]: each for each in costs["rows"]}
    at = [each["name"] for each in costs["kinds"]].index("byte_bpe")
    assert len(by_code) == 12 and 4 * by_code["en"]["tokens"][at] < by_code["th"]["tokens"][at]
    assert all(unknown == 0 for each in costs["rows"] for unknown in [each["unknown"][at]])


@pytest.mark.parametrize(
    "names", ['{"byte_bpe":"../../etc/passwd","char_bpe":"x"}', "[1]", "nonsense", '{"byte_bpe":1}']
)
def test_only_names_of_tokenizers_are_loaded(names: str) -> None:
    with pytest.raises(SettingsError):
        tokenize.show("text", names)


def test_the_first_view_waits_for_no_training() -> None:
    steps = list(tokenize.learn("hello", tokenize.CORPUS, tokenize.VOCABULARY, "", ""))
    assert len(steps) == 1
    assert steps[0]["status"][0][0] == "note"
    assert len(steps[0]) == 6


def test_own_text_teaches_all_tokenizers(small: str) -> None:
    steps = list(tokenize.learn("the cat", "file", 300, kept(small), ""))
    assert [step["status"][0][0] for step in steps] == ["busy", "note"]
    assert steps[0]["status"][0][1]["corpus"] == "own text.txt"
    cuts = steps[-1]["cuts"]["rows"][1]
    assert [each[0] for each in cuts["tokens"]] == ["the", " cat"]
    again = final("the cat", "pasted", 300, "", Path(small).read_text())
    assert json.loads(again["names"]) == json.loads(steps[-1]["names"]), "the same text gives the same tokenizers"


def test_a_link_s_text_is_read_while_the_tokenizers_still_learn_and_where_they_cannot(small: str) -> None:
    for file, states in ((kept(small), ["busy", "note"]), ("", ["note"])):
        steps = list(tokenize.first("the cat on the mat", "file", 400, file, "", "", "en"))
        assert [step["status"][0][0] for step in steps] == states
        for step in steps:
            assert "".join(each[0] for each in step["cuts"]["rows"][1]["tokens"]) == "the cat on the mat"


def test_a_text_too_short_for_the_vocabulary_is_said_to_be(small: str) -> None:
    assert final("the cat", "file", 4000, kept(small), "")["status"][0][1]["word"] == "tokenize.short"


@pytest.mark.parametrize(
    ("corpus", "vocabulary", "content", "pasted", "sentence"),
    [
        ("file", 300, b"", "", "is empty"),
        ("file", 300, bytes(range(256)) * 9, "", "binary"),
        ("file", 10, b"some text", "", "vocabulary size must be from"),
        ("town_en", float("nan"), None, "", "vocabulary size must be from"),
        ("labelled", 300, None, "", "no such corpus"),
        ("/etc/passwd", 300, None, "", "no such corpus"),
    ],
)
def test_what_cannot_be_learned_from_is_one_sentence(
    corpus: str, vocabulary: float, content: bytes | None, pasted: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "<b>mine.txt"
    if content is not None:
        path.write_bytes(content)
    taken = {"file": ""} if content is None else tokenize.take(str(path))
    last = taken if "status" in taken else final("text", corpus, vocabulary, taken["file"], pasted)
    (kind, said), (_, more) = last["status"]
    assert more["word"] == "tokenize.still"
    assert kind == "problem" and sentence in said["en"] and str(tmp_path) not in said["en"] + said["zh"]


def test_a_text_that_is_still_to_come_is_asked_for_and_no_fault() -> None:
    for corpus, pasted in (("file", ""), ("pasted", "  ")):
        said = final("text", corpus, 300, "", pasted)["status"]
        assert [kind for kind, _ in said] == ["note", "note"] and said[0][1]["word"].endswith(".choose")


def test_what_was_said_of_a_bad_file_goes_with_it(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(bytes(range(256)) * 9)
    assert tokenize.take(str(tmp_path / "bad.txt"))["status"][0][0] == "problem"
    taken = tokenize.take(None)
    assert taken["file"] == "" and taken["status"][0] == ["note", {"word": "tokenize.file.choose"}]


def test_of_a_table_the_texts_are_learnt(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("text,label\n" + "the cat sat,good\nthe dog sat,bad\n" * 9, encoding="utf-8")
    read = list(tokenize.learn("label", "file", 300, kept(str(tmp_path / "rows.csv")), ""))[-1]
    assert "[UNK]" in str(next(row for row in read["cuts"]["rows"] if row["name"] == "words")["tokens"])


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    kind, said = tokenize.take(str(path))["status"][0]
    assert kind == "problem" and "100 MB" in said["en"] and "32 MB" in said["en"]


@pytest.mark.parametrize("kind", TOKENIZERS.names())
def test_the_shipped_tokenizers_are_what_training_gives(kind: str) -> None:
    """If the town has changed, assets/tokenizers/town-KIND-2000/tokenizer.json is to hold ``trained.save()``."""
    entry, corpus = TOKENIZERS[kind], CORPORA[tokenize.CORPUS]
    documents = town_documents(tokenize.CORPUS, corpus.settings())
    trained: Tokenizer = entry.build(
        (each.text for each in documents), entry.settings.load(sized(entry, tokenize.VOCABULARY))
    )
    shipped = tokenizers.load(f"{tokenize.CORPUS}-{kind}-{tokenize.VOCABULARY}")
    assert shipped.inner.to_str() == trained.inner.to_str()


def test_the_curves_of_the_first_view_wait_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.serve.curves.call", lambda *_, **__: pytest.fail("nothing is to be reckoned"))
    shown = tokenize.curves(tokenize.CORPUS, "", "", 2000)
    assert [each["name"] for each in shown["kinds"]] == TOKENIZERS.names() and "ask" not in shown
    assert to_json(shown) and len(to_json(shown)) < 10_000
    assert tokenize.curves("town_en", "", "", 2000)["ask"]["word"] == "tokenize.curves.draw"
    assert tokenize.curves("pasted", "", " ", 2000)["note"]["word"] == "tokenize.pasted.choose"
    assert "There is no such corpus" in tokenize.curves("nonsense", "", "", 2000)["note"]["en"]


def test_the_model_beside_the_curves_is_counted() -> None:
    """Parameters and operations grow by the same with every token: two sizes tell all."""
    found = compression.model()
    (first, each), (begins, more) = found["parameters"], found["operations"]
    for size in (700, 20_000):
        assert first + each * size == count(compression.MODEL, {}, size)["params"]["with_pretraining_heads"]
        assert begins + more * size == pytest.approx(step_cost(example(compression.MODEL, {}, 128), size).per_token)
    table = next(fact for fact in tensors(compression.MODEL, {}, 700) if fact.shape[0] == 700)
    assert table.shape == (700, found["width"]) and found["rate"] > 1e6


@pytest.mark.parametrize("kind", ["byte_bpe", "characters"])
def test_the_shipped_curves_are_what_the_corpus_gives(kind: str) -> None:
    """If the town changes: python -m lab tokenizer sizes --corpus town --json > assets/tokenizers/town-sizes.json"""
    shipped = curves.at_hand(tokenize.CORPUS, {}, kind)
    assert shipped is not None
    sizes = [2000] if kind == "byte_bpe" else list(SIZES)
    fresh = sweep(TOKENIZERS[kind], town_documents(tokenize.CORPUS, CORPORA[tokenize.CORPUS].settings()), sizes).dump()
    assert fresh["points"] == [each for each in shipped["points"] if kind == "characters" or each[0] == 2000]


def test_curves_are_drawn_kind_by_kind_and_kept(small: str) -> None:
    steps = list(tokenize.draw("file", kept(small), ""))
    assert [each.get("note", {}).get("word", "") for each in steps] == [
        "tokenize.curves.asking",
        *["tokenize.curves.busy"] * len(TOKENIZERS.names()),
        "",
    ]
    assert [len(each["kinds"]) for each in steps] == [0, *range(len(TOKENIZERS.names())), len(TOKENIZERS.names())]
    kinds = {each["name"]: each for each in steps[-1]["kinds"]}
    assert kinds["byte_bpe"]["ends"]["n"] == f"{kinds['byte_bpe']['points'][-1][0]:,}"
    assert tokenize.curves("file", kept(small), "", 2000)["kinds"] == steps[-1]["kinds"]


def test_a_text_too_short_for_curves_is_one_sentence() -> None:
    with pytest.raises(SettingsError, match="too short for a curve"):
        list(tokenize.draw("pasted", "", "x"))


@pytest.mark.parametrize("size", [None, "1", 10, 10**9, float("nan")])
def test_only_a_size_of_the_slider_is_learnt_from_the_curves(size: Any) -> None:
    with pytest.raises(SettingsError, match="vocabulary size"):
        tokenize.chosen(SimpleNamespace(size=size))  # type: ignore[arg-type]


def test_one_slider_moves_all_that_a_vocabulary_s_size_costs(stay: Stay, server: str) -> None:
    page = stay(server, "tokenize")
    sizes = page.locator("#tokenize-sizes")
    numbers = sizes.locator(".tile .number")
    expect(numbers).to_have_count(5, timeout=30_000)
    before = numbers.all_text_contents()
    sizes.locator("input[type=range]").focus()
    page.keyboard.press("End")
    ends = curves.at_hand(tokenize.CORPUS, {}, "byte_bpe")
    assert ends is not None
    expect(sizes.locator("output")).to_have_text(f"only {ends['points'][-1][0]:,}")
    expect(sizes.locator(".ends.past")).to_contain_text("no pair of neighbours is left")
    after = numbers.all_text_contents()
    assert [a != b for a, b in zip(after, before, strict=True)] == [True] * 4 + [False], "nothing is lost in bytes"
    sizes.get_by_role("button", name="Whole words").click()
    assert numbers.last.text_content() != "0\u00a0%" and "curve=words.50000.tokens" in page.url


def test_the_slider_below_follows_the_one_above(stay: Stay, server: str) -> None:
    page = stay(server, "tokenize")
    sizes, above = page.locator("#tokenize-sizes"), page.locator("#tokenize-vocabulary input[type=range]")
    expect(sizes.locator("output")).to_be_visible(timeout=30_000)
    sizes.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    expect(sizes.locator("output")).to_have_text("300")
    above.focus()
    page.keyboard.press("ArrowLeft")
    expect(sizes.locator("output")).to_have_text("1,500", timeout=30_000)
    expect(page.locator(".lab-toasts .toast")).to_have_count(0)
    above.focus()
    page.keyboard.press("ArrowRight")  # as the next test expects it
    expect(sizes.locator("output")).to_have_text("2,000", timeout=30_000)


def test_a_finger_finds_the_slider_and_what_resets_it(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    visit(page, server, "tokenize", lang="en")
    parts = page.locator("#tokenize-vocabulary :is(input, button), #tokenize-merges input[type=range]")
    expect(parts).to_have_count(4)
    assert min(parts.evaluate_all("nodes => nodes.map((node) => node.getBoundingClientRect().height)")) >= 24
    context.close()


def test_merges_are_played_one_by_one_and_tokens_light_up_together(stay: Stay, server: str) -> None:
    page = stay(server, "tokenize")
    player = page.locator("#tokenize-merges")
    page.locator("#tokenize-text textarea").fill("abcabcabcabc")
    once = "most frequent pair: 4 times; changes 1 different word"
    expect(player.locator(".why")).to_have_text(once, timeout=30_000)
    page.locator("#tokenize-text textarea").fill("low low lower")
    expect(player.locator(".step")).to_contain_text("l + o → lo", timeout=30_000)
    player.get_by_label("Next merge").click()
    expect(player.locator(".step")).to_contain_text("lo + w → low")
    player.get_by_label("To the beginning").click()
    expect(player.locator(".reading")).to_have_text("merge 0 of 3")
    page.locator("#tokenize-cuts [data-name=byte_bpe] .cut").first.hover()
    expect(page.locator("#tokenize-cuts [data-name=wordpiece] .cut.on")).not_to_have_count(0)
    expect(page.locator("#tokenize-cuts .letter.on").first).to_have_text("l")


def test_own_files_teach_and_bad_ones_say_why(stay: Stay, server: str, small: str, tmp_path: Path) -> None:
    page = stay(server, "tokenize")
    go(page, "tokenize", corpus="file", text="the cat", vocabulary=300)
    status = page.locator("#tokenize-status")
    expect(status).to_contain_text("Choose a text file")
    page.set_input_files("#tokenize-file input[type=file]", small)
    expect(page.locator("#tokenize-cuts [data-name=unigram] .cut")).to_have_text(["the", "·cat"], timeout=30_000)
    expect(status).to_contain_text("own text.txt")
    page.reload()  # as a change of the language does
    expect(status).to_contain_text("own text.txt", timeout=30_000)
    expect(page.locator("#tokenize-file")).to_contain_text("own text.txt is kept")
    page.set_input_files("#tokenize-file input[type=file]", small)
    (tmp_path / "picture.txt").write_bytes(bytes(range(256)) * 20)
    calm(page)  # as a visitor who sees the file before taking it away
    page.click("#tokenize-file button[aria-label=Clear]")
    calm(page)
    page.set_input_files("#tokenize-file input[type=file]", tmp_path / "picture.txt")
    expect(status).to_contain_text("binary file", timeout=30_000)
    expect(page.locator("#tokenize-cuts [data-name=unigram] .cut")).to_have_text(["the", "·cat"])


def test_the_vocabulary_follows_the_keyboard(stay: Stay, server: str, tmp_path: Path) -> None:
    text = "".join(each.text for each in town_documents("town_en", CORPORA["town_en"].settings())[:40])
    (tmp_path / "town.txt").write_text(text, encoding="utf-8")
    page = stay(server, "tokenize")
    go(page, "tokenize", corpus="file", vocabulary=500)
    clear = page.locator("#tokenize-file button[aria-label=Clear]")
    if clear.is_visible():
        clear.click()
    page.set_input_files("#tokenize-file input[type=file]", tmp_path / "town.txt")
    expect(page.locator("#tokenize-status")).to_contain_text("Byte-level BPE 500", timeout=80_000)
    page.locator("#tokenize-vocabulary input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tokenize-status")).to_contain_text("Byte-level BPE 400", timeout=80_000)


def test_a_link_brings_the_curve_and_the_size_back(page: Page, server: str) -> None:
    visit(page, server, "tokenize", lang="en", curve="wordpiece.1000.bits")
    sizes = page.locator("#tokenize-sizes")
    expect(sizes.locator("output")).to_have_text("1,000", timeout=30_000)
    expect(sizes.locator("button[aria-pressed=true]")).to_have_text(["Bits per byte", "WordPiece"])
