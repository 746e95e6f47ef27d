"""Tokenizers go to transformers and come from elsewhere with the same ids; what is broken is said in one sentence."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import decoders, models, pre_tokenizers
from transformers import AutoTokenizer, BertTokenizerFast

from lab.catalog import TOKENIZERS, sized
from lab.cli.text import tokenizer_of
from lab.exchange.beside import FLAGS
from lab.exchange.special_tokens import parse
from lab.exchange.tokenizer_files import bring, keep
from lab.runs.run import IMPORTED
from lab.settings import SettingsError
from lab.token_bytes import BYTES
from lab.tokenizer import Tokenizer

TEXT = "The cat sat on the mat, it's 12 naïve mats.\n猫坐在垫子上。 👩‍🚀 the mat"
PLACES = [each / "shared" / "data" / "golden" for each in Path(__file__).resolve().parents[1:4]]
GOLDEN = [each for each in PLACES if each.is_dir()][:1]  # present on some machines only
PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "want", "##want", "##ed", "wa", "un", "runn", "##ing", ",")


def trained(name: str) -> Tokenizer:
    entry = TOKENIZERS[name]
    found: Tokenizer = entry.build([TEXT * 3], entry.settings.load(sized(entry, 300)))
    return found


def gpt2(folder: Path, merges: str = "#version: 0.2\nt h\nth e\nĠ the\n") -> Path:
    """A vocab.json and a merges.txt as GPT-2's, in small."""
    vocab = [*sorted(BYTES), "th", "the", "Ġthe", "<|endoftext|>"]
    folder.mkdir(exist_ok=True)
    (folder / "vocab.json").write_text(json.dumps({token: n for n, token in enumerate(vocab)}), encoding="utf-8")
    (folder / "merges.txt").write_text(merges, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", TOKENIZERS.names())
def test_transformers_loads_what_the_lab_keeps(name: str, tmp_path: Path) -> None:
    ours = trained(name)
    keep(ours, tmp_path)
    theirs = AutoTokenizer.from_pretrained(tmp_path)
    for text in (TEXT, "", " ", "some 猫 unseen words ß\t\n x", "a" * 300):
        assert theirs(text, add_special_tokens=False)["input_ids"] == ours.encode(text).tolist()
    for text in (
        "the cat [MASK] the",
        "[MASK]猫\n[MASK].",
        "  [MASK]",
    ):  # a gap takes along the blanks that a word would
        gaps = re.sub(r"\s+\[MASK\]", "[MASK]", text) if ours.joins_blanks else text
        assert theirs(text, add_special_tokens=False)["input_ids"] == ours.encode_with_gaps(gaps).tolist()
    assert (theirs.mask_token_id, theirs.pad_token_id) == (ours.vocabulary.mask, ours.vocabulary.pad)
    assert len(theirs) == ours.vocabulary.size
    again = tokenizer_of(str(tmp_path))
    assert again.kind == name and again.vocabulary == ours.vocabulary
    assert again.encode(TEXT).tolist() == ours.encode(TEXT).tolist()


def test_the_pieces_of_bert_are_read_as_bert_reads_them(tmp_path: Path) -> None:
    """The words of BERT's own tests; transformers' class for BERT agrees on them."""
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(PIECES) + "\n", encoding="utf-8")
    known, _ = bring(path)
    words = [piece.text for piece in known.pieces(known.encode("UNwantéd,running"))]
    assert words == [" un", "want", "ed", " ,", " runn", "ing"]
    assert known.vocabulary.words(known.encode("UNwantéd,running")[None]).tolist() == [[1, 1, 1, 2, 3, 3]]
    lost = known.encode("unwantedX running")
    assert [piece.text for piece in known.pieces(lost)] == ["[UNK]", " runn", "ing"]
    theirs = BertTokenizerFast(str(path))
    for text in ("UNwantéd,running", "unwantedX running", " \tUnwanted  \n want "):
        assert theirs(text, add_special_tokens=False)["input_ids"] == known.encode(text).tolist()


