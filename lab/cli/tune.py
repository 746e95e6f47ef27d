"""``finetune``: a run that learns a task from labelled examples, trained in the foreground."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.catalog import TASKS
from lab.cli.answer import Answer
from lab.cli.flags import Parser, add_corpus, add_settings, corpus_of, given, heeded, more_flags, peek
from lab.cli.foreground import begin
from lab.cli.learn import LONGER, absolute, common, training
from lab.cli.run_named import run_named
from lab.runs.run import Training
from lab.runs.tuning import FULL, ONLY_OF, Tuning
from lab.settings import SettingsError
from lab.training.run_request import FINETUNING, TUNING, finetuning

TUNED_FOR = {"steps": 300, "learning_rate": 5e-4}
OF_TEXTS = ("packing", "overlap", "initial_masking")  # settings of training that labelled examples have no use for


def finetune_flags(parser: Parser, words: Sequence[str]) -> None:
    parser.usage = "%(prog)s --run RUN --task T --data D [flags]"
    parser.epilog = more_flags("the task", "the data") + LONGER
    task = peek(words, "--task", "classify")
    parser.add_argument("--run", required=True, metavar="RUN", help="the run to start from")
    parser.add_argument("--task", default="classify", metavar="T", help=f"one of: {', '.join(TASKS.names())}")
    parser.add_argument(
        "--data",
        "--corpus",
        dest="data",
        required=True,
        metavar="D",
        help=f"labelled examples: a .csv, .jsonl or .parquet file, or a corpus{_held(task)}",
    )
    parser.add_argument("--fresh", action="store_true", help="from random weights, to compare")
    common(parser)
    add_settings(parser, "training", "training", Training, short=True, usual=FINETUNING | TUNED_FOR, unread=OF_TEXTS)
    add_settings(parser, "tuning", "what is trained", Tuning, usual=TUNING)
    if task in TASKS:
        add_settings(parser, "task", f"task {task}", TASKS[task].settings)
    add_corpus(parser, words, "--corpus" if peek(words, "--corpus") else "--data", reader="labelled")


def _held(task: str) -> str:
    """What a file must hold for a task, and how its columns are usually called."""
    if task not in TASKS:
        return ""
    columns = ", ".join(f"{field} in {' or '.join(TASKS[task].columns[field])}" for field in TASKS[task].holds)
    return f"; of a file, {columns}"


def finetune(asked: Namespace) -> Answer:
    """The same loop on labelled texts, from the weights of a run."""
    parent = run_named(asked.run)
    corpus, also = corpus_of(asked.data, reader="labelled")
    test = given(asked, "corpus").get("test")
    if test and Path(test).absolute() == Path(asked.data).absolute():
        print("note: --test is the file that is learnt from: what is measured is learnt by heart", file=sys.stderr)
    run = finetuning(
        parent,
        task=asked.task,
        corpus=corpus.name,
        chosen={
            "corpus": {**absolute(also), **given(asked, "corpus")},
            "task": given(asked, "task"),
            "tuning": TUNING | _tuning(asked),
            "training": training(asked, masks=False, **TUNED_FOR),
        },
        seed=asked.seed,
        parent=str(parent.path),
        fresh=asked.fresh,
    )
    return begin(heeded(asked, run), asked.out, sharded=asked.sharded)


def _tuning(asked: Namespace) -> dict[str, Any]:
    """The settings of what moves. Raises SettingsError where one is of another way than that which is taken."""
    chosen = given(asked, "tuning")
    how = chosen.get("how", FULL)
    for name in chosen:
        if ONLY_OF.get(name, how) != how:
            raise SettingsError(
                f"--{name} belongs to --how {ONLY_OF[name]}: add that, or leave --{name} out",
                f"--{name} 属于 --how {ONLY_OF[name]}：请加上它，或去掉 --{name}",
            )
    return chosen
