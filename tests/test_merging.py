"""The readable BPE: cases worked by hand, and the same merges as the library's and as published references."""

import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.catalog import CORPORA
from lab.token_bytes import BYTES
from lab.tokenizer import Tokenizer
from lab.tokenizers.byte_bpe import BytePairs, byte_bpe
from lab.tokenizers.parts.cutting import counted, tidy
from lab.tokenizers.parts.merging import Merging, encode, merged

PLACES = [each / "shared" / "data" for each in Path(__file__).resolve().parents[1:4]]
SHARED = [each for each in PLACES if each.is_dir()][:1]  # present on some machines only
GOLDEN = [each / "golden" for each in SHARED]
REAL = [each / name for each in SHARED for name in ("text/en/tinyshakespeare.txt", "text/zh/songci300.txt")]
LETTERS = [bytes([BYTES[letter]]) for letter in sorted(BYTES)]  # in the order of the library's ids


def learnt(text: str, merges: int, ties: str = "smallest", least: int = 2) -> list[tuple[str, str, int, int]]:
    """The first merges of one word, with their counts and the number of words that they changed."""
    words = [(list(word), 1) for word in text.split()]
    found = Merging(words, sorted(set(text)), ties=ties, least=least)
    return [(each.left, each.right, each.count, each.words) for each in islice(found, merges)]


def of_bytes(tokenizer: Tokenizer, texts: list[str], ties: str) -> Merging:
    """Our own trainer on the words that a byte-level tokenizer cuts."""
    words = counted(tokenizer.inner, tidy(texts)).items()
    return Merging([([bytes([BYTES[letter]]) for letter in word], times) for word, times in words], LETTERS, ties=ties)


def library(tokenizer: Tokenizer) -> list[tuple[bytes, bytes]]:
    """The merges of a tokenizer, in bytes."""
    found = json.loads(tokenizer.inner.to_str())["model"]["merges"]
    return [(as_bytes(left), as_bytes(right)) for left, right in found]


def as_bytes(token: str) -> bytes:
    """A token in GPT-2's notation, in bytes."""
    return bytes(BYTES[letter] for letter in token)


def test_the_example_of_the_encyclopedia() -> None:
    """aaabdaaabac: aa is Z, ab is Y or Za is; in three merges aaab is one token."""
    assert learnt("aaabdaaabac", 3) == [("a", "a", 4, 1), ("a", "b", 2, 1), ("aa", "ab", 2, 1)]
    ranks = {("a", "a"): 0, ("a", "b"): 1, ("aa", "ab"): 2}
    assert encode("aaabdaaabac", ranks) == ["aaab", "d", "aaab", "a", "c"]


def test_overlapping_pairs_are_merged_from_the_left() -> None:
    assert merged(list("aaaaa"), ("a", "a"), "aa") == ["aa", "aa", "a"]
    assert merged(list("abab"), ("a", "b"), "ab") == ["ab", "ab"]
    assert merged([], ("a", "b"), "ab") == []


def test_low_lower_newest_widest() -> None:
    """Sennrich's words: five low, two lower, six newest, three widest, each with a mark at its end.

    Where est and t_ are equally frequent the older tokens go first."""
    words = [(list("low_"), 5), (list("lower_"), 2), (list("newest_"), 6), (list("widest_"), 3)]
    found = [(each.token, each.count, each.words) for each in islice(Merging(words, sorted(set("lowernstid_"))), 5)]
    assert found == [("es", 9, 2), ("t_", 9, 2), ("est_", 9, 2), ("lo", 7, 2), ("low", 7, 2)]


def test_ties_go_to_the_smaller_ids_or_to_the_greater_pair() -> None:
    assert [each[:2] for each in learnt("ab ab cd cd", 2)] == [("a", "b"), ("c", "d")]
    assert [each[:2] for each in learnt("ab ab cd cd", 2, "greatest")] == [("c", "d"), ("a", "b")]
    assert learnt("ab abc ab abc", 1, "greatest")[0][:2] == ("a", "b"), "more frequent comes before greater"


def test_the_greater_of_two_is_the_longer_where_one_begins_the_other() -> None:
    words = [(["a", "b"], 2), (["ab", "b"], 2)]
    assert next(iter(Merging(words, ["a", "ab", "b"], ties="greatest"))).left == "ab"


def test_a_pair_that_is_too_rare_is_not_merged() -> None:
    assert learnt("abcdef", 9) == []
    assert learnt("ab", 9, least=1) == [("a", "b", 1, 1)]
    assert learnt("", 9) == []


