"""The moderator's data (DebateCV, section 4): synthetic debates, and the data sets made of them.

Debates about annotated claims are held on the annotators' answers, as in the papers; with a knowledge store, as in a
run, over what a graph of thoughts has asked, retrieved and answered. Every claim is debated, not only those on
which branches disagree, and the base model moderates. Each debate is on disk as soon as it is over. A failed one is not
kept, so the next call tries it again. ``moderator_data`` makes the data sets of Debate-SFT, D-SFT and D-DPO.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from knowledge_store.dense.encoder import Encoder
from knowledge_store.pages.page import Passage
from system.averitec.gold import GoldClaim
from system.case import Case, Outcome
from system.check import Engine
from system.checker import Checker
from system.collection import StoreCollection
from system.files.journal import RecordJournal
from system.graph.records import Claim, Label, QuestionAnswer, Record, Verdict
from system.graph.thoughts import Argument, Thought
from system.models.base import Completion, Model, Request, Result
from system.settings import Settings
from system.strategies.debate.records import Ruling
from system.strategies.debate.steps import debate as hold_debate
from system.strategies.debate.tasks import CONTINUE, CloseDebate, CorrectVerdict, Moderate, ModeratorTask, RulingReply
from system.strategies.got import Branch, explore
from system.strategies.steps.evidence import share_evidence
from system.strategies.steps.questions import first_questions
from system.strategies.steps.tasks import VerdictReply
from system.strategies.steps.verdict import conclude
from system.tasks.base import Adapter, Reply
from training.datasets.samples import DataSet, Drops, Sample, Written, replies

M = TypeVar("M", bound=ModeratorTask[Reply])

PATIENCE = 24 * 3600.0  # seconds that a debate may take; one that is cut short is no example

INPUTS = ("claim", "pairs", "evidence", "transcript", "rulings")  # fields of a moderator's tasks that debates keep

_LOGGER = logging.getLogger(__name__)


class Debate(Record):
    """A debate as its moderator read it, with the moderator's last reply."""

    claim: Claim
    pairs: tuple[QuestionAnswer, ...]
    evidence: tuple[Passage, ...]
    transcript: tuple[Argument, ...]
    rulings: tuple[Ruling, ...]  #: those after earlier rounds
    #: a ruling that decided, or the verdict at the end of a debate that nothing decided
    reply: RulingReply | VerdictReply

    @property
    def task(self) -> Moderate | CloseDebate:
        """The moderator's last task."""
        return self.ask(Moderate) if isinstance(self.reply, RulingReply) else self.ask(CloseDebate)

    def ask(self, task: type[M], **more: Any) -> M:
        """Return a moderator's task over this debate; ``more`` are further fields of the task."""
        return task(**{name: getattr(self, name) for name in INPUTS}, **more)

    @property
    def label(self) -> Label:
        """The moderator's verdict."""
        return Label(self.reply.decision if isinstance(self.reply, RulingReply) else self.reply.label)


