"""A model server that breaks: ``faulty_server.py MODE GOOD``. Prints its port.

It answers GOOD requests as it should and the ones after in its MODE: "dies", "hangs", "garbage" or "500".
"""

import json
import os
import sys
import time
from itertools import count

from tests.helpers.local_site import Handler, page, serving

REPLIES = {
    "answer_question": {"source": "Evidence", "type": "Extractive", "answer": "It opened in 1931."},
    "merge_answers": {"answer": "It opened in 1931.", "sources": [1]},
    "judge_claim": {"justification": "It opened in 1931.", "label": "Refuted"},
}


class FaultyHandler(Handler):
    def get(self):
        self.send({"data": [{"id": "base"}]})

    def post(self):
        body, number = self.received(), next(self.server.requests)
        if number <= int(sys.argv[2]):
            self.send(chat(body, number))
            return
        match sys.argv[1]:
            case "dies":
                os._exit(1)
            case "hangs":
                time.sleep(3600)
            case "garbage":
                page(b"<html>\x00 not JSON {{{")(self)
            case "500":
                page(b"CUDA error: out of memory", status=500)(self)


def chat(body, number):
    name = body.get("response_format", {}).get("json_schema", {}).get("name", "ask_question")
    reply = REPLIES.get(name, {"question": f"When did it open, asked {number} times?"})
    usage = {"prompt_tokens": 50, "completion_tokens": 9}
    choice = {"message": {"content": json.dumps(reply)}, "finish_reason": "stop", "logprobs": None}
    return {"choices": [choice], "usage": usage}


def main() -> None:
    with serving(FaultyHandler, requests=count(1)) as server:
        print(server.server_port, flush=True)
        time.sleep(3600)


if __name__ == "__main__":
    main()
