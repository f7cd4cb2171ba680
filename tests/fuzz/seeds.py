"""First inputs of the targets: a sound one of each form, and flaws that files in the wild have."""

import orjson

from system.graph.records import Claim, ClaimResult, Cost, Label, QuestionAnswer, Timing, Verdict

_ANSWER = {
    "answer": "No",
    "answer_type": "Boolean",
    "boolean_explanation": "In 1933.",
    "source_url": "https://a.example",
}
_ANNOTATED = {
    "claim": "The bridge opened in 1932.",
    "claim_date": "25-8-2020",
    "speaker": None,
    "label": "Refuted",
    "justification": "It opened later.",
    "claim_types": ["Event/Property Claim"],
    "questions": [{"question": "When did it open?", "answers": [_ANSWER]}],
}
_PAIR = {"question": "When?", "answer": "In 1932.", "url": "https://a.example", "scraped_text": "It opened in 1932."}
_PREDICTION = {
    "claim_id": 0,
    "claim": "The bridge opened in 1932.",
    "evidence": [_PAIR],
    "pred_label": "Refuted",
    "justification": "It opened later.",
    "confidence": 0.5,
}
_PAGE = {"claim_id": "0", "type": "q", "query": "bridge", "url": "https://a.example", "url2text": ["One.", "One."]}
_DEEP = b"[" * 4000
_LONG_NUMBER = b"[" + b"7" * 5000 + b"]"

RESULT = ClaimResult(
    claim=Claim(id=0, text="The bridge opened in 1932."),
    verdict=Verdict(label=Label.REFUTED, justification="Because.", confidence=0.5),
    pairs=(QuestionAnswer(question="When?", answer="नमस्ते\u2028\n“1933”", answers=()),),
    timing=Timing(seconds=1.5, stages={"ask": 0.5}, cost=Cost(calls=2), rounds=1, branches=2, cut_short=False),
)
IDENTITY = {"graph.depth": "3"}

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
# The first byte chooses the task.
REPLIES = (
    b'\0{"question":"Who?"}',
    b'\1{"source":"Evidence","type":"Boolean","answer":"\\ud83d\\ude00 No."}',
    b'\2{"reason":"It is so.","entailed":false}',
    b'\3{"answer":"Four.","sources":[2,1]}',
    b'\4{"justification":"x","label":"Conflicting Evidence/Cherrypicking"}',
    b'\5{"insight":"","gaps":"","reason":"x","decision":"Go on"}',
    b'\6```json\n{"label": "Refuted"}\n``` \xff',
    b"\7" + b'{"a":' * 3000,
)
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
JOURNALS = (
    orjson.dumps({"identity": IDENTITY}) + b"\n" + 2 * (RESULT.model_dump_json().encode() + b"\n"),
    orjson.dumps({"identity": IDENTITY}) + b"\n" + RESULT.model_dump_json().encode()[:40],
    _DEEP + b"\n",
)
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
