"""``factgraph mcp`` as a process, over standard input and output."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest
from mcp import Client, StdioServerParameters

from tests.helpers.processes import PATIENCE, ROOT, run_command, start_python

CLAIM = {"claim": "The Aster bridge opened in 1932."}
SERVER = ["-m", "system", "mcp", "--profile", "laptop"]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.mark.slow
def test_an_assistant_starts_it_and_checks_a_claim(tmp_path):
    (tmp_path / "notes.md").write_text("The Aster bridge opened in 1932.")
    heard = []

    async def listen(*progress):
        heard.append(progress)

    async def session():
        command = [*SERVER, "--documents", str(tmp_path / "notes.md")]
        async with Client(StdioServerParameters(command=sys.executable, args=command, cwd=ROOT)) as client:
            found = (await client.call_tool("check_claim", CLAIM, progress_callback=listen)).structured_content
            while found["token"]:  # on a busy machine
                token = {"token": found["token"]}
                found = (await client.call_tool("continue_check", token, progress_callback=listen)).structured_content
        return found

    found = asyncio.run(session())
    assert found["label"] == "Supported" and found["evidence"][0]["passages"][0]["address"].endswith("notes.md")
    assert heard[-1][2] == "verdict"


@pytest.mark.slow
def test_ctrl_c_ends_it_while_it_waits_for_its_client():
    running = start_python(*SERVER, cwd=ROOT, stdin=subprocess.PIPE)
    running.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}) + "\n")
    running.stdin.flush()
    assert json.loads(running.stdout.readline())["result"]["serverInfo"]["name"] == "factgraph"
    running.send_signal(signal.SIGINT)
    assert running.wait(PATIENCE) == -signal.SIGINT
    for pipe in (running.stdin, running.stdout, running.stderr):
        pipe.close()


@pytest.mark.slow
def test_an_engine_that_cannot_be_loaded_is_a_failure():
    code = "import sys; from system.app import cli; sys.exit(cli.main(['mcp', '--profile', 'a10g']))"
    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = run_command([sys.executable, "-c", code], status=2, cwd=ROOT, env=hidden, stdin=subprocess.DEVNULL)
    assert "error: " in done.stderr and done.stdout == ""
