"""A visitor's own tokenizer on the Tokenize page: brought beside the others, downloaded, and harmless if hostile."""

import base64
import io
import json
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tokenizers as library
from browser import visit
from playwright.sync_api import Page, expect
from tokenizers import models, normalizers, pre_tokenizers

from lab.sandbox import Limits, call
from lab.serve import brought, tokenizers
from lab.settings import SettingsError
from lab.token_bytes import BYTES
from lab.ui.components.drawn import to_json
from lab.ui.pages.tokenize import handlers as tokenize

MERGES = "#version: 0.2\nt h\nth e\nĠ the\n"


def gpt2(folder: Path) -> list[str]:
    """A vocab.json and a merges.txt as GPT-2's, in small."""
    vocab = [*sorted(BYTES), "th", "the", "Ġthe", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({token: n for n, token in enumerate(vocab)}), encoding="utf-8")
    (folder / "merges.txt").write_text(MERGES, encoding="utf-8")
    return [str(folder / "vocab.json"), str(folder / "merges.txt")]


def written(folder: Path, inner: library.Tokenizer, name: str = "tokenizer.json") -> list[str]:
    inner.save(str(folder / name))
    return [str(folder / name)]


def hostile(**parts: Any) -> library.Tokenizer:
    inner = library.Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    for name, part in parts.items():
        setattr(inner, name, part)
    return inner


def own_row(files: list[str], text: str) -> dict[str, Any]:
    """What is shown of a text for a tokenizer that was brought."""
    found: dict[str, Any] = tokenize.bring(files, text, "")["cuts"]["rows"][-1]
    assert found["name"] == "brought"
    return found


def test_a_published_pair_stands_beside_the_others(tmp_path: Path) -> None:
    status, own, cuts, costs = tokenize.bring(gpt2(tmp_path), "the then 🙂", "").values()
    assert status[0][1]["size"] == "260" and len(cuts["rows"]) == len(costs["kinds"]) == 8
    mine = cuts["rows"][-1]
    assert mine["title"] == "vocab.json + merges.txt" and "[MASK]" in mine["about"]["en"]
    assert [each[0] for each in mine["tokens"]][:3] == ["the", " the", "n"] and mine["back"] == []
    assert costs["rows"][0]["tokens"][-1] > costs["rows"][0]["tokens"][0]
    assert tokenize.show("the", "", own)["cuts"]["rows"][-1]["measures"][0]["value"] == 1
    assert list(tokenize.learn("the", tokenize.CORPUS, 2000, "", "", own))[-1]["cuts"]["rows"][-1]["name"] == "brought"


@pytest.mark.parametrize("kind", ["byte_bpe", "wordpiece", "unigram"])
def test_what_is_downloaded_can_be_brought_again(kind: str, tmp_path: Path) -> None:
    said = tokenize.save("", "", SimpleNamespace(name=kind))  # type: ignore[arg-type]
    assert said["name"] == f"{kind}-2000.zip" and to_json(said)
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(said["data"]))) as archive:
        assert sorted(archive.namelist()) == [
            f"{kind}-2000/{name}" for name in ("tokenizer.json", "tokenizer_config.json")
        ]
        archive.extractall(tmp_path)
    text = "Anna lost  her red umbrella 🙂 小红"
    again = brought.load(brought.keep([str(tmp_path / f"{kind}-2000" / "tokenizer.json")])["name"])
    assert again.encode(text).tolist() == tokenizers.load(f"town-{kind}-2000").encode(text).tolist()
    ours = {each["name"]: each for each in tokenize.show(text, "")["cuts"]["rows"]}[kind]
    mine = own_row([str(tmp_path / f"{kind}-2000" / "tokenizer.json")], text)
    assert [mine[part] for part in ("tokens", "said", "back")] == [ours[part] for part in ("tokens", "said", "back")]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("tokenizer.json", b"", "damaged"),
        ("tokenizer.json", b"\0\xff" * 999, "damaged"),
        ("tokenizer.json", b"[" * 10**6, "damaged|more time or memory"),
        ("tokenizer.json", b'{"model": {"type": "Evil"}}', "damaged"),
        ("<img src=x onerror=alert(1)>.json", b"{}", "img src=x onerror=alert.1.>.json is damaged"),
        ("vocab.json", b'{"a": 0}', "half of a tokenizer"),
        ("merges.txt", b"a b\n", "half of a tokenizer"),
        ("mine.txt", b"a\nb", "mine.txt has no line .UNK."),
        ("picture.txt", bytes(range(256)), "is not UTF-8"),
    ],
)
def test_a_bad_file_is_one_sentence(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsError, match=said) as caught:
        tokenize.bring([str(tmp_path / name)], "text", "")
    assert caught.value.zh and "\n" not in caught.value.en and str(tmp_path) not in caught.value.en


