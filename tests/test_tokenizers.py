"""What every tokenizer promises, and what BPE does with small texts that can be checked by eye.

The facts marked with a name are what that library's own tests hold it to.
"""

import json
import os
import subprocess
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.catalog import TOKENIZERS, sized
from lab.settings import SettingsError
from lab.text import clean, stretches
from lab.tokenizer import Tokenizer
from lab.tokenizers.byte_bpe import BytePairs, byte_bpe
from lab.tokenizers.char_bpe import CharacterPairs, char_bpe
from lab.tokenizers.parts import chinese_characters
from lab.tokenizers.parts.chinese_characters import COMMON, common, spelling
from lab.tokenizers.parts.cutting import alphabet
from lab.vocabulary import SPECIALS, Vocabulary

NAMES = tuple(TOKENIZERS.names())
PAIRS = ("byte_bpe", "char_bpe")
EXACT = tuple(each.name for each in TOKENIZERS if each.keeps in ("everything", "characters"))
TEXTS = (
    "the cat sat on the mat, and the dog sat on the log; they'll say it's 10 past 12!\n",
    "  Übermut tut selten gut.\r\n\tSchöne Grüße aus Köln\u00a0…\n\n",
    "白日依山尽，黄河入海流。欲穷千里目，更上一层楼。\n",
    "😀👍🏽 👩‍👩‍👧‍👦 e\u0301 \0 \ufffd [MASK] [CLS] [PAD] [UNK] [SEP] [END]",
)
ALL = "".join(TEXTS)
AWKWARD = [
    "",
    " ",
    "\n",
    "\0",
    "a\0b",
    "   x   ",
    "\r\n\r\n",
    "白日",
    "👩‍👩‍👧‍👦",
    "e\u0301",
    "it's we'll 'tis",
    "a" * 200,
]
GOLDEN = next(
    (
        place / "shared" / "data" / "golden"
        for place in Path(__file__).resolve().parents[1:3]
        if (place / "shared" / "data" / "golden").is_dir()
    ),
    None,
)


def train(name: str, texts: list[str] | tuple[str, ...] | Iterator[str], vocabulary: int = 400) -> Tokenizer:
    """A tokenizer of the register, trained."""
    entry = TOKENIZERS[name]
    found: Tokenizer = entry.build(texts, entry.settings.load(sized(entry, vocabulary)))
    return found


@pytest.fixture(scope="module", params=NAMES)
def trained(request: pytest.FixtureRequest) -> Tokenizer:
    return small(request.param)


def kept(tokenizer: Tokenizer, text: str) -> str:
    """What a tokenizer promises to keep of a text whose characters it knows."""
    if TOKENIZERS[tokenizer.kind].keeps != "letters":
        return text
    return "".join(each for each in text if unicodedata.category(each)[0] not in "CZ" and each != "\ufffd")


def back(tokenizer: Tokenizer, text: str) -> str:
    """There and back."""
    return kept(tokenizer, tokenizer.decode(tokenizer.encode(text), begins=True))


def merges(tokenizer: Tokenizer) -> list[str]:
    """The merges in the order in which they were learnt: "t h"."""
    return [" ".join(pair) for pair in json.loads(tokenizer.inner.to_str())["model"]["merges"]]


def shown(tokenizer: Tokenizer, text: str) -> list[str]:
    """The pieces of a text."""
    return [piece.text for piece in tokenizer.pieces(tokenizer.encode(text))]


@cache
def small(name: str) -> Tokenizer:
    """A tokenizer of each kind, trained once."""
    return train(name, TEXTS)


@cache
def byte_tokenizer() -> Tokenizer:
    """A byte tokenizer, trained once."""
    return byte_bpe(TEXTS, BytePairs(vocabulary=400))


@cache
def char_tokenizer() -> Tokenizer:
    """A character tokenizer, trained once."""
    return char_bpe(TEXTS, CharacterPairs(vocabulary=400))


def golden(name: str) -> str:
    """One of the golden files."""
    assert GOLDEN is not None
    return (GOLDEN / name).read_text(encoding="utf-8")


