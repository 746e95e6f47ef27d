"""A packed run: metrics log, tokenizer and weights in eight bits of a finished one, and some of its snapshots."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.runs import checkpoint, snapshots
from lab.runs.checkpoint import State
from lab.runs.eight_bits import quantised
from lab.runs.files import must_be_empty, write
from lab.runs.folder import SEAL, TOKENIZER, RunFolder
from lab.runs.token_counts import TOKEN_COUNTS

CARRIED = ("run.json", TOKENIZER, SEAL, TOKEN_COUNTS, "metrics.jsonl", "result.json", "labels.json", "opening.json")


def pack(folder: RunFolder, to: Path, steps: Sequence[int] = ()) -> RunFolder:
    """Copy the run to the folder ``to``, with the snapshots of these ``steps``. It can be asked and looked at there,
    not trained on. Raises SettingsError where a step was not kept."""
    must_be_empty(to)
    weights, step = checkpoint.load_weights(folder.path / "checkpoints")
    kept = {at: snapshots.weights_at(folder.path, at) for at in steps}
    to.mkdir(parents=True, exist_ok=True)
    for name in CARRIED:
        if (folder.path / name).exists():
            shutil.copyfile(folder.path / name, to / name)
    checkpoint.save(to / "checkpoints", State(step, quantised(weights), {}, {}))
    for at, weights in kept.items():
        checkpoint.write(to / snapshots.FOLDER, State(at, weights, {}, {}))
    result = folder.document("result.json") | {"run": to.name}
    write(to / "result.json", json.dumps(result))
    write(to / "run.json", json.dumps(_named(folder.document("run.json")), ensure_ascii=False, indent=1))
    return RunFolder.open(to)


def _named(document: dict[str, Any]) -> dict[str, Any]:
    """The settings of a run with names in the place of paths: where something lay is nobody's business."""
    texts = {key: Path(value).name if key == "path" else value for key, value in document["corpus_settings"].items()}
    parent = document.get("parent")
    return document | {"corpus_settings": texts, "parent": Path(parent).name if parent else parent}
