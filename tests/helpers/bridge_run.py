"""A real run as a process of its own, with a script for a model: ``tests.helpers.bridge_run FOLDER DELAY [resume]``.

FOLDER has stores/<id>.json; DELAY is in seconds a request, so that a test can strike in the middle.
"""

import asyncio
import sys
from pathlib import Path

from system.check import Engine
from system.files.journal import Journal
from system.graph.records import Claim
from system.runner.run import LocalChecker, run
from tests.helpers.bridge import Answers, BagOfWords, settings_with
from tests.helpers.scripted import ScriptedModel

CLAIMS = [Claim(id=i, text=f"The Aster bridge number {i} opened in 1932.") for i in range(12)]


def main() -> None:
    folder, delay = Path(sys.argv[1]), float(sys.argv[2])
    answers = Answers()

    async def script(request):
        await asyncio.sleep(delay)
        return answers(request)

    engine = Engine(ScriptedModel(script), BagOfWords(), settings_with())
    with Journal(folder / "journal.jsonl", {"run": "bridge"}, resume="resume" in sys.argv) as journal:
        results = asyncio.run(check_all(engine, CLAIMS, folder, journal))
    print(len(results), "results")


async def check_all(engine, claims, folder, journal):
    """Check claims in this process against FOLDER/stores."""
    async with LocalChecker(engine, folder / "stores", claims) as checker:
        return await run(checker.check, checker.places, claims, folder, journal)


if __name__ == "__main__":
    main()
