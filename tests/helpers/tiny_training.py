"""A tiny model, and data sets of the form of ``python -m training data`` made of the bundled example claims."""

import json
from pathlib import Path

import pytest

from system.averitec.gold import read_gold
from system.graph.records import QuestionAnswer
from system.models.prompting import ChatTokenizer, render
from system.strategies.steps.tasks import JudgeClaim, VerdictReply

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "system" / "examples" / "claims.json"


@pytest.fixture(scope="session")
def chat(tiny_model):
    return ChatTokenizer(str(tiny_model / "base"), 4096)


@pytest.fixture(scope="session")
def verdicts():
    """Tasks of judging and their replies, of an annotated file."""

    def make(path=EXAMPLES, count=16):
        for example in read_gold(path)[:count]:
            pairs = tuple(QuestionAnswer(question=a.question, answer=a.text, answers=()) for a in example.answers)
            label = example.label
            reply = VerdictReply(justification=f"The answers say so: {pairs[0].answer[:40]}", label=label)
            yield JudgeClaim(claim=example.claim, pairs=pairs[:1]), reply

    return make


@pytest.fixture(scope="session")
def lines(chat):
    """The data set of tasks and their replies, as dictionaries."""

    def make(tasks):
        return [
            {
                "id": str(task.claim.id),
                "claim_id": task.claim.id,
                "label": str(reply.label),
                "prompt": render(task, True, chat.specials),
                "completion": [{"role": "assistant", "content": reply.model_dump_json()}],
            }
            for task, reply in tasks
        ]

    return make


@pytest.fixture
def data(tmp_path, verdicts, lines):
    """A folder with the data set of verdicts."""
    write_lines(tmp_path / "verdict_prediction.jsonl", lines(verdicts()))
    return tmp_path


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
