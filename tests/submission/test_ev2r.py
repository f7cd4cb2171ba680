"""Ev2R: the organizers' prompts and their reading of replies, the journal, and the scores from the command line."""

import asyncio
import json
import math
import re

import pytest

from submission.__main__ import main
from submission.ev2r.judge import Judge, read_official_prompts
from submission.ev2r.judging import MAX_CONCURRENT, ReplyJournal, judge_all
from submission.ev2r.replies import Unit, UnreadableReply, read_reply
from submission.files import SubmissionError
from submission.read import Gold, Pair
from system.graph.records import Label
from system.models.base import ErrorKind, ModelError, ModelUnavailable
from tests.helpers.local_site import Handler, serving
from tests.helpers.scripted import ScriptedModel
from tests.helpers.submission_factories import paired, prediction, result

# In the form of the organizers' file, in words of our own.
NOT_TO_RUN = 'import no_such_library\n\nraise SystemExit("this file must not be run")\n'
FILE = (
    NOT_TO_RUN
    + '''
import enum


class PromptTypes(enum.Enum):
    OTHER = "other"
    EVIDENCE = "atomic_reference_prec_recall"
    QUESTIONS = "atomic_question_reference_prec_recall"


OTHER_PROMPT = "Nothing: {}"
EVIDENCE_PROMPT = """Reply as {{"a": 1}}.
Claim: {}
Gold: {}
Predicted: {}"""
QUESTION_PROMPT = "{}|{}|{}"

PROMPT_MAPPING = {
    PromptTypes.OTHER: OTHER_PROMPT,
    PromptTypes.EVIDENCE: EVIDENCE_PROMPT,  # a comment
    PromptTypes.QUESTIONS: QUESTION_PROMPT,
}
'''
)


def reply_of(unit=Unit.EVIDENCE, **changes):
    """Two of four predicted facts and one of two of the reference supported; changes name kind and side."""
    reply = {}
    for side, facts, support in (("predicted", 4, 2), ("reference", 2, 1)):
        reply |= {f"facts in {side} {unit}": "1. A fact.", f"fact check {side} {unit}": "1. Supported."}
        reply |= {f"facts count {side} {unit}": facts, f"support {side} {unit}": support}
    reply |= {f"{name.replace('_', ' ')} {unit}": value for name, value in changes.items()}
    return json.dumps({key: value for key, value in reply.items() if value is not ...})


# What the official scorer makes of a reply: precision and recall, or nothing if it stops at the reply.
TRAPS = {
    "a brace in a text": (reply_of(fact_check_predicted="It says {sic} so."), None),
    "braces in prose before it": ("I use {braces}. " + reply_of(), None),
    "a raw newline in a text": (reply_of().replace("1. Supported.", "1. Supp\norted."), None),
    "a count as text": (reply_of(support_reference="1"), None),
    "a count as a float": (reply_of(support_reference=1.5), (0.5, 0.75)),
    "a count as true": (reply_of(support_reference=True), (0.5, 0.5)),
    "a truncated reply": (reply_of()[:-4], None),
    "no reply": ("", None),
    "no predicted fact": (reply_of(facts_count_predicted=0, support_predicted=0), None),
    "a missing key": (reply_of(support_reference=...), None),
    "more supported than there are": (reply_of(support_reference=3), (0.5, 1.5)),
    "an array": (f"[{reply_of()}]", (0.5, 0.5)),
    "a count that is no number": (reply_of(facts_count_predicted=math.nan), None),
    "an infinite count": (reply_of(support_predicted=math.inf), None),
    "a count of thousands of digits": (reply_of(facts_count_predicted="7" * 5000), None),
    "nested too deeply": ('{"a":' + "[" * 5000 + "}", None),
}


def check_reading(raw, expected):
    """Check precision and recall of a reply of the official scorer, or that it cannot be read."""
    try:
        judgement = read_reply(raw, Unit.EVIDENCE)
    except UnreadableReply:
        assert expected is None
    else:
        assert (judgement.precision, judgement.recall) == expected


@pytest.mark.parametrize(("raw", "expected"), TRAPS.values(), ids=TRAPS.keys())
def test_each_trap_is_read_as_by_the_official_scorer(raw, expected):
    check_reading(raw, expected)


