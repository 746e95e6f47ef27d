"""A web server's share in training: it starts a run's worker and looks after the queue until somebody kills it."""

import json
import sys
import time

from lab.runs.finding import find_run
from lab.runs.run import Run
from lab.serve.workers import Workers


def main(words: str) -> None:
    """Start the run that is given as JSON, or resume the one that is named; say its name and serve on."""
    server = Workers()
    server.open()
    asked = json.loads(words)
    if isinstance(asked, str):
        server.resume(folder := find_run(asked))
    else:
        folder = server.start(Run.load(asked))
    print(folder.name, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main(sys.argv[1])