class TestEveryTokenizer:
    def test_special_tokens_come_first(self, trained: Tokenizer) -> None:
        assert trained.vocabulary.specials == {name: number for number, name in enumerate(SPECIALS)}

    @pytest.mark.parametrize("text", TEXTS)
    def test_decoding_gives_the_text_back(self, trained: Tokenizer, text: str) -> None:
        assert back(trained, text) == kept(trained, text)

    @pytest.mark.parametrize("name", EXACT)
    @pytest.mark.parametrize("text", [text for text in AWKWARD if set(text) <= set(ALL)])
    def test_decoding_gives_awkward_texts_back(self, name: str, text: str) -> None:
        assert back(small(name), text) == text

    @pytest.mark.parametrize("name", EXACT)
    @settings(deadline=None, max_examples=50)
    @given(st.text(alphabet=st.sampled_from(ALL), max_size=300))
    def test_decoding_gives_any_known_characters_back(self, name: str, text: str) -> None:
        assert back(small(name), text) == text

    @pytest.mark.parametrize("name", NAMES)
    @settings(deadline=None, max_examples=50)
    @given(st.text())
    def test_any_text_is_read(self, name: str, text: str) -> None:
        ids, spans = small(name).encode_with_spans(text)
        assert len(ids) == len(spans) and ((ids >= 0) & (ids < small(name).vocabulary.size)).all()
        special = small(name).vocabulary.is_special(ids)
        assert (ids[special] == small(name).vocabulary.unknown).all()

    def test_a_special_name_in_a_text_is_text(self, trained: Tokenizer) -> None:
        for name in SPECIALS:
            ids = trained.encode(f"the {name} {name}")
            special = ids[trained.vocabulary.is_special(ids)]
            assert (special == trained.vocabulary.unknown).all()
            assert trained.kind not in EXACT or trained.decode(ids) == f"the {name} {name}"

    @pytest.mark.parametrize("name", NAMES)
    def test_a_text_full_of_special_names_teaches_no_special_token(self, name: str) -> None:
        tokenizer = train(name, [f"{special} {special}{special}" * 50 for special in SPECIALS])
        for special in SPECIALS:
            ids = tokenizer.encode(special)
            assert (ids[tokenizer.vocabulary.is_special(ids)] == tokenizer.vocabulary.unknown).all()

    def test_a_gap_in_a_text_is_the_mask_token(self, trained: Tokenizer) -> None:
        ids = trained.encode_with_gaps("the [MASK] sat[MASK]")
        assert (ids == trained.vocabulary.mask).sum() == 2
        assert ids[-1] == trained.vocabulary.mask
        assert kept(trained, trained.decode(ids, begins=True)) == kept(trained, "the [MASK] sat[MASK]")

    def test_a_lone_surrogate_reads_as_the_replacement_character(self, trained: Tokenizer) -> None:
        assert (trained.encode("a\ud800b") == trained.encode("a\ufffdb")).all()
        assert clean("\ud83d\ude00") == "😀"

    def test_nothing_is_encoded_as_nothing(self, trained: Tokenizer) -> None:
        assert trained.encode("").shape == (0,)
        assert trained.encode("").dtype == np.int64
        assert trained.encode_all([]) == []
        assert trained.decode([]) == ""

    def test_many_at_once_are_the_same_as_one_by_one(self, trained: Tokenizer) -> None:
        texts = [*TEXTS, *AWKWARD, *["the cat"] * 100]
        for text, ids in zip(texts, trained.encode_all(texts), strict=True):
            assert (ids == trained.encode(text)).all()

    def test_a_saved_tokenizer_reads_the_same(self, trained: Tokenizer) -> None:
        again = Tokenizer.load(trained.save())
        assert (again.kind, again.vocabulary) == (trained.kind, trained.vocabulary)
        assert again.save() == trained.save()
        for text in (*TEXTS, *AWKWARD):
            assert (again.encode(text) == trained.encode(text)).all()
            assert again.decode(trained.encode(text)) == trained.decode(trained.encode(text))

    def test_the_library_decodes_as_we_do(self, trained: Tokenizer) -> None:
        for text in TEXTS:
            ids = trained.encode(text)
            assert trained.inner.decode(ids.tolist(), skip_special_tokens=False) == trained.decode(ids, begins=True)

    def test_spans_cover_the_text(self, trained: Tokenizer) -> None:
        for text in TEXTS:
            ids, spans = trained.encode_with_spans(text)
            assert (ids == trained.encode(text)).all()
            assert kept(trained, text[spans[0, 0] : spans[-1, 1]]) == kept(trained, text)
            between = "".join(text[last:first] for last, first in zip(spans[:-1, 1], spans[1:, 0], strict=True))
            assert kept(trained, between) == ""
            for piece, (first, last) in zip(trained.pieces(ids), spans, strict=True):
                assert "\ufffd" in piece.text or kept(trained, text[first:last]) == kept(trained, piece.text)

    def test_every_token_counts_its_bytes(self, trained: Tokenizer) -> None:
        counts = trained.token_bytes
        assert counts.shape == (trained.vocabulary.size,)
        assert not counts[:6].any() and counts[6:].all()
        for text in TEXTS:
            spelt = b"".join(piece.bytes for piece in trained.pieces(trained.encode(text)))
            assert counts[trained.encode(text)].sum() == len(spelt)
            assert kept(trained, spelt.decode()) == kept(trained, text)

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("texts", [[], [""], ["", ""]])
    def test_an_empty_text_is_refused(self, name: str, texts: list[str]) -> None:
        with pytest.raises(SettingsError, match="no text to train"):
            train(name, texts)

    @pytest.mark.parametrize("name", NAMES)
    def test_training_again_gives_the_same(self, name: str) -> None:
        assert train(name, TEXTS).save() == train(name, iter(TEXTS)).save()

    @pytest.mark.parametrize(
        ("name", "vocabulary"),
        [*(("byte_bpe", 300), ("char_bpe", 70)), ("wordpiece", 180), ("unigram", 130), ("words", 60)],
    )
    def test_another_process_learns_the_same(self, name: str, vocabulary: int) -> None:
        program = (
            "import sys; from lab.catalog import TOKENIZERS; entry = TOKENIZERS[sys.argv[1]]; texts = sys.argv[3:];"
            "print(entry.build(texts, entry.settings(vocabulary=int(sys.argv[2]))).save())"
        )
        texts = [text.replace("\0", "") for text in TEXTS]  # an argument cannot hold it
        found = subprocess.run(
            [sys.executable, "-c", program, name, str(vocabulary), *texts],
            env={**os.environ, "TOKENIZERS_PARALLELISM": "true", "PYTHONHASHSEED": "7", "PYTHONUTF8": "1"},
            cwd=Path(__file__).resolve().parents[1],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        )
        assert found.stdout.rstrip("\n") == train(name, texts, vocabulary).save()

    @pytest.mark.parametrize(("name", "vocabulary"), [("byte_bpe", 300), ("char_bpe", 150)])
    def test_the_vocabulary_is_as_large_as_asked(self, name: str, vocabulary: int) -> None:
        assert train(name, [text * 2 for text in TEXTS], vocabulary).vocabulary.size == vocabulary

    @pytest.mark.parametrize("name", PAIRS)
    def test_a_pair_that_occurs_once_is_not_merged(self, name: str) -> None:
        tokenizer = train(name, ["abcdefg"], 1000)
        assert merges(tokenizer) == []
        assert shown(tokenizer, "abcdefg") == list("abcdefg")

    @pytest.mark.parametrize("name", PAIRS)
    @pytest.mark.parametrize("text", ["x" * 10**6, " " * 10**6, "." * 10**6, "绿" * 10**6, "ab" * 10**6 + " " + "c"])
    def test_an_endless_run_stalls_nothing(self, name: str, text: str) -> None:
        start = time.perf_counter()
        tokenizer = train(name, [text])
        assert tokenizer.decode(tokenizer.encode(text)) == text
        assert time.perf_counter() - start < 20

    @pytest.mark.parametrize("name", NAMES)
    def test_a_text_of_endless_runs_stalls_nothing(self, name: str) -> None:
        start = time.perf_counter()
        text = " ".join(each * 100_000 for each in ("x", "绿", ".", " ", "\n"))
        assert len(train(name, [text]).encode(text)) > 0
        assert time.perf_counter() - start < 20

    @pytest.mark.parametrize("name", PAIRS)
    @pytest.mark.parametrize("text", ["x" * 999, " " * 999, "." * 999, "7" * 999, " " * 999 + "x"])
    def test_no_token_is_longer_than_64_characters_and_a_blank(self, name: str, text: str) -> None:
        tokenizer = train(name, [text])
        assert 60 < max(len(piece) for piece in shown(tokenizer, text)) <= 65

    def test_spans_go_on_through_a_long_text(self, trained: Tokenizer) -> None:
        text = TEXTS[0] * 500
        ids, spans = trained.encode_with_spans(text)
        assert (ids == trained.encode(text)).all()
        assert kept(trained, "".join(text[first:last] for first, last in spans)) == kept(trained, text)

    @pytest.mark.parametrize("name", NAMES)
    def test_a_long_text_is_read_as_its_lines_are(self, name: str) -> None:
        tokenizer = train(name, TEXTS)
        line = "the cat sat on the mat, and the dog sat on the log; they'll say it's 10 past 12!"
        whole = tokenizer.encode("\n".join([line] * 1000))
        first, later = tokenizer.encode(line), tokenizer.encode("\n" + line)
        assert (whole == np.concatenate([first, *[later] * 999])).all()

    def test_marks_of_the_library_are_no_words_of_ours(self, trained: Tokenizer) -> None:
        """A blank in front opens a word, whether the library writes it as Ġ, as ▁ or not at all; ## goes on."""
        ids = trained.encode("the cat sat on 猫")
        words = trained.vocabulary.words(ids[None])[0]
        spelt: dict[int, str] = {}
        for word, piece in zip(words.tolist(), trained.pieces(ids), strict=True):
            spelt[word] = spelt.get(word, "") + piece.text
        assert [each.strip() for each in spelt.values() if "\ufffd" not in each][:4] == ["the", "cat", "sat", "on"]


