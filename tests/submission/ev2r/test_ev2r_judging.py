import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from submission.ev2r.judging import MAX_CONCURRENT, ComparedPairs, JudgeError, ReplyJournal, judge_all
from submission.ev2r.replies import Judgement, Mode, Unit
from submission.files import SubmissionError


def comparison(claim_id: int, question: str = "q", unit: Unit = Unit.EVIDENCE) -> ComparedPairs:
    pairs = ((question, "a"),)
    return ComparedPairs(claim_id=claim_id, claim="c", unit=unit, predicted=pairs, gold=pairs)


def good(recall: int = 1, unit: Unit = Unit.EVIDENCE) -> str:
    counts = {"facts count": (1, 2), "support": (1, recall)}
    sides = ("predicted", "reference")
    return json.dumps(
        {f"{key} {side} {unit}": n for key, of in counts.items() for side, n in zip(sides, of, strict=True)}
    )


class Scripted:
    """A judge that says what a function says."""

    def __init__(self, script: Callable[[ComparedPairs, int], str], name: str = "scripted") -> None:
        self.name = name
        self.asked: list[tuple[int, int]] = []
        self.closed = False
        self.waiting = self.most = 0
        self._script = script

    async def reply(self, comparison: ComparedPairs, attempt: int) -> str:
        self.asked.append((comparison.claim_id, attempt))
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        await asyncio.sleep(0)
        self.waiting -= 1
        return self._script(comparison, attempt)

    async def close(self) -> None:
        self.closed = True


def run(judge: Scripted, path: Path, *asked: ComparedPairs, mode: Mode = Mode.STRICT):
    with ReplyJournal(path / "judgements.jsonl") as journal:
        return asyncio.run(judge_all(asked, judge, journal, mode))


def test_returns_outcomes_in_order_and_closes_the_judge(tmp_path: Path) -> None:
    judge = Scripted(lambda one, _: good(one.claim_id))
    outcomes = run(judge, tmp_path, *(comparison(number, f"q{number}") for number in (2, 0, 1)))
    assert outcomes == [Judgement(precision=1, recall=recall) for recall in (1.0, 0.0, 0.5)]
    assert judge.closed


def test_nothing_is_asked_twice(tmp_path: Path) -> None:
    judge = Scripted(lambda *_: good())
    run(judge, tmp_path, comparison(0), comparison(1), comparison(2, "other"), comparison(3, unit=Unit.QUESTIONS))
    assert [claim for claim, attempt in judge.asked if not attempt] == [1, 2, 3]
    again = Scripted(lambda *_: "never")
    assert run(again, tmp_path, comparison(7), comparison(8, "other"))[0] == Judgement(precision=1, recall=0.5)
    assert again.asked == []
    other = Scripted(lambda *_: good(2), name="another judge")
    assert run(other, tmp_path, comparison(0)) == [Judgement(precision=1, recall=1)]


def test_resumes_an_interrupted_run_with_the_missing_replies(tmp_path: Path) -> None:
    def breaks(one: ComparedPairs, _: int) -> str:
        if one.claim_id == 1:
            raise SubmissionError("the judge is gone")
        return good()

    asked = [comparison(number, f"q{number}") for number in range(3)]
    judge = Scripted(breaks)
    with pytest.raises(SubmissionError, match="the judge is gone"):
        run(judge, tmp_path, *asked)
    assert judge.closed
    second = Scripted(lambda *_: good())
    assert run(second, tmp_path, *asked) == [Judgement(precision=1, recall=0.5)] * 3
    assert (0, 0) not in second.asked and (1, 0) in second.asked


def test_an_unreadable_reply_is_retried_once_in_strict_mode(tmp_path: Path) -> None:
    judge = Scripted(lambda one, attempt: good() if attempt or one.claim_id == 0 else "no JSON")
    outcomes = run(judge, tmp_path, comparison(0, "q0"), comparison(1, "q1"))
    assert outcomes == [Judgement(precision=1, recall=0.5)] * 2
    assert sorted(judge.asked) == [(0, 0), (1, 0), (1, 1)]


def test_in_compatible_mode_nothing_is_repeated(tmp_path: Path) -> None:
    judge = Scripted(lambda *_: "no JSON")
    assert run(judge, tmp_path, comparison(0), mode=Mode.COMPATIBLE) == ["unreadable reply: no pair of braces found"]
    assert judge.asked == [(0, 0)]


def test_a_failed_judgement_gives_its_reason(tmp_path: Path) -> None:
    def script(one: ComparedPairs, _: int) -> str:
        if one.claim_id == 0:
            raise JudgeError("request too long: 9999 tokens")
        return "no JSON"

    judge = Scripted(script)
    long, unreadable = run(judge, tmp_path, comparison(0, "q0"), comparison(1, "q1"))
    assert long == "request too long: 9999 tokens"
    assert str(unreadable).startswith("unreadable reply: no complete JSON object")
    assert sorted(judge.asked) == [(0, 0), (1, 0), (1, 1)]


def test_the_number_of_waiting_requests_is_bounded(tmp_path: Path) -> None:
    judge = Scripted(lambda *_: good())
    run(judge, tmp_path, *(comparison(number, f"q{number}") for number in range(3 * MAX_CONCURRENT)))
    assert judge.most == MAX_CONCURRENT
