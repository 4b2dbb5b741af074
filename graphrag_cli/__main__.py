"""The entry point: ``graphrag-cli`` and ``python -m graphrag_cli``."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line in ``sys.argv`` and exits with its status."""
    from graphrag_cli.cli.boundary import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
