"""The service as a process: what the command line refuses, and how it starts, serves and stops."""

import re
import signal
import socket
import sys
from contextlib import contextmanager, suppress

import httpx2
import pytest

from system.app import cli
from tests.helpers.processes import PATIENCE, ROOT, run_command, start_python
from tests.helpers.serving import DOCUMENTS, ORDER, TOKEN, events_of


@pytest.mark.slow
def test_without_its_extra_serve_alone_fails_and_names_the_fix():
    absent = "import sys; sys.modules.update(dict.fromkeys(('fastapi', 'uvicorn')))"
    run = "from system.app import cli; sys.exit(cli.main(['serve']))"
    said = run_command([sys.executable, "-c", f"{absent}; {run}"], status=2, cwd=ROOT).stderr
    assert "the service needs fastapi, uvicorn" in said and "pip install '.[serve]'" in said


def test_a_busy_port_is_told_before_anything_is_loaded(monkeypatch, capsys):
    monkeypatch.setattr("system.app.commands.common.load_checker", lambda _: pytest.fail("the engine was loaded"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["serve", "--port", str(port)]) == 2
    said = f"error: cannot listen on 127.0.0.1, port {port} (Address already in use); stop what listens there, or give"
    assert capsys.readouterr().err.startswith(said)


@contextmanager
def process(*arguments, environment=None):
    """A running service of the laptop profile, and the line with its address that it prints once it is loaded."""
    command = ["-m", "system", "serve", "--profile", "laptop", "--port", "0", *arguments]
    with start_python(*command, cwd=ROOT, environment=environment or {}) as started:
        try:
            yield started, started.stdout.readline()
        finally:
            started.kill()


@pytest.mark.slow
def test_a_process_checks_a_claim_and_shuts_down_cleanly():
    with process("--max-concurrent-claims", "1", "--stores", "knowledge_store/examples") as (started, printed):
        with httpx2.Client(base_url=printed.split()[0], timeout=PATIENCE) as client:
            first = client.post("/claims", json=ORDER).json()["id"]
            stream = events_of(client.get(f"/claims/{first}/thoughts").text)
            assert stream[-1][0] == "done" and stream[-1][2]["result"]["failures"] == []
            pages = [{"text": f"{DOCUMENTS[0]['text']} Number {n}. " * 200} for n in range(20)]  # under way at the stop
            second = client.post("/claims", json={**ORDER, "documents": pages}).json()["id"]
            with client.stream("GET", f"/claims/{second}/thoughts") as response, suppress(httpx2.TransportError):
                started.send_signal(signal.SIGTERM)
                for _ in response.iter_text():
                    pass
        assert started.wait(PATIENCE) in (0, -signal.SIGTERM)
        _, logged = started.communicate()
    assert re.search(r"http://127\.0\.0\.1:\d+/ \(this machine only\)", printed)
    assert "loading the encoder all-MiniLM-L6-v2" in logged and "loading the model" in logged
    assert re.search(rf"claim {first} done in [\d.]+ s after a wait of [\d.]+ s", logged)
    assert "Traceback" not in logged


@pytest.mark.slow
def test_never_reveals_its_token():
    with process("--host", "0.0.0.0", environment={"FACTCHECK_TOKEN": TOKEN}) as (started, printed):
        with httpx2.Client(base_url=printed.split()[0], timeout=PATIENCE) as client:
            assert client.get("/stores").status_code == 401
            assert client.get("/stores", headers={"Authorization": f"Bearer {TOKEN}"}).json() == {"stores": []}
        started.send_signal(signal.SIGINT)
        started.wait(PATIENCE)
        rest, logged = started.communicate()
    assert "(with a token)" in printed and TOKEN not in printed + rest + logged and "Traceback" not in logged
