from pathlib import Path

import pytest

from submission.ev2r.judging import ReplyJournal
from system.files.journal import JournalError


def test_replies_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "judgements.jsonl"
    with ReplyJournal(path) as journal:
        assert journal.get("a") is None
        journal.keep("a", 'one\n"two" \ud83d', claim_id=3)
        journal.keep("b", "", claim_id=4)
        assert journal.get("a") == 'one\n"two" \ufffd'
    with ReplyJournal(path) as journal:
        assert (journal.get("a"), journal.get("b"), journal.get("c")) == ('one\n"two" \ufffd', "", None)


def test_names_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match=r"cannot be written .* --judgements"):
        ReplyJournal(tmp_path / "file" / "judgements.jsonl")
