import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submission.ev2r.replies import Judgement, Mode, Unit, UnreadableReply, read_reply

EVIDENCE, QUESTIONS = Unit.EVIDENCE, Unit.QUESTIONS
STRICT, COMPATIBLE = Mode.STRICT, Mode.COMPATIBLE


def _reply(unit: Unit = EVIDENCE, **changes: Any) -> dict[str, Any]:
    """Two of four predicted facts and one of two of the reference supported; changes name kind and side."""
    reply: dict[str, Any] = {}
    for side, facts, support in (("predicted", 4, 2), ("reference", 2, 1)):
        reply[f"facts in {side} {unit}"] = " ".join(f"{number}. A fact." for number in range(1, facts + 1))
        reply[f"fact check {side} {unit}"] = "1. Supported."
        reply[f"facts count {side} {unit}"] = facts
        reply[f"support {side} {unit}"] = support
    return reply | {f"{name.replace('_', ' ')} {unit}": value for name, value in changes.items()}


def _raw(**changes: Any) -> str:
    return json.dumps({key: value for key, value in _reply(**changes).items() if value is not ...})


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("unit", Unit)
def test_precision_counts_predictions_recall_references(unit: Unit, mode: Mode) -> None:
    assert read_reply(json.dumps(_reply(unit)), unit, mode) == Judgement(precision=0.5, recall=0.5)
    raw = json.dumps(_reply(unit, support_reference=2, support_predicted=1))
    assert read_reply(f"Here it is:\n{raw}\nDone.", unit, mode) == Judgement(precision=0.25, recall=1.0)


# What each reading makes of a reply: (compatible, strict), None where it cannot be read.
HALF = Judgement(precision=0.5, recall=0.5)
TRAPS: dict[str, tuple[str, Judgement | None, Judgement | None]] = {
    "a brace in a text": (_raw(fact_check_predicted="It says {sic} so."), None, HALF),
    "braces in prose before it": ("I use {braces}. " + _raw(), None, HALF),
    "a raw newline in a text": (_raw().replace("1. Supported.", "1. Supp\norted."), None, HALF),
    "a count as text": (_raw(support_reference="1"), None, HALF),
    "a count as a float": (_raw(support_reference=1.5), Judgement(precision=0.5, recall=0.75), None),
    "a count as true": (_raw(support_reference=True), HALF, None),
    "a truncated reply": (_raw()[:-4], None, None),
    "no reply": ("", None, None),
    "no predicted fact": (
        _raw(facts_in_predicted=[], facts_count_predicted=0, support_predicted=0),
        None,
        Judgement(precision=0.0, recall=0.5),
    ),
    "no fact in the reference": (_raw(facts_in_reference=[], facts_count_reference=0, support_reference=0), None, None),
    "a missing key": (_raw(support_reference=...), None, None),
    "more supported than there are": (
        _raw(support_reference=3),
        Judgement(precision=0.5, recall=1.5),
        Judgement(precision=0.5, recall=1.0),
    ),
    "fewer counted than listed": (_raw(facts_count_reference=1), Judgement(precision=0.5, recall=1.0), HALF),
    "more counted than listed in an array": (
        _raw(facts_in_reference=["A.", "B."], facts_count_reference=4),
        Judgement(precision=0.5, recall=0.25),
        HALF,
    ),
    "facts without numbers": (_raw(facts_in_reference="It opened in 1932."), HALF, HALF),
    "numbers at the ends of sentences": (_raw(facts_in_reference="1. In 1932. 2. It was 3 or 4. No more."), HALF, HALF),
    "verdicts that differ from the count": (
        _raw(verdicts_reference=["supported", "supported"]),
        HALF,
        Judgement(precision=0.5, recall=1.0),
    ),
    "a verdict for each of fewer facts": (_raw(verdicts_reference=["supported"]), HALF, None),
    "an object of another kind before it": ('{"note": {"a": 1}} ' + _raw(), None, HALF),
    "an array": (f"[{_raw()}]", HALF, HALF),
    "a count that is no number": (_raw(facts_count_predicted=math.nan, facts_in_predicted="x"), None, None),
    "an infinite count": (_raw(support_predicted=math.inf, facts_in_predicted="x"), None, None),
    "a count of thousands of digits": (_raw(facts_count_predicted="7" * 5000, facts_in_predicted="x"), None, None),
    "nested too deeply": ('{"a":' + "[" * 5000 + "}", None, None),
}


@pytest.mark.parametrize(("raw", "compatible", "strict"), TRAPS.values(), ids=TRAPS.keys())
def test_each_trap_is_read_as_its_mode_says(raw: str, compatible: Judgement | None, strict: Judgement | None) -> None:
    for mode, expected in ((COMPATIBLE, compatible), (STRICT, strict)):
        if expected:
            assert read_reply(raw, EVIDENCE, mode) == expected
        else:
            with pytest.raises(UnreadableReply):
                read_reply(raw, EVIDENCE, mode)


@given(st.text() | st.lists(st.sampled_from(["{", "}", '"', ":", "support reference evidence", "1", "["])).map("".join))
def test_no_reply_crashes_the_parser(raw: str) -> None:
    for mode in Mode:
        with pytest.raises(UnreadableReply):
            read_reply(raw, EVIDENCE, mode)


def test_reads_a_long_run_of_braces() -> None:
    """A search for the closing brace from each opening one would take hours."""
    with pytest.raises(UnreadableReply, match="no pair of braces"):
        read_reply("{" * 3_000_000, EVIDENCE, COMPATIBLE)


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(UnreadableReply, match="stops at it: KeyError: 'support predicted questions'"):
        read_reply(_raw(), QUESTIONS, COMPATIBLE)
    with pytest.raises(UnreadableReply, match="'verdicts reference evidence': expected 2, one for each fact, got 1"):
        read_reply(_raw(verdicts_reference=["supported"]), EVIDENCE, STRICT)


@pytest.mark.data
def test_real_replies_have_the_recorded_precision_and_recall(shared: Path) -> None:
    """All but the one that finds no fact in the reference, which has none; and in compatible mode but for braces."""
    lines = (shared / "data/ev2r/judge_replies_gpt-3.5.jsonl").read_text().splitlines()
    read = dict.fromkeys(Mode, 0)
    for reply in (json.loads(line)["response"] for line in lines):
        recorded = (reply.pop("precision"), reply.pop("recall"))
        raw = json.dumps(reply)
        for mode in Mode:
            if None in recorded or (mode is COMPATIBLE and "}" in raw[:-1]):
                with pytest.raises(UnreadableReply):
                    read_reply(raw, EVIDENCE, mode)
            else:
                judgement = read_reply(raw, EVIDENCE, mode)
                assert (judgement.precision, judgement.recall) == recorded
                read[mode] += 1
    assert (len(lines), read[STRICT]) == (85, 84)
    assert read[COMPATIBLE] >= 80
