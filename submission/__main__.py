"""Command line: ``python -m submission validate|score|report|calibrate|claim-only``."""

import sys

from submission.commands import main

if __name__ == "__main__":
    sys.exit(main())
