"""Eight examples of every task that can be learnt by heart, and runs to start from, whose numbers are chance."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from tiny import plan, steps

from lab.batch import Document
from lab.catalog import MODELS, OBJECTIVES, TASKS, TOKENIZERS, fits, sized
from lab.data.corpus import counted, marked
from lab.data.stream import stream_of
from lab.inference.model import build, tell_statistics
from lab.runs import checkpoint
from lab.runs.checkpoint import State
from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.tokenizer import Tokenizer
from lab.training.run_request import finetuning
from lab.training.train import train

STEPS = 16
TEXTS = ["I love it", "I hate it", "we love you", "no", "Ann is in Rome", "a cat ran", "猫坐在垫子上", "it is fine"]
ROWS: dict[str, list[dict[str, Any]]] = {
    "classify": [{"text": text, "label": ("bad", "good")[n % 2]} for n, text in enumerate(TEXTS)],
    "pairs": [{"text": text, "pair": ("yes", "no")[n % 2], "label": n % 2} for n, text in enumerate(TEXTS)],
    "similarity": [{"text": text, "pair": ("yes", "no")[n % 2], "value": n % 2} for n, text in enumerate(TEXTS)],
    "choice": [
        {"text": text, "choices": [["it", "no"], ["no", "it"]][n % 2], "label": n % 2} for n, text in enumerate(TEXTS)
    ],
    "tokens": [
        {"tokens": text.split(), "tags": ["B-X" if word[0] in "IaA猫" else "O" for word in text.split()]}
        for text in TEXTS
    ],
    "questions": [
        {"context": text, "question": "who", "answers": {"text": [text[:2]][: n % 4], "answer_start": [0][: n % 4]}}
        for n, text in enumerate(TEXTS)
    ],
    "seq2seq": [{"text": text, "target": ("bad", "good")[n % 2]} for n, text in enumerate(TEXTS)],
}


def tuning(parent: RunFolder, task: str, folder: Path, steps_of: int = STEPS, **how: Any) -> Run:
    """Fine-tuning on the eight examples, which are those to be checked on, too."""
    path = file_of(task, folder)
    chosen: dict[Any, Any] = {
        "corpus": {"path": path, "test": path},
        "training": steps(steps_of, learning_rate=1e-2, batch=8, warmup=0.0, schedule="constant"),
        "tuning": how,
    }
    return finetuning(parent, task=task, corpus="labelled", chosen=chosen, parent=str(parent.path))


def trained(folder: RunFolder, until: int = 10**9) -> RunFolder:
    """The run, trained on to its end or up to a step."""
    for step in train(folder):
        if step.step == until:
            break
    return folder


def told(folder: RunFolder, kind: str) -> list[dict[str, Any]]:
    """What the run's metrics log says of one kind."""
    records, _ = MetricsLog(folder.path / "metrics.jsonl").read()
    return [record for record in records if record["kind"] == kind]


def began(folder: RunFolder) -> dict[str, Any]:
    """What a run said of itself when it began."""
    return told(folder, "begin")[0]


def losses(folder: RunFolder) -> list[float]:
    """The loss of each step."""
    return [record["loss"] for record in told(folder, "train")]


def pairs() -> list[tuple[str, str]]:
    """Every family with every task that it can take, when it has learnt its own objective."""
    able = [(model, task) for model in MODELS for task in TASKS if fits(model, task)]
    return [(m.name, t.name) for m, t in able if not t.writes or OBJECTIVES[m.objective].writes]


def file_of(task: str, folder: Path) -> str:
    """The examples of a task as a file; to be tested on, the same."""
    path = folder / f"{task}.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS[task]), encoding="utf-8")
    return str(path)


@cache
def tokenizer(kind: str = "byte_bpe") -> Tokenizer:
    """A tokenizer that knows little."""
    entry = TOKENIZERS[kind]
    trained: Tokenizer = entry.build([" ".join(TEXTS) * 3], entry.settings.load(sized(entry, 290)))
    return trained


def parent_of(model: str, path: Path, **values: Any) -> RunFolder:
    """A pretrained run of a family, as far as it takes to be started from: its numbers are chance."""
    run = plan(model=model, **values)
    known = marked(tokenizer(), OBJECTIVES[run.objective])
    folder = RunFolder.create(run, path, known)
    vocabulary = counted(run, stream_of([Document(" ".join(TEXTS))] * 2, known), known.vocabulary)
    net = tell_statistics(build(run, known.vocabulary.size, 0), vocabulary)
    checkpoint.save(folder.path / "checkpoints", State(1, checkpoint.weights_of(net), {}, {}))
    return folder