class TestStretches:
    def test_a_short_text_is_one_stretch(self) -> None:
        assert list(stretches("the cat")) == ["the cat"]
        assert list(stretches("")) == [""]

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.text(alphabet="ab \n", min_size=1, max_size=40), min_size=1, max_size=5), st.integers(0, 4000))
    def test_stretches_give_the_text_back_and_are_cut_before_blanks(self, parts: list[str], times: int) -> None:
        text = "".join(parts) * times
        found = list(stretches(text))
        assert "".join(found) == text
        assert all(len(each) <= 2**14 for each in found)
        if "a " in text[: 2**13]:
            assert all(each[0] in " \n" for each in found[1:])

    def test_a_text_without_blanks_is_cut_all_the_same(self) -> None:
        assert [len(each) for each in stretches("x" * 40_000)] == [2**14, 2**14, 40_000 - 2**15]


class TestByteBpe:
    @settings(max_examples=200, deadline=None)
    @given(st.text())
    def test_any_text_can_be_written_and_read_back(self, text: str) -> None:
        tokenizer = byte_tokenizer()
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == text
        assert not tokenizer.vocabulary.is_special(ids).any()

    @pytest.mark.parametrize("text", AWKWARD)
    def test_awkward_texts_are_read_back(self, text: str) -> None:
        assert byte_tokenizer().decode(byte_tokenizer().encode(text)) == text

    def test_the_smallest_vocabulary_writes_bytes(self) -> None:
        tokenizer = train("byte_bpe", ["aaaa"], 262)
        assert tokenizer.vocabulary.size == 262
        assert [piece.bytes for piece in tokenizer.pieces(tokenizer.encode("aé"))] == [b"a", b"\xc3", b"\xa9"]

    def test_a_vocabulary_without_room_for_all_bytes_is_refused(self) -> None:
        with pytest.raises(SettingsError, match="vocabulary 261 is below 262"):
            BytePairs(vocabulary=261)

    def test_every_byte_has_its_token(self) -> None:
        tokenizer = byte_tokenizer()
        assert {piece.bytes for piece in tokenizer.pieces(range(6, 262))} == {bytes([byte]) for byte in range(256)}

    def test_minbpe_three_merges(self) -> None:
        tokenizer = train("byte_bpe", ["aaabdaaabac"], 262 + 3)
        assert shown(tokenizer, "aaabdaaabac") == ["aaab", "d", "aaab", "a", "c"]
        assert tokenizer.encode("aaabdaaabac")[[0, 2]].tolist() == [264, 264]

    def test_no_token_crosses_the_border_of_a_word(self) -> None:
        tokenizer = train("byte_bpe", ["the cat, the cat, the cat 12 12 12"], 1000)
        assert shown(tokenizer, "the cat, the 12") == ["the", " cat", ",", " the", " 12"]

    def test_broken_characters_show_as_replacement_characters(self) -> None:
        tokenizer = train("byte_bpe", ["aaaa"], 262)
        ids = tokenizer.encode("é")
        assert [piece.text for piece in tokenizer.pieces(ids)] == ["\ufffd", "\ufffd"]
        assert tokenizer.decode(ids[:1]) == "\ufffd"
        assert tokenizer.decode([ids[0], tokenizer.vocabulary.mask, ids[1]]) == "\ufffd[MASK]\ufffd"

    def test_tokens_that_share_a_character_all_cover_it(self) -> None:
        tokenizer = train("byte_bpe", ["aaaa"], 262)
        assert tokenizer.encode_with_spans("aé")[1].tolist() == [[0, 1], [1, 2], [1, 2]]


