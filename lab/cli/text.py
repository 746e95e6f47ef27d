"""``tokenizer`` and ``corrupt``: what becomes of a text before a model reads it."""

import json
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lab.analysis.preview import Corrupted
from lab.analysis.preview import corrupt as corrupted
from lab.analysis.tokenizer_time import foretold
from lab.catalog import CORPORA, OBJECTIVES, TOKENIZERS
from lab.cli.answer import Answer, many, table
from lab.cli.bar import along
from lab.cli.flags import (
    A_CORPUS,
    Parser,
    add_corpus,
    add_settings,
    add_vocabulary,
    corpus_of,
    given,
    more_flags,
    peek,
    settings,
)
from lab.cli.sizes import sizes, sizes_flags
from lab.entries import ObjectiveEntry
from lab.exchange.headers import CONFIG, TOKENIZER
from lab.exchange.tokenizer_files import bring, keep
from lab.runs.files import must_be_makeable
from lab.runs.finding import find_run
from lab.runs.run import ANYWHERE, PACKINGS
from lab.serve import tokenizers
from lab.settings import SettingsError, nearest
from lab.spelling import spellings
from lab.tokenizer import Tokenizer

MOST = 10**9  # epochs and rows


def tokenizer_flags(parser: Parser, words: Sequence[str]) -> None:
    parts = parser.add_subparsers(dest="part", required=True, metavar="train|encode|import|sizes")
    command = parts.add_parser("sizes", description="What a corpus costs as the vocabulary grows, kind by kind.")
    sizes_flags(command, words)
    train = parts.add_parser("train", description="Train a tokenizer on a corpus and keep it in a folder.")
    train.epilog = more_flags("the kind", "the corpus")
    train.add_argument("--kind", default="byte_bpe", metavar="K", help=f"one of: {', '.join(TOKENIZERS.names())}")
    train.add_argument("--corpus", default="town_en", metavar="C", help=A_CORPUS)
    train.add_argument("--out", required=True, metavar="DIR", help="the folder to keep it in")
    add_vocabulary(train, peek(words, "--kind", "byte_bpe"))
    add_corpus(train, words, "--corpus")
    encode = parts.add_parser("encode", description="What a tokenizer makes of a text.")
    encode.add_argument("--tokenizer", required=True, metavar="DIR", help="a tokenizer's or a run's folder")
    encode.add_argument("--text", required=True, metavar="T", help="the text")
    bring = parts.add_parser("import", description="Keep a published tokenizer, which is parsed in a child process.")
    bring.add_argument("source", metavar="SOURCE", help="a tokenizer.json, vocab.json or vocab.txt, or their folder")
    bring.add_argument("--merges", metavar="FILE", help="the merges.txt that belongs to a vocab.json")
    bring.add_argument("--out", required=True, metavar="DIR", help="the folder to keep it in")


def tokenizer(asked: Namespace) -> Answer:
    """Train one, try one, bring one from elsewhere, or see what each size costs."""
    return {"train": _train, "encode": _encode, "import": _import, "sizes": sizes}[asked.part](asked)


def _train(asked: Namespace) -> Answer:
    _unused(asked.out)
    kind = TOKENIZERS[asked.kind]
    values = kind.settings.load(given(asked, "tokenizer"))
    corpus, also = corpus_of(asked.corpus)
    documents = corpus.build(corpus.settings.load(settings(corpus, asked, "corpus", **also)))
    texts = [document.text for document in documents]
    expected = foretold(lambda part: kind.build(part, values), texts)
    print(expected.en, file=sys.stderr)
    started = time.perf_counter()
    with along(expected.seconds, kind.title):
        trained: Tokenizer = kind.build(texts, values)
    seconds = time.perf_counter() - started
    keep(trained, Path(asked.out))
    size, wanted = trained.vocabulary.size, values.dump().get("vocabulary", 0)
    fewer = f" (of {wanted:,}: the text gives no more)" if size < wanted else ""
    return Answer(
        {"tokenizer": asked.out, "kind": trained.kind, "vocabulary": size, "seconds": round(seconds, 2)},
        f"{kind.title} with {size:,} tokens{fewer}, learnt in {seconds:.1f} s, kept in {asked.out}",
    )