def test_vocabulary_and_merges_make_a_tokenizer(tmp_path: Path) -> None:
    known, notes = bring(gpt2(tmp_path))
    assert known.kind == IMPORTED and known.vocabulary.specials["[END]"] == 259
    assert [piece.text for piece in known.pieces(known.encode("the then"))] == ["the", " the", "n"]
    assert known.decode(known.encode(TEXT)) == TEXT
    assert any("[MASK]" in en for en, _ in notes)
    keep(known, tmp_path / "kept")
    again = tokenizer_of(str(tmp_path / "kept"))
    assert again.encode(TEXT).tolist() == known.encode(TEXT).tolist()
    assert AutoTokenizer.from_pretrained(tmp_path / "kept")(TEXT)["input_ids"] == known.encode(TEXT).tolist()


def test_a_word_s_end_may_be_marked_as_in_gpt1(tmp_path: Path) -> None:
    vocab = ["<unk>", "t", "h", "e", "e</w>", "th", "the</w>"]
    (tmp_path / "vocab.json").write_text(json.dumps({token: n for n, token in enumerate(vocab)}))
    (tmp_path / "merges.txt").write_text("t h\nth e</w>\n")
    known, _ = bring(tmp_path)
    assert known.encode("the the").tolist() == [6, 6]
    (tmp_path / "config.json").write_text('{"model_type": "openai-gpt"}')
    theirs = AutoTokenizer.from_pretrained(tmp_path)
    for text in ("The THE", "thé the"):  # small letters without accents
        assert known.encode(text).tolist() == theirs(text)["input_ids"] == [6, 6]