def test_all_pairs_counted_anew_give_the_same() -> None:
    """After every merge the counts are those of a recount, though only changed words were counted."""
    text = "the cat sat on the mat and the rat sat on that cat " * 3
    merging = Merging([(list(word), 2) for word in text.split()], sorted(set(text)))
    for _ in merging:
        recount: dict[tuple[str, str], int] = {}
        for word in merging.words:
            for pair in zip(word, word[1:], strict=False):
                recount[pair] = recount.get(pair, 0) + 2
        assert {pair: count for pair, count in merging.pairs.items() if count} == recount


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=12), min_size=1, max_size=12))
def test_what_is_learnt_is_what_is_encoded(words: list[str]) -> None:
    merging = Merging([(list(word), 1) for word in words], "abc")
    ranks = {(each.left, each.right): number for number, each in enumerate(merging)}
    assert [encode(word, ranks) for word in words] == merging.words


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(alphabet="ab é猫", min_size=1, max_size=20), min_size=1, max_size=8))
def test_random_texts_are_merged_as_the_library_merges_them(texts: list[str]) -> None:
    tokenizer = byte_bpe(texts, BytePairs(vocabulary=400))
    ours = [(each.left, each.right) for each in of_bytes(tokenizer, texts, "smallest")]
    assert ours[: len(library(tokenizer))] == library(tokenizer)


@pytest.mark.parametrize("corpus", ["town_en", "town_zh"])
def test_a_corpus_is_merged_as_the_library_merges_it(corpus: str) -> None:
    texts = [each.text for each in CORPORA[corpus].build(CORPORA[corpus].settings.load({"stories": 400}))]
    tokenizer = byte_bpe(texts, BytePairs(vocabulary=1500))
    ours = of_bytes(tokenizer, texts, "smallest")
    assert [(each.left, each.right) for each in islice(ours, len(library(tokenizer)))] == library(tokenizer)


def test_the_rule_for_ties_is_a_setting_of_the_tokenizer() -> None:
    text = "ab ab cd cd"
    small, great = (byte_bpe([text], BytePairs(ties=ties)) for ties in ("smallest", "greatest"))
    assert library(small)[0] == (b"a", b"b") and library(great)[0] == (b"c", b"d")
    for tokenizer in (small, great):
        assert tokenizer.decode(tokenizer.encode("abcd 猫")) == "abcd 猫"
        assert Tokenizer.load(tokenizer.save()).encode("ab cd").tolist() == tokenizer.encode("ab cd").tolist()


@pytest.mark.parametrize("path", [each for each in REAL if each.is_file()], ids=lambda path: path.stem)
def test_real_books_are_merged_as_the_library_merges_them(path: Path) -> None:
    text = path.read_text(encoding="utf-8")[:300_000]
    tokenizer = byte_bpe([text], BytePairs(vocabulary=2500))
    ours = of_bytes(tokenizer, [text], "smallest")
    assert [(each.left, each.right) for each in islice(ours, len(library(tokenizer)))] == library(tokenizer)


@pytest.mark.parametrize("golden", GOLDEN)
def test_the_reference_of_cs336_is_met_merge_by_merge(golden: Path) -> None:
    text = (golden / "bpe_train_corpus_en.txt").read_text(encoding="utf-8").replace("<|endoftext|>", "")
    lines = (golden / "bpe_train_expected_merges_v500.txt").read_text(encoding="utf-8").splitlines()
    expected = [tuple(as_bytes(token) for token in line.split(" ")) for line in lines]
    tokenizer = byte_bpe([text], BytePairs(vocabulary=262 + 243, ties="greatest"))
    assert len(expected) == 243 and library(tokenizer) == expected
    assert [(each.left, each.right) for each in islice(of_bytes(tokenizer, [text], "greatest"), 243)] == expected


@pytest.mark.parametrize("golden", GOLDEN)
def test_gpt2_is_encoded_as_published(golden: Path) -> None:
    lines = [line for line in (golden / "gpt2_merges.txt").read_text(encoding="utf-8").split("\n") if line]
    ranks = {(as_bytes(left), as_bytes(right)): rank for rank, (left, right) in enumerate(map(str.split, lines))}
    ids = {
        as_bytes(token): number
        for token, number in json.loads((golden / "gpt2_vocab.json").read_text()).items()
        if set(token) <= BYTES.keys()
    }
    cutter = byte_bpe(["a"], BytePairs(vocabulary=262)).inner.pre_tokenizer
    rows = [json.loads(line) for line in (golden / "gpt2_encodings.jsonl").read_text().split("\n") if line]
    assert len(rows) > 200
    for row in rows:
        words = [as_bytes(word) for word, _ in cutter.pre_tokenize_str(row["text"])] if row["text"] else []
        found = [ids[token] for word in words for token in encode([word[n : n + 1] for n in range(len(word))], ranks)]
        assert found == row["ids"]
