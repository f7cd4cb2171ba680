"""What users do wrong at the command line is one clear line, said before a model is loaded."""

import orjson
import pytest

from system.app import cli
from system.app.commands import common

CLAIM = "The Aster bridge opened in 1932."
WITH_CLAIMS = ["--claims", "claims.json"]
WITH_NOTES = ["--documents", "notes.md"]
NO_EVIDENCE = "no evidence: give --documents, or --search"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A working folder with claims, their stores, a text, a text that cites, and a document."""
    monkeypatch.setattr("system.check.load_engine", lambda *_: pytest.fail("the engine was loaded"))
    monkeypatch.setattr(common, "choose_profile", lambda given: ("laptop", "tests load nothing"))
    monkeypatch.delenv("FACTCHECK_TOKEN", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "claims.json").write_bytes(orjson.dumps([{"claim": CLAIM}]))
    for name in ("stores", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "stores" / "0.json").write_bytes(orjson.dumps({"url": "https://a.example", "url2text": [CLAIM]}))
    (tmp_path / "text.md").write_text(CLAIM)
    (tmp_path / "citing.md").write_text("The Aster bridge [opened in 1932](notes.md).")
    (tmp_path / "notes.md").write_text("The Aster bridge carries two lanes.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--claims", "nowhere.json", "--knowledge-store", "."], "nowhere.json not found; give an AVeriTeC JSON"),
        (["--claims", ".", "--knowledge-store", "."], ".: expected a file of claims; cannot read it (Is a dir"),
        (WITH_CLAIMS, "must be given together"),
        ([*WITH_CLAIMS, "--knowledge-store", "nowhere"], "nowhere not found; expected a folder with"),
        ([*WITH_CLAIMS, "--knowledge-store", "."], "nor a store of another claim; did you mean --documents?"),
        ([*WITH_CLAIMS, "--knowledge-store", "claims.json"], "an archive or a store of JSON Lines; did you mean --doc"),
        ([*WITH_CLAIMS, "--knowledge-store", "stores", *WITH_NOTES], "cannot be combined"),
        (["--documents", "stores"], "must be given together"),
        (["--profile", "moon"], "profile 'moon' not found"),
        (["--depth", "0"], "graph.depth: expected a number greater than 0, got 0"),
        (["--start", "99"], "claims.json: start: expected 0 to 15, got 99"),
        (["--output", "claims.json/output"], "Not a directory"),
        (["verify", " ", *WITH_NOTES], "claim: expected a statement to check, got an empty text"),
        (["verify", "The br\udcffidge.", *WITH_NOTES], r"expected UTF-8, got 'The br\udcffidge.'"),
        (["verify", CLAIM, "--date", "May"], "claim: date: expected a date as 2020-08-25 or 25-8-2020, got 'May'"),
        (["verify", CLAIM, "--detph", "3"], "Unknown option: --detph. Did you mean --depth?"),
        (["verify", "- **", "--documents", "."], "expected a statement to check, got an empty text"),
        (["verify", "The", "bridge"], "unexpected bridge; put a text of several words in quotation marks"),
        (["verify", CLAIM, "--depth", "x"], 'Invalid value for --depth: unable to convert "x"'),
        (["verify", CLAIM, "--strategy", "gto"], 'Choose from: "got", "debatecv", '),
        (["verify", CLAIM, "--documents", "nowhere"], "nowhere not found"),
        (["verify", CLAIM], NO_EVIDENCE),
        (["text", "none.md", *WITH_NOTES], "none.md: no such file"),
        (["text", "text.md", "--knowledge-store", "nowhere"], "expected a knowledge store"),
        (["text", "text.md", "--knowledge-store", "empty"], "give files of other formats as documents"),
        (["text", "text.md", "--documents", "https://a.example"], "allow it with the option fetch"),
        (["text", "text.md", "--search", "nowhere"], "archive nowhere not found; make one with"),
        (["citations", "notes.md"], "expected links, footnotes or numbered references"),
        (["mcp", "--documents", "nowhere"], "nowhere not found; expected a file or a folder of files"),
        (["serve", "--stores", "nowhere"], "--stores nowhere not found; expected a folder with files NAME.json"),
        (["serve", "--host", "0.0.0.0"], "--host 0.0.0.0 can be reached from other machines, which needs a token"),
        (["serve", "--token-file", "nowhere"], "cannot read token file nowhere"),
        (["validate", "absent.csv"], "absent.csv not found"),
    ],
)
def test_bad_input_is_one_clear_line(capsys, arguments, message):
    assert cli.main(arguments) == 2
    printed = capsys.readouterr()
    *_, said = printed.err.splitlines()
    assert said.startswith("error: ") and message in said
    assert printed.out == "" and "Traceback" not in printed.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty, which needs a token"),
        (b"\n", "is empty, which needs a token"),
        (b"short", "visible ASCII characters"),
        (b"two words of a token", "visible ASCII characters"),
        ("schlüsselschlüssel".encode(), "visible ASCII characters"),
        (b"\xff" * 20, "cannot read token file"),
    ],
)
def test_a_weak_token_is_refused(capsys, tmp_path, content, message):
    (tmp_path / "secret").write_bytes(content)
    assert cli.main(["serve", "--token-file", "secret"]) == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
