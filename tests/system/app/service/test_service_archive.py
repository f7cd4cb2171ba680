"""What outlives the service: a restart finds what had ended, and says of the rest that it was lost."""

import asyncio
import sqlite3

import pytest
from bridge import Answers
from serving import Gate, ended, engine_of, events_of, in_state, serving, submit

from system.app.commands.serve import _archive
from system.app.service.access import AccessError
from system.app.service.jobs import Archive


def in_service(file, scenario, script, **options):
    async def play():
        engine = engine_of(script, run__max_concurrent_claims=1)
        async with serving(engine, archive=Archive(file), **options) as client:
            return await scenario(client)

    return asyncio.run(play())


def test_a_restart_finds_finished_claims(tmp_path):
    async def check(client):
        job = await submit(client)
        return await ended(client, job["id"])

    before = in_service(tmp_path / "jobs.sqlite", check, Answers())

    async def look(client):
        address = f"/claims/{before['id']}"
        stream = events_of((await client.get(f"{address}/thoughts")).text)
        report = await client.get(f"{address}/report")
        return (await client.get(address)).json(), stream, report

    after, stream, report = in_service(tmp_path / "jobs.sqlite", look, Answers())
    assert after == before and after["state"] == "done"
    assert len(stream) == before["thoughts"] + 1 and stream[-1][0] == "done"
    assert report.status_code == 200 and before["claim"] in report.text


def test_a_restart_says_what_was_lost(tmp_path):
    async def begin(client):
        first, second = await submit(client), await submit(client)
        await in_state(client, first["id"], "running")
        return first["id"], second["id"]

    ids = in_service(tmp_path / "jobs.sqlite", begin, Gate())

    async def look(client):
        states = [(await client.get(f"/claims/{each}")).json()["state"] for each in ids]
        stream = events_of((await client.get(f"/claims/{ids[0]}/thoughts")).text)
        report = await client.get(f"/claims/{ids[0]}/report")
        return states, stream, report

    states, stream, report = in_service(tmp_path / "jobs.sqlite", look, Answers())
    assert states == ["lost", "lost"] and [name for name, *_ in stream] == ["lost"]
    assert report.status_code == 409 and "the claim is lost" in report.json()["detail"]


def test_deleted_and_evicted_claims_are_not_on_disk(tmp_path):
    async def check(client):
        ids = [(await submit(client))["id"] for _ in range(3)]
        for each in ids:
            await ended(client, each)
        await client.delete(f"/claims/{ids[-1]}")
        return ids

    ids = in_service(tmp_path / "jobs.sqlite", check, Answers(), kept=2)
    with sqlite3.connect(tmp_path / "jobs.sqlite") as database:
        assert database.execute("SELECT id FROM jobs").fetchall() == [(ids[1],)]


def test_two_services_do_not_share_a_file(tmp_path):
    first = Archive(tmp_path / "jobs.sqlite")
    with pytest.raises(AccessError, match="of this service alone, got: database is locked"):
        _archive(tmp_path / "jobs.sqlite")
    first.close()
    _archive(tmp_path / "jobs.sqlite").close()


def test_rejects_another_sqlite_file(tmp_path):
    (tmp_path / "jobs.sqlite").write_bytes(b"no database " * 100)
    with pytest.raises(AccessError, match=r"--jobs .*: expected a SQLite file"):
        _archive(tmp_path / "jobs.sqlite")
