"""What the corpora promise: the small town in two languages, and texts of the visitor's own, good and bad."""

import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.batch import Document
from lab.catalog import CORPORA, TASKS
from lab.corpora.files.table import preview
from lab.corpora.labelled import Labelled, examples, held_out, labelled
from lab.corpora.pasted import Pasted, pasted
from lab.corpora.text_file import TextFile, decode, text_file
from lab.corpora.town import world
from lab.corpora.town.affairs import AFFAIRS
from lab.corpora.town.chinese import WORDS as CHINESE_WORDS
from lab.corpora.town.daily import DAILY
from lab.corpora.town.draws import Account
from lab.corpora.town.english import WORDS as ENGLISH_WORDS
from lab.corpora.town.frames import Person, Story, Thing
from lab.corpora.town.story import PLOTS, tell
from lab.corpora.town.wording import Telling
from lab.corpora.town.words import FOLDER
from lab.corpora.town.words import read as read_words
from lab.corpora.town_stories import Town, document, town_en, town_zh
from lab.data.reading import Parts, parts_in
from lab.examples import Example, Examples
from lab.settings import SettingsError

SEED = 7
MANY = 3000


@cache
def stories() -> list[Story]:
    """What happens in the town, thought out by who asks first: each process collects this file, few run it."""
    return [tell(SEED, number) for number in range(MANY)]


@cache
def in_english() -> list[Document]:
    return [document(SEED, number, "en") for number in range(MANY)]


@cache
def in_chinese() -> list[Document]:
    return [document(SEED, number, "zh") for number in range(MANY)]


def words(text: str) -> list[str]:
    return re.findall(r"[a-zé]+(?:[-'][a-zé]+)*", text.lower())


def people(story: Story) -> set[Person]:
    return {role for event in story.events for role in event.roles.values() if isinstance(role, Person)}


# --- the town: one story in two languages


def test_the_same_seed_tells_the_same_stories() -> None:
    assert town_en(Town(stories=30, seed=3)) == town_en(Town(stories=30, seed=3))
    assert town_en(Town(stories=30, seed=3)) != town_en(Town(stories=30, seed=4))


@pytest.mark.parametrize("town", [town_en, town_zh])
def test_a_story_does_not_depend_on_how_many_are_told(town) -> None:
    assert town(Town(stories=40, seed=1))[:10] == town(Town(stories=10, seed=1))


def test_both_languages_tell_the_same_story() -> None:
    for story, english, chinese in zip(stories(), in_english(), in_chinese(), strict=True):
        assert english.label == chinese.label == story.label
        assert ENGLISH_WORDS.names[story.hero.name] in english.text
        assert CHINESE_WORDS.names[story.hero.name] in chinese.text
        assert len(re.findall(r"[.](?: |$)", english.text)) == chinese.text.count("。") == len(story.events)


def test_both_languages_have_words_for_the_same_things() -> None:
    for table in ("names", "jobs", "ties", "things", "qualities", "places", "links"):
        assert getattr(ENGLISH_WORDS, table).keys() == getattr(CHINESE_WORDS, table).keys(), table
    assert CHINESE_WORDS.symbols.keys() - ENGLISH_WORDS.symbols.keys() == {"near"}, "in English any place does"
    for role, words in ENGLISH_WORDS.symbols.items():
        assert words.keys() == CHINESE_WORDS.symbols[role].keys(), role


@pytest.mark.parametrize("table", [DAILY, AFFAIRS])
def test_what_events_may_name_has_words_and_stands_there_once(table: dict[str, tuple[str, ...]]) -> None:
    for role, options in table.items():
        assert set(options) == ENGLISH_WORDS.symbols[role].keys(), role
        for words in (ENGLISH_WORDS, CHINESE_WORDS):
            said = [tuple(forms.values()) for forms in words.symbols[role].values()]
            assert len(set(said)) == len(options), f"two of them are said alike: {role}"


