"""``python -m system``: a door to the command line of ``factgraph``."""

import sys

from factgraph.cli import main

if __name__ == "__main__":
    sys.exit(main())
