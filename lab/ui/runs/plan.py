"""From the Pretrain page's form to a run: checked, and within the limits."""

from collections.abc import Mapping, Sequence
from typing import Any

from lab.catalog import CORPORA, MODELS, OBJECTIVES, TOKENIZERS, TRAITS, missing, sized
from lab.corpora.town_stories import Town
from lab.corpora.town_tasks.told import TownTask
from lab.entries import CorpusEntry, ObjectiveEntry
from lab.registry import Entry
from lab.runs.folder import RunFolder
from lab.runs.run import Run, Training
from lab.serve.limits import bearable, limits
from lab.serve.ownership import owner_of
from lab.serve.uploads import kept
from lab.settings import SettingsError
from lab.text import clean
from lab.training import run_request
from lab.ui.runs.pinned_sentence import checked, truths
from lab.ui.shell.visitor import readable, usable
from lab.ui.words import pair, say, titled

OWN = "own"  # the choice of a text of one's own
NONE = "none"  # no pair objective
TITLE = 80  # characters
JOINERS = "\u200c\u200d"  # which join letters, and several signs into one emoji
STORY = 500  # bytes, about


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
                model=titled(model),
                objective=titled(objective),
                **{f"trait{number}": trait for number, trait in enumerate(traits, start=1)},
            )
    if objective.stage == "pair":
        for other in objectives("token"):
            if other.frame != "bounded":
                reasons[other.name] = say(
                    "run.unframed",
                    objective=titled(objective),
                    other=titled(other),
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
        values = stories(asked.get("corpus_settings", {}))
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


def training(values: Mapping[str, Any], **length: Any) -> dict[str, Any]:
    """Training settings for a worker of this server: how many threads it may use is not the visitor's to say."""
    return Training.load({**values, **length, "threads": limits().threads}).dump()


def stories(values: Mapping[str, Any], corpus: str = "town_en") -> dict[str, Any]:
    """The settings of a built-in corpus that is no longer than what a visitor may upload."""
    most, town = limits().upload // STORY, CORPORA[corpus].settings.load(values)
    if isinstance(town, Town | TownTask) and town.stories > most:
        raise SettingsError(f"at most {most:,} stories are told here", f"这里最多讲 {most:,} 个故事")
    return town.dump()


def title(text: str) -> str:
    """A run's name as the visitor wrote it, in one line and not too long."""
    spaced = " ".join(clean(text if isinstance(text, str) else "").split())
    return "".join(each for each in spaced if each.isprintable() or each in JOINERS)[:TITLE].strip()


def options(entries: Sequence[Entry], **more: Any) -> list[dict[str, Any]]:
    """Entries as the options of a Choice."""
    return [
        {
            "name": entry.name,
            "title": titled(entry),
            "note": pair(entry.summary, entry.summary_zh),
            **more,
        }
        for entry in entries
    ]
