"""The command line with a script for a model: ``tests.helpers.scripted_command DELAY [ARGUMENT...]``.

DELAY is in seconds a request. All else is real: the bundled claims and stores, the processes that rank them, the
journal, every file that is written, and the workers of ``--ray``. Variables of the environment make trouble:

    JUMPING_CLOCK=1    the time of day jumps by days at every look at it
    POISON=5           the claim of this id kills the process that works on it
    UNLOADABLE=1       the engine's files are missing
"""

import asyncio
import os
import random
import signal
import sys
import time

from system import check
from system.app import cli
from system.check import Engine
from tests.helpers.bridge import Answers, BagOfWords
from tests.helpers.scripted import ScriptedModel


def load(delay):
    answers, poison, unloadable = Answers(), os.environ.get("POISON"), "UNLOADABLE" in os.environ

    async def script(request):
        await asyncio.sleep(delay)
        if str(request.task.claim.id) == poison:
            os.kill(os.getpid(), signal.SIGKILL)
        return answers(request)

    def load_engine(settings, trace=None):
        if unloadable:
            raise FileNotFoundError("adapter.safetensors")
        return Engine(ScriptedModel(script), BagOfWords(), settings)

    return load_engine


def main() -> int:
    if "JUMPING_CLOCK" in os.environ:
        now, jump = time.time, random.Random(1)
        time.time = lambda: now() + jump.uniform(-1e6, 1e6)
    check.load_engine = load(float(sys.argv[1]))
    return cli.main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
