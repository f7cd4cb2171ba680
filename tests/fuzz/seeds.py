"""First inputs of the targets: a sound one of each form, and flaws that files in the wild have."""

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
import torch
from safetensors.torch import save

from knowledge_store.pages.formats import SUFFIXES
from knowledge_store.pages.page import Page
from knowledge_store.searchers.archive import Archive
from submission.ev2r.judge import FreePrompt
from submission.write import predictions
from system.models.base import Request
from system.strategies.debate.tasks import Moderate
from system.strategies.steps.tasks import AnswerQuestion, AskQuestion, JudgeClaim, MergeAnswers, VerifyAnswer
from tests.helpers.annotated import BRIDGE
from tests.helpers.bridge import CLAIM, Answers, passage
from tests.helpers.documents import docx, paragraph, pdf
from tests.helpers.every_task import agent_tasks, ours
from tests.helpers.submission_factories import qa, result

RESULT = result(pairs=[qa(text="नमस्ते\u2028\n“1933”")])
IDENTITY = {"graph.depth": "3"}

_ANNOTATED = {**BRIDGE, "justification": "It opened later.", "claim_types": ["Event/Property Claim"]}
_PREDICTION = predictions([RESULT])[0].model_dump(mode="json", by_alias=True)
_PAGE = {"claim_id": "0", "type": "q", "query": "bridge", "url": "https://a.example", "url2text": ["One.", "One."]}
_DEEP = b"[" * 4000
_LONG_NUMBER = b"[" + b"7" * 5000 + b"]"

CLAIMS = (
    orjson.dumps([_ANNOTATED, _ANNOTATED]),
    orjson.dumps(_ANNOTATED) + b'\n\n{"claim": "A second."}\n',
    '\ufeffThe first.\r\n[Video] कर 40\n\n"Quoted."\n'.encode(),
    b'[{"claim": ""}, "text"]',
    _DEEP,
)
STORES = (
    orjson.dumps(_PAGE) + b'\n{"url": "https://b.example", "url2text": []}\n',
    b'\xef\xbb\xbf{"url": "u", "url2text": "one \xff string"}\n{"url": "u", "url2text": ["\\ud800", NaN, 3]}\n{"url',
    _DEEP,
    _LONG_NUMBER,
)
THEN = b"\n====\n"  # between the answer to the request for robots.txt and that to the request for the page
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
ANSWERS = (
    b"HTTP/1.1 404 Not Found\r\n\r\n" + THEN + _HEAD + b"Content-Length: 9\r\n\r\n<p>It</p>",
    _HEAD + b"\r\nUser-agent: *\nCrawl-delay: \xc2\xb2\nDisallow: http://[\nAllow: /*a$\n"
    + THEN + b"HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n",
    b"HTTP/1.0 301 Moved\r\nLocation: /rules?a=\xff\r\n\r\n" + THEN + b"HTTP/1.1 307 \r\nLocation: http://here/b\r\n\r\n",
    THEN + _HEAD + b"Transfer-Encoding: chunked\r\n\r\n9\r\n<p>It</p>\r\n0\r\n\r\n",
    THEN + _HEAD + b"Content-Encoding: gzip\r\nContent-Length: \xc2\xb2\r\n\r\n",
)  # fmt: skip

TASKS = sorted(ours(), key=lambda task: task.__name__)
_OF_AGENTS = agent_tasks(CLAIM, qa(), (passage(), passage())).values()
_ORDINARY = {type(task): Answers().ordinary(Request(task)) for task in _OF_AGENTS}
_WRITTEN = (
    *((task, reply.model_dump_json().encode()) for task, reply in _ORDINARY.items() if reply is not None),
    (AnswerQuestion, b'{"source":"Evidence","type":"Boolean","answer":"\\ud83d\\ude00 No."}'),
    (VerifyAnswer, b'{"reason":"It is so.","entailed":false}'),
    (MergeAnswers, b'{"answer":"Four.","sources":[2,1]}'),
    (JudgeClaim, b'{"justification":"x","label":"Conflicting Evidence/Cherrypicking"}'),
    (JudgeClaim, b'```json\n{"label": "Refuted"}\n``` \xff'),
    (Moderate, b'{"insight":"","gaps":"","reason":"x","decision":"Go on"}'),
    (AskQuestion, b'{"a":' * 3000),
    (FreePrompt, b"Anything \xff at all."),
)
REPLIES = tuple(bytes([TASKS.index(task)]) + reply for task, reply in _WRITTEN)
"""The first byte says which task the rest replies to."""

