"""Tokenizer formats, parsed in the sandbox: tokenizer.json, vocab.json with merges.txt, vocab.txt."""

import json
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers

from lab.exchange.beside import Beside, few
from lab.exchange.headers import CONFIG, CONFIG_BYTES, TOKENIZER, document
from lab.exchange.special_tokens import CALLED, checked
from lab.settings import SettingsError
from lab.token_bytes import BYTES
from lab.vocabulary import UNKNOWN

# Classes and types of models that do not cut a text into words as GPT-2 does.
CUT_OTHERWISE = ("Qwen2Tokenizer", "qwen2", "LlamaTokenizer", "llama", "mistral", "glm", "glm4")
VOCAB, MERGES, PIECES = "vocab.json", "merges.txt", "vocab.txt"


def parse(paths: list[str], config: dict[str, Any] | None = None, goes_on: bool = False) -> dict[str, Any]:
    """What the child makes of the files: the ``tokenizer`` written anew, its ``size`` and its ``roles``, which the
    ``config`` of its model may name, that ``goes_on`` with a text or does not."""
    config = config or {}
    first = Path(paths[0])
    if len(paths) == 2:
        pair, kind = (_vocabulary(first), _merges(Path(paths[1]))), str((config or _config(first)).get("model_type"))
        return checked(lambda: _of_pairs(*pair, Beside.of(first), kind), config, first.name, goes_on)
    if first.name == MERGES or _is_vocabulary(first):
        raise SettingsError(
            f"{first.name} is half of a tokenizer: give {VOCAB} and {MERGES} together",
            f"{first.name} 只是分词器的一半：请同时提供 {VOCAB} 和 {MERGES}",
        )
    if first.suffix == ".txt":
        lines = _text(first).split("\n")
        return checked(lambda: _of_pieces(lines, first.name, Beside.of(first)), config, first.name, goes_on)
    _few_added(first)
    return checked(lambda: tokenizers.Tokenizer.from_file(str(first)), config, first.name, goes_on)


def _config(vocabulary: Path) -> dict[str, Any]:
    """The model's config in the folder of a tokenizer that is brought alone; nothing where there is none to be read."""
    try:
        return document(vocabulary.with_name(CONFIG), CONFIG_BYTES)
    except SettingsError:
        return {}


def _few_added(path: Path) -> None:
    try:
        added = len(json.loads(_text(path)).get("added_tokens") or ())
    except (ValueError, RecursionError, AttributeError, TypeError):
        return  # no tokenizer at all, which will be said
    few(added, path.name)


def _is_vocabulary(path: Path) -> bool:
    """Whether a file holds tokens and their ids, and nothing else."""
    if path.suffix != ".json":
        return False
    try:
        _vocabulary(path)
        return True
    except SettingsError:
        return False


def _of_pairs(
    vocabulary: dict[str, int], merges: list[tuple[str, str]], beside: Beside, kind: str
) -> tokenizers.Tokenizer:
    """BPE as GPT-2 published it, in bytes, or as GPT-1 did, where a mark ends each word."""
    for number, (left, right) in enumerate(merges, 1):
        if not {left, right, left + right} <= vocabulary.keys():
            lacking = next(missing for missing in (left, right, left + right) if missing not in vocabulary)
            raise SettingsError(
                f"merge {number} of {MERGES} needs the token {lacking[:40]!r}, which {VOCAB} does not have",
                f"{MERGES} 的第 {number} 个合并需要词元 {lacking[:40]!r}，而 {VOCAB} 中没有",
            )
    ends = any(token.endswith("</w>") for token in vocabulary)
    unknown = next((name for name in CALLED[UNKNOWN] if name in vocabulary), None)
    if not ends and not {letter for pair in merges for token in pair for letter in token} <= BYTES.keys():
        raise SettingsError(
            f"the merges are neither GPT-2's, in bytes, nor GPT-1's, where </w> ends a word: give a {TOKENIZER}",
            f"这些合并既不是 GPT-2 的字节形式，也不是 GPT-1 的 </w> 形式：请提供 {TOKENIZER}",
        )
    if not ends and beside.made(kind) in CUT_OTHERWISE:
        raise SettingsError(
            f"this model cuts a text into words by a rule of its own, which {MERGES} does not hold: give a {TOKENIZER}",
            f"这个模型按自己的规则切分单词，{MERGES} 中没有这个规则：请提供 {TOKENIZER}",
        )
    suffix = "</w>" if ends else ""
    inner = tokenizers.Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, unk_token=unknown, end_of_word_suffix=suffix)
    )
    spaced = beside.ways.get("add_prefix_space") is True
    inner.pre_tokenizer = (
        pre_tokenizers.BertPreTokenizer() if ends else pre_tokenizers.ByteLevel(add_prefix_space=spaced)
    )
    if ends:  # as in GPT-1's class in transformers, whatever letters the vocabulary has
        inner.normalizer = normalizers.BertNormalizer(lowercase=True)
    inner.decoder = decoders.BPEDecoder(suffix=suffix) if ends else decoders.ByteLevel()
    _add(inner, beside)
    beside.frame(inner, kind)
    return inner