@pytest.mark.parametrize(
    "old,new,said",
    [
        ("[names]", "[nomes]", "the english words of the town lack the table 'names'"),
        ("[links]", "[links", "english_words.toml is not valid TOML: "),
        ('anna = "Anna"', "anna = 3", "in the english words of the town, names.anna cannot be 3"),
        ('so = ["So", "So", "", ""]', "so = []", "links.so cannot be []"),
        ('baker = "baker"', 'baker = ["baker"]', "jobs.baker cannot be ['baker']"),
        ('watch = { opener = "a", ', "watch = { ", "things.watch cannot be {'noun': 'watch'}"),
        ('noun = "skates", plural = true', 'noun = "skates", plural = "yes"', "things.skates cannot be "),
        ('market = { noun = "market"', "market = { noun = 7", "places.market cannot be "),
        ('summer = "summer"', "summer = false", "symbols.season.summer cannot be False"),
    ],
)
def test_a_fault_in_the_words_is_a_sentence_that_names_the_entry(tmp_path: Path, old: str, new: str, said: str) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "english_words.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        read_words("english", tmp_path)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_words_that_are_not_there_are_missed_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the words of the town lack the file english_words.toml"):
        read_words("english", tmp_path)


def test_the_town_is_told_from_any_folder(tmp_path: Path) -> None:
    told = "from lab.corpora.town_stories import document as d; print(ascii([d(7, 3, 'en'), d(7, 3, 'zh')]))"
    lab = {**os.environ, "PYTHONPATH": str(FOLDER.parents[2])}
    done = subprocess.run([sys.executable, "-c", told], cwd=tmp_path, env=lab, capture_output=True, text=True)
    assert done.stdout.strip() == ascii([in_english()[3], in_chinese()[3]]), done.stderr


def test_both_languages_say_each_event_in_the_same_ways() -> None:
    english = {kind: [roles(way) for way in ways] for kind, ways in ENGLISH_WORDS.sayings.items()}
    chinese = {kind: [roles(way) for way in ways] for kind, ways in CHINESE_WORDS.sayings.items()}
    assert all(len(ways) >= 2 for ways in english.values())
    assert english == chinese
    assert {link: len(ways) for link, ways in ENGLISH_WORDS.links.items()} == {
        link: len(ways) for link, ways in CHINESE_WORDS.links.items()
    }


