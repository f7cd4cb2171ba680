"""Questions: ask them (section 3.2.1), drop those that say the same (table 1), and ask again in their place."""

from collections.abc import Sequence

from system.case import Case, Step
from system.graph.records import Content, QuestionAnswer
from system.graph.thoughts import Pruned, Question, Thought
from system.models.base import Completion
from system.strategies.steps.options import examples_like
from system.strategies.steps.tasks import AskQuestion, QuestionReply
from system.text.questions import question_of_statement

NEAR = 0.9  # cosine from which two questions count as the same; the paper says "near-duplicates"
REPLACEMENTS = 2  # times that a question which repeats another is asked for again
AGAIN = "ask again"  # the operation that does so
DUPLICATE = "repeats another question"
Questions = list[Thought[Question]]
Parents = Sequence[Thought[Content]]


async def first_questions(case: Case) -> Questions:
    """Ask one question more than there are branches, drop near-duplicates, and ask for others in their place.

    When the model gives none, the claim itself becomes the question, so that there is evidence to show.
    """
    root, branches = case.graph.root, case.settings.graph.branches
    number = branches + 1
    asked = [q for q in await case.think("ask", [_step(case, index, [root]) for index in range(number)]) if q]
    asked = asked or [case.graph.add(Question(text=question_of_statement(case.claim.text)), [root], "ask fallback")]
    kept = await deduplicate(case, asked)
    for _ in range(REPLACEMENTS):
        missing = min(len(asked), branches) - len(kept)
        if not missing or not case.stopwatch.has_time_for("ask", "deduplicate"):
            break
        steps = [_step(case, index, [root], kept) for index in range(number, number + missing)]
        kept += await deduplicate(case, [q for q in await case.think(AGAIN, steps) if q], kept)
        number += missing
    return kept


async def ask_next(case: Case, branches: Sequence[Parents]) -> list[Thought[Question] | None]:
    """Ask one more question for each branch that found not enough, given its verdict and earlier pairs.

    A question that repeats one of any branch is asked for again with the list of those that were asked. The result is
    None for a branch for which the model had none, or none that is new.
    """
    asked: list[Thought[Question] | None] = [None] * len(branches)
    wanting, known = list(range(len(branches))), open_questions(case)
    for attempt in range(1 + REPLACEMENTS):
        if not wanting or (attempt and not case.stopwatch.has_time_for("ask", "deduplicate")):
            break
        steps = [_step(case, attempt, branches[i], known if attempt else ()) for i in wanting]
        replies = await case.think(AGAIN if attempt else "ask", steps)
        found = {question.id: i for i, question in zip(wanting, replies, strict=True) if question}
        kept = await deduplicate(case, [question for question in replies if question], known)
        for question in kept:
            asked[found.pop(question.id)] = question
        wanting, known = list(found.values()), [*known, *kept]
    return asked


def open_questions(case: Case) -> Questions:
    """All questions that were asked and not dropped."""
    dropped = {pruned.parents[0] for pruned in case.graph.holding(Pruned)}
    return [question for question in case.graph.holding(Question) if question.id not in dropped]


def duplicates(case: Case) -> list[Thought[Pruned]]:
    """The marks of questions that were dropped because they repeat another."""
    return [pruned for pruned in case.graph.holding(Pruned) if pruned.content.reason == DUPLICATE]


def replacements(case: Case) -> Questions:
    """The questions that were asked in place of duplicates."""
    return [question for question in open_questions(case) if question.operation == AGAIN]


async def deduplicate(case: Case, questions: Questions, against: Sequence[Thought[Question]] = ()) -> Questions:
    """Keep the questions that do not nearly duplicate an earlier one or one of ``against``, at most ``branches``.

    Every dropped one gets a child of kind PRUNED that says why.
    """
    if not questions:
        return []
    candidates = [*against, *questions]
    vectors = await case.embed("deduplicate", [thought.content.text for thought in candidates])
    similarity = (vectors @ vectors.T).round(4)
    kept = list(range(len(against)))
    for i, question in enumerate(questions, start=len(against)):
        closest = max(kept, key=lambda j: similarity[i, j], default=None)
        if closest is not None and similarity[i, closest] >= NEAR:
            pruned = Pruned(reason=DUPLICATE, similarity=float(similarity[i, closest]))
            case.graph.add(pruned, [question, candidates[closest]], "deduplicate")
        elif len(kept) - len(against) == case.settings.graph.branches:
            pruned = Pruned(reason="there are enough questions without it", similarity=0.0)
            case.graph.add(pruned, [question], "deduplicate")
        else:
            kept.append(i)
    return [candidates[i] for i in kept[len(against) :]]


def _step(
    case: Case, index: int, parents: Parents, avoid: Sequence[Thought[Question]] = ()
) -> Step[QuestionReply, Question]:
    """A question that follows from the verdict and the pairs of a branch, or a first one about the claim."""
    context = tuple(one.content for one in parents if isinstance(one.content, QuestionAnswer))
    asked = tuple(question.content.text for question in avoid)
    shown = examples_like(case)
    task = AskQuestion(claim=case.claim, context=context, index=index, asked=asked, examples=shown)

    def question(result: Completion[QuestionReply]) -> Question:
        return Question(text=result.reply.question.strip(), again=parents[0] is not case.graph.root)

    return Step(task, question, parents)
