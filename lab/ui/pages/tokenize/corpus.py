"""The corpus that the tokenizers of the Tokenize page learn from: one of the lab's, an upload or a pasted text."""

from pathlib import Path
from typing import Any

from lab.catalog import CORPORA
from lab.serve import tokenizers
from lab.serve.uploads import keep_file, keep_pasted, kept
from lab.settings import SettingsError
from lab.ui.words import pair, say

CORPUS, VOCABULARY = "town", 2000  # what the page opens with; these tokenizers come with the lab
SMALLEST, WIDEST = 300, 50_000


def title_of(corpus: str, file: str | None, pasted: str) -> Any:
    """What the corpus is called, if there is one."""
    if corpus == "file":
        if not file:
            raise SettingsError("choose a text file to learn from", "请选择一个用来学习的文本文件")
        return Path(file).name
    if corpus == "pasted":
        if not pasted.strip():
            raise SettingsError("paste some text to learn from", "请粘贴一些用来学习的文字")
        return say("tokenize.paste")
    if corpus not in built_in():
        raise SettingsError("there is no such corpus", "没有这个语料")
    return pair(CORPORA[corpus].title, CORPORA[corpus].title_zh)


def source_of(corpus: str, file: str | None, pasted: str) -> tuple[str, dict[str, Any]]:
    """The corpus and its settings; a text of the visitor's own is kept first."""
    if corpus == "pasted":
        return "file", {"path": str(kept(keep_pasted(pasted)["mark"]))}
    if corpus != "file":
        return corpus, {}
    assert file
    size = Path(file).stat().st_size
    if size > tokenizers.LARGEST:
        raise SettingsError(
            f"the file has {size >> 20} MB; at most {tokenizers.LARGEST >> 20} MB are read here: give a part of it",
            f"文件有 {size >> 20} MB，这里最多读取 {tokenizers.LARGEST >> 20} MB：请只提供其中一部分",
        )
    return "file", {"path": str(kept(keep_file(file, Path(file).name)["mark"]))}


def named(corpus: str, file: str | None, pasted: str) -> tuple[str, dict[str, Any], Any]:
    """The corpus, its settings and what it is called."""
    title = title_of(str(corpus), file, str(pasted or ""))
    return *source_of(str(corpus), file, str(pasted or "")), title


def size_of(vocabulary: Any) -> int:
    """A vocabulary size that may be asked for here."""
    if not isinstance(vocabulary, int | float) or not SMALLEST <= vocabulary <= WIDEST:
        raise SettingsError(
            f"the vocabulary size must be from {SMALLEST} to {WIDEST}", f"词表大小须在 {SMALLEST} 到 {WIDEST} 之间"
        )
    return int(vocabulary)


def built_in() -> list[str]:
    """The corpora that come with the lab."""
    return [entry.name for entry in CORPORA if not set(entry.settings.knobs()) & {"path", "text"}]
