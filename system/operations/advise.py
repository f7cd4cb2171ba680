"""Advise: a consultant argues, a judge asks and judges (Rahman et al., 2025)."""

from collections.abc import Sequence

from system.case import Case
from system.models.base import ModelError
from system.operations.exhibits import Exhibits, cited
from system.personas import PERSONAS
from system.records import Content, Verdict
from system.speech import Argument, Speaker
from system.tasks.consultancy import Advise, JudgeSpeakers, QuestionSpeakers
from system.thoughts import Thought


def judges(case: Case) -> tuple[str, ...]:
    """The personas of the judges of the settings; one judge without a persona where they want none."""
    return PERSONAS[: case.settings.debate.personas] or ("",)


async def advise(
    case: Case, exhibits: Exhibits, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """The consultant's turn; None when the model failed."""
    parents: list[Thought[Content]] = [*exhibits.thoughts, *transcript]
    task = Advise(
        claim=case.claim,
        pairs=exhibits.pairs,
        evidence=exhibits.passages,
        side=Speaker(case.settings.debate.consultant_side),
        transcript=tuple(thought.content for thought in transcript),
    )
    (result,) = await case.generate("advise", [task])
    if isinstance(result, ModelError):
        case.fail("advise", result, parents)
        return None
    passages = cited(case, "advise", result.reply.citations, exhibits, parents)
    said = Argument(speaker=Speaker.CONSULTANT, round=number, text=result.reply.argument.strip(), passages=passages)
    return case.graph.add(said, parents, "advise", result.cost, under=case.graph.root)


async def question_speakers(
    case: Case, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """The judge's question about what was said; None when the model failed. Of several judges the first asks."""
    said = tuple(thought.content for thought in transcript)
    task = QuestionSpeakers(claim=case.claim, persona=judges(case)[0], transcript=said)
    (result,) = await case.generate("question", [task])
    if isinstance(result, ModelError):
        case.fail("question", result, transcript)
        return None
    question = Argument(speaker=Speaker.JUDGE, round=number, text=result.reply.question.strip(), passages=())
    return case.graph.add(question, transcript, "question", result.cost, under=case.graph.root)


async def judge_speakers(case: Case, transcript: Sequence[Thought[Argument]]) -> list[Thought[Verdict]]:
    """The verdicts of the judges, each on its own; one that failed is left out."""
    said = tuple(thought.content for thought in transcript)
    tasks = [JudgeSpeakers(claim=case.claim, persona=persona, transcript=said) for persona in judges(case)]
    verdicts = []
    for result in await case.generate("judge", tasks, final=True):
        if isinstance(result, ModelError):
            case.fail("judge", result, transcript)
        else:
            reply, confidence = result.reply, result.confidence
            verdict = Verdict(label=reply.label, justification=reply.justification.strip(), confidence=confidence)
            verdicts.append(case.graph.add(verdict, transcript, "judge", result.cost, under=case.graph.root))
    return verdicts
