"""Run the command line as ``python -m bayesdnf``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; Ctrl-C is one sentence also while that is being loaded."""
    try:
        from .cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
