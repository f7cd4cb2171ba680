"""A task of every kind besides those of the graph, about a bridge, with all that a prompt may have to show."""

from knowledge_store.pages.page import Passage
from submission.ev2r.tasks import CompareEvidence, CompareQuestions, FreePrompt
from system.article.decontextualize import Decontextualize
from system.graph.records import Claim, Label, QuestionAnswer
from system.graph.thoughts import Argument, Speaker
from system.strategies.baselines.tasks import AskOfPassage, CarryOut, Instruct, VerifyClaim
from system.strategies.consultancy.settings import PERSONAS
from system.strategies.consultancy.tasks import Advise, JudgeSpeakers, QuestionSpeakers
from system.strategies.debate.records import Ruling
from system.strategies.debate.tasks import Argue, CloseDebate, CorrectVerdict, Moderate
from system.strategies.steps.tasks.ask_question import AskQuestion
from system.tasks.base import Reply, Task, registered
from tests.helpers import by_strategy

RULING = Ruling(round=1, insight="A sum.", gaps="A date.", reason="One source.", decision=None, confidence=0.5)


def _said(*speakers: Speaker, cites: tuple[Passage, ...]) -> tuple[Argument, ...]:
    return tuple(Argument(speaker=speaker, round=1, text="It was 4.2 million.", passages=cites) for speaker in speakers)


def agent_tasks(claim: Claim, pair: QuestionAnswer, evidence: tuple[Passage, ...]) -> dict[str, Task[Reply]]:
    """Tasks of debates, consultancies, teams and judges by name; each prompt in all the forms that it has."""
    body = {"claim": claim, "pairs": (pair,), "evidence": evidence}
    both = _said(Speaker.AFFIRMATIVE, Speaker.NEGATIVE, cites=evidence[:1])
    advised = _said(Speaker.CONSULTANT, Speaker.JUDGE, cites=evidence[1:])
    worked = _said(Speaker.INSTRUCTOR, cites=())
    pairs = ((pair.question, pair.answer),)
    return {
        "ask something else": AskQuestion(claim=claim, context=(), index=2, asked=(pair.question,)),
        "open the debate": Argue(**body, side=Speaker.AFFIRMATIVE, transcript=()),
        "argue": Argue(**body, side=Speaker.NEGATIVE, transcript=both[:1]),
        "moderate": Moderate(**body, transcript=both, rulings=()),
        "moderate again": Moderate(**body, transcript=both, rulings=(RULING,)),
        "close the debate": CloseDebate(**body, transcript=both, rulings=(RULING,)),
        "correct the verdict": CorrectVerdict(**body, transcript=both, rulings=(RULING,), label=Label.REFUTED),
        "open the consultancy": Advise(**body, side=Speaker.NEGATIVE, transcript=()),
        "advise": Advise(**body, side=Speaker.AFFIRMATIVE, transcript=advised),
        "question the speakers": QuestionSpeakers(claim=claim, persona="", transcript=both),
        "judge the speakers": JudgeSpeakers(claim=claim, persona=PERSONAS[0], transcript=both),
        "verify the claim": VerifyClaim(**body, transcript=()),
        "verify the claim together": VerifyClaim(**body, transcript=worked),
        "instruct": Instruct(**body, transcript=()),
        "carry out": CarryOut(**body, transcript=worked),
        "ask of a passage": AskOfPassage(claim=claim, passage=evidence[0]),
        "decontextualize": Decontextualize(claim=claim, title="A bridge", before=("They built a bridge.",)),
        "compare evidence": CompareEvidence(claim=claim, predicted=pairs, reference=pairs),
        "compare questions": CompareQuestions(claim=claim, predicted=pairs[0][:1], reference=pairs[0][:1]),
        "free prompt": FreePrompt(claim=claim, prompt="Say anything at all."),
    } | {name: task for module in by_strategy.MODULES for name, task in module.tasks(claim, pair, evidence).items()}


def ours() -> set[type[Task[Reply]]]:
    """The registered tasks less those that tests define."""
    return {task for task in registered() if task.__module__.startswith(("system.", "submission."))}
