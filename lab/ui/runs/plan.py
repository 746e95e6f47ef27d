"""From a page's form to a run: checked, and within the limits."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lab.catalog import CORPORA, MODELS, OBJECTIVES, TASKS, TOKENIZERS, TRAITS, fits, missing, sized
from lab.data.corpus import HELD_OUT
from lab.entries import CorpusEntry, ObjectiveEntry
from lab.registry import Entry
from lab.runs.folder import RunFolder
from lab.runs.run import Run, Training
from lab.serve.limits import bearable, limits
from lab.serve.uploads import classes, kept
from lab.serve.workers import owner_of
from lab.settings import SettingsError
from lab.text import clean
from lab.training import run_request
from lab.ui.runs.pinned_sentence import checked, truths
from lab.ui.shell.visitor import readable, usable
from lab.ui.words import pair, say

OWN = "own"  # the choice of a text of one's own
NONE = "none"  # no pair objective
TITLE = 80  # characters
STORY = 500  # bytes, about
EPOCHS = 50


def built_in() -> list[CorpusEntry]:
    """The corpora that the lab makes itself."""
    return [entry for entry in CORPORA if entry.language]


def objectives(stage: str) -> list[ObjectiveEntry]:
    """The objectives of a stage, "token" or "pair"."""
    return [entry for entry in OBJECTIVES if entry.stage == stage]


def refusals(objective: ObjectiveEntry) -> dict[str, Any]:
    """Why an objective cannot be had: by model, the traits that it lacks; by token objective, that they do not mix."""
    reasons = {}
    for model in MODELS:
        if lacking := sorted(missing(model, objective)):
            traits = [pair(TRAITS[name], TRAITS_ZH[name]) for name in lacking]
            reasons[model.name] = say(
                f"run.lacks.{len(traits)}",
                model=pair(model.title, model.title_zh),
                objective=pair(objective.title, objective.title_zh),
                **{f"trait{number}": trait for number, trait in enumerate(traits, start=1)},
            )
    if objective.stage == "pair":
        for other in objectives("token"):
            if other.frame != "bounded":
                reasons[other.name] = say(
                    "run.unframed",
                    objective=pair(objective.title, objective.title_zh),
                    other=pair(other.title, other.title_zh),
                )
    return reasons


TRAITS_ZH = {
    "visible": "可用任意掩码的注意力",
    "causal": "从左到右的因果阅读",
    "whole": "双向阅读",
    "segments": "句段编号（词元属于哪一句）",
    "pools": "句向量",
    "states": "每个词元在其位置上的向量",
    "writes": "编码器与解码器（读入原文，写出答案）",
    "positions": "为每个词元给定的位置编号",
    "streams": "查询流（只知词元的位置，不知其内容）",
    "directions": "前向与后向两个语言模型",
    "windows": "由上下文窗口学得的静态词向量",
    "cooccurrences": "由共现次数学得的静态词向量",
    "detects": "判别器（分辨词元是否被替换）",
    "counts": "不用梯度的计数学习",
}


def corpus(choice: str, mark: str) -> tuple[str, dict[str, Any]]:
    """The corpus of a choice and its settings; ``mark`` stands for the visitor's own text."""
    if choice == OWN:
        if not mark:
            raise SettingsError("upload or paste a text first", "请先上传或粘贴文本")
        return "file", {"path": str(kept(mark)), "megabytes": 2000}
    if choice not in {entry.name for entry in built_in()}:
        raise SettingsError("choose a text", "请选择文本")
    return choice, {}


def vectors(asked: Mapping[str, Any], visitor: str) -> RunFolder | None:
    """The run whose vectors shall say which tokens are similar, where the objective wants to know."""
    name = str(asked.get("neighbours") or "")
    if not name or not OBJECTIVES[str(asked["objective"])].likens:
        return None
    folder = readable(name, visitor)
    if not has_vectors(folder.run) or not usable(folder):
        raise SettingsError("choose a run that has learnt vectors and saved them", "请选择学过词向量并已保存的训练")
    return folder


def has_vectors(run: Run) -> bool:
    """Whether a run is one of those that learn a vector for each token and nothing else."""
    return bool(MODELS[run.model].traits & {"windows", "cooccurrences"})


def pretraining(asked: Mapping[str, Any], visitor: str) -> Run:
    """The run that a visitor asks for. Everything in ``asked`` may be what a browser never sends."""
    model, objective = MODELS[str(asked["model"])], OBJECTIVES[str(asked["objective"])]
    other = None if asked.get("pair", NONE) in (NONE, "") else OBJECTIVES[str(asked["pair"])]
    near = vectors(asked, visitor)
    tokenizer = TOKENIZERS[str(asked["tokenizer"]) if near is None else near.run.tokenizer]
    size = sized(tokenizer, asked.get("vocabulary")) if near is None else near.run.tokenizer_settings
    name, values = corpus(str(asked["corpus"]), str(asked.get("text", "")))
    if name != "file":
        values = _stories(asked.get("corpus_settings", {}))
    run = run_request.pretraining(
        model=model.name,
        objective=objective.name,
        pair=other.name if other else None,
        corpus=name,
        tokenizer=tokenizer.name,
        chosen={
            "model": asked.get("shape", {}),
            "objective": asked.get("objective_settings", {}),
            "pair": asked.get("pair_settings", {}),
            "corpus": values,
            "tokenizer": size,
            "training": training(asked.get("training", {}), seconds=asked.get("seconds")),
        },
        seed=asked.get("seed", 0),
        owner=owner_of(visitor),
        neighbours=str(near.path) if near else None,
        pinned=(sentence := checked(str(asked.get("pinned", "")), objective)),
        truths=truths(sentence, objective.name, str(asked.get("text", "")) if name == "file" else ""),
    )
    bearable(run)
    return run


