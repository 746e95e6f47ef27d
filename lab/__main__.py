"""``python -m lab``: the lab from a terminal."""

import sys

import lab.waiting  # noqa: F401  first: torch reads the environment when it is loaded
from lab.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
