"""A script for a model, an engine on it, and a claim about a bridge."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from knowledge_store.pages.page import Page, Passage
from knowledge_store.ranking import RankedStore, rank
from knowledge_store.settings import RetrievalSettings
from system.case import Case, Outcome
from system.check import Engine, check
from system.graph.graph import Graph
from system.graph.records import AnswerType, Claim, ClaimResult, Label, Source
from system.models.base import ErrorKind, ModelError, Request
from system.settings import Settings
from system.strategies.base import named
from system.strategies.steps.tasks import (
    AnswerQuestion,
    AnswerReply,
    AskQuestion,
    JudgeClaim,
    MergeAnswers,
    MergeReply,
    PassageReply,
    QuestionReply,
    VerdictReply,
    VerificationReply,
    VerifyAnswer,
    WritePassage,
)
from system.tasks.base import Task
from tests.helpers import by_strategy, fake_time
from tests.helpers.scripted import Line, ScriptedModel
from tests.helpers.word_encoder import BagOfWords

CLAIM = Claim(id=7, text="The Aster bridge opened in 1932.", date="3-5-2021", speaker="Mara Quill")
PAGES = (
    (
        "https://history.example/aster",
        "The Aster bridge was opened to traffic in 1932 after four years of work at Halden.",
    ),
    ("https://news.example/repairs", "Repairs of the Aster bridge will take until autumn 2031, the city said."),
    ("https://blog.example/bridges", "Nobody remembers when the first bridge of Halden was built."),
)
FOLLOW_UPS = ("Is there a plaque?", "Which ministry paid?", "How long did work take?", "Were tolls collected?")
QUESTIONS = ("When did the Aster bridge open?", "Who built the crossing?", "What did newspapers report that year?")

NEI = VerdictReply(justification="Too little is known.", label=Label.NOT_ENOUGH_EVIDENCE)
REFUTED = VerdictReply(justification="It opened in 1933.", label=Label.REFUTED)
SILENT = AnswerReply(source=Source.EVIDENCE, type=AnswerType.UNANSWERABLE, answer="It does not say.")
BROKEN = ModelError(ErrorKind.BACKEND, "expected a reply, got none")


class Answers:
    """A script with an ordinary reply to every task; tests replace what they are about.

    ``replace[SomeTask]`` is a function of the request; returning None falls back on the ordinary reply.
    """

    def __init__(self) -> None:
        self.replace: dict[type[Task], Callable[[Request], object]] = {}

    def __call__(self, request: Request) -> object:
        replaced = self.replace.get(type(request.task), lambda _: None)(request)
        return self.ordinary(request) if replaced is None else replaced

    def ordinary(self, request: Request) -> Line:
        match request.task:
            case AskQuestion(context=(), index=index):
                return QuestionReply(question=QUESTIONS[index % len(QUESTIONS)])
            case AskQuestion(context=context, asked=asked):
                turn = [FOLLOW_UPS[(len(context) + step) % len(FOLLOW_UPS)] for step in range(len(FOLLOW_UPS))]
                return QuestionReply(question=next((question for question in turn if question not in asked), turn[0]))
            case WritePassage():
                return PassageReply(passage="The blog says that nobody remembers the first bridge.")
            case AnswerQuestion(passage=passage):
                return AnswerReply(source=Source.EVIDENCE, type=AnswerType.EXTRACTIVE, answer=passage.text[:40])
            case VerifyAnswer():
                return VerificationReply(reason="It stands there.", entailed=True)
            case MergeAnswers(answers=answers):
                return MergeReply(answer=answers[0].text, sources=[1])
            case JudgeClaim():
                return VerdictReply(justification="The bridge opened in 1932.", label=Label.SUPPORTED)
        replies = (reply_to(request.task) for reply_to in by_strategy.functions("reply_to"))
        return next((reply for reply in replies if reply), None)


async def hang(_: Request) -> None:
    """A reply that comes after every deadline."""
    await asyncio.sleep(3600)


def asked(case: Case, kind: type[Task] | tuple[type[Task], ...]) -> list[Task]:
    """The tasks of a kind that a case has asked its model."""
    return [request.task for request in case.model.requests if isinstance(request.task, kind)]


def store_of(pages: Sequence[tuple[str, str]], claim: Claim = CLAIM) -> RankedStore:
    """A ranked store of pages given as (address, text), ranked in no time: what it took here is no part of a test."""
    numbered = [Page(number, url, (text,)) for number, (url, text) in enumerate(pages)]
    return replace(rank(numbered, claim.text, RetrievalSettings()), seconds=0.0)


def ran(case: Case) -> tuple[Case, Outcome]:
    """A case and what came of its strategy."""
    return case, asyncio.run(named(case.settings.strategy)(case))


def run_check(engine: Engine, pages: Sequence[tuple[str, str]] = PAGES) -> tuple[ClaimResult, Graph]:
    """Check the claim against pages, on a clock of its own."""
    return fake_time.run(check(engine, CLAIM, store_of(pages)))


def settings_with(**changes: object) -> Settings:
    """Small settings: two branches, two rounds, two passages; changed by section__field=value."""
    tree: dict[str, Any] = {
        "graph": {"branches": 2, "depth": 2},
        "retrieval": {"top_k": 2},
        "model": {"backend": "server"},
        "run": {"budget": 3600.0},  # no machine is so busy that it runs out
    }
    for name, value in changes.items():
        section, _, field = name.partition("__")
        if field:
            tree.setdefault(section, {})[field] = value
        else:
            tree[section] = value
    return Settings.model_validate(tree)


def engine_of(script: object, **changes: object) -> Engine:
    """An engine whose model is a script, with small settings and these changes."""
    return Engine(ScriptedModel(script), BagOfWords(), settings_with(**changes))


def passage(text: str = "Some text.", page: int = 0) -> Passage:
    return Passage(text=text, url=f"https://page{page}.example", page=page, start=0)
