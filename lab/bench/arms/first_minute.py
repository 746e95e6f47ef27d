"""One run of the first minute: the training loop as it is, and its validation losses with the seconds they came at."""

import json
import sys
import tempfile
from pathlib import Path

from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.training.train import train


def main(run: Run) -> None:
    """Train the run to its end and print the baselines and the losses as one line of JSON."""
    with tempfile.TemporaryDirectory(prefix="cloze-lab-bench-") as place:
        folder = RunFolder.create(run, Path(place) / "run")
        seconds = {0: 0.0} | {step.step: step.seconds for step in train(folder)}
        records, _ = MetricsLog(folder.path / "metrics.jsonl").read()
    begin = next(record for record in records if record["kind"] == "begin")
    losses = [[seconds[record["step"]], record["loss"]] for record in records if record["kind"] == "check"]
    print(json.dumps({"baselines": begin["baselines"], "steps": max(seconds), "losses": losses}))


if __name__ == "__main__":
    main(Run.load(json.loads(sys.argv[1])))