TABLES = (
    b'id,claim,evi,label,split\r\n0,A claim.,"When?\t\t\nIn 1932.\t\t\n\n",Refuted,pred\r\n',
    b"\xef\xbb\xbfid,claim\n0,A\n1_0,\n1e999,x\nnan,x\n-3,y\n\n9999999999999999999,z\n",
    b'id,claim,evi,label,split\n0,"cut off',
)
PREDICTIONS = (
    orjson.dumps([_PREDICTION]),
    b'[{"claim": "\\ud800", "pred_label": "NA", "evidence": [{"question": "\\udc00", "answer": ""}]}]',
    _DEEP,
    _LONG_NUMBER,
)
GOLD = (orjson.dumps([_ANNOTATED]), b'[{"claim":"c","label":"Refuted","questions":[]}]', _DEEP, _LONG_NUMBER)
_BEGUN = orjson.dumps({"identity": IDENTITY}) + b"\n"
_LINE = RESULT.model_dump_json().encode()
JOURNALS = (_BEGUN + 2 * (_LINE + b"\n"), _BEGUN + _LINE[:40], _DEEP + b"\n")
JUDGEMENTS = (b'{"key": "a key", "claim_id": 0, "reply": "{\\"a\\": 1}"}\n{"key": "b', _DEEP + b"\n")
_JUDGED = {
    f"{kind} {side} {unit}": value
    for unit in ("evidence", "questions")
    for side in ("predicted", "reference")
    for kind, value in (("facts in", "1. A fact. 2. Another."), ("facts count", 2), ("support", 1))
}
JUDGE_REPLIES = (
    b"Here it is: " + orjson.dumps(_JUDGED),
    orjson.dumps({**_JUDGED, **dict.fromkeys(_JUDGED, "2"), "verdicts predicted evidence": ["supported"]}),
    orjson.dumps(_JUDGED).replace(b"2,", b"NaN,"),
    orjson.dumps(_JUDGED).replace(b'"1. A fact. 2. Another."', b'"x"').replace(b"2,", b'"' + b"7" * 5000 + b'",'),
    b'{"a":' + _DEEP + b"}",
)
SETTINGS = (
    b'strategy = "got"\n[graph]\ndepth = 5\nverification = true\n[model.adapters]\nquestion_generation = "a"\n',
    b"[run]\nbudget = inf\n",
    b"graph = 3\n",
    b"a = " + _DEEP,
    b"a = " + _LONG_NUMBER,
)
CALIBRATIONS = (
    b'{"confidences":[0.0,0.5,1.0],"probabilities":[0.2,0.4,0.6]}',
    b'{"confidences":[0,0],"probabilities":[NaN,1]}',
    b'{"confidences":[],"probabilities":[]}',
)

_CONFIG = {
    "peft_type": "LORA",
    "r": 2,
    "lora_alpha": 4,
    "target_modules": ["q_proj"],
    "use_dora": False,
    "bias": "none",
}
_SHAPES = {"A": (2, 8), "B": (6, 2)}
_TENSORS = save({f"base_model.model.q_proj.lora_{name}.weight": torch.ones(shape) for name, shape in _SHAPES.items()})
ADAPTER_FILES = {"adapter_config.json": orjson.dumps(_CONFIG), "adapter_model.safetensors": _TENSORS}
ADAPTERS = (b"\0" + ADAPTER_FILES["adapter_config.json"], b"\1" + _TENSORS, b"\0[]", b"\0" + _DEEP)
"""The first byte says which of the two files the rest is."""


def _two_pages() -> bytes:
    """A small archive."""
    with TemporaryDirectory(prefix="fuzz-") as folder:
        file = Path(folder) / "a.sqlite"
        Archive(file).add([Page(0, "https://a.example", ("The bridge opened in 1932.",)), Page(1, "b", ("A ferry.",))])
        with closing(sqlite3.connect(file)) as database:
            database.executescript("PRAGMA page_size = 512; VACUUM")  # the smallest, because inputs are small
        return file.read_bytes()


ARCHIVES = (_two_pages(), b"SQLite format 3\0", b"")

ENDINGS = sorted(SUFFIXES)
_DOCUMENTS = (
    (".txt", b"It opened in 1932.\n\nIt is \xe9 old."),
    (".md", b"# Aster\n\n| a | b |\n|---|---|\n| 1 | *2* |\n\n```\nx\n```\n[a](<b>)"),
    (".html", b"<html><nav hidden>x</nav><p id=cookie>It <b>opened</b>.<table><tr><td>1"),
    (".html", b"<!-- x -->"),
    (".csv", b"year;bridge\n1932;Aster\n"),
    (".csv", b'"a\nb","' + b"," * 50),
    (".tsv", b"year\tbridge\n1932\tAster\n"),
    (".pdf", pdf(["It opened."])),
    (".docx", docx(paragraph("It opened.") + f"<w:tbl><w:tr><w:tc>{paragraph('1932')}</w:tc></w:tr></w:tbl>")),
)
DOCUMENTS = tuple(bytes([ENDINGS.index(suffix)]) + data for suffix, data in _DOCUMENTS)
"""The first byte says of which format the rest is."""