class TestCharBpe:
    def test_a_vocabulary_with_room_for_the_characters_alone_merges_nothing(self) -> None:
        text = "the cat sat on the mat"
        tokenizer = train("char_bpe", [text], len(SPECIALS) + len(set(text)))
        assert shown(tokenizer, text) == list(text)
        assert [piece.text for piece in tokenizer.pieces(range(6, tokenizer.vocabulary.size))] == sorted(set(text))

    def test_tokenizers_roses_are_red(self) -> None:
        words = ["roses", "are", "red", "voilets", "are", "blue", "BERT", "is", "big", "and", "so", "is", "GPT-2"]
        tokenizer = train("char_bpe", words, 1000)
        known = [piece.text for piece in tokenizer.pieces(range(6, tokenizer.vocabulary.size))]
        assert known[:22] == list("-2BEGPRTabdegilnorstuv")
        assert known[22:] == ["re", "are", "is"]

    def test_an_unknown_character_reads_as_unknown_and_only_it(self) -> None:
        tokenizer = train("char_bpe", ["the cat sat on the mat"])
        ids = tokenizer.encode("the 猫 sat")
        assert (ids == tokenizer.vocabulary.unknown).sum() == 1
        assert tokenizer.decode(ids) == "the [UNK] sat"
        assert tokenizer.decode(tokenizer.encode("猫猫")) == "[UNK][UNK]"

    @settings(deadline=None)
    @given(st.text(max_size=100))
    def test_each_unknown_character_is_one_unknown_token(self, text: str) -> None:
        tokenizer = char_tokenizer()
        known = set(ALL)
        expected = "".join(character if character in known else "[UNK]" for character in text)
        assert tokenizer.decode(tokenizer.encode(text)) == expected

    def test_all_characters_stay_if_there_is_room(self) -> None:
        text = "a" * 100_000 + "b"
        tokenizer = train("char_bpe", [text], len(SPECIALS) + 2)
        assert tokenizer.decode(tokenizer.encode("ab")) == "ab"

    def test_without_room_the_rarest_characters_go(self) -> None:
        from_most = train("char_bpe", ["aaaa bbb cc d"], len(SPECIALS) + 4)
        assert from_most.decode(from_most.encode("abcd ")) == "abc[UNK] "

    def test_without_room_only_what_covers_the_text_stays(self) -> None:
        counts = Counter("a" * 9_000 + "b" * 996 + "cdef")
        assert alphabet(counts, 6) == set("abcdef")
        assert alphabet(counts, 5) == set("ab")  # 99.96 % of the text

    def test_ties_for_the_last_place_go_to_the_smaller_character(self) -> None:
        assert alphabet(Counter("dcba"), 2) == set("ab")

    def test_neighbours_of_a_lost_character_are_no_pair(self) -> None:
        tokenizer = train("char_bpe", ["aZb", "aYb", "aXb", "aWb"] + ["a", "b"] * 5000, len(SPECIALS) + 4)
        assert merges(tokenizer) == []

    def test_a_vocabulary_of_special_tokens_alone_is_refused(self) -> None:
        with pytest.raises(SettingsError, match="vocabulary 6 is below 7"):
            CharacterPairs(vocabulary=6)


