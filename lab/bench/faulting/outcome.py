"""The outcome of a run: everything that must be equal in two runs that are equal."""

import hashlib
from typing import Any

from lab.runs import checkpoint
from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog


def outcome(folder: RunFolder) -> dict[str, Any]:
    """Weights, optimizer, generator, metrics log and final validation; times and events are left out."""
    saved, _ = checkpoint.load(folder.path / "checkpoints")
    assert saved is not None, "a run without a checkpoint has no outcome"
    tensors = {**saved.weights, **{f"optimizer {name}": tensor for name, tensor in saved.optimizer.items()}}
    return {
        "step": saved.step,
        "rng_state": saved.facts["rng_state"],
        "weights": {name: hashlib.sha256(tensor.numpy().tobytes()).hexdigest() for name, tensor in tensors.items()},
        "metrics": [
            {key: value for key, value in record.items() if key != "seconds"}
            for record in MetricsLog(folder.path / "metrics.jsonl").read()[0]
            if record["kind"] != "event"
        ],
        "validation": folder.document("result.json").get("validation"),
    }
