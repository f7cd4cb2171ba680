"""The command line asks a running service of the same user, which answers as the command line by itself would."""

import json
import socket
from contextlib import suppress

import httpx2
import pytest

from knowledge_store.pages.documents import DocumentsError
from system import __version__
from system.app.service.client import ask_running_service, is_private, socket_path
from system.checker import Checked
from system.graph.graph import Graph
from system.graph.records import Claim, ClaimResult, Label
from tests.helpers.bridge import Answers
from tests.helpers.by_words import reading_engine
from tests.helpers.processes import PATIENCE, wait_for
from tests.helpers.serving import Gate, engine_of, listening

CLAIM = Claim("The Aster bridge opened in 1931.")


@pytest.fixture
def notes(tmp_path, monkeypatch):
    (tmp_path / "notes.md").write_text("The Aster bridge opened in 1932.")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    monkeypatch.chdir(tmp_path)
    return "notes.md"


def connected():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    connection.connect(str(socket_path()))
    return connection


def test_a_claim_is_answered_with_its_graph_under_the_names_that_the_user_gave(notes):
    serving = reading_engine()
    with listening(serving):
        assert is_private(socket_path().parent)
        answer = ask_running_service(CLAIM, [notes], serving.settings)
        checked = Checked(ClaimResult.model_validate(answer["result"]), Graph.from_json(answer["graph"]))
        assert checked.verdict.label is Label.REFUTED and checked.correction.text == "The Aster bridge opened in 1932."
        assert {one["address"] for pair in checked.to_dict()["evidence"] for one in pair["passages"]} == {notes}
        assert checked.graph.thoughts[-1].kind == "verdict" and not checked.result.warnings
        (warning,) = ask_running_service(CLAIM, [notes, "broken.pdf"], serving.settings)["result"]["warnings"]
        assert warning.startswith("broken.pdf: skipped, cannot be read (damaged")
    assert not socket_path().exists()


def test_whatever_the_service_cannot_answer_is_left_to_the_command_line(notes):
    serving = reading_engine()
    others = serving.settings.model_copy(update={"run": serving.settings.run.model_copy(update={"budget": 1.0})})
    assert ask_running_service(CLAIM, [notes], serving.settings) is None  # none runs
    with listening(serving):
        assert ask_running_service(CLAIM, [notes], others) is None
        with pytest.raises(DocumentsError, match=r"missing\.md not found"):
            ask_running_service(CLAIM, ["missing.md"], serving.settings)
        assert ask_running_service(CLAIM, ["-"], serving.settings) is None
        for line in (b"\n", b"{}\n", b"[" * 2**21):
            with connected() as connection, suppress(ConnectionError):
                connection.sendall(line)
                assert b"result" not in connection.recv(100)
        socket_path().parent.chmod(0o755)
        assert ask_running_service(CLAIM, [notes], serving.settings) is None  # others may enter the folder
        socket_path().parent.chmod(0o700)
        assert ask_running_service(CLAIM, [notes], serving.settings)


def test_a_second_service_leaves_the_socket_to_the_first():
    with listening(engine_of(Answers())):
        with listening(engine_of(Answers())):
            connected().close()
        connected().close()


def test_a_client_that_leaves_ends_its_check(notes):
    serving = engine_of(Gate())
    with listening(serving) as address:

        def running():
            return httpx2.get(f"{address}healthz", timeout=PATIENCE).json()["running"]

        question = {
            "version": __version__, "settings": serving.settings.for_documents().model_dump(mode="json"),
            "claim": CLAIM.model_dump(mode="json"), "documents": [notes], "fetch": False,
        }  # fmt: skip
        with connected() as connection:
            connection.sendall(json.dumps(question).encode() + b"\n")
            wait_for(lambda: running() == 1)
        wait_for(lambda: running() == 0)