@pytest.mark.data
def test_real_replies_have_the_recorded_precision_and_recall(shared):
    lines = (shared / "data/ev2r/judge_replies_gpt-3.5.jsonl").read_text().splitlines()
    readable = 0
    for reply in (json.loads(line)["response"] for line in lines):
        recorded = (reply.pop("precision"), reply.pop("recall"))
        raw = json.dumps(reply)
        expected = None if None in recorded or "}" in raw[:-1] else recorded
        check_reading(raw, expected)
        readable += expected is not None
    assert len(lines) == 85 and readable >= 80


@pytest.fixture
def prompts(tmp_path):
    (tmp_path / "properties.py").write_text(FILE)
    return tmp_path / "properties.py"


def test_prompts_are_filled_in_as_the_official_scorer_does(prompts):
    official = read_official_prompts(prompts)
    gold = (("Who?", "A {man}."), ("Who?", "B."))
    pair = Pair(
        prediction(0, "c", "Refuted", (("When?", "C."), ("", "D."))),
        Gold(claim_id=0, claim="c {0}", label=Label.REFUTED, pairs=gold),
    )
    assert official.prompt(pair, Unit.EVIDENCE) == (
        'Reply as {"a": 1}.\nClaim: c {0}\nGold: Who?\t\t\nA {man}.\t\t\n\nWho?\t\t\nB.\t\t\n\n\n'
        "Predicted: When?\t\t\nC.\t\t\n\n\t\t\nD.\t\t\n\n"
    )
    assert official.prompt(pair, Unit.QUESTIONS) == "c {0}|Who? Who?|When?"
    prompts.write_text(FILE.replace("Nothing", "Something"))
    assert read_official_prompts(prompts).name == official.name
    prompts.write_text(FILE.replace("Gold", "Reference"))
    assert read_official_prompts(prompts).name != official.name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PROMPT_MAPPING =", "OTHER_MAPPING ="),
        ('"{}|{}|{}"', '"{}|{}"'),
        ('"{}|{}|{}"', '"{}|{}|{name}"'),
        ('"{}|{}|{}"', "make()"),
        ("enum.Enum", "enum.Enum)("),
    ],
)
def test_rejects_another_file(prompts, old, new):
    prompts.write_text(FILE.replace(old, new))
    with pytest.raises(SubmissionError, match=r"properties.py: expected the organizers' properties.py"):
        read_official_prompts(prompts)


def pair_of(number):
    return paired(number, ((f"q{number}", "a"),), ((f"q{number}", "a"),))


@pytest.fixture
def judged(prompts):
    """Have pairs judged by a model that replies as a script says; ``model`` is the last one."""

    def run(script, *pairs):
        run.model = ScriptedModel(lambda request: script(request.task.prompt))
        judge = Judge(run.model, "a model", read_official_prompts(prompts))
        with ReplyJournal(prompts.parent / "new" / "judgements.jsonl") as journal:
            outcomes = asyncio.run(judge_all(pairs, judge, journal))
        return [outcome for found in outcomes for outcome in found.values()]

    return run


def test_an_interrupted_run_resumes_with_the_missing_replies(judged):
    pairs = list(map(pair_of, range(3)))
    with pytest.raises(SubmissionError, match="the judge stopped answering: no server; run the same command to resume"):
        judged(lambda prompt: ModelUnavailable("no server") if "q1" in prompt else "no JSON", *pairs)
    assert judged.model.closed
    judged(lambda _: "no JSON", *pairs)
    asked = [request.task.prompt for request in judged.model.requests]
    assert any("q1" in prompt for prompt in asked) and not any("q0" in prompt for prompt in asked)
    assert judged.model.closed


def test_a_request_that_fails_gives_its_reason(judged):
    too_long = ModelError(ErrorKind.TOO_LONG, "9 tokens")
    assert judged(lambda _: too_long, pair_of(0)) == ["request too long: 9 tokens"] * 2


def test_the_number_of_waiting_requests_is_bounded(judged):
    waiting = most = 0

    async def script(prompt):
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0)
        waiting -= 1
        return "no JSON"

    judged(script, *map(pair_of, range(MAX_CONCURRENT)))
    assert most == MAX_CONCURRENT


