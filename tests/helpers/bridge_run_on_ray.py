"""The run of ``bridge_run.py`` on a Ray cluster: ``bridge_run_on_ray.py FOLDER DELAY ADDRESS [resume]``.

Claim POISON kills the process that works on it, where FOLDER/poison exists. There are two labels.
"""

import asyncio
import logging
import os
import signal
import sys
from functools import partial
from pathlib import Path

from system.check import Engine
from system.files.journal import Journal, JournalError
from system.runner.cluster import ClusterChecker
from system.runner.run import CheckerError, run
from tests.helpers.bridge import Answers, BagOfWords, settings_with
from tests.helpers.bridge_run import CLAIMS
from tests.helpers.scripted import ScriptedModel

POISON = 5
SETTINGS = settings_with(graph__two_labels=True)


def load_engine(folder, delay):
    answers = Answers()

    async def script(request):
        await asyncio.sleep(delay)
        if request.task.claim.id == POISON and (folder / "poison").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return answers(request)

    if (folder / "unloadable").exists():
        raise FileNotFoundError("adapter.safetensors")
    return Engine(ScriptedModel(script), BagOfWords(), SETTINGS)


async def check_all(folder, delay, address, journal):
    make_engine = partial(load_engine, folder, delay)
    async with ClusterChecker(address, make_engine, folder / "stores", CLAIMS, SETTINGS) as checker:
        results = await run(checker.check, checker.places, CLAIMS, folder, journal)
        return results, checker.workers


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    folder, delay, address = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
    with Journal(folder / "journal.jsonl", {"run": "bridge"}, resume="resume" in sys.argv) as journal:
        try:
            results, workers = asyncio.run(check_all(folder, delay, address, journal))
        except (CheckerError, JournalError) as error:
            sys.exit(f"error: {error}")
    print(len(results), "results", [worker.claims for worker in workers])


if __name__ == "__main__":
    main()
