"""Check one claim: build its case, run the strategy, and turn whatever happens into a complete result."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Thread

from knowledge_store import ranking
from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from knowledge_store.dense.search import PassageIndex
from knowledge_store.pages.page import Flaws, counted
from knowledge_store.progress import progress_bar
from knowledge_store.ranking import RankedStore
from knowledge_store.searchers.searched import open_searcher
from system.case import Case, Outcome
from system.collection import READ
from system.deadline import Allowance, Clock, Deadline
from system.graph.graph import Graph, Listener, unheard
from system.graph.records import GUESS, Calibration, Claim, ClaimResult, Failure, Label, QuestionAnswer, Timing, Verdict
from system.graph.thoughts import Evidence
from system.models.base import Model, TracedModel
from system.models.loading import check_device, load_model
from system.reader.base import Reader
from system.reader.loading import load_reader
from system.settings import RESERVE, Settings, load_calibration
from system.strategies.base import Check, asked_by, named
from system.strategies.steps.evidence import why_unread
from system.strategies.steps.questions import duplicates, replacements
from system.strategies.steps.verdict import judge_in_reserve, no_verdict, outcome
from system.text.claim_detection import not_a_claim
from system.text.language import other_language


@dataclass(frozen=True)
class Engine:
    """Models, settings and strategy of a run; loaded once, shared by all claims."""

    model: Model
    encoder: Encoder
    settings: Settings
    calibration: Calibration | None = None
    reader: Reader = field(default_factory=load_reader)
    strategy: Check | None = None  #: in place of that of the settings, for what only training does
    own: bool = False  #: whether claims are checked against documents of the user's own

    def for_documents(self, *, own: bool = True) -> "Engine":
        """The engine that reads: claims on documents, and the statements of texts. Calibrations fit other verdicts.

        Args:
            own: whether the documents are the user's own.
        """
        settings = self.settings.for_documents()
        calibration = self.calibration if settings is self.settings else None
        return replace(self, settings=settings, calibration=calibration, own=own)

    def within(self, budget: float | None) -> "Engine":
        """The engine with another budget for a claim, in seconds; None keeps that of the settings."""
        if budget is None:
            return self
        run = self.settings.run.model_copy(update={"budget": budget})
        return replace(self, settings=self.settings.model_copy(update={"run": run}))


async def check(
    engine: Engine,
    claim: Claim,
    ranked: RankedStore,
    failures: Sequence[Failure] = (),
    clock: Clock | None = None,
    listener: Listener = unheard,
    allowance: Allowance | None = None,
) -> tuple[ClaimResult, Graph]:
    """Check a claim against its ranked store.

    A fault of any kind is named in the result, and what was learned until then is judged: one claim never costs another
    its run.

    Args:
        failures: what went wrong before, while the store was read.
        clock: monotonic seconds; by default the event loop's.
        listener: called for each thought as it is added to the graph.
        allowance: the time of the run that the claim belongs to. A claim by itself has its own budget, against which
            the time that ranking took counts, wherever it ran.
    """
    settings = engine.settings
    strategy = engine.strategy or named(settings.strategy)
    budget = allowance.longest if allowance else max(0.0, settings.run.budget - ranked.seconds)
    deadline = Deadline(
        budget,
        reserve=RESERVE * settings.run.budget,
        clock=clock or asyncio.get_running_loop().time,
        allowance=allowance,
    )
    case = Case(
        claim=claim,
        settings=settings,
        model=engine.model,
        encoder=engine.encoder,
        reader=engine.reader,
        index=PassageIndex(ranked, engine.encoder, settings.retrieval, partial(deadline.left, final=True)),
        gold_passages=ranked.passages if settings.debate.evidence == "gold" else (),
        deadline=deadline,
        failures=[*failures],
        listener=listener,
        own=engine.own,
    )
    try:
        reached = _none(case, kind) if (kind := _no_claim(case)) else await strategy(case)
    except Exception as error:  # noqa: BLE001 - the one place where any fault of a claim becomes a named failure
        _note(case, error)
        reached = await _conclude(case)
    return _result(case, reached, ranked, engine.calibration), case.graph


def _no_claim(case: Case) -> str:
    """What a text is that can be neither true nor false; empty for a claim.

    A row of a file that is checked on its store was chosen as a claim, whatever its form.
    """
    return "" if case.claim.numbered and not case.own else not_a_claim(case.claim.text)


def _none(case: Case, kind: str) -> Outcome:
    reason = f"This is {kind}, not a claim: no evidence can make it true or false."
    verdict = Verdict(label=Label.NOT_ENOUGH_EVIDENCE, justification=reason, confidence=GUESS)
    case.graph.add(verdict, [case.graph.root], "judge")
    return Outcome(verdict=verdict, pairs=(), rounds=0, branches=0)


async def _conclude(case: Case) -> Outcome:
    """Judge what was learned until a fault, if that can still be done."""
    try:
        verdict = await judge_in_reserve(case)
    except Exception as error:  # noqa: BLE001 - the fault may be the backend's, and last
        _note(case, error)
        verdict = None
    return outcome(case, verdict or no_verdict(case))


def _note(case: Case, error: Exception) -> None:
    while isinstance(error, ExceptionGroup):  # of branches that ran together, the first fault is the cause
        error = error.exceptions[0]
    cause = type(error).__name__
    case.failures.append(Failure(operation=case.settings.strategy, message=f"{cause}: {error}", cause=cause))


def _result(case: Case, outcome: Outcome, ranked: RankedStore, calibration: Calibration | None) -> ClaimResult:
    verdict = outcome.verdict
    if calibration:
        verdict = verdict.model_copy(update={"confidence": calibration.of(verdict.confidence)})
    if _found_nothing(case, outcome):
        verdict = _unsure(verdict, ranked, case.failures)
    if case.settings.graph.two_labels and (folded := verdict.of_two) is not verdict:
        case.graph.add(folded, case.graph.holding(Verdict)[-1:], "two labels", under=case.graph.root)
        verdict = folded
    flaws = Flaws(ranked.report.flaws) + case.index.flaws  # of the claim's pages, and of those found in an archive
    return ClaimResult(
        claim=case.claim,
        verdict=verdict,
        pairs=outcome.pairs or (QuestionAnswer.unanswered(case.claim.text),),
        timing=Timing(
            seconds=ranked.seconds + case.deadline.spent,
            stages={"rank": ranked.seconds, **case.stopwatch.stages()},
            cost=case.cost(),
            rounds=outcome.rounds,
            branches=outcome.branches,
            cut_short=case.stopwatch.timed_out,
            duplicates=len(duplicates(case)),
            replaced=len(replacements(case)),
        ),
        failures=tuple(case.failures),
        flaws={str(flaw): count for flaw, count in flaws.items()} | _unread(case),
    )


def _found_nothing(case: Case, outcome: Outcome) -> bool:
    """Whether the search came to its end, and nothing answered any question."""
    if _no_claim(case):
        return False
    broken = any(failure.unanswered and failure.operation != READ for failure in case.failures)
    answered = any(pair.answered for pair in outcome.pairs)
    return outcome.verdict.label is Label.NOT_ENOUGH_EVIDENCE and not (answered or broken or case.stopwatch.timed_out)


def _unsure(verdict: Verdict, ranked: RankedStore, failures: Sequence[Failure]) -> Verdict:
    """A verdict on no answer at all: little is known, so it says little, and says what was searched, or why not."""
    pages, passages = counted(ranked.report.pages, "page"), counted(len(ranked.passages), "passage")
    searched = f"{verdict.justification} Searched: {pages}, {passages}."
    unread = (one.cause or one.message for one in failures if one.operation == READ and one.unanswered)
    return verdict.model_copy(
        update={
            "confidence": min(verdict.confidence, GUESS),
            "justification": next((f"Nothing was read: {reason}." for reason in unread), searched.strip()),
        }
    )


def _unread(case: Case) -> dict[str, int]:
    """How many of the passages that were found were not read, and why."""
    found = dict.fromkeys(thought.content.passage for thought in case.graph if isinstance(thought.content, Evidence))
    return Counter(reason for passage in found if (reason := why_unread(case, passage)))


def load_engine(settings: Settings, trace: Path | None = None) -> Engine:
    """Load encoder, model and calibration, and beside them what a first claim needs: compiled code, language tables.

    Args:
        trace: file that every prompt and reply is added to.

    Raises:
        EncoderUnavailable: the encoder's files are missing.
        ModelUnavailable: the backend's library or files are missing.
        SearchError: the archive that the settings name is not there.
        SettingsError: the calibration cannot be read.
        ReaderUnavailable: the verifier's files are missing or damaged.
    """
    asked = [*asked_by(settings)]
    check_device(settings, asked)
    if settings.retrieval.search:
        open_searcher(settings.retrieval.search)
    calibration = load_calibration(settings)
    server = load_model(settings, None, asked) if settings.model.backend == "server" else None  # which may not answer
    Thread(target=ranking.warm_up, daemon=True).start()
    Thread(target=other_language, args=("It rained.", "en"), daemon=True).start()
    first = f"loading the encoder {settings.retrieval.encoder}"
    with progress_bar(
        total=2, desc=first, leave=False, bar_format="{desc} ({n} of {total} loaded, {elapsed})"
    ) as progress:
        encoder = SentenceEncoder.of(settings.retrieval)  # rules and judges read the same sentences
        progress.update()
        progress.set_description_str(f"loading the model {settings.model.model or settings.model.backend}")
        model = server or load_model(settings, encoder, asked)
        reader = load_reader(settings.reading.verifier)
    return Engine(TracedModel(model, trace) if trace else model, encoder, settings, calibration, reader)