class Listener:
    """A wrapped model that records the decisive reply of each claim's moderator."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.heard: dict[int, Debate] = {}

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        results = await self._model.generate(requests)
        for request, result in zip(requests, results, strict=True):
            task = request.task
            if not (isinstance(task, Moderate | CloseDebate) and isinstance(result, Completion)):
                continue
            if getattr(result.reply, "decision", None) != CONTINUE:
                inputs = {name: getattr(task, name) for name in INPUTS}
                self.heard[task.claim.id] = Debate(**inputs, reply=result.reply)
        return results

    async def close(self) -> None:
        """See ``Model.close``."""
        await self._model.close()


async def debate_always(case: Case) -> Outcome:
    """Run the graph of strategy ``got``, and debate what its branches found, whether they agree or not."""

    async def verdict() -> Thought[Verdict] | None:
        branches = [Branch([question]) for question in await first_questions(case)]
        await explore(case, branches)
        pairs = [pair for branch in branches for pair in branch.pairs]
        answered = any(pair.content.passages for pair in pairs)  # without a passage, a run does not debate either
        return await hold_debate(case, share_evidence(case, pairs)) if answered else None

    return await conclude(case, verdict())


async def hold_debates(
    model: Model,
    encoder: Encoder,
    settings: Settings,
    claims: Sequence[Claim],
    store: Path,
    journal: RecordJournal[Debate],
) -> list[Debate]:
    """Debate the claims that are not in the journal yet; return all debates with a verdict, in the claims' order.

    ``settings`` are those of ``debate_settings``; ``store`` has a file for each claim.
    """
    listener = Listener(model)
    engine = Engine(listener, encoder, settings, strategy=debate_always if settings.strategy == "got" else None)
    done = {debate.claim.id for debate in journal.finished}
    left = [claim for claim in claims if claim.id not in done]
    with tqdm(total=len(claims), initial=len(claims) - len(left), unit="debate", disable=None) as bar:
        async with aclosing(Checker(engine).check_many(left, StoreCollection(store, settings))) as checks:
            async for checked in checks:
                result = checked.result
                if result.claim.id in listener.heard:
                    journal.append(listener.heard.pop(result.claim.id))
                else:
                    why = result.failures[0].message if result.failures else "there was nothing to debate"
                    _LOGGER.warning("claim %d: the debate reached no verdict (%s)", result.claim.id, why)
                bar.update()
    by_id = {debate.claim.id: debate for debate in journal.finished}
    return [by_id[claim.id] for claim in claims if claim.id in by_id]


def debate_settings(settings: Settings, *, gold: bool) -> Settings:
    """Return the settings for debates: a run's, with a wide time budget and the base model as moderator.

    Adapters for questions and answers stay, so that the evidence is as in use. With ``gold``, as with ``--evidence
    gold``, the annotators' answers are debated, as in the papers: there is nothing to ask, and the strategy is
    ``debatecv``.
    """
    retrieved = settings.debate.evidence == "retrieved" and not gold
    adapters = {task: name for task, name in settings.model.adapters.items() if task is not Adapter.MODERATOR}
    return settings.model_copy(
        update={
            "strategy": "got" if retrieved and settings.strategy != "debatecv" else "debatecv",
            "debate": settings.debate.model_copy(update={"evidence": "retrieved" if retrieved else "gold"}),
            "run": settings.run.model_copy(update={"budget": PATIENCE, "calibration": ""}),
            "model": settings.model.model_copy(update={"adapters": adapters}),
        }
    )


async def correct(
    model: Model, debates: Sequence[Debate], labels: Mapping[int, Label], journal: RecordJournal[Written]
) -> dict[int, str]:
    """Have the model write reasons for the gold verdict, if the moderator was wrong (DebateCV, section 4).

    Gold verdicts and reasons are by the claim's id; see ``replies``.
    """
    tasks = {
        str(debate.claim.id): debate.ask(CorrectVerdict, label=labels[debate.claim.id])
        for debate in debates
        if debate.label is not labels[debate.claim.id]
    }
    written = await replies(model, journal, tasks, "corrections")
    return {int(claim): reply.justification.strip() for claim, reply in written.items()}


NO_VERDICT = "debate without a verdict"
NOT_CORRECTED = "wrong verdict without a correction"


def moderator_data(
    claims: Sequence[GoldClaim], debates: Sequence[Debate], corrections: Mapping[int, str], notes: dict[str, Any]
) -> list[DataSet]:
    """Make the data sets of the two recipes.

    Debate-SFT trains on correct and corrected replies together (``moderator``). D-SFT trains on the correct ones
    (``moderator_sft``), and D-DPO then prefers the corrected reply to the original (``moderator_preferences``). All but
    the last also learn to continue, from each ruling after which a debate continued: a moderator that saw only last
    rulings would end more debates in their first round. ``corrections`` are what ``correct`` returns.
    """
    labels = {annotated.claim.id: annotated.label for annotated in claims}
    together: list[Sample] = []
    correct: list[Sample] = []
    preferences: list[Sample] = []
    failed, uncorrected = Drops({NO_VERDICT: len(claims) - len(debates)}), Drops({NOT_CORRECTED: 0})
    for debate in debates:
        number, label = debate.claim.id, labels[debate.claim.id]
        samples = list(_continued(debate))
        if debate.label is label:
            samples.append(Sample(f"debate-{number}", label, debate.task, debate.reply, "correct"))
            correct += samples
        elif number in corrections:
            pair = _corrected(debate, label, corrections[number])
            preferences.append(pair)
            samples.append(replace(pair, rejected=None))
        else:
            uncorrected[NOT_CORRECTED] += 1
        together += samples
    return [
        DataSet("moderator", together, failed + uncorrected, {"recipe": "Debate-SFT", **notes}),
        DataSet("moderator_sft", correct, failed, {"recipe": "D-SFT", **notes}),
        DataSet("moderator_preferences", preferences, uncorrected, {"recipe": "D-DPO", **notes}),
    ]


def _continued(debate: Debate) -> Iterator[Sample]:
    """Yield the rulings that another round followed, which excludes the last one of a closed debate."""
    closed = isinstance(debate.reply, VerdictReply)
    for place, ruling in enumerate(debate.rulings[: len(debate.rulings) - closed]):
        transcript = tuple(argument for argument in debate.transcript if argument.round <= ruling.round)
        task = debate.model_copy(update={"transcript": transcript, "rulings": debate.rulings[:place]}).ask(Moderate)
        reply = RulingReply(insight=ruling.insight, gaps=ruling.gaps, reason=ruling.reason, decision=CONTINUE)
        yield Sample(f"debate-{debate.claim.id}-round-{ruling.round}", debate.label, task, reply, "goes on")


def _corrected(debate: Debate, label: Label, justification: str) -> Sample:
    """Return the reply with reasons and verdict corrected; a ruling's notes on the round stay."""
    reply: RulingReply | VerdictReply = (
        debate.reply.model_copy(update={"reason": justification, "decision": label})
        if isinstance(debate.reply, RulingReply)
        else VerdictReply(justification=justification, label=label)
    )
    return Sample(f"debate-{debate.claim.id}", label, debate.task, reply, "corrected", rejected=debate.reply)
