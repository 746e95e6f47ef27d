"""``evaluate``, ``fill``, ``generate`` and ``neighbours``: what a run has learnt."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.batch import Document
from lab.catalog import SAMPLERS, TASKS
from lab.cli.answer import Answer, figure, figures, many, table
from lab.cli.by_embedding import by_embedding, by_embedding_flags, by_layer
from lab.cli.chosen import model_flags, model_of, run_flag
from lab.cli.flags import Parser, add_corpus, belong, corpus_of, peek, settings, value_of
from lab.cli.in_context import in_context, in_context_flags
from lab.cli.probing import probes_by_layer, probing, probing_flags
from lab.cli.run_named import run_named
from lab.cli.searching import search_flags, searched, searches
from lab.cli.text import tokenizer_of
from lab.corpora.labelled import Labelled, known_columns
from lab.data.reading import examples_in, renumbered
from lab.examples import Example
from lab.inference import decoding, predict
from lab.inference import neighbours as near
from lab.inference.model import Trained, load
from lab.inference.reduced_precision import PRECISIONS, in_precision
from lab.inference.sampling import sample
from lab.runs.files import write
from lab.runs.folder import TOKENIZER, RunFolder
from lab.runs.run import FLOAT32
from lab.settings import SettingsError
from lab.spelling import spellings, text_of
from lab.training.evaluate import evaluate as measured

_SAMPLER_HELP = (
    "what may be drawn, as NAME, NAME:VALUE or NAME:SETTING=VALUE,...; may be given several times and is applied in "
    "that order, as in --sampler temperature:0.8 --sampler top_k:40 (temperature:0.8)"
)


def evaluate_flags(parser: Parser, words: Sequence[str]) -> None:
    run_flag(parser)
    parser.epilog = "Name the run and the corpus to see the flags of the corpus, such as --part or --text-column."
    parser.add_argument("--corpus", metavar="C", help="held-out text; the validation set of its corpus if left out")
    parser.add_argument(
        "--stride",
        type=int,
        metavar="N",
        help="tokens from window to window, of a model that reads from left to right; the context less one if left out",
    )
    in_context_flags(parser)
    by_embedding_flags(parser)
    probing_flags(parser)
    run, corpus = peek(words, "--run"), peek(words, "--corpus")
    if run and corpus:
        asks = peek(words, "--in-context") or "--by-embedding" in words or peek(words, "--probe")
        add_corpus(parser, words, "--corpus", reader="labelled" if asks else _reader(run_named(run)))


def evaluate(asked: Namespace) -> Answer:
    """Loss in nats per asked token beside the yardsticks on the same questions."""
    folder = run_named(asked.run)
    trained = load(folder)
    if sum((asked.in_context is not None, asked.by_embedding, asked.probe is not None)) > 1:
        raise SettingsError(
            "give one of --in-context, --by-embedding and --probe", "--in-context、--by-embedding 与 --probe 只能给一个"
        )
    if asked.stride is not None and (asked.in_context is not None or asked.by_embedding or asked.probe is not None):
        raise SettingsError(
            "labelled texts are read whole: leave --stride out", "带标签的文本整篇读取：请去掉 --stride"
        )
    if asked.in_context is None and asked.seed is not None:
        raise SettingsError(
            "only --in-context draws examples: leave --seed out", "只有 --in-context 抽取示例：请去掉 --seed"
        )
    belong(["--in-context"], named=asked.in_context is not None, task=asked.task)
    if asked.in_context is not None:
        return Answer(found := in_context(asked, folder, trained), _beside(found))
    if asked.by_embedding:
        return Answer(found := by_embedding(asked, folder, trained), _beside(found, by_layer(found)))
    if asked.probe is not None:
        return Answer(found := probing(asked, folder, trained), _beside(found, probes_by_layer(found)))
    documents = _documents(asked, trained) if asked.corpus is not None else None
    document = measured(trained, folder, documents, asked.stride)
    rows = []
    if "interval" in document:
        score, within = document["interval"]["of"], document["interval"]
        rows.append([f"{score.replace('_', ' ')}, 95 %", f"{within['low']:.4g} to {within['high']:.4g}"])
    return Answer(document, _beside(document, rows) + _read(document.get("read")))


def _beside(document: dict[str, Any], more: Sequence[list[str]] = ()) -> str:
    """What was measured, and below it what there is to beat."""
    rows = [[name, figure(value)] for name, value in figures(document).items()]
    yardsticks = [[f"  {name}", figure(value)] for name, value in document["baselines"].items()]
    return table([*rows, *more, ["to beat", ""], *yardsticks])


def _read(read: dict[str, Any] | None) -> str:
    """What was measured, in one sentence."""
    if read is None:
        return ""
    part = "all of the corpus" if read["part"] == "all" else "the validation part of its corpus"
    step = f", {read['stride']:,} apart" if read["stride"] else ""
    size = f"{many(read['documents'], 'text')} with {many(read['tokens'], 'token')}"
    windows = f"{many(read['windows'], 'window')} of at most {many(read['longest'], 'token')}"
    recurring = (
        f"\n{read['recurring']:.1%} of its sentences stand in what it learnt from"
        if "recurring" in read
        else "\nwhat the run learnt from is not here: the baselines are counted on the rest of this text"
    )
    return f"\nread {part}: {size}, in {windows}{step}{recurring}"


def _documents(asked: Namespace, trained: Trained) -> Sequence[Document | Example]:
    """The corpus to measure on. Classes are numbered as the run numbers them, by name."""
    corpus, also = corpus_of(asked.corpus, "labelled" if trained.run.task else "file")
    values = corpus.settings.load(settings(corpus, asked, "corpus", **also))
    if isinstance(values, Labelled) and trained.run.corpus == corpus.name:  # more of what the run learnt from
        also |= known_columns(values, trained.run.settings_of("corpus"))
        values = corpus.settings.load(settings(corpus, asked, "corpus", **also))
    if trained.run.task:
        return renumbered(examples_in(corpus, values, TASKS[trained.run.task]), trained.labels)
    documents: list[Document] = corpus.build(values)
    return documents


def _reader(folder: RunFolder) -> str:
    return "labelled" if folder.run.task else "file"


def fill_flags(parser: Parser, words: Sequence[str]) -> None:
    model_flags(parser)
    parser.add_argument("--text", required=True, metavar="T", help='a text with masked tokens: "the [MASK] sat"')
    parser.add_argument("--best", type=int, default=5, metavar="N", help="how many predictions for each [MASK] (5)")


def fill(asked: Namespace) -> Answer:
    """The best guesses for each gap."""
    if asked.best < 1:
        raise SettingsError(f"best {asked.best} is below 1", f"best {asked.best} 小于 1")
    trained = model_of(asked)
    gaps = predict.fill(trained, asked.text, asked.best, predict.LONGEST_GAP)
    there, read = predict.gaps_of(trained, asked.text)
    document = {"gaps": [[_noted(guess) for guess in gap] for gap in gaps]}
    guesses = [", ".join(map(_said, gap)) for gap in gaps]
    lines = [f"gap {number}: {line}" for number, line in enumerate(guesses, 1)]
    if read < there:
        lines.append(f"not read: {there - read} of {there} [MASK], beyond the {trained.context} tokens of the context")
    return Answer({**document, "unread": there - read}, "\n".join(lines))


def _noted(guess: predict.Guess) -> dict[str, Any]:
    noted = {"token": guess.token, "probability": guess.probability}
    return {**noted, "begins": True} if guess.begins else noted


def _said(guess: predict.Guess) -> str:
    return f"{guess.token.strip() or repr(guess.token)}{'…' * guess.begins} {guess.probability:.1%}"


def generate_flags(parser: Parser, words: Sequence[str]) -> None:
    model_flags(parser)
    parser.add_argument("--prompt", default="", metavar="P", help="the text to continue; a new one if left out")
    parser.add_argument("--sampler", action="append", metavar="S", help=_SAMPLER_HELP)
    parser.add_argument("--tokens", type=int, default=100, metavar="N", help="at most so many (100)")
    parser.add_argument(
        "--samples", type=int, default=1, metavar="N", help="so many texts, with this seed and those after it (1)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="the random seed: another one draws another text (0)"
    )
    parser.add_argument(
        "--precision",
        default=FLOAT32,
        choices=PRECISIONS,
        help="of the weights; float16 writes one text of a large model sooner, mostly the same one, int8 still sooner, "
        "often another one after a while",
    )
    search_flags(parser)


def generate(asked: Namespace) -> Answer:
    """What the run writes after the prompt, and how likely it held each token before any sampler."""
    for name, most in (("tokens", 1_000_000), ("samples", 1_000)):
        if not 1 <= getattr(asked, name) <= most:
            raise SettingsError(
                f"{name} must lie between 1 and {most:,}, not at {getattr(asked, name)}",
                f"{name} 须在 1 到 {most:,} 之间，不能是 {getattr(asked, name)}",
            )
    trained = in_precision(model_of(asked), asked.precision)
    if searches(asked):
        return searched(asked, trained)
    chain = [_sampler(word) for word in asked.sampler or ["temperature:0.8"]]
    seeds = range(asked.seed, asked.seed + asked.samples)
    texts = sample(trained, asked.prompt, [chain] * len(seeds), seeds, asked.tokens)
    documents = [_written(trained, tokens) for tokens in texts]
    shown = "\n\n".join(asked.prompt + document["text"] for document in documents)
    return Answer(documents[0] if asked.samples == 1 else {"samples": documents}, shown)


def _written(trained: Trained, tokens: Sequence[decoding.SampledToken]) -> dict[str, Any]:
    pieces = trained.tokenizer.pieces([token.id for token in tokens])
    return {
        "text": text_of(pieces),
        "tokens": spellings(pieces),
        "logprobs": [token.logprob for token in tokens],
    }


def _sampler(word: str) -> tuple[str, dict[str, Any]]:
    """``top_k:k=40`` or ``top_k:40`` as the sampler's name and its checked settings."""
    name, colon, rest = word.partition(":")
    entry = SAMPLERS[name]
    if colon and "" in rest.split(","):
        raise SettingsError(f"{word!r} lacks a value behind a colon or a comma", f"{word!r} 的冒号或逗号后缺少数值")
    knobs = [*entry.settings.knobs()]
    values = {}
    for part in rest.split(",") if colon else []:
        key, equals, value = part.partition("=")
        if not equals and not knobs:
            raise SettingsError(f"the sampler {name} has no settings", f"采样器 {name} 没有可调设置")
        key, value = (key, value) if equals else (knobs[0], key)
        if key in values:
            raise SettingsError(f"{key} is given twice in {word!r}: give it once", f"{word!r} 中 {key} 给了两次")
        values[key] = value_of(value, (int, float))
    return name, entry.settings.load(values).dump()


