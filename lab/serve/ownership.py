"""Whose a run or a study is: it belongs to whoever started it."""

import hashlib
from pathlib import Path

from lab.experiments.study import STUDY
from lab.runs.files import used
from lab.runs.finding import find_run
from lab.runs.folder import RunFolder, home
from lab.serve.limits import profile
from lab.settings import SettingsError


def must_be_named(visitor: str) -> None:
    """Raises SettingsError where a browser has no name under which what it starts would be found again."""
    if not visitor:
        raise SettingsError("your browser sent no name for itself: reload the page", "浏览器没有发送标识：请刷新页面")


def owner_of(visitor: str) -> str:
    """What is written into a run for its owner: a digest, so that reading a run does not let one act as its owner."""
    return hashlib.sha256(f"cloze-lab:{visitor}".encode()).hexdigest()[:24] if visitor else ""


def studies() -> list[RunFolder]:
    """All studies, the newest first."""
    return [RunFolder(path.parent) for path in sorted(home().glob(f"*/{STUDY}"), key=_written, reverse=True)]


def own_study(name: str, visitor: str) -> RunFolder:
    """A study by its id. Raises SettingsError unless the visitor may look at it and stop it."""
    for folder in studies():
        if folder.name == name and folder.document(STUDY).get("owner", "") in owners(visitor):
            used(folder.path)
            return folder
    raise SettingsError("there is no such study", "没有这项对照实验")


def owned(name: str, visitor: str) -> RunFolder:
    """A run that the visitor may change. On a laptop every run is the visitor's; elsewhere only their own. What comes
    with the lab, and models from the Hub, which are everybody's, stay as they are."""
    folder = seen(name)
    if folder.is_everybodys:
        raise SettingsError(
            "this model is everybody's and stays as it is: train one of your own",
            "这个模型供所有人使用，不能改动：请自己训练一个",
        )
    if folder.run_owner not in owners(visitor):
        raise SettingsError("this run belongs to somebody else", "这个训练属于别人")
    return folder


def owners(visitor: str) -> set[str]:
    """How the visitor's runs are marked; on a laptop those from the terminal, which bear no mark, are theirs, too."""
    return ({owner_of(visitor)} if visitor else set()) | ({""} if profile() == "laptop" else set())


def seen(name: str) -> RunFolder:
    """A run by its id alone: never by a path that a visitor typed. A visitor's own counts as used from now on."""
    if not name or len(name) > 200 or "\0" in name or Path(name).name != name or name.startswith("."):
        raise SettingsError("there is no such run", "没有这个训练")
    folder = find_run(name)
    if not folder.is_everybodys:
        used(folder.path)
    return folder


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # deleted this very moment
