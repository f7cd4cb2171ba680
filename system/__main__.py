"""``python -m system``: the command line."""

import sys

from system.app.cli import main

if __name__ == "__main__":
    sys.exit(main())
