"""``python -m factgraph``: the command line."""

import sys

from factgraph.cli import main

if __name__ == "__main__":
    sys.exit(main())
