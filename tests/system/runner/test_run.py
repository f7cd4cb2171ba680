"""The runner as people meet it: failures, Ctrl-C, resumption."""

import asyncio
import os
import signal

import pytest

from system.files.journal import Journal
from system.graph.records import Label
from tests.helpers.bridge_run import CLAIMS, check_all
from tests.helpers.processes import PATIENCE, finish, journalled, start_python, wait_for


def start(folder, *arguments):
    return start_python("-m", "tests.helpers.bridge_run", folder, *arguments)


def test_missing_empty_broken_and_unreadable_stores_fail_only_their_claims(folder, make_engine):
    for number in (1, 4, 5):
        (folder / "stores" / f"{number}.json").unlink()
    (folder / "stores" / "4.json").mkdir()
    (folder / "stores" / "5.json").symlink_to("5.json")  # a circle
    (folder / "stores" / "2.json").write_bytes(b"")
    (folder / "stores" / "3.json").write_bytes(b'{"url": "https://a.example", "url2text": ["cut o\n\xff\xfe\n')
    engine = make_engine()
    with Journal(folder / "journal.jsonl", {"run": "bridge"}, resume=False) as journal:
        results = asyncio.run(check_all(engine, CLAIMS, folder, journal))
    assert [r.claim.id for r in results if r.verdict.label is Label.NOT_ENOUGH_EVIDENCE] == [1, 2, 3, 4, 5]
    assert all(f"{number}.json: " in results[number].failures[0].message for number in (1, 4, 5))
    assert "missing file" in results[1].failures[0].message
    assert "file without a page of text" in results[2].failures[0].message
    assert results[3].failures[0].message.endswith("3.json: file without a page of text; broken line 2")
    assert results[3].flaws["broken line"] == 2
    assert all(result.pairs for result in results)


@pytest.mark.slow
def test_ctrl_c_stops_at_once_and_keeps_what_is_done(folder):
    process = start(folder, "0.2")
    wait_for(lambda: journalled(folder))
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    assert "WorkFailed" not in errors and "leaked" not in errors
    done = journalled(folder)
    assert done
    finish(start(folder, "0", "resume"))
    assert journalled(folder)[: len(done)] == done