def _of_pieces(lines: list[str], name: str, beside: Beside) -> tokenizers.Tokenizer:
    """WordPiece as BERT published it: one piece a line. Unless the file ``beside`` it says what becomes of capitals,
    pieces with capitals say that the text keeps its own."""
    pieces = [line.rstrip("\r") for line in lines]
    while pieces and not pieces[-1]:
        pieces.pop()
    special = {token for called in CALLED.values() for token in called}
    cased = any(piece != piece.lower() for piece in pieces if piece not in special)
    names = ("do_lower_case", "strip_accents", "tokenize_chinese_chars")
    ways = {name: beside.ways[name] for name in names if isinstance(beside.ways.get(name), bool)}
    inner = tokenizers.Tokenizer(models.WordPiece(vocab=_numbered(pieces, name), unk_token=UNKNOWN))
    inner.normalizer = normalizers.BertNormalizer(
        lowercase=ways.get("do_lower_case", not cased),
        strip_accents=ways.get("strip_accents"),  # None: where letters become small
        handle_chinese_chars=ways.get("tokenize_chinese_chars", True),
    )
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.decoder = decoders.WordPiece(cleanup=False)
    _add(inner, beside)
    return inner


def _add(inner: tokenizers.Tokenizer, beside: Beside) -> None:
    """Add what stands ``beside`` a vocabulary, and say of its own special tokens that they are."""
    beside.add_to(inner)  # first: the library keeps the flags with which a token was added first
    special = dict.fromkeys(name for names in CALLED.values() for name in names)
    inner.add_special_tokens([name for name in special if inner.token_to_id(name) is not None])


def _numbered(pieces: list[str], name: str) -> dict[str, int]:
    if UNKNOWN not in pieces:
        raise SettingsError(
            f"{name} has no line [UNK], which the vocabulary of a WordPiece tokenizer ({PIECES}) has",
            f"{name} 中没有 [UNK] 这一行，WordPiece 分词器的词表（{PIECES}）都有",
        )
    return {piece: number for number, piece in enumerate(pieces)}


def _vocabulary(path: Path) -> dict[str, int]:
    try:
        document = json.loads(_text(path))
    except (ValueError, RecursionError):
        document = None
    numbers = list(document.values()) if isinstance(document, dict) else []
    if not numbers or any(type(number) is not int for number in numbers) or sorted(numbers) != [*range(len(numbers))]:
        raise SettingsError(
            f"{path.name} is not a vocabulary: it must be an object of tokens and their ids from 0 without gaps",
            f"{path.name} 不是词表：它应是从词元到编号的对象，编号从 0 起且不间断",
        )
    return dict(document)


def _merges(path: Path) -> list[tuple[str, str]]:
    """The merges, one a line; only the first line may be a remark."""
    lines = _text(path).split("\n")
    merges: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        parts = line.rstrip("\r").split(" ")
        if (number == 1 and line.startswith("#version")) or parts == [""]:
            continue
        if len(parts) != 2 or not all(parts):
            raise SettingsError(
                f"line {number} of {path.name} is no pair of tokens with a space between them: {line[:60]!r}",
                f"{path.name} 第 {number} 行不是以空格分开的两个词元：{line[:60]!r}",
            )
        merges.append((parts[0], parts[1]))
    return merges


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise SettingsError(f"{path.name} is not UTF-8", f"{path.name} 不是 UTF-8 编码") from None
