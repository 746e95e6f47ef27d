"""``python -m lab``: the lab from a terminal."""

import sys

if __name__ == "__main__":
    from lab.cli.interrupting import while_loading

    while_loading()
    import lab.waiting  # noqa: F401  before torch, which reads the environment when it is loaded
    from lab.cli.main import main

    sys.exit(main())
