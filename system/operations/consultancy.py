"""Consultancy: a consultant argues, a judge asks and judges (Rahman et al., 2025)."""

from collections.abc import Sequence

from system.case import Case, Step
from system.models.base import Completion
from system.operations.evidence import Exhibits, cited
from system.operations.verdict import as_verdict
from system.records import Content, Verdict
from system.tasks.ask_question import QuestionReply
from system.tasks.consultancy import PERSONAS, Advise, JudgeSpeakers, QuestionSpeakers
from system.tasks.debate import ArgumentReply
from system.thoughts import Argument, Speaker, Thought


def judges(case: Case) -> tuple[str, ...]:
    """The personas of the judges of the settings; one judge without a persona where they want none."""
    return PERSONAS[: case.settings.debate.personas] or ("",)


async def advise(
    case: Case, exhibits: Exhibits, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """The consultant's turn; None when the model failed."""
    task = Advise(
        claim=case.claim,
        pairs=exhibits.pairs,
        evidence=exhibits.passages,
        side=Speaker(case.settings.debate.consultant_side),
        transcript=tuple(thought.content for thought in transcript),
    )
    parents: list[Thought[Content]] = [*exhibits.thoughts, *transcript]

    def said(result: Completion[ArgumentReply]) -> Argument:
        passages = cited(case, "advise", result.reply.citations, exhibits, parents)
        text = result.reply.argument.strip()
        return Argument(speaker=Speaker.CONSULTANT, round=number, text=text, passages=passages)

    (argument,) = await case.think("advise", [Step(task, said, parents, under=case.graph.root)])
    return argument


async def question_speakers(
    case: Case, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """The judge's question about what was said; None when the model failed. Of several judges the first asks."""

    def asked(result: Completion[QuestionReply]) -> Argument:
        return Argument(speaker=Speaker.JUDGE, round=number, text=result.reply.question.strip(), passages=())

    said = tuple(thought.content for thought in transcript)
    task = QuestionSpeakers(claim=case.claim, persona=judges(case)[0], transcript=said)
    (question,) = await case.think("question", [Step(task, asked, transcript, under=case.graph.root)])
    return question


async def judge_speakers(case: Case, transcript: Sequence[Thought[Argument]]) -> list[Thought[Verdict]]:
    """The verdicts of the judges, each on its own; one that failed is left out."""
    said = tuple(thought.content for thought in transcript)
    tasks = [JudgeSpeakers(claim=case.claim, persona=persona, transcript=said) for persona in judges(case)]
    steps = [Step(task, as_verdict, transcript, under=case.graph.root) for task in tasks]
    return [verdict for verdict in await case.think("judge", steps, final=True) if verdict]
