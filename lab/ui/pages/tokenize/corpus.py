"""The corpus that the tokenizers of the Tokenize page learn from: one of the lab's, an upload or a pasted text.

An upload is kept when it comes. ``file`` is then its mark and the visitor's name for it, with a space between them.
"""

from pathlib import Path
from typing import Any

import gradio as gr

from lab.catalog import CORPORA
from lab.serve import tokenizers
from lab.serve.uploads import keep_pasted, keep_texts, kept
from lab.settings import SettingsError
from lab.ui.shell.forms import kept_label
from lab.ui.words import say, titled

CORPUS, VOCABULARY = "town", 2000  # what the page opens with; these tokenizers come with the lab
SMALLEST, WIDEST = 300, 50_000


def keep(path: str) -> str:
    """Keep an upload; of a table, its texts."""
    size, name = Path(path).stat().st_size, Path(path).name[-80:]
    if size > tokenizers.LARGEST:
        raise SettingsError(
            f"the file has {size >> 20} MB; at most {tokenizers.LARGEST >> 20} MB are read here: give a part of it",
            f"文件有 {size >> 20} MB，这里最多读取 {tokenizers.LARGEST >> 20} MB：请只提供其中一部分",
        )
    return f"{keep_texts(path, name)['mark']} {name}"


def still_kept(file: str) -> Any:
    """After a reload the box for a file is empty, and yet what lay in it is used: it says which file that is."""
    return kept_label(file.partition(" ")[2]) if file else gr.skip()


def awaited(corpus: str, file: str, pasted: str) -> Any:
    """What a visitor is asked for who has chosen a text of their own and not brought it yet."""
    if corpus == "file" and not file:
        return say("tokenize.file.choose")
    return say("tokenize.pasted.choose") if corpus == "pasted" and not pasted.strip() else None


def title_of(corpus: str, file: str) -> Any:
    """What the corpus is called, if there is one."""
    if corpus == "file":
        return file.partition(" ")[2]
    if corpus == "pasted":
        return say("tokenize.paste")
    if corpus not in built_in():
        raise SettingsError("there is no such corpus", "没有这个语料")
    return titled(CORPORA[corpus])


def source_of(corpus: str, file: str, pasted: str) -> tuple[str, dict[str, Any]]:
    """The corpus and its settings; a text of the visitor's own is kept first."""
    if corpus == "pasted":
        return "file", {"path": str(kept(keep_pasted(pasted)["mark"]))}
    if corpus == "file":
        return "file", {"path": str(kept(file.partition(" ")[0]))}
    return corpus, {}


def named(corpus: str, file: str, pasted: str) -> tuple[str, dict[str, Any], Any]:
    """The corpus, its settings and what it is called."""
    title = title_of(str(corpus), file)
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