def neighbours_flags(parser: Parser, words: Sequence[str]) -> None:
    model_flags(parser)
    parser.add_argument("--word", metavar="W", help="a word: what lies nearest to it")
    parser.add_argument("--analogy", nargs=3, metavar=("A", "B", "C"), help="what is to C as B is to A")
    parser.add_argument(
        "--tokenizer", metavar="DIR", help="a kept tokenizer to be told which of its tokens are similar"
    )
    parser.add_argument("--best", type=int, metavar="N", help="how many (10; 5 for a tokenizer)")


def neighbours(asked: Namespace) -> Answer:
    """The nearest tokens by the angle between their vectors."""
    if sum(map(bool, (asked.word, asked.analogy, asked.tokenizer))) != 1:
        raise SettingsError(
            "give one of --word, --analogy and --tokenizer", "请给出 --word、--analogy、--tokenizer 之一"
        )
    best = asked.best if asked.best is not None else 10
    if best < 1:
        raise SettingsError(f"best {best} is below 1", f"best {best} 小于 1")
    trained = model_of(asked)
    if asked.tokenizer:
        return _kept_neighbours(trained, asked.tokenizer, asked.best or near.SIMILAR)
    nearest = near.neighbours(trained, asked.word, best) if asked.word else near.analogy(trained, asked.analogy, best)
    question = {"word": asked.word} if asked.word else {"analogy": asked.analogy}
    document = {
        **question,
        "nearest": [{"token": neighbour.token, "cosine": neighbour.cosine} for neighbour in nearest],
    }
    return Answer(
        document,
        table([[neighbour.token.strip() or repr(neighbour.token), f"{neighbour.cosine:.3f}"] for neighbour in nearest]),
    )


def _kept_neighbours(trained: Trained, word: str, best: int) -> Answer:
    tokenizer, path = tokenizer_of(word), Path(word)
    if not path.exists():
        path = run_named(word).path
    place = RunFolder(path if path.is_dir() else path.parent)
    if place.is_shipped or place.is_everybodys:
        raise SettingsError(
            f"the run {place.name} is for all and stays as it is: name a run or a folder of your own",
            f"训练 {place.name} 是公用的，不能更改：请指定自己的训练或文件夹",
        )
    rows = near.similar(trained, tokenizer, best)
    with_neighbours = tokenizer.with_neighbours(rows)
    if (path / "run.json").is_file():
        RunFolder(path).keep_tokenizer(with_neighbours)
    else:
        write(path / TOKENIZER if path.is_dir() else path, with_neighbours.save())
    having, size = sum(map(bool, rows)), tokenizer.vocabulary.size
    return Answer(
        {"tokenizer": word, "vocabulary": size, "with_neighbours": having},
        f"{having:,} of {size:,} tokens have neighbours, which are kept with the tokenizer in {word}",
    )
