"""A corpus from the visitor's own text: one file, or a folder of .txt and .md files, each of them one document.

The encoding is found safely: what is not certainly text is refused in one sentence rather than read as garbage.
"""

import codecs
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.batch import Document
from lab.catalog import CORPORA
from lab.settings import Settings, SettingsError, knob

log = logging.getLogger("lab.corpora")

MEGABYTE = 1_000_000
MOST_MEGABYTES = 1_000_000
LARGE = 50  # megabytes from which on a run reads its text piece by piece
WHOLE = 2000  # megabytes that may be read at once all the same
MOST_FILES = 20_000  # in a folder, texts or not: a whole disk is named by mistake
_SUFFIXES = (".txt", ".md")
_BOMS = (  # the longer first: the mark of UTF-32 begins like that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = dict.fromkeys([*range(0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20), *range(0x7F, 0xA0)])
_SAMPLE = 100_000
# Hardly a Chinese sentence does without one of these, simplified or traditional.
_COMMON = frozenset(
    "的一是了我不人在他有这这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学"
    "么之都好看起发当没成只如事把还用第样道想作种开這個們來時為說國著裡後會過對學麼發沒樣還種開何無其者日月山水花春風风"
)


@dataclass(frozen=True, kw_only=True)
class TextFile(Settings):
    path: str = knob("", "Path of a text file or folder", "文本文件或文件夹的路径")
    megabytes: int = knob(200, "Largest size in megabytes", "大小上限（兆字节）", low=1, high=MOST_MEGABYTES, step=1)


def large_files(s: TextFile) -> dict[Path, str] | None:
    """The files and their encodings, where the text is too large to be held: it is then read piece by piece."""
    path = existing(s.path)
    files = [*_texts_in(path)] if path.is_dir() else [path]
    size = sum(file.stat().st_size for file in files)
    if size > s.megabytes * MEGABYTE:
        raise _too_large(path, s.megabytes)
    return {file: encoding_of(file) for file in files} if size > LARGE * MEGABYTE else None


@CORPORA.add(
    "file",
    title="Text file or folder",
    zh=("文本文件或文件夹", "读取自己的文本文件，或一个文件夹中的全部 .txt 与 .md 文件，每个文件为一篇。"),
    settings=TextFile,
    order=4,
    labelled=False,
    large=large_files,
)
def text_file(s: TextFile) -> list[Document]:
    """Your own text: a file, or all .txt and .md files of a folder, each of them one document."""
    path, megabytes = existing(s.path), min(s.megabytes, WHOLE)
    if not path.is_dir():
        return [Document(read_text(path, megabytes))]
    documents, left, passed = [], megabytes * MEGABYTE, []
    for file in _texts_in(path):
        try:
            data = _read(file, left)
            if data is None:
                raise _too_large(path, megabytes)
            text = decode(data, file)
        except _Unreadable:
            passed.append(file.relative_to(path).as_posix())
            continue
        left -= len(data)
        if text:
            documents.append(Document(text))
    if passed:
        log.warning("%d files of %r are no text and were passed over: %s", len(passed), s.path, ", ".join(passed[:5]))
    if not documents:
        raise SettingsError(
            f"the folder {s.path!r} holds no .txt or .md file with text in it",
            f"文件夹 {s.path!r} 中没有含文字的 .txt 或 .md 文件",
        )
    return documents


class _Unreadable(SettingsError):
    """A file that is no text, or cannot be opened: of a folder it is passed over."""


def existing(path: str) -> Path:
    """The path, if there is something that can be read as a file or a folder."""
    if not path:
        raise SettingsError("the path is empty; name a file", "路径为空，请指定一个文件")
    file = Path(path)
    try:
        if file.is_file() or file.is_dir():
            return file
        there, piped = file.exists(), file.is_fifo()
    except (OSError, ValueError):  # a name too long, a zero byte in the name
        there = piped = False
    if piped:
        raise SettingsError(
            f"{path!r} is a pipe, and what is in it is read more than once: write it to a file and name that",
            f"{path!r} 是管道，而其中的内容需要读取多次：请先写入文件，再指定该文件",
        )
    if there:
        raise SettingsError(f"{path!r} is neither a file nor a folder", f"{path!r} 既不是文件也不是文件夹")
    raise SettingsError(f"there is no file {path!r}", f"找不到文件 {path!r}")


def read_text(path: Path, megabytes: int) -> str:
    """The text of one file; a sentence where it is too large, not text or empty."""
    data = _read(path, megabytes * MEGABYTE)
    if data is None:
        raise _too_large(path, megabytes)
    text = decode(data, path)
    if not text:
        raise SettingsError(f"{str(path)!r} is empty", f"{str(path)!r} 是空文件")
    return text


def decode(data: bytes, path: Path) -> str:
    """The text that the bytes hold, line ends as one line feed each; nothing where there is only white space."""
    text, encoding = _decoded(data)
    if text is None:
        raise _Unreadable(
            f"the encoding of {str(path)!r} is unknown; save it as UTF-8",
            f"无法识别 {str(path)!r} 的编码，请将其另存为 UTF-8",
        )
    sample = text[:_SAMPLE]
    controls = len(sample) - len(sample.translate(_CONTROLS))
    if "\0" in text or controls * 10 > len(sample):
        raise _Unreadable(
            f"{str(path)!r} is a binary file, not a text file", f"{str(path)!r} 是二进制文件，不是文本文件"
        )
    if encoding not in ("utf-8", "utf-8-sig"):
        log.warning("%r is read as %s", str(path), encoding.upper())
    return text.replace("\r\n", "\n").replace("\r", "\n") if text.strip() else ""


def encoding_of(path: Path) -> str:
    """The encoding that the beginning of a file speaks for, by the rules of ``decode``; UTF-8 where nothing does."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    texts = {encoding: _beginning(head, encoding) for encoding in ("utf-8", "gb18030")}
    chinese = texts["utf-8"] is None and texts["gb18030"] and _looks_chinese(texts["gb18030"])
    return "gb18030" if chinese else "utf-8"


def _beginning(head: bytes, encoding: str) -> str | None:
    """As ``_strictly``, of bytes that may end inside a character."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return None


def _decoded(data: bytes) -> tuple[str | None, str]:
    """By its byte order mark, else as UTF-8, else as GB18030 if that gives Chinese; None where nothing fits. And which
    encoding that is."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _strictly(data, encoding), encoding
    text = _strictly(data, "utf-8")
    if text is None and b"\0" in data:
        return data.decode("latin-1"), "latin-1"  # a binary file, which the caller refuses as such
    if text is None:
        text = _strictly(data, "gb18030")
        return text if text and _looks_chinese(text) and not _is_mixed(data) else None, "gb18030"
    return text, "utf-8"


def _is_mixed(data: bytes) -> bool:
    """Whether a line of what may be GB18030 says something in Chinese as UTF-8 and nothing as GB18030."""
    foreign = (line for line in data.split(b"\n") if not line.isascii())
    texts = ((_strictly(line, "utf-8"), _strictly(line, "gb18030")) for line in foreign)
    return any(utf8 and _looks_chinese(utf8) and not (gb and _looks_chinese(gb)) for utf8, gb in texts)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _looks_chinese(text: str) -> bool:
    """GB18030 gives some character for almost any bytes; of real text, many are among the most common ones."""
    foreign = [character for character in text[:_SAMPLE] if character > "\x7f"]
    common = sum(character in _COMMON for character in foreign)
    written = sum("\u2010" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef" for character in foreign)
    return common * 25 >= len(foreign) and written * 10 >= len(foreign) * 9


def _read(path: Path, limit: int) -> bytes | None:
    """The bytes of the file, or None where they are more than the limit."""
    try:
        if path.stat().st_size > limit:
            return None
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise _Unreadable(
            f"{str(path)!r} cannot be read: {error.strerror}", f"无法读取 {str(path)!r}：{error.strerror}"
        ) from None
    return data if len(data) <= limit else None


def _too_large(path: Path, megabytes: int) -> SettingsError:
    return SettingsError(
        f"{str(path)!r} is larger than the limit of {megabytes} MB", f"{str(path)!r} 超过了 {megabytes} MB 的上限"
    )


def _texts_in(folder: Path) -> Iterator[Path]:
    """The .txt and .md files below the folder, by name; a link that leads out of it is left alone."""
    inside, files, seen = folder.resolve(), list[Path](), 0
    for root, _, names in os.walk(folder):
        seen += len(names)
        if seen > MOST_FILES:
            raise SettingsError(
                f"the folder {str(folder)!r} holds more than {MOST_FILES:,} files: name a smaller one",
                f"文件夹 {str(folder)!r} 中的文件超过 {MOST_FILES:,} 个：请指定更小的文件夹",
            )
        files += [Path(root) / name for name in names if Path(name).suffix.lower() in _SUFFIXES]
    for path in sorted(files, key=lambda path: path.relative_to(folder).as_posix()):
        if path.is_file() and path.resolve().is_relative_to(inside):
            yield path
