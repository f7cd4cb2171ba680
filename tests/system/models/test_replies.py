import json
import math

import pytest

from submission.ev2r.judge import FreePrompt
from system.graph.records import Claim, Cost, Label
from system.models.base import Completion, ErrorKind, ModelError
from system.models.prompting import decoding_schema, label_confidence, read_reply
from system.strategies.debate.tasks import RulingReply
from system.strategies.steps.tasks import MergeReply, VerdictReply
from system.tasks.base import FreeText

COST = Cost(calls=1, tokens_out=3)
GOOD = {"justification": "The dates differ.", "label": "Conflicting Evidence/Cherrypicking"}


def test_schema_keeps_everything_but_the_lengths():
    schema = decoding_schema(VerdictReply)
    assert schema["required"] == ["justification", "label"] == list(schema["properties"])
    assert schema["$defs"]["Label"]["enum"] == [str(label) for label in Label]
    assert "minLength" not in json.dumps(schema)
    assert "minItems" in json.dumps(decoding_schema(MergeReply))


def test_good_reply_is_read(tasks):
    raw = json.dumps(GOOD)
    result = read_reply(tasks["judge"], raw, COST, "prompt")
    assert result == Completion(
        VerdictReply(justification="The dates differ.", label=Label.CONFLICTING), COST, "prompt", raw
    )


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        ('{"justification": "The', "the reply: expected valid JSON (EOF"),
        ('{"justification": "", "label": "Refuted"}', "justification: expected at least 1"),
        ('{"justification": "x", "label": "refuted"}', "label: expected 'Supported'"),
        ('{"justification": "x", "label": "Refuted", "more": 1}', "more: unknown field"),
    ],
)
def test_a_malformed_reply_is_an_error_that_keeps_the_raw_text(tasks, raw, fault):
    result = read_reply(tasks["judge"], raw, COST, "prompt", truncated=True)
    assert isinstance(result, ModelError)
    assert (result.kind, result.raw, result.prompt, result.cost) == (ErrorKind.MALFORMED_REPLY, raw, "prompt", COST)
    assert result.message.startswith(f"judge_claim: expected a JSON object with justification, label; {fault}")
    assert result.message.endswith(", cut off at 320 tokens")


@pytest.mark.parametrize("decision", ["Go on", *Label])
def test_the_confidence_of_a_ruling_is_that_of_its_decision(decision):
    tokens = [('{"insight":"No decision yet.","gaps":"","reason":"', -5.0), ('x","dec', -1.0), ('ision":"', -2.0)]
    written = [(piece, -0.1) for piece in (decision[:3], decision[3:])]
    assert label_confidence(RulingReply, [*tokens, *written, ('"}', 0.0)]) == pytest.approx(math.exp(-2.2))


def test_probabilities_that_are_no_numbers_give_no_confidence():
    assert label_confidence(VerdictReply, [('"label":"', 0.0), ("Refuted", math.nan)]) == 1.0


def test_a_free_reply_is_taken_as_it_is():
    task = FreePrompt(claim=Claim(id=0, text="c"), prompt="Say anything.")
    result = read_reply(task, 'Well: {"a": 1', COST, "prompt", truncated=True)
    assert result == Completion(FreeText(text='Well: {"a": 1'), COST, "prompt", 'Well: {"a": 1')


def test_half_a_surrogate_pair_becomes_text_that_can_be_written(tasks):
    free = FreePrompt(claim=Claim(id=0, text="c"), prompt="Say anything.")
    assert read_reply(free, "a\ud800 \ud83d\ude00", COST, "").reply.text == "a\ufffd 😀"
    assert read_reply(tasks["judge"], "{\udc00", COST, "").raw == "{\ufffd"
