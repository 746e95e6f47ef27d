"""``python -m lab``: the lab from a terminal."""

import sys

if __name__ == "__main__":
    try:
        import lab.waiting  # noqa: F401  first: torch reads the environment when it is loaded
        from lab.cli.main import main
    except KeyboardInterrupt:  # as in main(), which is not there yet
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(main())