def _import(asked: Namespace) -> Answer:
    _unused(asked.out)
    source = Path(asked.source)
    for path in (source, Path(asked.merges or asked.source)):
        if not path.exists():
            raise SettingsError(f"there is no file {str(path)!r}", f"找不到文件 {str(path)!r}")
    tokenizer, notes = bring(source, Path(asked.merges) if asked.merges else None)
    keep(tokenizer, Path(asked.out))
    remarks = [en for en, _ in notes]
    document = {
        "tokenizer": asked.out,
        "kind": tokenizer.kind,
        "vocabulary": tokenizer.vocabulary.size,
        "notes": remarks,
    }
    return Answer(document, "\n".join([f"{tokenizer.vocabulary.size:,} tokens, kept in {asked.out}", *remarks]))


def _unused(out: str) -> None:
    """Raises SettingsError where a tokenizer, a run or a model lies already: its ids would mean other tokens."""
    must_be_makeable(Path(out))
    for name in (TOKENIZER, "run.json", CONFIG):
        if (Path(out) / name).exists():
            raise SettingsError(
                f"there is a {name} in {out} already: choose another folder", f"{out} 中已有 {name}：请另选文件夹"
            )


def _encode(asked: Namespace) -> Answer:
    tokenizer = tokenizer_of(asked.tokenizer)
    ids = tokenizer.encode(asked.text)
    tokens = spellings(tokenizer.pieces(ids))
    unknown = int((ids == tokenizer.vocabulary.unknown).sum())
    document = {
        "tokens": tokens,
        "ids": ids.tolist(),
        "unknown": unknown,
        "decoded": tokenizer.decode(ids, begins=True),
    }
    shown = " ".join(token.replace(" ", "·").replace("\n", "⏎") for token in tokens)
    return Answer(
        document, f"{shown}\n{many(len(ids), 'token')} for {many(len(asked.text), 'character')}, {unknown} unknown"
    )


def tokenizer_of(word: str) -> Tokenizer:
    """A tokenizer that the lab kept: the file, its folder, a run's folder, or the name of a run or of a tokenizer that
    comes with the lab."""
    path = Path(word)
    if not path.exists() and (named := _named(word)):
        return named
    path = path / "tokenizer.json" if path.is_dir() else path
    if not path.is_file():
        if word in TOKENIZERS:
            raise SettingsError(
                f"{word} is a kind of tokenizer: train one with 'tokenizer train --kind {word}' and name its folder",
                f"{word} 是分词器的种类：请先用 tokenizer train --kind {word} 训练，再给出其文件夹",
            )
        meant = nearest(word, TOKENIZERS.names())
        raise SettingsError(f"there is no tokenizer in {word!r}{meant[0]}", f"{word!r} 中没有分词器{meant[1]}")
    try:
        document = path.read_text(encoding="utf-8")
        if "tokenizer" in json.loads(document):
            return Tokenizer.load(document)
    except Exception:  # the library raises nothing narrower
        raise SettingsError(
            f"{path} is not a tokenizer that the lab has kept", f"{path} 不是本实验室保存的分词器"
        ) from None
    return bring(path)[0]


def _named(word: str) -> Tokenizer | None:
    """The tokenizer of a run, or one that comes with the lab, by its name."""
    for kept in (lambda: find_run(word).tokenizer(), lambda: tokenizers.load(word)):
        try:
            return kept()
        except SettingsError:
            continue
    return None


_PACKING = "cut into rows anywhere, or as RoBERTa does: full_sentences or doc_sentences; a blank line ends a document"


def corrupt_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.epilog = more_flags("the objective")
    parser.add_argument("--objective", required=True, metavar="O", help=f"one of: {', '.join(OBJECTIVES.names())}")
    parser.add_argument("--text", required=True, metavar="T", help="the text")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the random seed: another one draws another exercise (0)"
    )
    parser.add_argument(
        "--epoch", type=int, default=0, metavar="N", help="the epoch: how often the text was read before (0)"
    )
    parser.add_argument("--tokenizer", metavar="DIR", help="a tokenizer's or a run's folder; a small one if left out")
    parser.add_argument("--packing", metavar="P", default=ANYWHERE, choices=PACKINGS, help=_PACKING)
    parser.add_argument("--row", type=int, default=0, metavar="N", help="which row of a text that has several (0)")
    parser.add_argument("--tokens", type=int, default=512, metavar="N", help="tokens in a row, special ones too (512)")
    if peek(words, "--objective") in OBJECTIVES:
        add_settings(parser, "objective", "objective", OBJECTIVES[peek(words, "--objective")].settings)


