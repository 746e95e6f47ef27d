"""``corpus``: what is in a corpus, and, where one is named, a file with its documents, one a row."""

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from lab.analysis.corpus_statistics import CorpusStatistics
from lab.batch import Document
from lab.cli.answer import Answer, table
from lab.cli.flags import A_CORPUS, Parser, add_corpus, corpus_of, settings
from lab.settings import SettingsError


def corpus_flags(parser: Parser, words: Sequence[str]) -> None:
    """The flags of ``corpus``."""
    parser.add_argument("--corpus", default="town_en", metavar="C", help=A_CORPUS)
    parser.add_argument("--out", default="", metavar="FILE", help="write the documents there as JSON lines, one a row")
    parser.add_argument("--append", action="store_true", help="to what the file holds already: so corpora are mixed")
    parser.add_argument(
        "--longest", type=int, default=0, metavar="N", help="cut documents of more than N characters at ends of lines"
    )
    add_corpus(parser, words, "--corpus")


def corpus(asked: Namespace) -> Answer:
    """Statistics of the corpus; its documents are written where a file is named."""
    entry, also = corpus_of(asked.corpus)
    documents = entry.build(entry.settings.load(settings(entry, asked, "corpus", **also)))
    parts = [part for document in documents for part in shortened(document, asked.longest)]
    if asked.out:
        _write(parts, Path(asked.out), append=asked.append)
    found = CorpusStatistics.of(parts)
    return Answer({"corpus": asked.corpus, **found.dump(), "out": asked.out or None}, _readable(found, asked.out))


def shortened(document: Document, longest: int) -> Iterator[Document]:
    """The document, or, if it has more characters, the runs of its lines that have so many at most; a longer line is a
    run of its own."""
    if longest <= 0 or len(document.text) <= longest:
        yield document
        return
    run: list[str] = []
    size = 0
    for line in document.text.split("\n"):
        if run and size + len(line) + 1 > longest:
            yield Document("\n".join(run), document.label)
            run, size = [], 0
        run.append(line)
        size += len(line) + 1
    yield Document("\n".join(run), document.label)


def _write(documents: Sequence[Document], file: Path, *, append: bool) -> None:
    if file.exists() and not append:
        raise SettingsError(
            f"there is a file {str(file)!r} already: name another, or give --append",
            f"文件 {str(file)!r} 已经存在：请换一个名字，或加上 --append",
        )
    with file.open("a", encoding="utf-8") as rows:
        rows.writelines(
            json.dumps({"text": document.text}, ensure_ascii=False) + "\n"
            for document in documents
            if document.text.strip()
        )


def _readable(found: CorpusStatistics, out: str) -> str:
    letters = max(found.chinese + found.latin, 1)
    rows = [
        ["documents", f"{found.documents:,}", f"{found.duplicates:,} of them duplicates"],
        ["characters", f"{found.characters:,}", f"{found.size:,} bytes in UTF-8"],
        ["lines", f"{found.lines:,}", f"the longest has {found.longest_line:,} characters"],
        ["words", f"{found.words:,}", f"{found.kinds:,} different"],
        ["Chinese characters", f"{found.chinese:,}", f"{found.different:,} different"],
        ["letters", f"{found.chinese + found.latin:,}", f"{found.chinese / letters:.0%} Chinese"],
    ]
    if found.nats is not None:
        per_character = found.nats / max(found.characters, 1)
        rows.append(["entropy", f"{found.nats:,.0f} nats", f"{per_character:.4f} nats per character"])
    return table(rows) + (f"\nwritten to {out}" if out else "")
