"""``bench``: the benchmarks by name, and one of them run."""

import sys
from argparse import Namespace
from collections.abc import Sequence

from lab.catalog import BENCHMARKS
from lab.cli.answer import Answer, table
from lab.cli.flags import A_CORPUS, Parser, add_settings, corpus_of, more_flags, settings
from lab.cli.interrupting import terminable


def bench_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.epilog = more_flags("the benchmark")
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"one of: {', '.join(BENCHMARKS.names())}")
    parser.add_argument("--corpus", default="town_en", metavar="C", help=A_CORPUS)
    for word in words:
        if word in BENCHMARKS:
            add_settings(parser, "benchmark", f"benchmark {word}", BENCHMARKS[word].settings, short=True)


def bench(asked: Namespace) -> Answer:
    """The list, or the figures of one benchmark."""
    if asked.name is None:
        rows = [{"name": entry.name, "title": entry.title, "summary": entry.summary} for entry in BENCHMARKS]
        return Answer({"benchmarks": rows}, table([[row["name"], row["summary"]] for row in rows]))
    entry = BENCHMARKS[asked.name]
    corpus, also = corpus_of(asked.corpus)
    chosen = (corpus.name, corpus.settings.load(also).dump())
    values = entry.settings.load(settings(entry, asked, "benchmark"))
    with terminable():
        document, lines = entry.build(chosen, values, lambda line: print(line, file=sys.stderr))
    return Answer(document, "\n".join(lines))
