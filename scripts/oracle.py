"""A noisy oracle: knows the annotated questions, answers and label of each claim, and errs at given rates.

It stands in for a language model in experiments on strategies: where a strategy can mend which error, and what it
costs, shows without one. What it says of a request depends on the request alone. Its world, in short: an answer found
is a piece of evidence for or against the claim; half of the annotated pieces, seen together, decide it; a reader
overlooks each piece with some probability, and a debater who cites a piece makes the moderator see it.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge_store.pages.page import Passage
from system.gold import GoldClaim
from system.models.base import Completion, ErrorKind, ModelError, Request, Result
from system.records import AnswerType, Cost, Label, QuestionAnswer, Source
from system.tasks.answer_question import AnswerQuestion, AnswerReply
from system.tasks.ask_question import AskQuestion, QuestionReply
from system.tasks.base import Reply, Task
from system.tasks.baselines import VerifyClaim
from system.tasks.debate import CONTINUE, Argue, ArgumentReply, CloseDebate, Moderate, RulingReply
from system.tasks.judge_claim import JudgeClaim, LabelClaim, LabelReply, VerdictReply
from system.tasks.merge_answers import MergeAnswers, MergeReply
from system.thoughts import Argument, Speaker

CITED_AT_ONCE = 2


@dataclass(frozen=True)
class Rates:
    """Probabilities of the oracle's errors.

    Attributes:
        miss: an answer that a passage holds is not found in it.
        overlook: a reader passes over a piece of evidence that lies before it.
        flip: a verdict is turned into its opposite.
        drift: a moderator gives a neutral verdict although the evidence decides.
    """

    miss: float = 0.0
    overlook: float = 0.0
    flip: float = 0.0
    drift: float = 0.0


class OracleModel:
    """Answers from the annotation, with errors.

    Args:
        gold: annotated claims by id.
        rates: how often it errs.
    """

    def __init__(self, gold: Sequence[GoldClaim], rates: Rates) -> None:
        self._gold = gold
        self._rates = rates

    async def generate(self, requests: Sequence[Request]) -> list[Result]:
        """See ``Model.generate``."""
        return [self._answer(request) for request in requests]

    async def close(self) -> None:
        """Nothing is held."""

    def _answer(self, request: Request) -> Result:
        reply = self._reply(request.task)
        if reply is None:
            return ModelError(ErrorKind.BACKEND, f"the oracle does not know how to do {request.task.name!r}")
        return Completion(reply, Cost(calls=1), raw=reply.model_dump_json())

    def _reply(self, task: Task[Reply]) -> Reply | None:
        match task:
            case AskQuestion():
                return QuestionReply(question=self._ask(task))
            case AnswerQuestion():
                return self._find(task)
            case MergeAnswers(answers=answers):
                return MergeReply(answer=answers[0].text, sources=[number + 1 for number in range(len(answers))])
            case JudgeClaim(pairs=pairs) | VerifyClaim(pairs=pairs):
                return self._verdict(task, self._noticed(task, pairs, ()))
            case LabelClaim(pairs=pairs):
                return LabelReply(label=self._verdict(task, self._noticed(task, pairs, ())).label)
            case Argue():
                return self._argue(task)
            case Moderate():
                return self._moderate(task)
            case CloseDebate(pairs=pairs, transcript=transcript):
                return self._ruling(task, self._noticed(task, pairs, transcript))
        return None

    def _ask(self, task: AskQuestion) -> str:
        """The annotated questions in turn; a follow-up is the next one that was not asked, as far as the task says."""
        questions = list(dict.fromkeys(answer.question for answer in self._gold[task.claim.id].answers))
        asked = [pair.question for pair in task.context]
        start = questions.index(asked[-1]) + 1 if asked and asked[-1] in questions else task.index
        turn = [questions[(start + step) % len(questions)] for step in range(len(questions))]
        return next((question for question in turn if question not in (*asked, *task.asked)), turn[0])

    def _find(self, task: AnswerQuestion) -> AnswerReply:
        held = task.passage.text.startswith(task.question)
        if not held or self._errs(self._rates.miss, task, task.question, task.passage.key):
            return AnswerReply(source=Source.EVIDENCE, type=AnswerType.UNANSWERABLE, answer="It does not say.")
        text = task.passage.text.removeprefix(task.question).strip() or task.passage.text
        return AnswerReply(source=Source.EVIDENCE, type=AnswerType.EXTRACTIVE, answer=text)

    def _noticed(
        self, task: Task[Reply], pairs: Sequence[QuestionAnswer], transcript: Sequence[Argument]
    ) -> set[tuple[int, int]]:
        """The pieces of evidence that a reader sees: those that were cited, and others unless overlooked."""
        cited = {passage.key for argument in transcript for passage in argument.passages}
        held = {passage.key for pair in pairs for passage in pair.passages}
        return {key for key in held if key in cited or not self._errs(self._rates.overlook, task, task.agent, key)}

    def _verdict(self, task: Task[Reply], noticed: set[tuple[int, int]]) -> VerdictReply:
        label = self._label(task, noticed)
        if self._errs(self._rates.flip, task, task.agent, sorted(noticed)):
            label = Label.SUPPORTED if label is Label.REFUTED else Label.REFUTED
        return VerdictReply(justification=f"{len(noticed)} pieces of evidence.", label=label)

    def _ruling(self, task: Moderate | CloseDebate, noticed: set[tuple[int, int]]) -> VerdictReply:
        """A moderator's verdict, which may drift to a neutral one."""
        verdict = self._verdict(task, noticed)
        if self._errs(self._rates.drift, task, "drift", len(task.transcript)):
            neutral = (
                Label.CONFLICTING if self._errs(0.2, task, "which", len(task.transcript)) else Label.NOT_ENOUGH_EVIDENCE
            )
            return verdict.model_copy(update={"label": neutral})
        return verdict

    def _label(self, task: Task[Reply], noticed: set[tuple[int, int]]) -> Label:
        """What the noticed evidence amounts to; half of what was annotated is enough."""
        gold = self._gold[task.claim.id]
        if len(noticed) < math.ceil(len(gold.answers) / 2):
            return Label.NOT_ENOUGH_EVIDENCE
        if gold.label is not Label.CONFLICTING:
            return gold.label
        sides = {self._speaks_for(task, key) for key in noticed}
        return Label.CONFLICTING if len(sides) > 1 else Label.SUPPORTED if True in sides else Label.REFUTED

    def _speaks_for(self, task: Task[Reply], key: tuple[int, int]) -> bool:
        """Whether a piece of evidence is for the claim; of a conflicting claim every other one is."""
        gold = self._gold[task.claim.id]
        return key[0] % 2 == 0 if gold.label is Label.CONFLICTING else gold.label is Label.SUPPORTED

    def _argue(self, task: Argue) -> ArgumentReply:
        """Cite what speaks for the side and that it has not cited yet, or else anything that it has not."""
        own = (argument for argument in task.transcript if argument.speaker is task.side)
        cited = {passage.key for argument in own for passage in argument.passages}
        wanted = task.side is Speaker.AFFIRMATIVE
        rest = [p for p in task.evidence if p.key not in cited and not self._passed_over(task, p)]
        rest.sort(key=lambda passage: self._speaks_for(task, passage.key) is not wanted)
        numbers = [task.evidence.index(passage) + 1 for passage in rest[:CITED_AT_ONCE]]
        return ArgumentReply(argument=f"The {task.side} side cites {numbers}.", citations=numbers)

    def _passed_over(self, task: Argue, passage: Passage) -> bool:
        return self._errs(self._rates.overlook, task, task.side, len(task.transcript), passage.key)

    def _moderate(self, task: Moderate) -> RulingReply:
        """Decide once the evidence does; continue while it does not and the last round still brought something."""
        verdict = self._ruling(task, self._noticed(task, task.pairs, task.transcript))
        fresh = any(argument.passages for argument in task.transcript[-2:])
        undecided = verdict.label is Label.NOT_ENOUGH_EVIDENCE and fresh
        return RulingReply(
            insight=" ".join(argument.text for argument in task.transcript[-2:]),
            gaps="",
            reason=verdict.justification,
            decision=CONTINUE if undecided else verdict.label,
        )

    def _errs(self, rate: float, task: Task[Reply], *where: object) -> bool:
        """Whether an error of this rate happens here: always the same for the same place."""
        place = repr((1, task.claim.id, task.name, *where)).encode()  # 1 as in the documented figures
        return int.from_bytes(hashlib.blake2b(place, digest_size=8).digest()) < rate * 2**64
