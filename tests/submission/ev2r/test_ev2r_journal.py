import resource
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submission.ev2r.judging import ReplyJournal
from system.files.journal import JournalError
from system.files.texts import repair


def test_replies_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "judgements.jsonl"
    with ReplyJournal(path) as journal:
        assert journal.get("a") is None
        journal.keep("a", 'one\n"two" \ud83d', claim_id=3)
        journal.keep("b", "", claim_id=4)
        assert journal.get("a") == 'one\n"two" \ufffd'
    with ReplyJournal(path) as journal:
        assert (journal.get("a"), journal.get("b"), journal.get("c")) == ('one\n"two" \ufffd', "", None)


REPLIES = st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=4)


@given(replies=REPLIES, share=st.floats(0, 1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_cut_at_any_byte_keeps_every_whole_reply(tmp_path: Path, replies: dict[str, str], share: float) -> None:
    path = tmp_path / "judgements.jsonl"
    path.unlink(missing_ok=True)
    with ReplyJournal(path) as journal:
        for key, reply in replies.items():
            journal.keep(key, reply, 0)
    whole = path.read_bytes()
    path.write_bytes(cut := whole[: round(len(whole) * share)])
    kept = {key: repair(reply) for key, reply in list(replies.items())[: cut.count(b"\n")]}
    with ReplyJournal(path) as journal:
        assert {key: journal.get(key) for key in replies} == dict.fromkeys(replies) | kept


@pytest.mark.parametrize("line", ["", "[]", '{"key": "a"}', "id,claim", "[" * 5000])
def test_names_a_damaged_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "judgements.jsonl"
    path.write_text('{"key": "a", "claim_id": 0, "reply": "r"}\n' + line + "\n")
    with pytest.raises(JournalError, match=r"judgements.jsonl, line 2: expected a kept reply"):
        ReplyJournal(path)


def test_names_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match=r"cannot be written .* --judgements"):
        ReplyJournal(tmp_path / "file" / "judgements.jsonl")


def test_a_full_disk_leaves_no_partial_line(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: the write is cut short first, then refused."""
    path = tmp_path / "judgements.jsonl"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with ReplyJournal(path) as journal:
        journal.keep("a", "one", 0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, limits[1]))
        try:
            with pytest.raises(JournalError, match=r"judgements.jsonl: cannot be written \(File too large\)"):
                journal.keep("b", "two", 1)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        journal.keep("c", "three", 2)
    with ReplyJournal(path) as journal:
        assert (journal.get("a"), journal.get("b"), journal.get("c")) == ("one", None, "three")
