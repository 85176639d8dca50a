"""`python -m readfirst`, and the console script."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its status."""
    from readfirst.cli import main as run  # noqa: PLC0415 - so that an interrupt during imports is quiet as well

    try:
        sys.exit(run())
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
