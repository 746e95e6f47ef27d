"""``tokenizer sizes``: what a corpus costs in tokens and bits as the vocabulary grows, for every kind of tokenizer."""

import sys
from argparse import Namespace
from collections.abc import Sequence

from tqdm import tqdm

from lab.analysis.vocabulary_sweep import VocabularySweep, sweep
from lab.catalog import TOKENIZERS
from lab.cli.answer import Answer, table
from lab.cli.flags import A_CORPUS, Parser, add_corpus, corpus_of, more_flags, settings


def sizes_flags(parser: Parser, words: Sequence[str]) -> None:
    kinds = ", ".join(TOKENIZERS.names())
    parser.epilog = more_flags("the corpus")
    parser.add_argument("--kind", default="", metavar="K", help=f"one of: {kinds}; all if left out")
    parser.add_argument("--corpus", default="town_en", metavar="C", help=A_CORPUS)
    add_corpus(parser, words, "--corpus")


def sizes(asked: Namespace) -> Answer:
    """The costs of each size on the last tenth of the corpus, which no tokenizer has learnt from."""
    kinds = [TOKENIZERS[asked.kind]] if asked.kind else list(TOKENIZERS)
    corpus, also = corpus_of(asked.corpus)
    documents = corpus.build(corpus.settings.load(settings(corpus, asked, "corpus", **also)))
    with tqdm(kinds, desc="curves", unit="kind", file=sys.stderr, dynamic_ncols=True, delay=0.5) as bar:
        sweeps = [sweep(kind, documents) for kind in bar]
    document = {"corpus": asked.corpus, "curves": [curve.dump() for curve in sweeps]}
    return Answer(document, "\n\n".join(map(_readable, sweeps)))


def _readable(swept: VocabularySweep) -> str:
    head = ["tokens", "tokens per character", "bits per byte", "lost"]
    rows = [
        [f"{point.size:,}", f"{point.tokens:.3f}", f"{point.bits:.3f}", f"{point.lost:.1%}"] for point in swept.points
    ]
    last = "the corpus has no more" if swept.ends else "and so on"
    return f"{TOKENIZERS[swept.kind].title}\n{table([head, *rows])}\n{last}"