class JudgeServer(Handler):
    """Says of every claim that its questions are good, and of the first one that its evidence is."""

    def get(self):
        self.send({"data": [{"id": model, "max_model_len": 16384} for model in ("judge", "other")]})

    def post(self):
        body = self.received()
        self.server.bodies.append(body)
        prompt = body["messages"][0]["content"]
        unit = Unit.QUESTIONS if "|" in prompt else Unit.EVIDENCE
        good = unit is Unit.QUESTIONS or "First." in prompt
        silent = self.server.silent in prompt
        text = "I cannot say." if silent else reply_of(unit, support_reference=2 if good else 1)
        usage = {"prompt_tokens": 1, "completion_tokens": 1}
        self.send({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage})


@pytest.fixture
def server():
    with serving(JudgeServer, bodies=[], silent="nothing") as server:
        yield server


@pytest.fixture
def arguments(server, files, tmp_path, prompts):
    """The command that scores three claims: the last is the first again, with the wrong label."""
    results = [result(0, "First."), result(1, "Second.", Label.REFUTED), result(2, "First.")]
    gold = [("First.", Label.SUPPORTED), ("Second.", Label.REFUTED), ("First.", Label.REFUTED)]
    judge = ["--judge", f"server:judge@{server.address}/v1", "--official-prompts", str(prompts)]
    return ["score", *files(results, gold), "--metrics", "ev2r", "--json", str(tmp_path / "scores.json"), *judge]


def test_a_run_is_scored_and_no_judge_is_asked_anything_twice(server, arguments, tmp_path, capsys):
    assert main(arguments) == 0
    scores = json.loads((tmp_path / "scores.json").read_text())["ev2r"]
    assert [scores["units"][unit]["recall"]["mean"] for unit in Unit] == pytest.approx([2.5 / 3, 1.0])
    assert scores["averitec"]["mean"] == pytest.approx(1 / 3)  # the second is at the threshold, the third is wrong
    out = capsys.readouterr().out
    assert "Ev2R of 3 claims" in out and "judge: server judge, official prompts" in out
    assert sorted(body["messages"][0]["content"] for body in server.bodies)[0].startswith("First.|When did the bridge")
    assert not any("response_format" in body for body in server.bodies)
    assert main(arguments) == 0
    assert len(server.bodies) == len((tmp_path / "judgements.jsonl").read_text().splitlines()) == 4
    assert main([*arguments, "--judge", f"server:other@{server.address}/v1"]) == 0
    assert [body["model"] for body in server.bodies] == ["judge"] * 4 + ["other"] * 4


def test_unjudged_claims_are_named_and_count_as_zero(server, arguments, tmp_path, capsys):
    server.silent = "Second."
    assert main(arguments) == 0
    scores = json.loads((tmp_path / "scores.json").read_text())["ev2r"]
    assert [scores["units"][unit]["recall"]["mean"] for unit in Unit] == pytest.approx([2 / 3, 2 / 3])
    assert [(one["claim_id"], one["unit"]) for one in scores["unjudged"]] == [(1, "evidence"), (1, "questions")]
    out = capsys.readouterr().out
    assert "1 of 3 claims could not be judged in full, which counts as 0:" in out
    assert "claim 1, evidence: unreadable reply: no pair of braces found" in out
    assert len(server.bodies) == 4  # the official scorer asks once


@pytest.mark.parametrize("option", ["--judge", "--official-prompts"])
def test_names_what_a_judge_needs(arguments, option, capsys):
    place = arguments.index(option)
    assert main([*arguments[:place], *arguments[place + 2 :]]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert "ev2r needs a judge and the organizers' prompts; give --judge and --official-prompts" in error
    assert "scripts/official_score.sh --fetch" in error


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ("none", "profile 'none' not found"),
        ("laptop", "the profile has no language model"),
        ("server:m", "needs an address"),
        ("server:judge@http://127.0.0.1:9/v1", "no OpenAI-compatible server answers at http"),
        ("vllm:/no/such/folder", "cannot (be fetched|import vllm)"),
    ],
)
def test_names_a_judge_that_cannot_be_loaded_with_the_forms(arguments, judge, message, capsys):
    assert main([*arguments, "--judge", judge]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert re.search(rf"judge {judge!r}: .*({message}).*expected vllm:MODEL", error)
