"""Steps of a consultancy: the judge's question, verdict and belief."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from system.case import Case, Step
from system.deadline import DeadlineExpired
from system.graph.records import Content, Verdict
from system.graph.thoughts import Argument, Speaker, Thought
from system.models.base import Completion
from system.strategies.base import options_of
from system.strategies.consultancy.records import Belief, ConsultancyOptions
from system.strategies.consultancy.tasks import BeliefReply, JudgeSpeakers, QuestionSpeakers, StateBelief
from system.strategies.debate.records import Skipped
from system.strategies.steps.tasks import QuestionReply
from system.strategies.steps.verdict import as_verdict


def judges(case: Case) -> tuple[str, ...]:
    """Return the personas of the judges; one judge without a persona if the options name none."""
    return options_of(case, ConsultancyOptions).chosen or ("",)


async def question_speakers(
    case: Case, transcript: Sequence[Thought[Argument]], number: int
) -> Thought[Argument] | None:
    """Ask the judge's question about what was said; None when the model failed. Of several judges the first asks."""

    def asked(result: Completion[QuestionReply]) -> Argument:
        return Argument(speaker=Speaker.JUDGE, round=number, text=result.reply.question.strip(), passages=())

    task = QuestionSpeakers(claim=case.claim, persona=judges(case)[0], transcript=_said(transcript))
    (question,) = await case.think("question", [Step(task, asked, transcript, under=case.graph.root)])
    return question


async def judge_speakers(case: Case, transcript: Sequence[Thought[Argument]]) -> list[Thought[Verdict]]:
    """Return the verdicts of the judges, each on its own; one that failed is left out."""
    tasks = [JudgeSpeakers(claim=case.claim, persona=one, transcript=_said(transcript)) for one in judges(case)]
    steps = [Step(task, as_verdict, transcript, under=case.graph.root) for task in tasks]
    return [verdict for verdict in await case.think("judge", steps, final=True) if verdict]


async def state_beliefs(case: Case, transcript: Sequence[Thought[Argument]]) -> None:
    """Ask each judge for its belief, before the speakers and after; if time is short, note that it was skipped."""
    after = bool(transcript)

    def believed(persona: str, result: Completion[BeliefReply]) -> Belief:
        return Belief(persona=persona, after=after, percent=result.reply.belief)

    root = case.graph.root
    parents: list[Thought[Content]] = [*transcript] or [root]
    tasks = [StateBelief(claim=case.claim, persona=one, transcript=_said(transcript)) for one in judges(case)]
    steps = [Step(task, partial(believed, task.persona), parents, under=root) for task in tasks]
    with suppress(DeadlineExpired):
        if case.stopwatch.has_time_for("judge"):  # which reads and writes more
            await case.think("state beliefs", steps)
            return
    skipped = Skipped(step=f"beliefs {'after' if after else 'before'}", reason="there is no time left")
    case.graph.add(skipped, parents, skipped.step, under=root)


def _said(transcript: Sequence[Thought[Argument]]) -> tuple[Argument, ...]:
    return tuple(thought.content for thought in transcript)
