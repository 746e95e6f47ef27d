"""``pretrain``: a run of what the flags choose, trained in the foreground."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.catalog import MODELS, OBJECTIVES, TOKENIZERS
from lab.cli.answer import Answer
from lab.cli.flags import (
    A_CORPUS,
    Parser,
    add_corpus,
    add_settings,
    add_vocabulary,
    addressed,
    corpus_of,
    given,
    heeded,
    more_flags,
    peek,
)
from lab.cli.foreground import begin, learn
from lab.cli.run_named import run_named
from lab.cli.text import tokenizer_of
from lab.corpora.text_file import MOST_MEGABYTES
from lab.entries import ModelEntry
from lab.inference.model import load
from lab.inference.neighbours import knowing_neighbours
from lab.runs.folder import RunFolder
from lab.runs.run import IMPORTED, Training
from lab.settings import Knob, SettingsError
from lab.tokenizer import Tokenizer
from lab.training.distillation import fitting
from lab.training.launcher import launched
from lab.training.presets import as_published, authors_settings, beside, differences, source
from lab.training.run_request import Part, pretraining
from lab.training.sizes import SIZES, USUAL, shape

LONGER = (
    "\nWhere two of them have a setting of the same name, put the part in front, as in --objective-share; "
    "that longer form\nalways works."
)


def pretrain_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.usage = "%(prog)s --model M (--steps N | --minutes T) [flags]"
    parser.epilog = more_flags("the model", "the objective", "the tokenizer", "the corpus") + LONGER
    model = peek(words, "--model")
    objective = peek(words, "--objective", MODELS[model].objective if model in MODELS else "")
    pair = peek(words, "--pair")
    parser.add_argument("--model", metavar="M", help=f"one of: {', '.join(MODELS.names())}")
    parser.add_argument("--objective", metavar="O", help="the pretraining objective; the model's own if left out")
    parser.add_argument("--pair", metavar="O", help="a second objective, on sentence pairs: nsp or sop")
    parser.add_argument("--corpus", default="town_en", metavar="C", help=A_CORPUS)
    parser.add_argument("--tokenizer", metavar="T", help="a kind that is trained on the corpus, or a kept one's folder")
    parser.add_argument("--pinned", default="", metavar="TEXT", help="a sentence whose predictions are recorded")
    parser.add_argument(
        "--teacher", metavar="RUN", help="distillation: the teacher, a larger run; its tokenizer is taken"
    )
    parser.add_argument(
        "--neighbours", metavar="RUN", help="a run whose vectors say which tokens are similar; its tokenizer is taken"
    )
    common(parser)
    parser.add_argument(
        "--published",
        action="store_true",
        help="optimizer, schedule and initialisation as in the model's paper; flags beside it come first",
    )
    parser.add_argument("--resume", metavar="RUN", help="go on with a run; all other flags are the run's own")
    parser.add_argument(
        "--size", default=USUAL, choices=list(SIZES), help=f"how large the model is, unless a flag says more ({USUAL})"
    )
    add_settings(parser, "training", "training", Training, short=True)
    if model in MODELS:
        title, usual = f"shape of {MODELS[model].title}", shape(model, peek(words, "--size", USUAL))
        add_settings(parser, "model", title, MODELS[model].settings, short=True, usual=usual)
    for part, name in (("objective", objective), ("pair", pair)):
        if name in OBJECTIVES:
            add_settings(parser, part, f"{part} {name}", OBJECTIVES[name].settings)
    add_vocabulary(parser, peek(words, "--tokenizer", MODELS[model].tokenizer if model in MODELS else "byte_bpe"))
    add_corpus(parser, words, "--corpus")
    parser.set_defaults(typed=[word.partition("=")[0] for word in words if word.startswith("--")])


def pretrain(asked: Namespace) -> Answer:
    """Train to the end of the budget; the answer says where the run is and how good it is."""
    if asked.resume:
        _alone_on_the_line(asked)
        with launched(asked.sharded) as group:
            return learn(run_named(asked.resume), group)
    if not asked.model:
        names = ", ".join(MODELS.names())
        raise SettingsError(f"choose what to train with --model: {names}", f"请用 --model 选择模型：{names}")
    model = MODELS[asked.model]
    objective = OBJECTIVES[asked.objective or model.objective]
    corpus, also = corpus_of(asked.corpus)
    teacher = run_named(asked.teacher) if asked.teacher else None
    name, kept = _taught(asked, teacher) if teacher else _tokenizer(asked.tokenizer or model.tokenizer)
    vectors = run_named(asked.neighbours) if asked.neighbours else None
    if vectors is not None and not objective.likens:
        raise SettingsError(
            f"{objective.name} does not ask which tokens are similar: leave --neighbours out",
            f"{objective.name} 不需要近义词元：请去掉 --neighbours",
        )
    if vectors is not None:
        name, kept = _acquainted(asked, vectors, kept)
    objective_settings = {**authors_settings(model, objective.name), **given(asked, "objective")}
    chosen: dict[Part, dict[str, Any]] = {
        "model": {
            **shape(model.name, asked.size),
            **(_half(model, asked, teacher) if teacher else {}),
            **given(asked, "model"),
        },
        "objective": objective_settings,
        "pair": given(asked, "pair"),
        "corpus": {**absolute(also), **_of_any_size(also), **given(asked, "corpus")},
        "training": training(asked, masks=objective.masks, **(_as_published(model) if asked.published else {})),
    }
    if kept is not None and given(asked, "tokenizer"):
        raise SettingsError(
            "the tokenizer is trained already and keeps its size: leave --vocab and its other flags out",
            "分词器已经训练好，大小不变：请去掉 --vocab 等分词器参数",
        )
    if kept is None:
        chosen["tokenizer"] = given(asked, "tokenizer")
    elif vectors is not None and not asked.tokenizer and name != IMPORTED:
        chosen["tokenizer"] = vectors.run.tokenizer_settings  # how the tokenizer that is taken over was made
    run = pretraining(
        model=model.name,
        objective=objective.name,
        pair=asked.pair,
        corpus=corpus.name,
        tokenizer=name,
        chosen=chosen,
        seed=asked.seed,
        teacher=str(teacher.path) if teacher else None,
        neighbours=str(vectors.path) if vectors else None,
        pinned=asked.pinned,
    )
    return begin(heeded(asked, run), asked.out, kept, sharded=asked.sharded)


def _alone_on_the_line(asked: Namespace) -> None:
    """Raises SettingsError where a run that goes on is asked to be another one."""
    changed = [flag for flag in asked.typed if flag not in ("--resume", "--sharded", "--json")]
    if changed:
        raise SettingsError(
            f"--resume goes on with the run as it was planned: leave {changed[0]} out",
            f"--resume 按原计划继续训练：请去掉 {changed[0]}",
        )


def _as_published(model: ModelEntry) -> dict[str, Any]:
    """The paper's settings of training. Where they differ from the lab's is said on standard error."""
    settings = as_published(model)
    changes = [
        f"{difference.name} {_shown(difference.paper)} (the lab: {_shown(difference.lab)})"
        for difference in differences(model)
    ]
    lines = [f"as published: {', '.join(changes)}", f"the paper: {beside(model)[0]}", f"source: {source(model)}"]
    print(*lines, sep="\n", file=sys.stderr)
    return settings


def _shown(value: Any) -> str:
    return "by the width" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _half(model: ModelEntry, asked: Namespace, teacher: RunFolder) -> dict[str, Any]:
    """The teacher's sizes, as far as the student has them, and half its depth."""
    sizes = fitting(teacher, given(asked, "model").get("context", 0)).run.settings_of("model").dump()
    shared = {name: sizes[name] for name in ("width", "heads", "feed", "context") if name in sizes}
    shared["depth"] = max(1, sizes["depth"] // 2)
    return {name: size for name, size in shared.items() if name in model.settings.knobs()}


def _taught(asked: Namespace, teacher: RunFolder) -> tuple[str, Tokenizer | None]:
    """The teacher's tokenizer and its kind."""
    if asked.tokenizer:
        raise SettingsError(
            "a student reads with its teacher's tokenizer: leave --tokenizer out",
            "学生使用教师的分词器：请去掉 --tokenizer",
        )
    return teacher.run.tokenizer, fitting(teacher, 0).tokenizer


def _acquainted(asked: Namespace, vectors: RunFolder, kept: Tokenizer | None) -> tuple[str, Tokenizer]:
    """The tokenizer that is there, else that of the run with the vectors, told which of its tokens are similar."""
    trained = load(vectors)
    if kept is None and asked.tokenizer:
        raise SettingsError(
            "similar words need the tokens of a trained tokenizer: leave --tokenizer out, or give a kept one's folder",
            "要先有训练好的分词器才能找出近义词：请去掉 --tokenizer，或给出已保存的分词器所在的文件夹",
        )
    tokenizer = knowing_neighbours(trained, kept)
    return tokenizer.kind, tokenizer


def common(parser: Parser) -> None:
    """The flags of everything that is trained."""
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed gives the same run (0)")
    parser.add_argument("--out", metavar="RUN", help="the run's folder; a new one among the runs if left out")
    parser.add_argument(
        "--sharded",
        action="store_true",
        help="FSDP: of several processes, which torchrun starts, each holds a part of the model and not all of it",
    )
    parser.add_argument("--minutes", type=float, metavar="T", help="how long to train; 60 times --seconds")


def training(asked: Namespace, *, masks: bool, **usual: Any) -> dict[str, Any]:
    """The settings of training that were asked for, and the ``usual`` ones where they do not replace them. Raises
    SettingsError for a masking rate where nothing ``masks`` at one."""
    chosen = given(asked, "training")
    if "initial_masking" in chosen and not masks:
        raise SettingsError(
            "nothing is masked at a rate here: leave --initial-masking out",
            "这里不按掩码率掩码：请去掉 --initial-masking",
        )
    if asked.minutes is not None:
        if "seconds" in chosen:
            raise SettingsError("give --minutes or --seconds, not both", "--minutes 与 --seconds 只能给一个")
        chosen["seconds"] = _seconds(asked.minutes)
    if "seconds" in chosen or "steps" in chosen:
        usual.pop("steps", None)
    return {**usual, **chosen}


def _seconds(minutes: float) -> float:
    """Raises SettingsError, by the flag that was typed, for a time that no run may take."""
    allowed: Knob = Training.knobs()["seconds"].metadata["knob"]
    assert allowed.low is not None and allowed.high is not None
    if not allowed.low <= 60 * minutes <= allowed.high:
        least, most = f"{allowed.low / 60:.2g}", f"{allowed.high // 60:,}"
        raise SettingsError(
            f"--minutes must lie between {least} and {most}, not at {minutes:g}",
            f"--minutes 必须在 {least} 与 {most} 之间，不能是 {minutes:g}",
        )
    return 60 * minutes


def _tokenizer(word: str) -> tuple[str, Tokenizer | None]:
    """The kind to train, or the kind of a tokenizer that is there already, and that tokenizer."""
    if word in TOKENIZERS:
        return word, None
    kept = tokenizer_of(word)
    return kept.kind if kept.kind == IMPORTED else TOKENIZERS[kept.kind].name, kept


def absolute(path: dict[str, Any]) -> dict[str, Any]:
    """The corpus's path as it is from everywhere: a run may be resumed from another folder. An address is that."""
    return {name: value if addressed(value) else str(Path(value).absolute()) for name, value in path.items()}


def _of_any_size(path: dict[str, Any]) -> dict[str, Any]:
    """No limit for whoever names a file in the terminal: a large one is read piece by piece. Of a data set on the Hub
    as much is fetched as its own settings say."""
    return {"megabytes": MOST_MEGABYTES} if path and not addressed(path["path"]) else {}