def corrupt(asked: Namespace) -> Answer:
    """Shown, visible, asked and answers, as positions and ids."""
    objective = OBJECTIVES[asked.objective]
    values = settings(objective, asked, "objective")
    tokenizer = tokenizer_of(asked.tokenizer) if asked.tokenizer else _usual(asked.text)
    if asked.tokens < 8:
        raise SettingsError(f"tokens {asked.tokens} is below 8", f"tokens {asked.tokens} 小于 8")
    for name in ("epoch", "row"):
        if not 0 <= getattr(asked, name) <= MOST:
            raise SettingsError(f"--{name}: 0 to {MOST:,}", f"--{name}：0 到 {MOST:,}")
    if asked.row and asked.packing == ANYWHERE:
        raise SettingsError(
            "--row is of a text that is packed: give --packing, too", "--row 用于打包成多行的文本：请同时给出 --packing"
        )
    how = {"row": asked.row, "longest": asked.tokens, "packing": asked.packing}
    result = corrupted(asked.text, objective, tokenizer, values, seed=asked.seed, epoch=asked.epoch, **how)
    exercise = result.exercise
    places = np.flatnonzero(exercise.asked[0])
    document = {
        "tokens": spellings(result.tokenizer.pieces(result.original)),
        "ids": result.original.tolist(),
        "shown": exercise.shown[0].tolist(),
        "asked": places.tolist(),
        "answers": exercise.answers[0][places].tolist(),
        "visible": exercise.visible if isinstance(exercise.visible, str) else exercise.table().tolist(),
        "segments": None if exercise.segments is None else exercise.segments[0].tolist(),
        "source": None if exercise.source is None else exercise.source[0].tolist(),
    }
    if result.pair is not None:
        document["pair"] = objective.answers[result.pair][0]
    return Answer(json.loads(json.dumps(document)), _readable(result, objective, document.get("pair")))


def _readable(result: Corrupted, objective: ObjectiveEntry, pair: str | None) -> str:
    exercise, asked = result.exercise, result.exercise.asked[0]
    if objective.pairs_tokens:
        pairs = many(int(exercise.table().sum()), "pair")
        return f"{' '.join(_names(result, exercise.shown[0]))}\n{pairs} of a token and a neighbour; nothing is masked"
    answers = [answer if here else "" for answer, here in zip(_names(result, exercise.answers[0]), asked, strict=True)]
    rows = [["shown", *_names(result, exercise.shown[0])], ["asked", *answers]]
    n = int((~result.tokenizer.vocabulary.is_special(result.original)).sum())
    last = f"the pair: {pair}" if pair is not None else f"{int(asked.sum())} of {n} tokens are asked"
    if exercise.source is not None:
        source, read = " ".join(_names(result, exercise.source[0])), exercise.source.shape[1]
        aligned = table([[*column] for column in zip(*rows, strict=True)])
        last = f"of {n} tokens the encoder reads {read}; the decoder writes {int(asked.sum())}"
        return f"source  {source}\n\n{aligned}\n{last}; all see the source, and each token those before it"
    if exercise.shown.shape[1] == len(result.original):
        rows.insert(0, ["text", *_names(result, result.original)])
    rules = {"all": "every token sees all", "causal": "every token sees those before it"}
    seen = rules[exercise.visible] if isinstance(exercise.visible, str) else "a table says who sees whom"
    return f"{table([[*column] for column in zip(*rows, strict=True)])}\n{last}; {seen}"


def _names(result: Corrupted, ids: NDArray[np.int64]) -> list[str]:
    return [text.replace("\n", "⏎") for text in spellings(result.tokenizer.pieces(ids))]


def _usual(text: str) -> Tokenizer:
    """A small tokenizer for whoever has none yet, trained on the built-in corpus of the text's script."""
    chinese = any("一" <= character <= "鿿" for character in text)
    corpus, kind = CORPORA["town_zh" if chinese else "town_en"], TOKENIZERS["byte_bpe"]
    tokenizer: Tokenizer = kind.build((document.text for document in corpus.build(corpus.settings())), kind.settings())
    return tokenizer
