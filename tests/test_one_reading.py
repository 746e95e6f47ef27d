"""One text, one result: however long it is and wherever its sentences end, it is read as the library reads it at once.

The tokenizers besides the lab's own are built as those that were published: most put a blank before every text.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import tokenizers
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from lab.analysis.preview import pairing
from lab.batch import Document
from lab.catalog import OBJECTIVES, TOKENIZERS, sized
from lab.data.stream import in_sentences, sentences_of, stream_of
from lab.tokenizer import Tokenizer
from lab.vocabulary import SPECIALS

LINES = (
    'The cat sat.\nWhere is it? "Here!" it said:  "No..."\n\n  猫坐在垫子上。「在哪里？」狗说。\n',
    "It's 12 naïve mats; the dog ran…\nThe end.\n\n",
)
LONG = "".join(LINES) * 180  # more than one stretch, with places where one may end
DENSE = re.sub(r"\s", "", "".join(LINES)) * 260  # without such a place


def bpe(pre: pre_tokenizers.PreTokenizer | None, normalizer: normalizers.Normalizer | None) -> tokenizers.Tokenizer:
    inner = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
    inner.pre_tokenizer, inner.normalizer = pre or pre_tokenizers.Split(Regex(r"▁?\w{1,12}|\W"), "isolated"), normalizer
    trainer = trainers.BpeTrainer(vocab_size=300, show_progress=False, special_tokens=[*SPECIALS])
    inner.train_from_iterator([*LINES] * 3, trainer)
    inner.pre_tokenizer = pre  # LLaMA 1 and 2 have none: all of a text is one word
    return inner


def llama() -> tokenizers.Tokenizer:
    inner = bpe(None, normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]))
    inner.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return inner


def llama3() -> tokenizers.Tokenizer:
    """A new line belongs to the marks before it."""
    cut = Regex(r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    inner = bpe(pre_tokenizers.Sequence([pre_tokenizers.Split(cut, "isolated"), byte_level]), None)
    inner.decoder = decoders.ByteLevel()
    return inner


def sentencepiece(normalizer: normalizers.Normalizer) -> tokenizers.Tokenizer:
    inner = tokenizers.Tokenizer(models.Unigram())
    inner.normalizer = normalizer
    inner.pre_tokenizer, inner.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=150, show_progress=False, special_tokens=[*SPECIALS], unk_token="[UNK]"
    )
    inner.train_from_iterator([*LINES] * 3, trainer)
    return inner


def t5() -> tokenizers.Tokenizer:
    return sentencepiece(normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")]))


def albert() -> tokenizers.Tokenizer:
    strips = [normalizers.Strip(), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    return sentencepiece(normalizers.Sequence([*strips, normalizers.Replace(Regex(r"\s+"), " ")]))


def own(kind: str) -> Callable[[], tokenizers.Tokenizer]:
    entry = TOKENIZERS[kind]
    return lambda: entry.build([*LINES] * 3, entry.settings.load(sized(entry, 320))).inner


BUILT = [pytest.param(make, id=make.__name__) for make in (llama, llama3, t5, albert)]
BUILT += [pytest.param(own(kind), id=kind) for kind in TOKENIZERS.names()]


@pytest.fixture(scope="module", params=BUILT)
def known(request: pytest.FixtureRequest) -> Tokenizer:
    return Tokenizer(request.param(), "imported")


def at_once(known: Tokenizer, text: str) -> list[int]:
    ids: list[int] = known.inner.encode(text, add_special_tokens=False).ids
    return ids


@pytest.mark.parametrize("text", [LINES[0], LONG, DENSE, "x" * 40_000], ids=["short", "long", "dense", "endless"])
def test_a_text_has_one_reading_however_it_is_asked_for(known: Tokenizer, text: str) -> None:
    wanted = at_once(known, text)
    assert known.encode(text).tolist() == wanted
    ids, spans = known.encode_with_spans(text)
    assert ids.tolist() == known.encode(text).tolist() and spans[-1, 1] <= len(text)
    stream = stream_of([Document(text), Document("dog")], known)
    end = known.vocabulary.end
    assert stream.ids.tolist() == [*ids.tolist(), end, *at_once(known, "dog"), end]


def test_sentences_share_the_tokens_of_their_text(known: Tokenizer) -> None:
    text = "".join(LINES)
    found = in_sentences([text, "", "dog"], known)
    assert [len(each) for each in found[1:]] == [0, 1]
    assert np.concatenate(found[0]).tolist() == at_once(known, text)
    letters = [letters_of(known.decode(ids)) for ids in found[0]]
    alone = [letters_of(known.decode(at_once(known, each))) for each in sentences_of(text)]
    assert [*filter(None, letters)] == [*filter(None, alone)]


def test_what_no_token_begins_in_is_no_sentence() -> None:
    swallowing = tokenizers.Tokenizer(models.Unigram([("[UNK]", 0.0), ("好。“", -1.0)], unk_id=0, byte_fallback=False))
    text, known = "好。“\n好。“", Tokenizer(swallowing, "imported")
    assert [*map(str, sentences_of(text))] == ["好。", "“", "\n好。", "“"]
    assert [ids.tolist() for ids in in_sentences([text], known)[0]] == [[1], [0, 1]]


def letters_of(text: str) -> str:
    """What no way of cutting at blanks and marks moves from one sentence to another."""
    return "".join(each for each in text if each.isalnum() and each.isascii())


def test_pairs_on_a_page_are_made_of_the_tokens_of_the_whole_text() -> None:
    known = Tokenizer(llama(), "imported")
    objective = OBJECTIVES["sop"]
    made: Sequence[np.ndarray] = pairing(LINES[0], objective, objective.settings(), known, 200).own
    assert np.concatenate(made).tolist() == at_once(known, LINES[0])[: sum(map(len, made))]
