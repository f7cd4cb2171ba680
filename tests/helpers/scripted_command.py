"""The command line with a script for a model: ``tests.helpers.scripted_command DELAY [ARGUMENT...]``.

DELAY is in seconds a request.
All else is real: the bundled claims and stores, the processes that rank them, the journal, every file that is written.
With JUMPING_CLOCK set, the time of day jumps by days at every look at it.
"""

import asyncio
import os
import random
import sys
import time

from system import check
from system.app import cli
from system.check import Engine
from tests.helpers.bridge import Answers, BagOfWords
from tests.helpers.scripted import ScriptedModel


def load(delay):
    answers = Answers()

    async def script(request):
        await asyncio.sleep(delay)
        return answers(request)

    return lambda settings, trace=None: Engine(ScriptedModel(script), BagOfWords(), settings)


def main() -> int:
    if os.environ.get("JUMPING_CLOCK"):
        now, jump = time.time, random.Random(1)
        time.time = lambda: now() + jump.uniform(-1e6, 1e6)
    check.load_engine = load(float(sys.argv[1]))
    return cli.main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
