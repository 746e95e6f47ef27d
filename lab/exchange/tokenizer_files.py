"""Tokenizer files: kept as a folder that transformers loads, and imported from what strangers published.

A stranger's file is parsed in a child process, under limits of time and memory; what comes back was written anew.
"""

import json
from pathlib import Path
from typing import Any

import tokenizers

from lab.catalog import TOKENIZERS
from lab.exchange.beside import BESIDE, FILES
from lab.exchange.headers import TOKENIZER, TOKENIZER_BYTES, small
from lab.exchange.special_tokens import completed
from lab.exchange.tokenizer_parsing import MERGES, PIECES, VOCAB, parse
from lab.exchange.tokenizing import config_of, for_others
from lab.exchange.untrusted import read_apart
from lab.runs.files import write
from lab.runs.run import IMPORTED
from lab.settings import SettingsError
from lab.tokenizer import Tokenizer

OURS = "cloze_lab"  # the key of that file under which stands what transformers does not know

Sentence = tuple[str, str]  # English, Chinese


def keep(tokenizer: Tokenizer, folder: Path) -> None:
    """Write a tokenizer so that transformers' AutoTokenizer loads it, with the same ids."""
    about = {"kind": tokenizer.kind, "roles": tokenizer.roles, "size": tokenizer.vocabulary.size}
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / TOKENIZER, for_others(tokenizer).to_str(pretty=True))
    write(folder / BESIDE, json.dumps({**config_of(tokenizer), OURS: about}, ensure_ascii=False, indent=2) + "\n")


def bring(source: Path, merges: Path | None = None, *, confined: bool = False) -> tuple[Tokenizer, list[Sentence]]:
    """A published tokenizer, and what is worth knowing about it. ``source`` is a tokenizer.json, a vocab.json with the
    ``merges`` that belong to it, a vocab.txt, or a folder that holds such files. It is parsed in a child process, or
    here where this process is ``confined`` already.

    Raises SettingsError with one sentence if nothing honest can be made of them.
    """
    paths = [source, merges] if merges else files_of(source) if source.is_dir() else [source]
    size = sum(small(path, TOKENIZER_BYTES) for path in paths)
    parsed = parse([*map(str, paths)]) if confined else _parsed_apart(paths, size)
    about = _about(paths[0])
    if about["kind"] != IMPORTED:
        return Tokenizer(tokenizers.Tokenizer.from_str(parsed["tokenizer"]), about["kind"]), []
    roles, notes = completed(parsed["roles"])
    return Tokenizer(tokenizers.Tokenizer.from_str(parsed["tokenizer"]), IMPORTED, roles, parsed["size"]), notes


def of_model(
    source: Path, config: dict[str, Any], size: int, *, goes_on: bool = False
) -> tuple[Tokenizer, list[Sentence]]:
    """The tokenizer of a model with ``size`` ids and this ``config``, which lies in the same folder and ``goes_on``
    with a text or does not, and what is to be said about it. Raises SettingsError if nothing honest can be made of
    it."""
    paths = files_of(source)
    names = " + ".join(path.name for path in paths)
    what, bytes_ = (f"the folder's {names}", f"文件夹中的 {names}"), sum(small(path, TOKENIZER_BYTES) for path in paths)
    about = config, goes_on
    if paths[0].name == TOKENIZER:
        parsed = read_apart("lab.exchange.special_tokens:parse", str(paths[0]), *about, what=what, size=bytes_)
    else:
        parsed = read_apart("lab.exchange.tokenizer_parsing:parse", [*map(str, paths)], *about, what=what, size=bytes_)
    if parsed["size"] > size:
        raise SettingsError(
            f"the tokenizer has {parsed['size']:,} tokens and the model knows {size:,}",
            f"分词器有 {parsed['size']:,} 个词元，而模型只认识 {size:,} 个",
        )
    roles, notes = completed(parsed["roles"])
    return Tokenizer(tokenizers.Tokenizer.from_str(parsed["tokenizer"]), IMPORTED, roles, size), notes


def _parsed_apart(paths: list[Path], size: int) -> dict[str, Any]:
    names = " + ".join(path.name for path in paths)
    what = (names, names)
    parsed: dict[str, Any] = read_apart(
        "lab.exchange.tokenizer_parsing:parse", [*map(str, paths)], what=what, size=size
    )
    return parsed


def files_of(source: Path) -> list[Path]:
    """The files of a folder that make up a tokenizer: one document, or its parts."""
    if (source / TOKENIZER).is_file():
        return [source / TOKENIZER]
    if (source / VOCAB).is_file() and (source / MERGES).is_file():
        return [source / VOCAB, source / MERGES]
    if (source / PIECES).is_file():
        return [source / PIECES]
    raise SettingsError(
        f"{source} holds neither {TOKENIZER} nor {VOCAB} with {MERGES} nor {PIECES}",
        f"{source} 中既没有 {TOKENIZER}，也没有 {VOCAB} 与 {MERGES}，也没有 {PIECES}",
    )


def published_files_of(source: Path) -> list[Path]:
    """The same, and those that stand beside a vocabulary, where there are any."""
    files = files_of(source)
    beside = [] if files[0].name == TOKENIZER else [source / name for name in FILES]
    return [*files, *(path for path in beside if path.is_file())]


def _about(path: Path) -> dict[str, Any]:
    """What the lab wrote beside a tokenizer of its own."""
    beside = path.with_name(BESIDE)
    try:
        document = json.loads(beside.read_text(encoding="utf-8"))[OURS] if small(beside, 2**20) else {}
        return {"kind": document["kind"] if document["kind"] in TOKENIZERS.names() else IMPORTED}
    except (OSError, ValueError, KeyError, TypeError, RecursionError, SettingsError):
        return {"kind": IMPORTED}
