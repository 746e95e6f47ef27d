"""The words of the page: both languages, everywhere, and no error that says too much."""

import json
import logging
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.settings import SettingsError
from lab.ui import words
from lab.ui.words import ASSETS, WORDS, both, complaint, in_language, language_of, load, note_of, say, sentence, word

CHINESE = re.compile(r"[\u4e00-\u9fff\uff00-\uffef]")  # characters and full-width signs


def request(**parts: dict[str, str]) -> Any:
    return SimpleNamespace(**({"query_params": {}, "cookies": {}, "headers": {}} | parts))


def write(folder: Path, content: dict[str, Any]) -> Path:
    (folder / "page.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def gaps(text: str) -> list[str]:
    return sorted(set(re.findall(r"\{(\w+)\}", text)))


def test_both_languages_have_the_same_gaps() -> None:
    assert [key for key, text in WORDS.items() if gaps(text["en"]) != gaps(text["zh"])] == []


def test_chinese_is_chinese_unless_it_is_a_name() -> None:
    assert [key for key, text in WORDS.items() if not CHINESE.search(text["zh"]) and text["zh"] != text["en"]] == []


@pytest.mark.parametrize(
    "broken", [{"page.a": {"en": "a"}}, {"page.a": {"en": "a", "zh": ""}}, {"other.a": {"en": "a", "zh": "一"}}]
)
def test_a_missing_language_or_a_foreign_key_stops_the_start(broken: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="page.json"):
        load(write(tmp_path, broken))


def test_words_of_a_file_are_found(tmp_path: Path) -> None:
    assert load(write(tmp_path, {"page.a": {"en": "a", "zh": "一"}})) == {"page.a": {"en": "a", "zh": "一"}}


def test_every_word_that_a_script_asks_for_is_there() -> None:
    scripts = ASSETS.rglob("*.js")
    asked = {
        key for script in scripts for key in re.findall(r"lab\.word\(\s*\"([\w.]+\w)\"", script.read_text("utf-8"))
    }
    assert asked and asked <= set(WORDS)


def test_no_word_of_the_frame_and_the_components_is_idle() -> None:
    folder = Path(words.__file__).parent
    sources = [*folder.rglob("*.py"), *ASSETS.rglob("*.js")]
    text = "\n".join(source.read_text("utf-8") for source in sources)
    built = (
        "frame.tab.",
        "components.kind.",
        "components.habit.",
        "components.maps.",
        "components.extra.",
        "components.short.",
        "components.view.",
        "components.back.",
        "components.ties.",
        "components.compression.of.",
        "components.lens.by.",
    )  # keys that are put together from a name
    mine = [key for key in WORDS if key.startswith(("frame.", "components.")) and not key.startswith(built)]
    assert [key for key in mine if key not in text] == []


def test_an_unknown_word_is_refused_while_the_page_is_built() -> None:
    with pytest.raises(KeyError, match="no such"):
        word("frame.no such")
    with pytest.raises(KeyError, match="no such"):
        say("frame.no such")


def test_a_word_with_gaps_is_no_label() -> None:
    with pytest.raises(KeyError, match="gaps"):
        word("frame.error.ours")


def test_a_pair_becomes_a_label_in_both_languages() -> None:
    key = both("Width", "宽度").key
    assert [words.I18N.translations[language][key] for language in ("en", "zh")] == ["Width", "宽度"]


def test_a_sentence_has_its_gaps_filled() -> None:
    assert "a1b2" in sentence("frame.error.ours", "zh", id="a1b2")


@pytest.mark.parametrize(("n", "said"), [("1", "1 step"), (1, "1 step"), (0, "0 steps"), ("1,001", "1,001 steps")])
def test_one_is_said_in_the_singular(n: object, said: str) -> None:
    assert sentence("run.list.steps", "en", n=n) == said


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        (request(), "en"),
        (None, "en"),
        (request(headers={"accept-language": "zh-TW,en;q=0.5"}), "zh"),
        (request(headers={"accept-language": "zh"}, cookies={"lab_lang": "en"}), "en"),
        (request(cookies={"lab_lang": "en"}, query_params={"lang": "zh-CN"}), "zh"),
        (request(query_params={"lang": "<script>"}), "en"),
    ],
)
def test_the_address_goes_before_the_choice_and_the_choice_before_the_browser(asked: Any, language: str) -> None:
    assert language_of(asked) == language


def test_a_visitors_mistake_is_said_in_both_languages() -> None:
    note = note_of(SettingsError("width 50 is odd", "宽度 50 是奇数"))
    assert note["text"] == {"en": "Width 50 is odd", "zh": "宽度 50 是奇数"} and note["mild"]


def test_our_mistake_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "lab.ui"):
        note = note_of(RuntimeError("the secret path"))
    shown = in_language(note["text"], "en")
    assert "secret" not in shown and note["text"]["id"] in shown
    assert note["text"]["id"] in caplog.text and "the secret path" in caplog.text


def test_what_stands_in_a_gap_is_never_taken_for_a_gap() -> None:
    """A run may be called {how}; and a number keeps its unit on its line."""
    assert sentence("finetune.arm", "en", start="{how}", how="LoRA") == "{how} · LoRA"
    assert "takes 15\u00a0% of the tokens" in sentence("desks.calendar.note", "en", share=15)


@pytest.mark.parametrize(
    ("en", "zh", "wanted"),
    [
        ("width 50 is odd", "宽度 50 是奇数", ("Width 50 is odd.", "宽度 50 是奇数。")),
        ("did you mean bert?", "是不是 bert？", ("Did you mean bert?", "是不是 bert？")),
        ("reload the page.", "请刷新页面。", ("Reload the page.", "请刷新页面。")),
    ],
)
def test_a_complaint_ends_once(en: str, zh: str, wanted: tuple[str, str]) -> None:
    said = complaint(SettingsError(en, zh))
    assert (said["en"], said["zh"]) == wanted
