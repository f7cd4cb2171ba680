"""Baselines: one agent or several who reason on their own, two who work together, the shared task's own order."""

from collections.abc import Sequence

from system.case import Case, Step
from system.graph.records import Content, QuestionAnswer, Verdict
from system.graph.thoughts import Argument, Evidence, Speaker, Thought
from system.models.base import Completion
from system.strategies.baselines.tasks import AskOfPassage, CarryOut, Instruct, InstructionReply, VerifyClaim
from system.strategies.steps.evidence import SharedEvidence, as_pair
from system.strategies.steps.questions import as_question
from system.strategies.steps.speech import speak
from system.strategies.steps.verdict import as_verdict


async def reason(
    case: Case, shared_evidence: SharedEvidence, *, agents: int = 1, transcript: Sequence[Thought[Argument]] = ()
) -> list[Thought[Verdict]]:
    """The verdicts of agents who know nothing of each other; one that failed is left out.

    Args:
        transcript: what was worked out before.
    """
    tasks = [
        VerifyClaim(
            claim=case.claim,
            pairs=shared_evidence.pairs,
            evidence=shared_evidence.passages,
            transcript=tuple(thought.content for thought in transcript),
            agent=agent,
        )
        for agent in range(agents)
    ]
    parents: list[Thought[Content]] = [*shared_evidence.thoughts, *transcript]
    steps = [Step(task, as_verdict, parents, under=case.graph.root) for task in tasks]
    return [verdict for verdict in await case.think("reason", steps) if verdict]


async def instruct(
    case: Case, shared_evidence: SharedEvidence, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """The next instruction (CAMEL, Li et al., 2023); None when nothing is left to do, or the model failed."""

    def said(result: Completion[InstructionReply]) -> Argument | None:
        if result.reply.done:
            return None
        text = result.reply.instruction.strip()
        return Argument(speaker=Speaker.INSTRUCTOR, round=number, text=text, passages=())

    spoken = tuple(thought.content for thought in transcript)
    task = Instruct(claim=case.claim, pairs=shared_evidence.pairs, evidence=shared_evidence.passages, transcript=spoken)
    parents: list[Thought[Content]] = [*shared_evidence.thoughts, *transcript]
    (instruction,) = await case.think("instruct", [Step(task, said, parents, under=case.graph.root)])
    return instruction


async def carry_out(
    case: Case, shared_evidence: SharedEvidence, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """The solution of the last instruction; None when the model failed."""
    spoken = tuple(thought.content for thought in transcript)
    task = CarryOut(claim=case.claim, pairs=shared_evidence.pairs, evidence=shared_evidence.passages, transcript=spoken)
    return await speak(case, "carry out", task, Speaker.ASSISTANT, shared_evidence, transcript, number)


async def ask_of_passages(case: Case, evidence: Sequence[Thought[Evidence]]) -> list[Thought[QuestionAnswer]]:
    """Each passage with the question that it answers; the passage itself is the answer (the shared task's baseline)."""
    tasks = [AskOfPassage(claim=case.claim, passage=thought.content.passage) for thought in evidence]
    steps = [Step(task, as_question, [thought]) for task, thought in zip(tasks, evidence, strict=True)]
    asked = await case.think("ask", steps)
    return [
        case.graph.add(as_pair(question.content.text, thought.content.passage), [question, thought], "ask")
        for question, thought in zip(asked, evidence, strict=True)
        if question
    ]