def tunable(run: Run) -> bool:
    """Whether a run can be fine-tuned to classify texts."""
    return run.task is None and fits(MODELS[run.model], TASKS["classify"])


def untunable(run: Run) -> SettingsError:
    """Why a run cannot be."""
    model = MODELS[run.model]
    if run.task is not None:
        return SettingsError(
            f"{model.title} has been fine-tuned already: fine-tuning starts from a pretrained run",
            f"{model.title_zh} 已经微调过：微调要从预训练的模型开始",
        )
    return SettingsError(
        f"{model.title} cannot be fine-tuned to classify texts: it gives no vector for a whole text",
        f"{model.title_zh} 不能微调成文本分类：它没有代表整段文字的向量",
    )


def finetuning(asked: Mapping[str, Any], visitor: str) -> tuple[Run, Run]:
    """Two runs on labelled texts that differ in one thing: the first starts from a pretrained run's weights, the
    second from random ones. Both learn the same rows in the same order for the same number of steps."""
    if not asked["parent"]:
        raise SettingsError("there is no pretrained run yet: pretrain one first", "还没有预训练：请先预训练一个模型")
    parent = readable(str(asked["parent"]), visitor)
    before = parent.run
    if not tunable(before):
        raise untunable(before)
    if not usable(parent):
        raise SettingsError("choose a pretrained run that has saved its weights", "请选择已保存权重的预训练")
    name, values, texts = labelled(asked)
    learnt = texts if values.get("test") else texts * (1 - HELD_OUT)
    wanted = training(
        run_request.FINETUNING | dict(asked.get("training", {})),
        steps=steps_of(asked.get("epochs"), learnt, asked.get("training", {})),
    )
    run = run_request.finetuning(
        parent,
        corpus=name,
        chosen={"corpus": values, "training": wanted},
        seed=asked.get("seed", 0),
        owner=owner_of(visitor),
        parent=parent.name,
    )
    tokenizer = parent.tokenizer()
    bearable(run, tokenizer.vocabulary.size if tokenizer else None)
    return run, Run.load(run.dump() | {"fresh": True})


def labelled(asked: Mapping[str, Any]) -> tuple[str, dict[str, Any], int]:
    """The labelled corpus of a choice, its settings, and how many texts it has."""
    choice = str(asked["data"])
    if choice == OWN:
        text_column, label_column = str(asked.get("text_column") or ""), str(asked.get("label_column") or "")
        if not asked.get("text"):
            raise SettingsError("upload a file with labelled texts first", "请先上传带标签的文件")
        if not text_column or not label_column or text_column == label_column:
            raise SettingsError("choose one column for the text and another for the label", "请分别选择文本列和标签列")
        skip, test = asked.get("skip") is True, str(asked.get("test") or "")
        table = classes(str(asked["text"]), text_column, label_column, skip, test)
        columns = {"text_column": text_column, "label_column": label_column, "skip_unlabelled": skip, "megabytes": 2000}
        columns |= {"path": str(kept(str(asked["text"]))), "test": str(kept(test)) if test else ""}
        return "labelled", columns, int(table["texts"])
    name, _ = corpus(choice, "")
    values = _stories(asked.get("corpus_settings", {}))
    town = CORPORA[name].settings.load(values)
    return name, values, getattr(town, "stories", 0) * (2 if CORPORA[name].language == "both" else 1)


def steps_of(epochs: Any, learnt: float, values: Mapping[str, Any]) -> int:
    """The training steps in which every one of the texts that are learnt from is read so many times."""
    if isinstance(epochs, bool) or not isinstance(epochs, int | float) or not 1 <= epochs <= EPOCHS:
        raise SettingsError(f"choose between 1 and {EPOCHS} epochs", f"请选择 1 到 {EPOCHS} 轮")
    batch = Training.load({"steps": 1, **values}).batch
    return max(1, math.ceil(epochs * learnt / batch))


def training(values: Mapping[str, Any], **length: Any) -> dict[str, Any]:
    """Training settings for a worker of this server: how many threads it may use is not the visitor's to say."""
    return Training.load({**values, **length, "threads": limits().threads}).dump()


def _stories(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a built-in corpus that is no longer than what a visitor may upload."""
    most, town = limits().upload // STORY, built_in()[0].settings.load(values)
    if getattr(town, "stories", 0) > most:
        raise SettingsError(f"at most {most:,} stories are told here", f"这里最多讲 {most:,} 个故事")
    return town.dump()


def title(text: str) -> str:
    """A run's name as the visitor wrote it, in one line and not too long."""
    spaced = " ".join(clean(text).split())
    return "".join(character for character in spaced if character.isprintable())[:TITLE].strip()


def options(entries: Sequence[Entry], **more: Any) -> list[dict[str, Any]]:
    """Entries as the options of a Choice."""
    return [
        {
            "name": entry.name,
            "title": pair(entry.title, entry.title_zh),
            "note": pair(entry.summary, entry.summary_zh),
            **more,
        }
        for entry in entries
    ]