def zipped(path: Path, **members: bytes) -> list[str]:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return [str(path)]


@pytest.mark.parametrize("kind", ["byte_bpe", "words"])
def test_a_zip_that_was_downloaded_is_brought_as_it_is_and_keeps_its_kind(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.zip"
    path.write_bytes(base64.b64decode(tokenize.save("", "", SimpleNamespace(name=kind))["data"]))  # type: ignore[arg-type]
    found = brought.keep([str(path)])
    assert found["title"] == "mine.zip" and brought.load(found["name"]).kind == kind


def test_a_zip_of_a_published_pair_is_brought_whatever_folders_it_has(tmp_path: Path) -> None:
    members = {f"../../{Path(each).name}": Path(each).read_bytes() for each in gpt2(tmp_path)}
    found = brought.keep(zipped(tmp_path / "pair.zip", **members, **{"deep/vocab.json": b"not the first"}))
    assert brought.load(found["name"]).vocabulary.size == 260


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, "holds neither"),
        ({"readme.txt": b"x"}, "holds neither"),
        ({"vocab.json": b"{}"}, "without merges.txt"),
        ({"tokenizer.json": b"{"}, "tokenizer.json is damaged"),
        ({"tokenizer.json": b" " * (2**26 + 9)}, "tokenizer.json"),
    ],
)
def test_a_bad_zip_is_one_sentence(members: dict[str, bytes], said: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=said) as caught:
        brought.keep(zipped(tmp_path / "bad.zip", **members))
    assert "/" not in caught.value.en


@pytest.mark.parametrize("content", [b"", b"PK\3\4 nothing", b"\0" * 1000])
def test_what_is_no_zip_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(content)
    with pytest.raises(SettingsError, match="no zip that can be read"):
        brought.keep([str(tmp_path / "bad.zip")])


def test_two_files_must_belong_together(tmp_path: Path) -> None:
    pair = gpt2(tmp_path)
    for files in ([*pair, *pair], [pair[0], pair[0]], [pair[1], pair[1]], [str(tmp_path / "gone.json")]):
        with pytest.raises(SettingsError, match="choose one tokenizer|did not arrive"):
            tokenize.bring(files, "text", "")


@pytest.mark.parametrize(
    "inner",
    [
        hostile(pre_tokenizer=pre_tokenizers.Split(library.Regex("(a|aa)+$"), "isolated")),
        hostile(normalizer=normalizers.Replace("a", "a" * 2_000_000)),
    ],
    ids=["endless", "vast"],
)
def test_a_tokenizer_that_never_ends_is_stopped(
    inner: library.Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brought, "LIMITS", Limits(seconds=1.5, processor=10, memory=2**30))
    with pytest.raises(
        SettingsError,
        match="breaks down|broke the process|was stopped|more time or memory|takes more than 2 sec|64 times as",
    ):
        tokenize.bring(written(tmp_path, inner), "a" * 2999 + "b", "")


