"""``python -m system``: check claims."""

import sys

from system.cli import main

if __name__ == "__main__":
    sys.exit(main())
