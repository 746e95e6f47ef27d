"""The Tokenize page: its handlers as functions, and training on one's own file in a browser."""

import json
from pathlib import Path
from typing import Any

import pytest
from browser import visit
from playwright.sync_api import Page, expect

from lab.catalog import CORPORA, TOKENIZERS
from lab.serve import tokenizers
from lab.settings import SettingsError
from lab.ui.components.drawn import to_json
from lab.ui.pages import tokenize
from lab.vocab import Tokenizer

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
KINDS = list(tokenize.KINDS)


def final(*asked: Any) -> list[Any]:
    """What a training ends with."""
    return list(tokenize.learn(*asked))[-1]


def of(kind: str, shown: list[Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The strip, the numbers and the round trip of one kind of tokenizer."""
    at = 3 * KINDS.index(kind)
    return shown[at], shown[at + 1], shown[at + 2]


def written(parts: list[list[str]]) -> str:
    return "".join(text for text, _ in parts)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file to learn from."""
    path = tmp_path_factory.mktemp("own") / "own text.txt"
    path.write_text("the cat sat on the mat\n" * 40, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_shown(text: str) -> None:
    shown = tokenize.show(text, "")
    assert len(shown) == 3 * len(KINDS) + 1
    assert all(to_json(value) for value in shown)


def test_bytes_bring_everything_back_and_characters_say_what_is_lost() -> None:
    text = "Anna 🙂 lost"
    (_, _, whole), (chips, _, holes) = (of(kind, tokenize.show(text, "")) for kind in KINDS)
    assert written(whole["rows"][0]["parts"]) == written(whole["rows"][1]["parts"]) == text
    assert all(mark == "" for row in whole["rows"] for _, mark in row["parts"])
    assert holes["rows"][0]["parts"] == [["Anna ", ""], ["🙂", "wrong"], [" lost", ""]]
    assert holes["rows"][1]["parts"] == [["Anna ", ""], ["[UNK]", "wrong"], [" lost", ""]]
    unknown = [chip for chip in chips["rows"][0]["tokens"] if chip["kind"] == "unknown"]
    assert [chip["note"]["text"] for chip in unknown] == ["🙂"]


def test_a_broken_character_is_shown_as_bytes() -> None:
    strip, _, _ = of("byte_bpe", tokenize.show("🙂", ""))
    assert [chip["text"] for chip in strip["rows"][0]["tokens"]] == ["‹F0›", "‹9F›", "‹99›", "‹82›"]


def test_the_numbers_can_be_checked_by_hand() -> None:
    strip, numbers, _ = of("byte_bpe", tokenize.show("🙂🙂", ""))
    assert len(strip["rows"][0]["tokens"]) == 8
    assert [tile["value"] for tile in numbers["tiles"]] == [4.0, 1.0, 4]


def test_of_a_megabyte_the_beginning_is_read_and_that_is_said() -> None:
    shown = tokenize.show("many words " * 100_000, "")
    strip, _, _ = of("byte_bpe", shown)
    assert len(strip["rows"][0]["tokens"]) == tokenize.CHIPS and strip["rows"][0]["more"] > 0
    assert shown[-1][0][1]["word"] == "tokenize.head"
    assert len(to_json(shown)) < 300_000


@pytest.mark.parametrize(
    "names", ['{"byte_bpe":"../../etc/passwd","char_bpe":"x"}', "[1]", "nonsense", '{"byte_bpe":1}']
)
def test_only_names_of_tokenizers_are_loaded(names: str) -> None:
    with pytest.raises(SettingsError):
        tokenize.show("text", names)


def test_the_first_view_waits_for_no_training() -> None:
    steps = list(tokenize.learn("hello", tokenize.CORPUS, tokenize.VOCABULARY, None, ""))
    assert len(steps) == 1
    assert steps[0][0][0][0] == "note"
    assert len(steps[0]) == 3 + 4 * len(KINDS) + 1


def test_own_text_teaches_both_tokenizers(small: str) -> None:
    steps = list(tokenize.learn("the cat", "file", 300, small, ""))
    assert [step[0][0][0] for step in steps] == ["busy", "note"]
    assert steps[0][0][0][1]["corpus"] == "own text.txt"
    strip, _, _ = of("char_bpe", steps[-1][-7:])
    assert [chip["text"] for chip in strip["rows"][0]["tokens"]] == ["the", " cat"]
    again = final("the cat", "pasted", 300, None, Path(small).read_text())
    assert json.loads(again[1]) == json.loads(steps[-1][1]), "the same text gives the same tokenizers"


def test_a_text_too_short_for_the_vocabulary_is_said_to_be(small: str) -> None:
    assert final("the cat", "file", 4000, small, "")[0][0][1]["word"] == "tokenize.short"


@pytest.mark.parametrize(
    ("corpus", "vocabulary", "content", "pasted", "sentence"),
    [
        ("file", 300, None, "", "Choose a text file"),
        ("pasted", 300, None, "  ", "Paste some text"),
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
    last = final("text", corpus, vocabulary, None if content is None else str(path), pasted)
    kind, said = last[0][0]
    assert kind == "problem" and sentence in said["en"] and str(tmp_path) not in said["en"] + said["zh"]


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    kind, said = final("text", "file", 300, str(path), "")[0][0]
    assert kind == "problem" and "100 MB" in said["en"] and "32 MB" in said["en"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_tokenizers_are_what_training_gives(kind: str) -> None:
    """If the town has changed: python -m lab tokenizer train --kind KIND --corpus town --vocab 2000 --out
    assets/tokenizers/town-KIND-2000"""
    entry, corpus = TOKENIZERS[kind], CORPORA[tokenize.CORPUS]
    documents = corpus.build(corpus.settings())
    trained: Tokenizer = entry.build((each.text for each in documents), entry.settings(vocabulary=tokenize.VOCABULARY))
    assert tokenizers.load(f"{tokenize.CORPUS}-{kind}-{tokenize.VOCABULARY}").save() == trained.save()


def test_first_merges_are_the_most_frequent_pairs(small: str) -> None:
    found = json.loads(final("", "file", 300, small, "")[1])
    first = tokenize.first_merges(tokenizers.load(found["char_bpe"]))["rows"][0]["tokens"]
    assert first[0]["text"] in ("at", "th", "he", " t")
    assert all(len(chip["text"]) > 1 for chip in first)


def test_own_files_teach_and_bad_ones_say_why(page: Page, server: str, small: str, tmp_path: Path) -> None:
    visit(page, server, "tokenize", lang="en", corpus="file", text="the cat", vocabulary=300)
    status = page.locator("#tokenize-status")
    expect(status).to_contain_text("Choose a text file")
    page.set_input_files("#tokenize-file input[type=file]", small)
    expect(page.locator("#tokenize-char_bpe .chip")).to_have_text(["the", "·cat"], timeout=30_000)
    expect(status).to_contain_text("own text.txt")
    (tmp_path / "picture.txt").write_bytes(bytes(range(256)) * 20)
    page.click("#tokenize-file button[aria-label=Clear]")
    page.set_input_files("#tokenize-file input[type=file]", tmp_path / "picture.txt")
    expect(status).to_contain_text("binary file", timeout=30_000)
    expect(page.locator("#tokenize-char_bpe .chip")).to_have_text(["the", "·cat"])


def test_the_vocabulary_follows_the_keyboard(page: Page, server: str) -> None:
    visit(page, server, "tokenize", lang="en")
    expect(page.locator("#tokenize-status")).to_contain_text("2,000 tokens")
    page.locator("#tokenize-vocabulary input[type=range]").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tokenize-status")).to_contain_text("1,900 tokens", timeout=30_000)
