"""A restart of the service finds what had ended, and says of the rest that it was lost."""

import asyncio
import sqlite3
from base64 import b64encode
from contextlib import closing
from random import Random

import pytest

from system.app.service.access import AccessError
from system.app.service.job_archive import JobArchive
from system.app.service.listening import open_archive
from system.app.service.schema import State
from tests.helpers.bridge import CLAIM, Answers
from tests.helpers.serving import BUDGET, Gate, ended, engine_of, events_of, in_state, serving, submit


def in_service(file, scenario, script, **options):
    async def play():
        engine = engine_of(script, run__max_concurrent_claims=1)
        async with serving(engine, archive=JobArchive(file), **options) as client:
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


@pytest.mark.parametrize("old", [False, True], ids=["new file", "file of an earlier version"])
def test_a_restart_knows_why_a_claim_failed(tmp_path, old):
    if old:
        with sqlite3.connect(tmp_path / "jobs.sqlite") as database:
            columns = "id TEXT PRIMARY KEY, claim TEXT NOT NULL, budget REAL NOT NULL, state TEXT NOT NULL"
            database.execute(f"CREATE TABLE jobs ({columns}, thoughts BLOB, result BLOB)")
        database.close()

    async def check(client):
        job = await submit(client, documents=[{"name": "c.pdf", "file": b64encode(b"%PDF-1.4").decode()}])
        return await ended(client, job["id"])

    before = in_service(tmp_path / "jobs.sqlite", check, Answers())

    async def look(client):
        address = f"/claims/{before['id']}"
        return (await client.get(address)).json(), events_of((await client.get(f"{address}/thoughts")).text)[-1]

    after, (name, *_, data) = in_service(tmp_path / "jobs.sqlite", look, Answers())
    assert after == before and name == "failed"
    assert data["problem"] == before["problem"] == "c.pdf is skipped: no text in it can be read"


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
    first = JobArchive(tmp_path / "jobs.sqlite")
    with pytest.raises(AccessError, match="of this service alone, got: database is locked; stop the other"):
        open_archive(tmp_path / "jobs.sqlite")
    first.close()
    open_archive(tmp_path / "jobs.sqlite").close()


def test_rejects_another_sqlite_file(tmp_path):
    (tmp_path / "jobs.sqlite").write_bytes(b"no database " * 100)
    with pytest.raises(
        AccessError, match=r"--jobs .*: expected a SQLite file .* of another kind; move it away, or give"
    ):
        open_archive(tmp_path / "jobs.sqlite")


def test_a_damaged_row_keeps_no_other_from_being_read(tmp_path, caplog):
    file = tmp_path / "jobs.sqlite"
    archive = JobArchive(file)
    archive.end("first job", CLAIM, BUDGET, State.FAILED, [], None)
    archive.begin("second job", CLAIM, BUDGET)
    archive.close()
    damaged = bytearray(file.read_bytes())
    damaged[damaged.index(b"first job") - 9] = 255  # the size of the row's header
    file.write_bytes(damaged)
    with closing(sqlite3.connect(file)) as database, pytest.raises(sqlite3.DatabaseError, match="malformed"):
        database.execute("SELECT state FROM jobs").fetchall()
    archive = open_archive(file)
    assert [(job.id, job.state) for job in archive] == [("second job", State.LOST)]
    archive.close()
    assert "jobs.sqlite: row 1 cannot be read and is skipped" in caplog.text


def test_a_damaged_file_is_told_from_one_in_use(tmp_path):
    file = tmp_path / "jobs.sqlite"
    open_archive(file).close()
    sound, page = file.read_bytes(), 4096
    file.write_bytes(sound[:page] + bytes(page) + sound[2 * page :])
    with pytest.raises(AccessError, match=r"malformed; the file is damaged; move it away, or give another --jobs"):
        open_archive(file)


def test_a_schema_that_is_no_text_is_refused_by_name(tmp_path):
    open_archive(tmp_path / "jobs.sqlite").close()
    sound = (tmp_path / "jobs.sqlite").read_bytes()
    (tmp_path / "jobs.sqlite").write_bytes(sound.replace(b"CREATE TABLE", b"CREATE \xc9ABLE"))
    with pytest.raises(AccessError, match=r"--jobs .*jobs.sqlite: expected a SQLite file"):
        open_archive(tmp_path / "jobs.sqlite")


GARBAGE = (
    ("claim", b"\xff\xfe"), ("claim", "[" * 9000), ("budget", "much"), ("budget", float("inf")), ("state", "running"),
    ("state", 5), ("thoughts", '[{"id": 5}]'), ("thoughts", '[{"id": "q1", "content": {}}]'),
    ("thoughts", '[{"id": "q1", "kind": [], "content": {}}]'), ("result", "5"), ("result", None), ("id", None),
)  # fmt: skip


@pytest.mark.parametrize(("column", "value"), GARBAGE)
def test_a_row_that_cannot_be_read_is_left_out_alone(tmp_path, caplog, column, value):
    async def check(client):
        return [await ended(client, (await submit(client))["id"]) for _ in range(2)]

    bad, good = in_service(tmp_path / "jobs.sqlite", check, Answers())
    with sqlite3.connect(tmp_path / "jobs.sqlite") as database:
        database.execute(f"UPDATE jobs SET {column} = ? WHERE id = ?", (value, bad["id"]))

    async def look(client):
        return [await client.get(f"/claims/{one['id']}") for one in (bad, good)]

    lost, kept = in_service(tmp_path / "jobs.sqlite", look, Answers())
    assert lost.status_code == 404 and kept.json() == good
    assert "jobs.sqlite: row 1 cannot be read and is skipped" in caplog.text


def test_a_damaged_file_costs_no_more_than_its_rows(tmp_path):
    async def check(client):
        return [(await ended(client, (await submit(client))["id"]))["id"] for _ in range(3)]

    ids = in_service(tmp_path / "jobs.sqlite", check, Answers())
    whole = (tmp_path / "jobs.sqlite").read_bytes()

    async def look(client):
        return [(await client.get(f"/claims/{each}")).status_code for each in ids]

    random = Random(1)
    for _ in range(20):
        damaged, place = bytearray(whole), random.randrange(100, len(whole))
        damaged[place : place + 200] = random.randbytes(200)
        (tmp_path / "jobs.sqlite").write_bytes(damaged)
        try:
            open_archive(tmp_path / "jobs.sqlite").close()
        except AccessError as error:
            assert "expected a SQLite file of this service alone" in str(error)
            continue
        assert set(in_service(tmp_path / "jobs.sqlite", look, Answers())) <= {200, 404}


def test_a_claim_that_cannot_be_saved_is_still_answered(tmp_path, caplog):
    archive = JobArchive(tmp_path / "jobs.sqlite")
    archive.close()

    async def play():
        async with serving(engine_of(Answers()), archive=archive) as client:
            return await ended(client, (await submit(client))["id"])

    assert asyncio.run(play())["state"] == "done"
    assert "kept only in memory" in caplog.text