@pytest.mark.parametrize(
    "ways",
    [
        {},
        {"do_lower_case": True, "strip_accents": False},
        {"do_lower_case": True},
        {"do_lower_case": False},
        {"do_lower_case": False, "strip_accents": True, "tokenize_chinese_chars": False},
    ],
    ids=str,
)
def test_what_stands_beside_pieces_says_how_a_text_is_read(ways: dict[str, bool], tmp_path: Path) -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "cafe", "café", "the", "猫", "狗", "猫狗"]
    (tmp_path / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"} | ways))
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    known, _ = bring(tmp_path)
    theirs = AutoTokenizer.from_pretrained(tmp_path)
    for text in ("The Café", "the café 猫狗"):
        assert known.encode(text).tolist() == theirs(text, add_special_tokens=False)["input_ids"]


def added(content: str, **flags: bool) -> dict[str, Any]:
    """An entry of added_tokens_decoder."""
    return {"content": content, "special": False, **dict.fromkeys(FLAGS[:-1], False), **flags}


@pytest.mark.parametrize(
    "files",
    [
        {"added_tokens.json": {"zz top": 260, "[PAD]": 261}, "tokenizer_config.json": {"pad_token": "[PAD]"}},
        {
            "added_tokens.json": {"<x>": 260, "zz": 261},
            "special_tokens_map.json": {"additional_special_tokens": ["<x>"]},
        },
        {
            "tokenizer_config.json": {
                "added_tokens_decoder": {"261": added(" sat"), "260": added("[PAD]")},
                "pad_token": "[PAD]",
            }
        },
        {"tokenizer_config.json": {"added_tokens_decoder": {"260": added("at", single_word=True, lstrip=True)}}},
        {"tokenizer_config.json": {"added_tokens_decoder": {}}, "added_tokens.json": {"zz": 260}},
        {"tokenizer_config.json": {"add_prefix_space": True}},
    ],
    ids=str,
)
def test_what_stands_beside_a_pair_is_read_as_transformers_reads_it(files: dict[str, Any], tmp_path: Path) -> None:
    (gpt2(tmp_path) / "config.json").write_text('{"model_type": "gpt2"}')
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    known, notes = bring(tmp_path)
    theirs = AutoTokenizer.from_pretrained(tmp_path)
    for text in ("the zz top sat at the zz, that is", "zz  at the"):
        ids = known.encode(text).tolist()
        assert ids == theirs(text)["input_ids"] and known.decode(ids) == theirs.decode(ids)
    pad = theirs.pad_token_id
    assert known.vocabulary.pad == (259 if pad is None else pad)
    assert any("no [PAD]" in en for en, _ in notes) == (pad is None)


def test_words_that_were_added_beside_pieces_have_the_ids_that_they_were_given(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("\n".join((*PIECES, "z", "##z")) + "\n", encoding="utf-8")
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    (tmp_path / "added_tokens.json").write_text('{"zzdragon": 15, "[E1]": 16}')
    (tmp_path / "special_tokens_map.json").write_text('{"additional_special_tokens": ["[E1]"]}')
    known, _ = bring(tmp_path)
    theirs = AutoTokenizer.from_pretrained(tmp_path)
    assert known.encode("unwanted zzdragon want").tolist()[-2:] == [15, 5]
    assert (
        known.encode("unwanted zzdragon").tolist() == theirs("unwanted zzdragon", add_special_tokens=False)["input_ids"]
    )
    assert known.vocabulary.specials["[E1]"] == 16 and known.vocabulary.size == 17


@pytest.mark.parametrize("told", [{"add_bos_token": True}, {"add_bos_token": True, "add_eos_token": True}], ids=str)
@pytest.mark.parametrize("kind", ["GPT2Tokenizer", "RobertaTokenizer"])
def test_a_pair_frames_a_text_where_its_class_in_transformers_does(
    kind: str, told: dict[str, Any], tmp_path: Path
) -> None:
    (gpt2(tmp_path) / "config.json").write_text('{"model_type": "gpt2"}')
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind} | told))
    known, _ = bring(tmp_path)
    if kind == "RobertaTokenizer":  # by its own frame, whatever it is told, and here by its objective
        assert known.around == ((), ())
        return
    before, behind = known.around
    theirs = AutoTokenizer.from_pretrained(tmp_path)
    assert [*before, *known.encode("the then"), *behind] == theirs("the then")["input_ids"]
    assert before + behind


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", {"model_type": "qwen2"}),
        ("tokenizer_config.json", {"tokenizer_class": "Qwen2TokenizerFast"}),
        ("config.json", {"model_type": "llama"}),
    ],
    ids=str,
)
def test_a_pair_that_is_cut_by_another_rule_than_gpt_2_s_is_refused(
    file: str, content: dict[str, str], tmp_path: Path
) -> None:
    (gpt2(tmp_path) / file).write_text(json.dumps(content))
    with pytest.raises(SettingsError, match="by a rule of its own, which merges.txt does not hold: give a tokenizer"):
        bring(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}')  # which goes before
    assert len(bring(tmp_path)[0].encode("the"))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("added_tokens.json", '{"zz": 270}', "the token 'zz' has the id 270 in added_tokens.json and 260 in"),
        ("added_tokens.json", '{"the": 7}', "the token 'the' has the id 7 .* and 257 in"),
        ("added_tokens.json", '{"zz": "many"}', "added_tokens.json does not give tokens and their ids"),
        ("added_tokens.json", "[", "added_tokens.json"),
        ("added_tokens.json", json.dumps({f"z{n}": 260 + n for n in range(30_000)}), "adds 30,000 tokens"),
        ("tokenizer_config.json", '{"added_tokens_decoder": {"a": 1}}', "does not give tokens and their ids"),
        ("tokenizer_config.json", '{"added_tokens_decoder": [1]}', "does not give tokens and their ids"),
        ("tokenizer_config.json", '{"add_bos_token": true, "bos_token": "<b>"}', "frames every text with '<b>'"),
    ],
)
def test_tokens_that_cannot_be_added_as_the_files_say_are_refused(
    name: str, content: str, said: str, tmp_path: Path
) -> None:
    (gpt2(tmp_path) / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}')
    more = {"tokenizer_class": "GPT2Tokenizer"} | json.loads(content) if name == "tokenizer_config.json" else None
    (tmp_path / name).write_text(content if more is None else json.dumps(more))
    with pytest.raises(SettingsError, match=said) as caught:
        bring(tmp_path)
    assert caught.value.zh and "\n" not in caught.value.en


@pytest.mark.parametrize("kind", ["byte_bpe", "unigram"])
def test_a_word_that_was_added_is_text_unless_it_is_said_to_be_special(kind: str, tmp_path: Path) -> None:
    inner = tokenizers.Tokenizer.from_str(trained(kind).inner.to_str())
    inner.add_tokens([tokenizers.AddedToken(word, special=False) for word in ("õ", "    ", "zebra")])
    inner.add_special_tokens(["<|extra|>"])
    inner.save(str(tmp_path / "tokenizer.json"))
    known, _ = bring(tmp_path / "tokenizer.json")
    ids = known.encode("the õ cat    zebra")
    assert {inner.token_to_id(word) for word in ("õ", "    ", "zebra")} < {*ids.tolist()}
    assert not known.vocabulary.is_special(ids).any()
    assert known.decode(ids, begins=True) == "the õ cat    zebra"
    assert known.vocabulary.specials["<|extra|>"] == inner.token_to_id("<|extra|>")


