"""A stranger's tokenizer cannot make the process that reads with it break down."""

from typing import Any

import pytest
import tokenizers as library
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers

from lab.exchange.growth import MOST, growth
from lab.exchange.special_tokens import checked
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer


def made(**parts: Any) -> library.Tokenizer:
    inner = library.Tokenizer(models.WordLevel({"[UNK]": 0, "[MASK]": 1, "x": 2}, unk_token="[UNK]"))
    for name, part in parts.items():
        setattr(inner, name, part)
    return inner


def replaced(old: Any, new: str, times: int) -> normalizers.Normalizer:
    return normalizers.Sequence([normalizers.Replace(old, new)] * times)


def test_the_growth_of_a_sequence_is_the_product_of_its_parts() -> None:
    twice = {"type": "Replace", "pattern": {"String": "ab"}, "content": "abab"}
    assert growth(twice) == 2 and growth(None) == 1 and growth({"type": "NFC"}) == 1
    assert (
        growth({"type": "Sequence", "normalizers": [twice, {"type": "Sequence", "normalizers": [twice, twice]}]}) == 8
    )
    assert growth({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}) == 2
    assert growth({"type": "Replace", "pattern": {"String": "```"}, "content": '"'}) == 1


@pytest.mark.parametrize(
    "inner",
    [
        made(normalizer=replaced("§", "§" * 10, 12)),
        made(normalizer=replaced(Regex("§|x"), "§§", 9)),
        made(normalizer=normalizers.Prepend("x" * (MOST + 1))),
        made(decoder=decoders.Sequence([decoders.Replace("x", "x" * 9)] * 3)),
        library.Tokenizer(models.BPE({"[MASK]": 0, "x": 1}, [], end_of_word_suffix="w" * 100)),
    ],
    ids=["letters", "expression", "in front", "decoder", "suffix"],
)
def test_what_makes_texts_much_longer_is_refused(inner: library.Tokenizer) -> None:
    with pytest.raises(SettingsError, match="tokenizer.json makes texts more than 64 times as long"):
        checked(lambda: inner, {}, "tokenizer.json")


def test_an_expression_that_needs_too_many_steps_is_one_sentence() -> None:
    tokenizer = Tokenizer(made(pre_tokenizer=pre_tokenizers.Split(Regex("(x+x+)+y"), "isolated")), "words")
    for read in (tokenizer.encode, tokenizer.encode_with_spans):
        with pytest.raises(SettingsError, match="breaks down when it reads the text"):
            read("x" * 60 + "c y")