def test_one_that_breaks_down_later_leaves_the_others_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = hostile(pre_tokenizer=pre_tokenizers.Split(library.Regex("(a|aa)+$"), "isolated"))
    _, own, cuts, _ = tokenize.bring(written(tmp_path, inner), "a b", "").values()
    assert len(cuts["rows"]) == 8
    monkeypatch.setattr(brought, "LIMITS", Limits(seconds=1.5, processor=10, memory=2**30))
    cuts, lesson = tokenize.show("a" * 2999 + "b", "", own).values()
    assert len(cuts["rows"]) == 7 and cuts["note"]["zh"] and lesson


@pytest.mark.parametrize(
    "own", ['{"name":"../../etc/passwd-brought"}', "[1]", "nonsense", '{"name":1}', '{"title":""}']
)
def test_only_names_of_kept_tokenizers_are_loaded(own: str) -> None:
    cuts, _ = tokenize.show("text", "", own).values()  # the others are shown all the same
    assert len(cuts["rows"]) == 7 and cuts["note"]["en"] and cuts["note"]["zh"]
    with pytest.raises(SettingsError):
        tokenize.save("", own, SimpleNamespace(name="brought"))  # type: ignore[arg-type]


def test_too_many_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(brought, "KEPT", 1)
    names = []
    for word in ("x", "y"):
        inner = library.Tokenizer(models.WordLevel({"[UNK]": 0, word: 1}, unk_token="[UNK]"))
        names.append(brought.keep(written(tmp_path, inner))["name"])
    left = {path.name.partition(".")[0] for path in (tmp_path / "home" / "cache").iterdir()}
    assert left == {names[1]} and brought.notes(names[1]) and not brought.notes(names[0])
    with pytest.raises(SettingsError, match="no longer kept"):
        brought.load(names[0])


def test_one_brings_a_tokenizer_and_a_link_restores_which_are_shown(page: Page, server: str, tmp_path: Path) -> None:
    visit(page, server, "tokenize", lang="en", text="the 🏽", kinds="bytes,words")
    cuts = page.locator("#tokenize-cuts")
    expect(cuts.locator(".row")).to_have_count(2, timeout=30_000)
    expect(cuts.locator("[data-name=bytes] .joined")).to_have_count(1, timeout=30_000)
    expect(cuts.locator("[data-name=bytes] .joined")).to_have_attribute("data-of", "🏽")
    expect(cuts.locator("[data-name=bytes] .joined .cut")).to_have_text(["F0", "9F", "8F", "BD"])
    page.set_input_files("input[type=file][accept*=json]", gpt2(tmp_path))
    expect(cuts.locator("[data-name=brought] .cut").first).to_have_text("the", timeout=30_000)
    cuts.locator(".picks").get_by_text("Whole words").click()
    assert "kinds=bytes%2Cbrought" in page.url
    with page.expect_download() as download:
        cuts.locator("[data-name=brought] .save").click()
    assert download.value.suggested_filename == "vocab-260.zip"
    page.reload()  # as a change of the language does
    expect(cuts.locator("[data-name=brought] .cut").first).to_have_text("the", timeout=30_000)
    expect(cuts.locator("[data-name=brought]")).to_contain_text("vocab.json + merges.txt")


def test_a_file_that_costs_more_than_its_sender_is_refused_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a million lines for a few megabytes: the limit holds for all that is done with them, not for a part."""
    many = tmp_path / "vocab.txt"
    many.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *map(str, range(500_000))]))
    monkeypatch.setattr(brought, "LIMITS", Limits(seconds=2.0))
    call("time:time")  # the fork server is up
    began = time.monotonic()
    with pytest.raises(SettingsError, match="takes more than 2 seconds|at most 300,000"):
        brought.keep([str(many)])
    assert time.monotonic() - began < 6


def test_many_added_tokens_are_refused(tmp_path: Path) -> None:
    inner = json.loads(library.Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")).to_str())
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": False}
    inner["added_tokens"] = [{"id": n, "content": f"<{n}>", **usual} for n in range(1, 20_002)]
    (tmp_path / "tokenizer.json").write_text(json.dumps(inner))
    with pytest.raises(SettingsError, match="adds 20,001 tokens"):
        brought.keep([str(tmp_path / "tokenizer.json")])
