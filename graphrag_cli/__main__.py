"""The entry point: ``graphrag-cli`` and ``python -m graphrag_cli``."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line in ``sys.argv`` and exits with its status."""
    from graphrag_cli.cli.boundary import run
    from graphrag_cli.index.lean import without_pandas

    with without_pandas():
        status = run(sys.argv[1:])
    sys.exit(status)


if __name__ == "__main__":
    main()
