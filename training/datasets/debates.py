"""Synthetic debates about annotated claims: zero-shot ``debatecv`` on gold evidence (DebateCV, section 4).

Each debate is on disk as soon as it is over. One that failed is not kept, so the next run tries it again.
"""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from knowledge_store.dense.encoder import Encoder
from knowledge_store.pages.page import Passage
from knowledge_store.ranking import rank
from system.check import Engine, check
from system.journal import RecordJournal
from system.models.base import Completion, Model, Request, Result
from system.records import Claim, Label, QuestionAnswer, Record
from system.runner.ranking_pool import store_file
from system.settings import Settings
from system.tasks.base import Reply
from system.tasks.debate import GO_ON, CloseDebate, Moderate, ModeratorTask, RulingReply
from system.tasks.judge_claim import VerdictReply
from system.thoughts import Argument, Ruling

M = TypeVar("M", bound=ModeratorTask[Reply])

PATIENCE = 24 * 3600.0  # seconds that a debate may take: nobody waits for it, and a hurried one is no example

_LOGGER = logging.getLogger(__name__)


class Debate(Record):
    """A debate as its moderator read it, with what the moderator replied in the end.

    Attributes:
        rulings: those after earlier rounds.
        reply: a ruling that decided, or the verdict at the end of a debate that nothing decided.
    """

    claim: Claim
    pairs: tuple[QuestionAnswer, ...]
    evidence: tuple[Passage, ...]
    transcript: tuple[Argument, ...]
    rulings: tuple[Ruling, ...]
    reply: RulingReply | VerdictReply

    @property
    def task(self) -> Moderate | CloseDebate:
        """What the moderator was asked."""
        return self.ask(Moderate) if isinstance(self.reply, RulingReply) else self.ask(CloseDebate)

    def ask(self, task: type[M], **more: Any) -> M:
        """A moderator's task over this debate.

        Args:
            more: what else the task takes.
        """
        return task(
            claim=self.claim,
            pairs=self.pairs,
            evidence=self.evidence,
            transcript=self.transcript,
            rulings=self.rulings,
            **more,
        )

    @property
    def label(self) -> Label:
        """The moderator's verdict."""
        return Label(self.reply.decision if isinstance(self.reply, RulingReply) else self.reply.label)

    @property
    def justification(self) -> str:
        """The moderator's reasons."""
        return self.reply.reason if isinstance(self.reply, RulingReply) else self.reply.justification


class Listener:
    """A model that remembers the decisive reply of each claim's moderator; otherwise it is the model it wraps."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.heard: dict[int, Debate] = {}

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        results = await self._model.generate(requests)
        for request, result in zip(requests, results, strict=True):
            self._listen(request, result)
        return results

    async def close(self) -> None:
        """See ``Model.close``."""
        await self._model.close()

    def _listen(self, request: Request, result: Result) -> None:
        task = request.task
        if not (isinstance(task, Moderate | CloseDebate) and isinstance(result, Completion)):
            return
        reply = result.reply
        if isinstance(reply, VerdictReply) or (isinstance(reply, RulingReply) and reply.decision != GO_ON):
            self.heard[task.claim.id] = Debate(
                claim=task.claim,
                pairs=task.pairs,
                evidence=task.evidence,
                transcript=task.transcript,
                rulings=task.rulings,
                reply=reply,
            )


async def hold_debates(
    model: Model,
    encoder: Encoder,
    settings: Settings,
    claims: Sequence[Claim],
    store: Path,
    journal: RecordJournal[Debate],
) -> list[Debate]:
    """Debate the claims that the journal does not hold yet.

    Args:
        settings: see ``debate_settings``.
        store: the gold evidence, a file for each claim.

    Returns:
        The debates about these claims that came to a verdict, in the order of the claims.
    """
    listener = Listener(model)
    engine = Engine(listener, encoder, settings)
    places = asyncio.Semaphore(settings.run.max_concurrent_claims)
    done = {debate.claim.id for debate in journal.finished}
    left = [claim for claim in claims if claim.id not in done]
    with tqdm(total=len(claims), initial=len(claims) - len(left), unit="debate", disable=None) as bar:

        async def debate(claim: Claim) -> None:
            async with places:
                ranked = rank(store_file(store, claim), claim.text, settings.retrieval)
                result, _ = await check(engine, claim, ranked)
                if claim.id in listener.heard:
                    journal.append(listener.heard.pop(claim.id))
                else:
                    why = result.failures[0].message if result.failures else "there was nothing to debate"
                    _LOGGER.warning("claim %d: no verdict of a debate (%s)", claim.id, why)
                bar.update()

        try:
            async with asyncio.TaskGroup() as group:
                for claim in left:
                    group.create_task(debate(claim))
        except ExceptionGroup as faults:  # the first is the cause, such as a full disk
            raise faults.exceptions[0] from faults
    by_id = {debate.claim.id: debate for debate in journal.finished}
    return [by_id[claim.id] for claim in claims if claim.id in by_id]


def debate_settings(settings: Settings) -> Settings:
    """The settings for debates on gold evidence, without haste and by the base model alone: zero-shot."""
    return settings.model_copy(
        update={
            "strategy": "debatecv",
            "debate": settings.debate.model_copy(update={"evidence": "gold"}),
            "run": settings.run.model_copy(update={"budget": PATIENCE, "calibration": ""}),
            "model": settings.model.model_copy(update={"adapters": {}}),
        }
    )
