"""A model server that breaks: ``faulty_server.py MODE GOOD``. Prints its port.

It answers GOOD requests as it should and the ones after in its MODE: "dies", "hangs", "garbage" or "500".
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

REPLIES = {
    "answer_question": {"source": "Evidence", "type": "Extractive", "answer": "It opened in 1931."},
    "merge_answers": {"answer": "It opened in 1931.", "sources": [1]},
    "judge_claim": {"justification": "It opened in 1931.", "label": "Refuted"},
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    requests = count(1)
    lock = threading.Lock()

    def do_GET(self):
        self.send(200, json.dumps({"data": [{"id": "base"}]}))

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            number = next(self.requests)
        if number > int(sys.argv[2]):
            self.misbehave()
        else:
            self.send(200, chat(body, number))

    def misbehave(self):
        match sys.argv[1]:
            case "dies":
                os._exit(1)
            case "hangs":
                time.sleep(3600)
            case "garbage":
                self.send(200, "<html>\x00 not JSON {{{")
            case "500":
                self.send(500, "CUDA error: out of memory")

    def send(self, status, text):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def chat(body, number):
    name = body.get("response_format", {}).get("json_schema", {}).get("name", "ask_question")
    reply = REPLIES.get(name, {"question": f"When did it open, asked {number} times?"})
    usage = {"prompt_tokens": 50, "completion_tokens": 9}
    choice = {"message": {"content": json.dumps(reply)}, "finish_reason": "stop", "logprobs": None}
    return json.dumps({"choices": [choice], "usage": usage})


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
