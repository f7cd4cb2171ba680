"""Run: many claims, several at a time, each safe on disk before it counts, whoever checks them."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from tqdm import tqdm

from system.journal import Journal, JournalError
from system.records import Claim, ClaimResult
from system.runner.checker import Checker, WorkerReport
from system.runner.output import write_whole

SHOWN = 8  # workers that the progress line counts one by one


async def run(checker: Checker, claims: Sequence[Claim], output: Path, journal: Journal) -> list[ClaimResult]:
    """Check the claims that the journal does not hold yet.

    Args:
        output: folder for the graphs; the journal is open already.

    Returns:
        The results of all claims, those of the journal included, in the order of ``claims``.

    Raises:
        CheckerError: there is nobody left to check claims.
        JournalError: a claim cannot be written.
    """
    done = {result.claim.id for result in journal.finished}
    places = asyncio.Semaphore(checker.places)  # bounds the ranked stores in memory
    graphs = output / "graphs"
    graphs.mkdir(parents=True, exist_ok=True)
    left = [claim for claim in claims if claim.id not in done]
    earlier = max((result.timing.finished_at for result in journal.finished), default=0.0)
    began = perf_counter()
    with tqdm(total=len(claims), initial=len(done), unit="claim", desc="checking", smoothing=0.05) as progress:

        async def finish(claim: Claim) -> None:
            async with places:
                result, graph = await checker.check(claim)
                await _keep(_finished(result, earlier + perf_counter() - began), graph, graphs, journal)
                progress.set_postfix_str(claims_by_worker(checker.workers), refresh=False)
                progress.update()

        try:
            async with asyncio.TaskGroup() as group:
                for claim in left:
                    group.create_task(finish(claim))
        except ExceptionGroup as faults:
            raise faults.exceptions[0] from None  # what one claim meets, of disk or cluster, the others meet as well
    by_id = {result.claim.id: result for result in journal.finished}
    return [by_id[claim.id] for claim in claims]


def _finished(result: ClaimResult, seconds: float) -> ClaimResult:
    return result.model_copy(update={"timing": result.timing.model_copy(update={"finished_at": seconds})})


async def _keep(result: ClaimResult, graph: bytes, graphs: Path, journal: Journal) -> None:
    try:
        # In a thread, so that several graphs wait for the disk together.
        await asyncio.to_thread(write_whole, graphs / f"{result.claim.id}.json", graph)
        journal.append(result)
    except OSError as error:
        raise JournalError(
            f"{graphs.parent}: claim {result.claim.id} cannot be written ({error.strerror}); the "
            f"{len(journal.finished)} claims before it are safe: make room, then use --resume"
        ) from error


def claims_by_worker(workers: Sequence[WorkerReport]) -> str:
    """How the finished claims are spread, for the progress line; nothing where one worker does all.

    >>> of = lambda claims: WorkerReport(node="a", pid=1, model_load_seconds=0, claims=claims)
    >>> claims_by_worker([of(3), of(2)])
    'by worker 3 2'
    >>> claims_by_worker([of(claims) for claims in range(100)])
    'by worker 0 to 99'
    """
    counts = [worker.claims for worker in workers]
    if len(counts) < 2:
        return ""
    spread = " ".join(map(str, counts)) if len(counts) <= SHOWN else f"{min(counts)} to {max(counts)}"
    return f"by worker {spread}"
