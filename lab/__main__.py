"""``python -m lab``: the lab from a terminal."""

import os
import sys

# Threads that wait must sleep: with the default they spin, and a machine that does anything else at the same time
# trains many times slower. Read when torch is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from lab.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
