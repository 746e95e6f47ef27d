"""``corpus``: what is in a corpus, and, where one is named, a file with its documents, one a row."""

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from lab.analysis.corpus_statistics import CorpusStatistics
from lab.batch import Document
from lab.cli.answer import Answer, many, table
from lab.cli.flags import A_CORPUS, Parser, add_corpus, corpus_of, more_flags, settings
from lab.corpora.files.table import record_of
from lab.corpora.town.posterior import BestGuess
from lab.corpora.town_stories import Tongue, Town, best_guess
from lab.settings import Settings, SettingsError

LANGUAGES: dict[str, Tongue] = {"town_en": "en", "town_zh": "zh"}
MASKED: dict[Tongue, str] = {"en": "masked word", "zh": "masked character"}  # what the posterior is of


def corpus_flags(parser: Parser, words: Sequence[str]) -> None:
    """The flags of ``corpus``."""
    parser.epilog = more_flags("the corpus")
    parser.add_argument("--corpus", default="town_en", metavar="C", help=A_CORPUS)
    parser.add_argument("--out", default="", metavar="FILE", help="write the documents there as JSON lines, one a row")
    parser.add_argument("--append", action="store_true", help="to what the file holds already: so corpora are mixed")
    parser.add_argument(
        "--longest", type=int, default=0, metavar="N", help="cut documents of more than N characters at ends of lines"
    )
    parser.add_argument(
        "--posterior",
        type=int,
        default=0,
        metavar="N",
        help="also say how well a masked word of the town can be predicted at best, given the rest of "
        "its story: by the exact posterior, over the words of N stories, each masked in turn",
    )
    add_corpus(parser, words, "--corpus")


def corpus(asked: Namespace) -> Answer:
    """Statistics of the corpus; its documents are written where a file is named."""
    if asked.append and not asked.out:
        raise SettingsError("--append: name the file with --out", "--append：请用 --out 指定文件")
    for name in ("longest", "posterior"):
        if getattr(asked, name) < 0:
            raise SettingsError(f"--{name} is below 0", f"--{name} 小于 0")
    entry, also = corpus_of(asked.corpus)
    chosen = entry.settings.load(settings(entry, asked, "corpus", **also))
    guess = _best_guess(asked.corpus, chosen, asked.posterior)
    documents = entry.build(chosen)
    parts = [part for document in documents for part in shortened(document, asked.longest)]
    if asked.out:
        _write(parts, Path(asked.out), append=asked.append)
    statistics = CorpusStatistics.of(parts)
    document = {
        "corpus": asked.corpus,
        **statistics.dump(),
        "posterior": guess and asdict(guess),
        "out": asked.out or None,
    }
    posterior = (MASKED[LANGUAGES[asked.corpus]], guess) if guess is not None else None
    return Answer(document, _readable(statistics, posterior, asked.out))


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
    open_line = file.is_file() and _ends_within_a_line(file)
    with file.open("a", encoding="utf-8") as rows:
        rows.write("\n" * open_line)
        rows.writelines(
            json.dumps({"text": document.text}, ensure_ascii=False) + "\n"
            for document in documents
            if document.text.strip()
        )


def _ends_within_a_line(file: Path) -> bool:
    """Whether the last row of a file of JSON lines has no line end. Raises SettingsError where one is no object."""
    row = b"\n"
    with file.open("rb") as rows:
        for number, row in enumerate(rows, 1):
            try:
                if row.strip():
                    record_of(number, row)
            except SettingsError:
                raise SettingsError(
                    f"{str(file)!r} holds no JSON lines (line {number}): nothing can be appended to it",
                    f"{str(file)!r} 不是 JSON Lines 文件（第 {number} 行）：不能追加",
                ) from None
    return not row.endswith(b"\n")


def _best_guess(name: str, chosen: Settings, stories: int) -> BestGuess | None:
    """How well words of the town can be guessed. Raises SettingsError for a corpus whose rules nobody knows."""
    if stories <= 0:
        return None
    if name not in LANGUAGES or not isinstance(chosen, Town):
        raise SettingsError(
            f"the posterior is known of {' and '.join(LANGUAGES)} alone, not of {name}",
            f"只有 {'、'.join(LANGUAGES)} 的后验概率是已知的，{name} 的未知",
        )
    return best_guess(chosen, LANGUAGES[name], stories)


def _readable(statistics: CorpusStatistics, posterior: tuple[str, BestGuess] | None, out: str) -> str:
    letters = max(statistics.chinese + statistics.latin, 1)
    rows = [
        ["documents", f"{statistics.documents:,}", f"{statistics.duplicates:,} of them duplicates"],
        ["characters", f"{statistics.characters:,}", f"{statistics.size:,} bytes in UTF-8"],
        ["lines", f"{statistics.lines:,}", f"the longest has {many(statistics.longest_line, 'character')}"],
        ["words", f"{statistics.words:,}", f"{statistics.kinds:,} different"],
        ["Chinese characters", f"{statistics.chinese:,}", f"{statistics.different:,} different"],
        ["letters", f"{statistics.chinese + statistics.latin:,}", f"{statistics.chinese / letters:.0%} Chinese"],
    ]
    if statistics.nats is not None:
        each = [statistics.nats / max(count, 1) for count in (statistics.characters, statistics.size)]
        rows.append(
            ["entropy", f"{statistics.nats:,.0f} nats", "{:.4f} nats per character, {:.4f} per byte".format(*each)]
        )
    if posterior is not None:
        masked, guess = posterior
        share, nats = guess.right / guess.words, guess.nats / guess.words
        rows.append([masked, f"{share:.1%} right", f"at best, of {guess.words:,}; {nats:.4f} nats each"])
    return table(rows) + (f"\nwritten to {out}" if out else "")
