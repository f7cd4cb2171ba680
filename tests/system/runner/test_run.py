"""The runner as people meet it: failures, Ctrl-C, resumption."""

import asyncio
import os
import signal

import pytest

from system.check import Engine
from system.files.journal import Journal
from system.graph.records import Label
from system.models.scripted import ScriptedModel
from tests.helpers.bridge import BagOfWords, settings_with
from tests.helpers.bridge_run import CLAIMS, check_all
from tests.helpers.processes import PATIENCE, finish, journalled, start_python, wait_for, without_times


def run_all(folder, answers, claims=CLAIMS, **changes):
    engine = Engine(ScriptedModel(answers), BagOfWords(), settings_with(**changes))
    with Journal(folder / "journal.jsonl", {"run": "bridge"}, resume=False) as journal:
        return asyncio.run(check_all(engine, claims, folder, journal))


def start(folder, *arguments):
    return start_python("-m", "tests.helpers.bridge_run", folder, *arguments)


def resume(folder):
    """Finish the run; returns what it printed."""
    return finish(start(folder, "0", "resume"))[0]


@pytest.mark.slow
def test_results_do_not_depend_on_other_claims(folder, answers):
    together = run_all(folder, answers, run__max_concurrent_claims=5, run__workers=2)
    reverse = run_all(folder, answers, CLAIMS[::-1], run__max_concurrent_claims=1)[::-1]
    alone = [run_all(folder, answers, [claim])[0] for claim in CLAIMS[:3]]
    assert without_times(together) == without_times(reverse)
    assert without_times(together[:3]) == without_times(alone)


def test_missing_empty_broken_and_unreadable_stores_fail_only_their_claims(folder, answers):
    for number in (1, 4, 5):
        (folder / "stores" / f"{number}.json").unlink()
    (folder / "stores" / "4.json").mkdir()
    (folder / "stores" / "5.json").symlink_to("5.json")  # a circle
    (folder / "stores" / "2.json").write_bytes(b"")
    (folder / "stores" / "3.json").write_bytes(b'{"url": "https://a.example", "url2text": ["cut o\n\xff\xfe\n')
    results = run_all(folder, answers)
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
    resume(folder)
    assert journalled(folder)[: len(done)] == done
