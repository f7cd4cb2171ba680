import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from system.graph.graph import Graph, GraphError
from system.graph.records import Answer, AnswerType, Content, Cost, Failure, Label, QuestionAnswer, Source, Verdict
from system.graph.thoughts import Argument, Evidence, Hypothetical, Pruned, Question, Speaker, Thought, Verification
from tests.helpers import by_strategy
from tests.helpers.bridge import CLAIM, passage

ANSWER = Answer(text="In 1932.", type=AnswerType.EXTRACTIVE, source=Source.EVIDENCE, passage=passage())
CONTENTS = st.sampled_from(
    [
        Question(text="When?"),
        Hypothetical(text="In 1932, they say."),
        Pruned(reason="repeats another question", similarity=0.95),
        Evidence(passage=passage("Text with “quotes”, \n and नमस्ते."), score=0.5),
        ANSWER,
        Verification(entailed=False, reason="No."),
        QuestionAnswer(question="When?", answer="In 1932.", answers=(ANSWER,)),
        Verdict(label=Label.CONFLICTING, justification="Both.", confidence=0.25),
        Argument(speaker=Speaker.NEGATIVE, round=2, text="No.", passages=(passage(),)),
        Failure(operation="ask", message="nothing came"),
        *by_strategy.all_of("CONTENTS"),
    ]
)


@given(st.lists(st.tuples(CONTENTS, st.sets(st.integers(0, 30), min_size=1, max_size=4)), max_size=12))
def test_any_graph_survives_json_parents_first(plan):
    graph = Graph(CLAIM)
    for content, picks in plan:
        thoughts = graph.thoughts
        parents = [thoughts[i] for i in sorted({pick % len(thoughts) for pick in picks})]
        graph.add(content, parents, "test", Cost(seconds=0.5, calls=1))
    back = Graph.from_json(orjson.loads(orjson.dumps(graph.to_json())))
    assert back.thoughts == graph.thoughts
    seen = set()
    for thought in back:
        assert seen.issuperset(thought.parents)
        seen.add(thought.id)
    assert len(seen) == len(plan) + 1


def test_ids_encode_the_position_of_a_thought():
    graph = Graph(CLAIM)
    graph.add(Question(text="A?"), [graph.root], "ask")
    question = graph.add(Question(text="B?"), [graph.root], "ask")
    evidence = graph.add(Evidence(passage=passage(), score=1.0), [question], "retrieve")
    answer = graph.add(ANSWER, [evidence], "answer")
    pair = graph.add(QuestionAnswer(question="B?", answer="x", answers=()), [answer], "merge", under=question)
    assert [t.id for t in (question, evidence, answer, pair)] == ["q2", "q2.e1", "q2.e1.a1", "q2.m1"]
    assert pair.kind == QuestionAnswer.kind == "merged answer"


def test_rejects_thoughts_that_do_not_fit():
    stranger = Graph(CLAIM).add(Question(text="A?"), [Graph(CLAIM).root], "ask")
    with pytest.raises(GraphError, match=r"unknown parents \['q1'\]"):
        Graph(CLAIM).add(Question(text="B?"), [stranger], "ask")
    with pytest.raises(GraphError, match="needs a parent"):
        Graph(CLAIM).add(Question(text="A?"), [], "ask")
    with pytest.raises(ValidationError, match="cannot hold a Question"):
        Thought(id="v1", kind="verdict", parents=("claim",), operation="x", content=Question(text="A?"))
    with pytest.raises(ValidationError, match=r"expected a thought of kind claim, .*, got 'dream'"):
        Thought.model_validate({"id": "z1", "kind": "dream", "parents": ["claim"], "operation": "x", "content": {}})


@pytest.mark.parametrize(("kind", "letter"), [("question", "?"), ("dream", "q")])
def test_rejects_a_record_whose_kind_or_letter_is_taken(kind, letter):
    with pytest.raises(TypeError, match="is taken"):
        type(Content)("Dream", (Content,), {"kind": kind, "letter": letter, "__module__": __name__})


def test_rejects_a_file_without_a_claim_or_with_a_doubled_id():
    graph = Graph(CLAIM)
    graph.add(Question(text="A?"), [graph.root], "ask")
    data = graph.to_json()
    with pytest.raises(GraphError, match="begins with its claim"):
        Graph.from_json({"thoughts": data["thoughts"][1:]})
    with pytest.raises(GraphError, match="'q1' exists"):
        Graph.from_json({"thoughts": [*data["thoughts"], data["thoughts"][1]]})


def test_records_cannot_be_changed():
    question = Graph(CLAIM).root
    with pytest.raises(ValidationError, match="frozen"):
        question.content.text = "another"
