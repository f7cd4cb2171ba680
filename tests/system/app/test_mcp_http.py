"""The guards of the MCP server over HTTP, in this process; nothing is loaded for what they refuse."""

import asyncio

import httpx2
import pytest

from system.app.mcp.server import Tools, make_server, over_http

TOKEN = "a-token-of-some-length"
MANY = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"padding": "x" * 2000}}
HEADERS = {"Accept": "application/json, text/event-stream"}


def posted(message, *, token="", base="http://127.0.0.1:8000", path="/mcp", **headers):
    """The answer to one message."""
    app = over_http(make_server(Tools(lambda: pytest.fail("the engine was loaded"), 1, 1)), 1000, token)

    async def post():
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url=base) as client:
            return await client.post(path, json=message, headers={**HEADERS, **headers})

    return asyncio.run(post())


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}])
def test_without_the_token_nothing_is_read(headers):
    refused = posted(MANY, token=TOKEN, **headers)
    assert refused.status_code == 401 and refused.headers["WWW-Authenticate"] == "Bearer"


def test_another_name_of_the_host_is_refused():
    refused = posted({}, base="http://factcheck.example:8000")
    assert refused.status_code == 400 and "its own machine only" in refused.json()["detail"]


def test_a_large_request_is_refused():
    assert posted(MANY).status_code == 413
    assert posted(MANY, token=TOKEN, Authorization=f"Bearer {TOKEN}").status_code == 413