def roles(saying: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", saying))


def test_every_kind_of_event_and_every_plot_happens() -> None:
    assert {event.kind for story in stories() for event in story.events} == ENGLISH_WORDS.sayings.keys()
    assert {story.plot for story in stories()} == {plot.__name__ for plot, _ in PLOTS}


def test_stories_have_five_to_twelve_sentences() -> None:
    assert all(5 <= len(story.events) <= 12 for story in stories())


def test_hardly_two_stories_are_alike() -> None:
    assert len({each.text for each in in_english()}) == len({each.text for each in in_chinese()}) == MANY


def test_half_of_the_stories_end_happily() -> None:
    assert 0.45 < sum(story.label for story in stories()) / MANY < 0.55


# --- the town: what happens makes sense


def test_things_stay_where_they_were_put() -> None:
    found = 0
    for story in stories():
        place = ""
        for event in story.events:
            if event.kind in ("put", "tidy"):
                place = str(event.roles["spot"])
            if event.kind == "find_at":
                assert event.roles["spot"] == place
                found += 1
    assert found > 50


def test_clothes_suit_the_weather_and_are_taken_off_again() -> None:
    worn = 0
    for story in stories():
        on: object = None
        for event in story.events:
            if event.kind in ("put_on", "open_umbrella"):
                on = event.roles["what"]
                assert isinstance(on, Thing) and on.kind in world.WEATHER[str(event.roles["why"])][1]
                worn += 1
            if event.kind == "hang_up":
                assert event.roles["what"] is on
    assert worn > 200


def test_nobody_shares_a_name_with_somebody_else_in_the_story() -> None:
    for story in stories():
        names = [person.name for person in people(story)]
        assert len(names) == len(set(names))


def test_a_pronoun_is_used_only_where_it_is_clear() -> None:
    anna, mary = Person("anna", "f", 30, "baker"), Person("mary", "f", 30, "baker", "friend")
    telling = Telling(anna, lambda: 0.0, Account())
    telling.next_sentence()
    telling.mention(anna)
    assert telling.clear(anna)
    telling.mention(mary)
    assert not telling.clear(anna) and not telling.clear(mary)
    telling.next_sentence()
    assert telling.clear(anna), "the subject goes on"
    assert not telling.clear(mary)
    telling.next_sentence()
    telling.next_sentence()
    assert not telling.clear(anna), "too long ago"


# --- the town: grammar


def test_a_and_an_follow_the_sound() -> None:
    for each in in_english():
        for article, word in re.findall(r"\b([Aa]n?) (\w+)", each.text):
            assert (article.lower() == "an") == (word[0].lower() in "aeiou" or word == "hour"), (article, word)


def test_pronouns_agree_with_the_only_gender_of_a_story() -> None:
    female, male = {"she", "her", "hers", "herself"}, {"he", "him", "his", "himself"}
    checked = Counter[str]()
    for story, english, chinese in zip(stories(), in_english(), in_chinese(), strict=True):
        genders = {person.gender for person in people(story)}
        if len(genders) == 1:
            (gender,) = genders
            checked[gender] += 1
            assert not (male if gender == "f" else female) & set(words(english.text)), english.text
            wrong = {"f": "他", "m": "她"}[gender]
            assert wrong not in chinese.text.replace("吉他", ""), chinese.text
    assert min(checked["f"], checked["m"]) > 300


def test_a_plural_has_a_plural_verb_and_pronoun() -> None:
    text = " ".join(each.text for each in in_english())
    plural = "glasses|skates|pliers|biscuits|dumplings|noodles|sandwiches|tomatoes|roses|beans"
    assert not re.findall(rf"(?<!of )\b(?:{plural}) was\b", text)
    assert not re.findall(r"\b(?:they was|it were|with they|about they|at they)\b", text)


def test_no_word_is_doubled() -> None:
    for each in in_english():
        assert not re.search(r"\b(\w+) \1\b", each.text, re.IGNORECASE), each.text
    for each in in_chinese():
        assert not re.search(r"的的|了了|他他|她她|是是|在在|把把|，，|。。|，。", each.text), each.text


def test_english_sentences_begin_with_a_capital_and_end_with_a_full_stop() -> None:
    for each in in_english():
        assert each.text.endswith("."), each.text
        for sentence in re.split(r"(?<=\.) ", each.text):
            assert re.fullmatch(r'"?[A-Z][^.{}]*\.', sentence), sentence
        assert "  " not in each.text and " ," not in each.text


def test_chinese_holds_no_latin_letter_and_no_gap() -> None:
    for each in in_chinese():
        assert re.fullmatch(r"[\u4e00-\u9fff，、。：？“”]+", each.text), each.text
        assert each.text.endswith("。")


def test_chinese_nouns_keep_their_measure_words() -> None:
    text = re.sub("苹果派|笔记本电脑|地图册|皮夹克|胡萝卜蛋糕", "", "".join(each.text for each in in_chinese()))
    measures: dict[str, set[str]] = {}
    for thing in CHINESE_WORDS.things.values():
        if len(thing.noun) > 1 and thing.opener != "些":  # 书 is also part of 图书馆; 些 says how many, not what
            measures.setdefault(thing.noun, set()).add(thing.opener)
    every = "".join({measure for allowed in measures.values() for measure in allowed})
    heard = {noun: set(re.findall(rf"[一那]([{every}]){noun}", text)) for noun in measures}
    assert {noun: used - measures[noun] for noun, used in heard.items() if used - measures[noun]} == {}
    assert sum(map(bool, heard.values())) > 60


def test_words_with_two_senses_occur_in_both() -> None:
    text = " ".join(each.text for each in in_english())
    for sense in (
        r"bank of the river", r"the bank lent|the bank did not", r"bat (?:hung|flew|spread|that hung)",
        r"swung .* bat|bat broke", r"light ladder|light bat", r"the light of", r"the match was", r"last match",
        r"In spring", r"from the spring", r"letter carrier", r"every letter on the page", r"bark of the tree",
        r"began to bark", r"silver ring|gold ring", r"rang", r"a long saw", r"and saw",
    ):  # fmt: skip
        assert re.search(sense, text), sense


# --- the town: worth pretraining on


def test_the_vocabulary_is_that_of_everyday_life() -> None:
    assert 3000 <= len({word for each in in_english() for word in words(each.text)}) <= 6000
    assert 1500 <= len({character for each in in_chinese() for character in each.text}) <= 3000


@pytest.mark.parametrize("corpus,parts", [(in_english, words), (in_chinese, list)], ids=["en", "zh"])
def test_counting_words_tells_the_ending_often_but_not_always(corpus, parts) -> None:
    train, held_out = corpus()[:2400], corpus()[2400:]
    counts: dict[int, Counter[str]] = {0: Counter(), 1: Counter()}
    for each in train:
        counts[each.label].update(parts(each.text))
    size = len(counts[0] | counts[1])

    def score(label: int, text: str) -> float:
        total = counts[label].total() + size
        return sum(math.log((counts[label][part] + 1) / total) for part in parts(text))

    right = sum((score(1, each.text) > score(0, each.text)) == each.label for each in held_out)
    assert 0.70 < right / len(held_out) < 0.97


def test_stories_are_told_quickly() -> None:
    start = time.process_time()
    size = sum(len(each.text) for each in town_en(Town(stories=500, seed=11)))
    assert size / (time.process_time() - start) > 500_000, "bytes a second, far below what is usual"


# --- the visitor's own text


def refused(call, *arguments) -> str:
    """The English sentence of a refusal, which must also be there in Chinese."""
    with pytest.raises(SettingsError) as caught:
        call(*arguments)
    assert "\n" not in caught.value.en and not caught.value.en.endswith(".")
    assert re.search(r"[\u4e00-\u9fff]", caught.value.zh)
    return caught.value.en


def read(path: Path, **values) -> list[Document]:
    return text_file(TextFile(path=str(path), **values))


def test_every_corpus_is_registered() -> None:
    kinds = {"town_en": True, "town_zh": True, "file": False, "pasted": False, "labelled": True}
    assert kinds.keys() <= set(CORPORA.names())
    assert {name: CORPORA[name].labelled for name in kinds} == kinds


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030"])
def test_the_encoding_of_a_file_is_found_and_told(
    tmp_path: Path, encoding: str, caplog: pytest.LogCaptureFixture
) -> None:
    text = "这是我的书。I like it — 你呢？\n"
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert read(tmp_path / "a.txt") == [Document(text)]
    assert (f"is read as {encoding.upper()}" in caplog.text) == (not encoding.startswith("utf-8"))


def test_lines_of_two_encodings_are_refused_and_not_read_as_one(tmp_path: Path) -> None:
    """As GB18030, what UTF-8 writes for 好的 is three characters that nobody wrote."""
    for first, second in (("utf-8", "gb18030"), ("gb18030", "utf-8")):
        (tmp_path / "a.txt").write_bytes("好的\n".encode(first) * 5 + "坏的\n".encode(second) * 5)
        assert "encoding" in refused(read, tmp_path / "a.txt")
    (tmp_path / "a.txt").write_bytes("好的\n坏的\n联通\nabc\n".encode("gb18030"))
    assert read(tmp_path / "a.txt")[0].text.split() == ["好的", "坏的", "联通", "abc"]


def test_utf_16_of_either_byte_order_is_read(tmp_path: Path) -> None:
    for mark, encoding in ((b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le")):
        (tmp_path / "a.txt").write_bytes(mark + "café 你好".encode(encoding))
        assert read(tmp_path / "a.txt")[0].text == "café 你好"


@pytest.mark.parametrize(
    "text,encoding",
    [
        ("Un café très élégant, déjà vu à Noël. " * 9, "latin-1"),
        ("Привет, как дела сегодня? " * 9, "cp1251"),
        ("今日は天気がいい。散歩に行きましょう。" * 9, "shift-jis"),
        ("오늘 날씨가 좋아요. 산책하러 갑시다. " * 9, "euc-kr"),
    ],
)
def test_an_unknown_encoding_is_refused_not_guessed(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert "encoding" in refused(read, tmp_path / "a.txt")


def test_a_broken_byte_order_mark_is_an_unknown_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfea\0b")
    assert "encoding" in refused(read, tmp_path / "a.txt")


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", bytes(range(256)) * 4, b"\x01\x02\x03\x04" * 50 + b"hello", b"a\0b"]
)
def test_a_binary_file_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    assert "binary" in refused(read, tmp_path / "a.txt")


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    assert "empty" in refused(read, tmp_path / "a.txt")


def test_a_file_above_the_limit_is_refused_by_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a" * 1_000_001)
    assert "limit of 1 MB" in refused(lambda: read(tmp_path / "a.txt", megabytes=1))
    assert len(read(tmp_path / "a.txt", megabytes=2)[0].text) == 1_000_001


def test_a_folder_above_the_limit_is_refused_by_the_limit(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"a" * 600_000)
    assert "limit of 1 MB" in refused(lambda: read(tmp_path, megabytes=1))


@pytest.mark.parametrize("path", ["", "no/such/file.txt", "a\0b", "x" * 5000])
def test_a_missing_file_is_one_sentence(path: str) -> None:
    refused(text_file, TextFile(path=path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert "is a pipe, and what is in it is read more than once" in refused(read, tmp_path / "pipe.txt")
    (tmp_path / "a.txt").write_text("one")
    assert read(tmp_path) == [Document("one")]


def test_line_ends_become_line_feeds_and_nothing_else_changes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"  one\r\ntwo\rthree\n\n<b>${x}</b> [MASK] \n")
    assert read(tmp_path / "a.txt")[0].text == "  one\ntwo\nthree\n\n<b>${x}</b> [MASK] \n"


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff")))
def test_any_text_in_utf_8_comes_back(text: str) -> None:
    assert decode(text.encode(), Path("a.txt")) == (text if text.strip() else "")


def test_a_folder_is_read_in_order_one_document_a_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.txt", "a.md", "sub/c.TXT", "skip.pdf", "<img src=x>.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "empty.txt").write_text("")
    assert [each.text for each in read(tmp_path)] == ["<img src=x>.txt", "a.md", "b.txt", "sub/c.TXT"]


def test_what_is_no_text_in_a_folder_is_passed_over_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "good.txt").write_text("Some words.", encoding="utf-8")
    (tmp_path / "bytes.txt").write_bytes(b"\0\1\2" * 50)
    (tmp_path / "other.md").write_bytes(bytes(range(128, 255)))
    os.mkfifo(tmp_path / "pipe.txt")
    found = CORPORA["file"].build(CORPORA["file"].settings(path=str(tmp_path)))
    assert [each.text for each in found] == ["Some words."]
    assert "2 files" in caplog.text and "bytes.txt, other.md" in caplog.text


def test_a_whole_disk_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.corpora.text_file.MOST_FILES", 3)
    for number in range(4):
        (tmp_path / f"{number}.bin").write_bytes(b"")
    with pytest.raises(SettingsError, match="more than 3 files: name a smaller one"):
        CORPORA["file"].build(CORPORA["file"].settings(path=str(tmp_path)))


def test_a_link_that_leads_out_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "a.txt").write_text("one")
    (outside / "secret.txt").write_text("secret")
    (inside / "link.txt").symlink_to(outside / "secret.txt")
    (inside / "folder").symlink_to(outside)
    (inside / "gone.txt").symlink_to(outside / "missing.txt")
    (inside / "same.txt").symlink_to(inside / "a.txt")
    assert [each.text for each in read(inside)] == ["one", "one"]


def test_a_folder_without_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_text("one")
    assert "no .txt or .md" in refused(read, tmp_path)


def test_pasted_text_is_one_document() -> None:
    assert pasted(Pasted(text=" a\n\nb ")) == [Document(" a\n\nb ")]
    for empty in ("", " \n\t"):
        assert "empty" in refused(pasted, Pasted(text=empty))


# --- labelled files


CLASSIFY = TASKS["classify"]


def read_labelled(path: str, **settings: object) -> Examples:
    return examples(Labelled.load({"path": path, **settings}), CLASSIFY)


def wrote(tmp_path: Path, content: str, name: str = "data.txt") -> str:
    (tmp_path / name).write_text(content, encoding="utf-8", newline="")
    return str(tmp_path / name)


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_a_csv_file_is_read_with_any_sane_delimiter(tmp_path: Path, sign: str) -> None:
    rows = [["id", "label", "text"], ["1", "good", '"one, two; three"'], ["2", "bad", '"a ""b""\nc"']]
    path = wrote(tmp_path, "\n".join(sign.join(row) for row in rows))
    found = [Example("one, two; three", label=1, story=0), Example('a "b"\nc', label=0, story=1)]
    assert read_labelled(path) == Examples(found, ("bad", "good"))


def test_json_lines_are_read(tmp_path: Path) -> None:
    path = wrote(tmp_path, '\ufeff{"s": "好", "y": 1}\r\n\r\n{"s": "<b>坏</b>", "y": 0, "z": null}\r\n', "data.jsonl")
    found = [Example("好", label=1, story=0), Example("<b>坏</b>", label=0, story=1)]
    assert read_labelled(path, text_column="s", label_column="y") == Examples(found, ("0", "1"))
    documents = [Document("好", 1), Document("<b>坏</b>", 0)]
    assert labelled(Labelled(path=path, text_column="s", label_column="y")) == documents


@pytest.mark.parametrize("header", ["文本,标签", "sentence,label", "text,类别"])
def test_texts_and_classes_stand_in_columns_of_usual_names(tmp_path: Path, header: str) -> None:
    path, test = (wrote(tmp_path, f"{header}\na,x\nb,y\n", name) for name in ("data.csv", "test.csv"))
    both = [Example("a", label=0, story=0), Example("b", label=1, story=1)]
    parts = parts_in(CORPORA["labelled"], Labelled(path=path, test=test), CLASSIFY)
    assert parts == Parts(both, both, ("x", "y"))
    assert labelled(Labelled(path=path)) == [Document("a", 0), Document("b", 1)]


def test_whole_numbers_are_sorted_by_value_and_words_by_name(tmp_path: Path) -> None:
    numbers = "text,label\n" + "".join(f"t,{label}\n" for label in (10, 9, -1))
    assert read_labelled(wrote(tmp_path, numbers)).labels == ("-1", "9", "10")
    mixed = "text,label\nt,10\nt,9\nt,x\n"
    assert read_labelled(wrote(tmp_path, mixed)).labels == ("10", "9", "x")
    booleans = '{"text": "a", "label": true}\n{"text": "b", "label": false}\n'
    assert read_labelled(wrote(tmp_path, booleans)).labels == ("false", "true")


def test_a_field_of_any_length_is_read(tmp_path: Path) -> None:
    path = wrote(tmp_path, f"text,label\n{'x' * 300_000},a\ny,b\n")
    assert len(read_labelled(path).examples[0].text) == 300_000


@pytest.mark.parametrize(
    "content,part",
    [
        ("id,review,stars\n1,good,5\n", "there is no column 'text'; there are: id, review, stars"),
        ("text,stars\ngood,5\n", "there is no column 'label'; there are: text, stars"),
        ('{"text": "a", "label": 1}\n{"text": "b", "stars": 2}\n', "in line 2 there is no column 'label'"),
        ('{"text": "a", "label": 1}\n\n{"text": "b", \n', "line 3 is not valid JSON"),
        ("{}" + "[" * 100_000, "line 1 is not valid JSON"),
        ('[{"text": "a", "label": 1}]', "line 1 is not a JSON object"),
        ('{"text": "a", "label": null}', "line 1 has no label"),
        ('{"text": "a", "label": 0.5}', "line 1 has no label"),
        ('{"text": 7, "label": 1}', "line 1 has no text"),
        ("text,label\na,\n", "line 2 has no label"),
        ("text,label\n ,x\n", "line 2 has no text"),
        ("text,label\na,1\nb, c,2\n", "line 3 has 3 fields where the header has 2"),
        ('text,label\na,1\n"b,2\nc,3\n', "has a quotation mark out of place"),
        ("text,label\n", "no rows"),
        ("", "empty"),
    ],
)
def test_a_bad_labelled_file_is_refused_with_the_line_at_fault(tmp_path: Path, content: str, part: str) -> None:
    said = refused(read_labelled, path := wrote(tmp_path, content))
    assert part in said and said.count(repr(path)) == 1, "the file is named once"


def test_a_file_without_a_header_loses_no_row(tmp_path: Path) -> None:
    path = wrote(tmp_path, "I love it so much,good\nI hate it,bad\nA fine day,good\n")
    assert preview(path)[0] == ["column 1", "column 2"] and len(preview(path)[1]) == 3
    found = read_labelled(path, text_column="column 1", label_column="column 2")
    assert [each.text for each in found.examples] == ["I love it so much", "I hate it", "A fine day"]
    numbered = wrote(tmp_path, "0,Nothing works\n1,All works\n")
    assert preview(numbered)[0] == ["column 1", "column 2"]
    headed = wrote(tmp_path, "label,text\n0,Nothing works\n1,All works\n")
    assert preview(headed)[0] == ["label", "text"] and len(preview(headed)[1]) == 2


def test_rows_without_a_label_are_left_out_and_counted_on_demand(tmp_path: Path) -> None:
    path = wrote(tmp_path, "text,label\na,x\nb,\n ,y\nc,y\n")
    assert "line 3 has no label" in refused(read_labelled, path)
    found = read_labelled(path, skip_unlabelled=True)
    assert [each.text for each in found.examples] == ["a", "c"] and found.left_out == 2
    lines = wrote(tmp_path, '{"text": "a", "label": null}\n{"text": "b", "label": 1}\n{"text": "c", "label": 0}\n')
    assert read_labelled(lines, skip_unlabelled=True).left_out == 1


def test_a_test_file_has_the_classes_of_the_file_that_is_learnt_from(tmp_path: Path) -> None:
    learnt = wrote(tmp_path, "text,label\na,x\nb,y\nc,z\n")
    test = wrote(tmp_path, "text,label\nd,z\ne,x\n", "test.csv")
    found = held_out(Labelled(path=learnt, test=test), CLASSIFY, "xyz")
    assert found == [Example("d", label=2, story=0), Example("e", label=0, story=1)]
    assert held_out(Labelled(path=learnt), CLASSIFY, "xyz") is None
    other = wrote(tmp_path, "text,label\nd,z\ne,w\n", "test.csv")
    said = refused(parts_in, CORPORA["labelled"], Labelled(path=learnt, test=other), CLASSIFY)
    assert "line 3 has the label 'w', which no text to learn from has" in said


def test_a_folder_is_no_labelled_file(tmp_path: Path) -> None:
    assert "folder" in refused(read_labelled, str(tmp_path))
