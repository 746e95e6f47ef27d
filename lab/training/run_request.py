"""From choices to a run, and from a run to the command that trains it: the same for pages and the command line."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from lab.catalog import CORPORA, MODELS, OBJECTIVES, TASKS, TOKENIZERS
from lab.runs.earlier import today
from lab.runs.folder import RunFolder
from lab.runs.run import IMPORTED, Run, Training, may_pool, reads_both_ways
from lab.runs.tuning import AUTO, MEAN, OWN, Tuning
from lab.settings import Settings
from lab.training.sizes import USUAL, shape, size_of
from lab.training.unread import unread

Part = Literal["model", "objective", "pair", "task", "tuning", "corpus", "tokenizer", "training"]
Chosen = Mapping[Part, Mapping[str, Any]]  # settings, part by part; what is left out stands at its default
# Few short steps from weights that stand: orthogonal ones throw them about, and so do the first of AdamW, which knows
# the size of no gradient yet. A warm-up of a tenth is that of BERT's code, and what Mosbach et al. 2021 found stable.
FINETUNING = {"optimizer": "adamw", "warmup": 0.1}
TUNING = {"pooling": AUTO}
SHORT = ("model", "training")  # parts whose settings have the short flags


def pretraining(
    *,
    model: str,
    corpus: str,
    tokenizer: str,
    chosen: Chosen,
    objective: str | None = None,
    pair: str | None = None,
    **about: Any,
) -> Run:
    """A run that pretrains ``model``, with its own objective where none is named. A tokenizer without settings in
    ``chosen`` is one that is there already. ``about`` are further fields of the run: seed, pinned, owner, teacher ...

    Raises SettingsError for what does not exist or does not fit.
    """
    model, shape = today(model, chosen.get("model", {}))
    body = MODELS[model]
    token_objective = OBJECTIVES[objective or body.objective]
    return Run(
        model=body.name,
        shape=_checked(body.settings, shape),
        objective=token_objective.name,
        objective_settings=_checked(token_objective.settings, chosen.get("objective", {})),
        pair=pair,
        pair_settings=_checked(OBJECTIVES[pair].settings, chosen.get("pair", {})) if pair else {},
        corpus=corpus,
        corpus_settings=_checked(CORPORA[corpus].settings, chosen.get("corpus", {})),
        tokenizer=tokenizer,
        tokenizer_settings=(
            _checked(TOKENIZERS[tokenizer].settings, chosen["tokenizer"]) if "tokenizer" in chosen else {}
        ),
        training=_checked(Training, chosen.get("training", {})),
        **about,
    )


def finetuning(start: RunFolder, *, corpus: str, chosen: Chosen, task: str = "classify", **about: Any) -> Run:
    """A run that trains the model of the run ``start`` further, on labelled texts. ``about`` are further fields of the
    run, its ``parent`` among them: a path, or a name among the runs."""
    before = start.run
    return Run(
        kind="finetune",
        model=before.model,
        shape=before.shape,
        objective=before.objective,
        objective_settings=before.objective_settings,
        task=TASKS[task].name,
        task_settings=_checked(TASKS[task].settings, chosen.get("task", {})),
        tuning_settings=_pooled(_checked(Tuning, chosen.get("tuning", {})), before, task),
        corpus=corpus,
        corpus_settings=_checked(CORPORA[corpus].settings, chosen.get("corpus", {})),
        tokenizer=before.tokenizer,
        tokenizer_settings=before.tokenizer_settings,
        training=_checked(Training, FINETUNING | dict(chosen.get("training", {}))),
        **about,
    )


def possible_tuning(tuning: Mapping[str, Any], start: Run, task: str) -> dict[str, Any]:
    """The settings of fine-tuning without pooling, where the model of the run has no choice of it for the task."""
    pools = may_pool(MODELS[start.model], TASKS[task])
    return {name: value for name, value in tuning.items() if name != "pooling" or pools}


def _pooled(tuning: dict[str, Any], start: Run, task: str) -> dict[str, Any]:
    """The settings of fine-tuning with the pooling that suits the run it starts from, where none was chosen. A small
    encoder learns a mean sooner than what to write into [CLS]; that of a published model knows it, and so does the last
    token of what has learnt to go on with a text."""
    if tuning["pooling"] != AUTO:
        return tuning
    means = reads_both_ways(start) and start.kind != IMPORTED and may_pool(MODELS[start.model], TASKS[task])
    return tuning | {"pooling": MEAN if means else OWN}


def _checked(cls: type[Settings], values: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of a class: those that were chosen, and the defaults."""
    return cls.load(dict(values)).dump()


