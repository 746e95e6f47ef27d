"""The smallest runs that are still runs, for the tests of the engine and of everything above it."""

import random
import time
from pathlib import Path
from typing import Any

from lab.catalog import MODELS
from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.training import saving
from lab.training.train import train

SIZES = {"width": 16, "depth": 1, "heads": 2, "context": 16, "embedding_width": 8}
STORIES = {"stories": 40}


def shape(model: str) -> dict[str, Any]:
    """The smallest sizes that a model of any family takes."""
    return {name: size for name, size in SIZES.items() if name in MODELS[model].settings.knobs()}


def plan(**values: Any) -> Run:
    """A run of a few milliseconds a step; any part may be given otherwise."""
    model = values.get("model", "bert")
    usual: dict[str, Any] = {
        "model": model,
        "shape": shape(model),
        "objective": MODELS[model].objective,
        "corpus": "town_en",
        "corpus_settings": STORIES,
        "tokenizer": "byte_bpe",
        "tokenizer_settings": {"vocabulary": 300},
        "training": {"steps": 12, "batch": 4, "threads": 1},
    }
    return Run(**{**usual, **values})


def steps(n: int, **values: Any) -> dict[str, Any]:
    """Training settings for ``n`` steps."""
    return {"steps": n, "batch": 4, "threads": 1, **values}


def finished(path: Path, **values: Any) -> RunFolder:
    """A run trained to its end."""
    folder = RunFolder.create(plan(**values), path)
    for _ in train(folder):
        pass
    return folder


def events(folder: RunFolder) -> list[str]:
    """The codes of what happened to a run."""
    records, _ = MetricsLog(folder.path / "metrics.jsonl").read()
    return [record["code"] for record in records if record["kind"] == "event"]


def go_on(path: str, until: int = 10**9, save_always: bool = False, pause: float = 0.0) -> None:
    """Train the run in ``path``, to be called in a process of its own. Stops behind step ``until``."""
    if save_always:
        saving.SAVE_SECONDS, saving.SAVE_SHARE = 0.0, 1e9
    for step in train(RunFolder.open(Path(path))):
        time.sleep(pause * random.random())
        if step.step >= until:
            break
