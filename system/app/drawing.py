"""The graph of thoughts as a tree for the terminal: each thought stands under the one that its id extends."""

from rich.text import Text
from rich.tree import Tree

from system.claim_analysis import ClaimGraph, Plan, Stance, Subclaims
from system.graph import Graph
from system.records import Answer, Claim, Content, Failure, QuestionAnswer, Verdict
from system.thoughts import Argument, Evidence, Pruned, Question, Ruling, Skipped, Thought, Verification

WIDTH = 160  # characters of a thought's text that are shown


def draw(graph: Graph) -> Tree:
    """Draw a graph; hostile text in it is shown as text, never read as markup."""
    trees = {graph.root.id: Tree(_line(graph.root))}
    for thought in graph.thoughts[1:]:
        above, _, _ = thought.id.rpartition(".")
        trees[thought.id] = trees[above or graph.root.id].add(_line(thought))
    return trees[graph.root.id]


def _line(thought: Thought[Content]) -> Text:
    words = " ".join(describe(thought.content).split())
    shown = words if len(words) <= WIDTH else f"{words[: WIDTH - 1]}…"
    return Text.assemble((thought.id, "bold"), " ", (f"{thought.kind} ", "dim"), shown)


def describe(content: Content) -> str:
    """A thought's content in words."""
    match content:
        case Claim(text=text) | Question(text=text):
            return text
        case Pruned(reason=reason, similarity=similarity):
            return f"{reason} (cosine {similarity:.2f})" if similarity else reason
        case Evidence(passage=passage, score=score):
            return f"{score:.2f} {passage.url}: {passage.text}"
        case Answer(text=text, type=kind, source=source):
            return f"[{kind}, {source.lower()}] {text}"
        case Verification(entailed=entailed, reason=reason):
            return f"{'entailed' if entailed else 'not entailed'}: {reason}"
        case QuestionAnswer(answer=answer):
            return answer
        case Verdict(label=label, justification=justification, confidence=confidence):
            return f"{label} ({confidence:.2f}): {justification}"
        case Argument(speaker=speaker, round=number, text=text, passages=passages):
            return f"[{speaker}, round {number}, cites {len(passages)}] {text}"
        case Ruling(round=number, decision=decision, reason=reason):
            return f"[round {number}: {decision or 'go on'}] {reason}"
        case Subclaims(subclaims=subclaims):
            return " | ".join(subclaims)
        case ClaimGraph(entities=entities, relations=relations):
            return f"{', '.join(entity.name for entity in entities)}; {len(relations)} relations"
        case Plan(phases=phases, resolution=resolution):
            return f"{len(phases)} phases: {'; '.join(phase.goal for phase in phases)}. {resolution}"
        case Stance(team=team, agent=agent, phase=phase, position=position, text=text):
            return f"[{team} team, agent {agent}, phase {phase}: {position}] {text}"
        case Skipped(step=step, reason=reason):
            return f"{step}: {reason}"
        case Failure(operation=operation, message=message):
            return f"{operation}: {message}"
    return content.model_dump_json()