def flag(part: str, name: str) -> str:
    """The flag of a setting that always works: in its short form where its part has those."""
    setting = name.replace("_", "-")
    return f"--{setting}" if part in SHORT else f"--{part}-{setting}"


def flags(
    part: str, cls: type[Settings], values: Mapping[str, Any], usual: Mapping[str, Any] | None = None
) -> list[str]:
    """Settings as flags, those left out that stand at their default, or as they ``usual``ly are."""
    words: list[str] = []
    for name, item in cls.knobs().items():
        value = values.get(name, item.default)
        if value == (usual or {}).get(name, item.default):
            continue
        word = flag(part, name)
        if isinstance(value, bool):
            words.append(word if value else f"--no-{word.removeprefix('--')}")
        else:
            words += [word, f"{value:.10g}" if isinstance(value, float) else str(value)]
    return words


def command(run: Run, file: str = "") -> str:
    """The command that trains the same run in the terminal; ``file`` is a person's name for their own text."""
    words = _finetune_words(run, file) if run.task else _pretrain_words(run, file)
    left_out = {*unread(run), *([] if _masks(run) else ["initial_masking"])}
    training = {name: value for name, value in run.training.items() if name not in left_out}
    words += flags("training", Training, training, FINETUNING if run.task else None)
    words += ["--seed", str(run.seed)] if run.seed else []
    words += ["--pinned", run.pinned] if run.pinned else []
    words += ["--fresh"] if run.fresh else []
    return shlex.join(["python", "-m", "lab", "finetune" if run.task else "pretrain", *words])


def _masks(run: Run) -> bool:
    return run.task is None and OBJECTIVES[run.objective].masks


def repeated(benchmark: str, corpus: str, values: Settings, cls: type[Settings]) -> str:
    """The command that measures the same again."""
    words = ["python", "-m", "lab", "bench", benchmark, "--corpus", corpus, *flags("training", cls, values.dump())]
    return shlex.join([*words, "--json"])


def _pretrain_words(run: Run, file: str) -> list[str]:
    words = ["--model", run.model, "--objective", run.objective]
    words += ["--pair", run.pair] if run.pair else []
    corpus, values = CORPORA[run.corpus].settings, dict(run.corpus_settings)
    path = values.pop("path", None)
    words += ["--corpus", run.corpus if path is None else file or ("my-text.txt" if run.corpus == "file" else path)]
    taken = run.teacher or run.neighbours  # whose tokenizer is taken
    if taken:
        words += ["--teacher", run.teacher] if run.teacher else ["--neighbours", Path(run.neighbours or "").name]
    else:
        words += ["--tokenizer", run.tokenizer]
    size = size_of(run.model, run.shape)
    words += ["--size", size] if size != USUAL else []
    words += flags("model", MODELS[run.model].settings, run.shape, shape(run.model, size))
    words += flags("objective", OBJECTIVES[run.objective].settings, run.objective_settings)
    words += flags("pair", OBJECTIVES[run.pair].settings, run.pair_settings) if run.pair else []
    words += flags("corpus", corpus, values) if run.corpus != "file" else []
    words += [] if taken else flags("tokenizer", TOKENIZERS[run.tokenizer].settings, run.tokenizer_settings)
    return words


def _finetune_words(run: Run, file: str) -> list[str]:
    own = run.corpus == "labelled"
    values = {name: value for name, value in run.corpus_settings.items() if name not in ("path", "megabytes")}
    if own:
        values["test"] = "my-test.csv" if values.get("test") else ""
    words = ["--run", run.parent or "", *(["--task", run.task] if run.task not in (None, "classify") else [])]
    words += ["--data", (file or "my-texts.csv") if own else run.corpus]
    words += flags("task", TASKS[run.task or "classify"].settings, run.task_settings)
    pools = may_pool(MODELS[run.model], TASKS[run.task or "classify"])
    words += flags("tuning", Tuning, run.tuning_settings, TUNING if pools else None)
    return words + flags("corpus", CORPORA[run.corpus].settings, values)