@pytest.mark.parametrize(
    ("merges", "said"),
    [
        ("t h\nthe\n", "line 2 of merges.txt is no pair"),
        ("t h\nx y z\n", "line 2 of merges.txt is no pair"),
        ("t h\nq q\n", "merge 2 of merges.txt needs the token 'qq'"),
        ("猫 猫\n", "needs the token '猫'"),
        ("t h\n\udcff".encode("utf-8", "surrogateescape").decode("latin-1"), "line 2"),
    ],
)
def test_broken_merges_are_one_sentence(merges: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=said) as caught:
        bring(gpt2(tmp_path, merges))
    assert caught.value.zh and "\n" not in caught.value.en


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("vocab.json", b"[1, 2]", "is not a vocabulary"),
        ("vocab.json", b'{"a": 5}', "is not a vocabulary"),
        ("vocab.json", b"[" * 10**6, "is not a vocabulary|more time or memory"),
        ("merges.txt", b"\xff\xfe", "is not UTF-8"),
        ("vocab.txt", b"a\nb", "vocab.txt has no line .UNK."),
        ("tokenizer.json", b"{", "damaged, or of a kind"),
        ("tokenizer.json", b'{"model": {"type": "Evil"}}', "damaged, or of a kind"),
    ],
)
def test_a_broken_file_is_one_sentence(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    folder = gpt2(tmp_path)
    (folder / name).write_bytes(content)
    if name == "vocab.txt":
        (folder / "vocab.json").unlink()
    with pytest.raises(SettingsError, match=said):
        bring(folder)


@pytest.mark.parametrize(
    ("more", "said"), [({"the": 7}, "two tokens of tokenizer.json have the id 7"), ({"x_h": 10**8}, "100,000,000")]
)
def test_numbers_of_tokens_that_no_table_can_have_are_refused(more: dict[str, int], said: str, tmp_path: Path) -> None:
    document = json.loads(trained("wordpiece").inner.to_str())
    document["model"]["vocab"] |= more
    (tmp_path / "tokenizer.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(SettingsError, match=said) as caught:
        bring(tmp_path)
    assert caught.value.zh and caught.value.zh != caught.value.en


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="holds neither tokenizer.json nor"):
        bring(tmp_path)


@pytest.mark.parametrize("golden", GOLDEN)
def test_gpt2_s_published_pair_gives_gpt2_s_ids(golden: Path) -> None:
    known, _ = bring(golden / "gpt2_vocab.json", golden / "gpt2_merges.txt")
    rows = [
        json.loads(line) for line in (golden / "gpt2_encodings.jsonl").read_text(encoding="utf-8").split("\n") if line
    ]
    assert known.vocabulary.size == 50257 and len(rows) > 200
    for row in rows:
        assert known.encode(row["text"]).tolist() == row["ids"]


@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("kind", ["unigram", "byte_bpe"])
def test_no_text_spells_a_special_token_of_a_stranger(kind: str, special: bool, tmp_path: Path) -> None:
    name = "</s>" if kind == "unigram" else "<|endoftext|>"
    if kind == "unigram":  # whose pieces the special tokens are, as in every published one
        pieces = [(name, 0.0), ("<unk>", 0.0), *[(letter, -3.0) for letter in "▁abx</s>"]]
        inner = tokenizers.Tokenizer(models.Unigram(pieces, unk_id=1))
        inner.pre_tokenizer, inner.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    else:
        inner = tokenizers.Tokenizer.from_str(trained(kind).inner.to_str())
    inner.add_tokens([tokenizers.AddedToken(name, special=special, normalized=False)])
    inner.save(str(tmp_path / "tokenizer.json"))
    found = parse(str(tmp_path / "tokenizer.json"), {"eos_token_id": inner.token_to_id(name)})
    mine = Tokenizer(tokenizers.Tokenizer.from_str(found["tokenizer"]), "imported", found["roles"])
    assert mine.vocabulary.specials["[END]"] == inner.token_to_id(name if kind == "unigram" else "[END]")
    for text in (f"a{name}b", name, f"ab {name} x"):
        ids = mine.encode(text)
        assert inner.token_to_id(name) not in ids and mine.decode(ids, begins=True) == text
    assert mine.encode("a b").tolist() == inner.encode("a b", add_special_tokens=False).ids
