"""Run ``python -m training COMMAND``; ``--help`` lists the commands."""

import sys

from training.commands import main

if __name__ == "__main__":
    sys.exit(main())
