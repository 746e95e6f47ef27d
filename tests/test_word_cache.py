"""Words that were read before are looked up, and nobody can tell from the ids."""

import copy
import random
import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab import word_cache
from lab.catalog import TOKENIZERS, sized
from lab.tokenizer import Tokenizer
from lab.word_cache import WordCache

AWKWARD = (
    " ",
    "\n",
    "\t",
    "\r\n",
    "  ",
    "\x85",
    "\x1c",
    "\u3000",
    "\u00a0",
    "the",
    "The",
    "isn't",
    "12½",
    "猫坐在。",
    "\U0001f600",
    "é",
    "-",
    "\u200b",
)


def by_letters(words: Sequence[str]) -> list[list[int]]:
    """A tokenizer that makes each character a token."""
    return [[*map(ord, word)] for word in words]


@given(st.lists(st.lists(st.sampled_from(AWKWARD), max_size=30).map("".join), min_size=1, max_size=4))
def test_a_text_is_the_sum_of_its_words(texts: list[str]) -> None:
    for text in texts:
        words = word_cache._WORD.findall(text)
        assert "".join(words) == text and all(words)
        for before, after in zip(words, words[1:], strict=False):
            assert not before[-1].isspace() and after[0] in " \n"


@given(st.lists(st.lists(st.sampled_from(("a", "bc ", " d", "\n")), min_size=1).map("".join), min_size=1, max_size=5))
def test_each_text_gets_its_own_ids_in_their_order(texts: list[str]) -> None:
    cache = WordCache(by_letters)
    for _ in range(2):  # the second time all words are known
        found = cache.read(texts)
        assert found is not None and [ids.tolist() for ids in found] == [[*map(ord, text)] for text in texts]


@pytest.mark.parametrize("kind", TOKENIZERS.names())
def test_every_tokenizer_reads_a_long_text_as_the_library_does(kind: str) -> None:
    entry, luck = TOKENIZERS[kind], random.Random(kind)
    lines = ["The cat sat on the mat, isn't it? 12½ é\n", '"So!" he said:  "No" ...\n', "猫坐在 垫子上。\n"]
    tokenizer: Tokenizer = entry.build(lines * 5, entry.settings.load(sized(entry, 320)))
    text = "".join(luck.choice(AWKWARD) + luck.choice(("", " ", "cat", " mat")) for _ in range(12_000))
    whole = tokenizer.inner.encode(text, add_special_tokens=False).ids
    assert tokenizer.encode(text).tolist() == whole
    assert tokenizer._has_seams and len(tokenizer._words._numbers) > 100  # it was read by words


def test_a_text_without_blanks_is_left_to_the_tokenizer() -> None:
    cache = WordCache(by_letters)
    assert cache.read(["猫坐在垫子上" * 50]) is None
    assert cache.read(["a cat sat on a mat"]) is not None


def test_a_word_is_worked_out_once_and_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def told(words: Sequence[str]) -> list[list[int]]:
        asked.extend(words)
        return by_letters(words)

    monkeypatch.setattr(word_cache, "MOST", 3)
    cache = WordCache(told)
    cache.read(["a b a b", "a"])
    cache.read(["a b c a d"])
    assert asked == ["a", " b", " a", " c", " d"]
    cache.read(["a d"])  # five are more than three
    assert asked[5:] == ["a", " d"]


def test_a_tokenizer_that_has_read_words_can_be_copied() -> None:
    entry = TOKENIZERS["byte_bpe"]
    tokenizer: Tokenizer = entry.build(["The cat sat. "] * 9, entry.settings.load(sized(entry, 300)))
    ids = tokenizer.encode("The cat sat. " * 3000)
    twin = copy.deepcopy(tokenizer)
    assert twin.encode("The cat sat. " * 3000).tolist() == ids.tolist()
    assert twin._words is not tokenizer._words and twin._words._lock is not tokenizer._words._lock


def test_threads_share_the_words() -> None:
    cache = WordCache(by_letters)
    texts = [
        " ".join(random.Random(seed).choices(["cat", "mat", "sat", *map(str, range(200))], k=400)) for seed in range(8)
    ]
    found: dict[int, list[int]] = {}

    def read(number: int) -> None:
        ids = cache.read([texts[number]])
        assert ids is not None
        found[number] = ids[0].tolist()

    threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [*map(ord, text)] for number, text in enumerate(texts)}
