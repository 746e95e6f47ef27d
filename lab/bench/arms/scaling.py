"""One run of the scaling benchmark, by one process or several: how long a step takes, and how much is read in it."""

import json
import statistics
import sys
from itertools import pairwise
from pathlib import Path

from lab.runs.folder import RunFolder
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.training.launcher import launched
from lab.training.train import train


def main(run: Run, path: Path) -> None:
    """Train the run in ``path`` to its end; the first process prints the median step as one line of JSON."""
    with launched() as group:
        with group.in_turn():
            folder = RunFolder.create(run, path) if group.first else RunFolder.open(path)
        steps = [*train(folder, group=group)]
        if group.first:
            # Some steps are followed by a validation, which counts; the median one is not.
            seconds = statistics.median(after.seconds - before.seconds for before, after in pairwise(steps))
            begin = next(record for record in MetricsLog(path / "metrics.jsonl").read()[0] if record["kind"] == "begin")
            tokens = steps[-1].tokens / len(steps)
            print(json.dumps({"seconds": seconds, "tokens": tokens, "parameters": begin["parameters"]}))


if __name__ == "__main__":
    main(Run.load(json.loads(sys.argv[1])), Path(sys.argv[2]))