class TestVocabulary:
    def test_ordinary_and_special_ids_make_up_the_vocabulary(self) -> None:
        vocabulary = Vocabulary(size=5, specials={"[PAD]": 0, "[MASK]": 3})
        assert vocabulary.ordinary.tolist() == [1, 2, 4]
        assert vocabulary.is_special(np.array([[0, 1], [3, 4]])).tolist() == [[True, False], [True, False]]
        assert (vocabulary.pad, vocabulary.mask) == (0, 3)


@pytest.mark.skipif(GOLDEN is None, reason="the golden files are not here")
class TestGolden:
    def test_gpt2_s_merges_in_our_frame_give_gpt2_s_ids(self) -> None:
        pairs = [(line.split(" ")[0], line.split(" ")[1]) for line in golden("gpt2_merges.txt").split("\n") if line]
        ours = byte_tokenizer().inner
        inner = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=json.loads(golden("gpt2_vocab.json")), merges=pairs))
        inner.pre_tokenizer, inner.decoder = ours.pre_tokenizer, ours.decoder
        tokenizer = Tokenizer(inner, "byte_bpe")
        rows = [json.loads(line) for line in golden("gpt2_encodings.jsonl").splitlines()]
        assert len(rows) > 200
        for row in rows:
            assert tokenizer.encode(row["text"]).tolist() == row["ids"]
            assert tokenizer.decode(row["ids"]) == row["text"]


