"""A pasted corpus: what the visitor has typed or pasted is one document."""

from dataclasses import dataclass

from lab.batch import Document
from lab.catalog import CORPORA
from lab.settings import Settings, SettingsError, knob


@dataclass(frozen=True, kw_only=True)
class Pasted(Settings):
    text: str = knob("", "Text", "文字")


@CORPORA.add(
    "pasted",
    title="Pasted text",
    zh=("粘贴的文字", "把输入或粘贴的文字当作一篇文档。"),
    settings=Pasted,
    order=6,
    labelled=False,
)
def pasted(s: Pasted) -> list[Document]:
    """Text that you type or paste, as one document."""
    if not s.text.strip():
        raise SettingsError("the text is empty: paste some text, or give --text", "文字为空：请粘贴一些文字")
    return [Document(s.text)]