class TestChineseCharacters:
    """Byte-level BPE in which each common Chinese character is one token."""

    def trained(self, size: int = 4500, ties: str = "smallest") -> Tokenizer:
        texts = ["the cat, the cat, the cat 背包 背包 龘龘龘 䶮䶮"]
        return byte_bpe(texts, BytePairs(vocabulary=size, chinese="characters", ties=ties))

    @pytest.mark.parametrize("ties", ["smallest", "greatest"])
    def test_every_common_character_is_one_token_though_the_text_has_it_not(self, ties: str) -> None:
        tokenizer = self.trained(ties=ties)
        assert len(COMMON) == len(set(COMMON)) == 3755 and COMMON[0] == "啊" and COMMON[-1] == "座"
        assert all(len(tokenizer.encode(character)) == 1 for character in COMMON)
        assert tokenizer.decode(tokenizer.encode(COMMON)) == COMMON

    def test_characters_are_not_merged_with_each_other_and_words_are(self) -> None:
        tokenizer = self.trained()
        assert len(tokenizer.encode("背包")) == 2 and len(tokenizer.encode(" the cat")) == 2
        assert len(tokenizer.encode("龘")) == 1  # rare, but common in this text
        assert tokenizer.decode(tokenizer.encode("😀 é 䨻")) == "😀 é 䨻"

    def test_a_vocabulary_without_room_for_them_is_refused(self) -> None:
        with pytest.raises(SettingsError, match="no room for the common Chinese characters: take 4"):
            BytePairs(vocabulary=2048, chinese="characters")

    def test_to_read_settings_again_spells_no_character_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert common() == (*spelling(COMMON),)
        monkeypatch.setattr(chinese_characters, "spelling", None)
        assert BytePairs(vocabulary=9000, chinese="characters").vocabulary == 9000

    def test_the_characters_are_spelt_from_their_bytes(self) -> None:
        assert spelling("一丁") == [(b"\xe4", b"\xb8"), (b"\xe4\xb8", b"\x80"), (b"\xe4\xb8", b"\x81")]
