"""What the OpenAPI schema tells beside the models: errors, streams, figures, and what follows from what."""

from typing import Any

from system.app.service.schema import Problem

Answers = dict[int | str, dict[str, Any]]


def problems(*codes: int) -> Answers:
    """The errors that an operation may answer with, for the OpenAPI schema."""
    content = {"application/json": {"schema": Problem.model_json_schema()}}
    return {code: {"description": MEANING[code], "content": content} for code in codes}


MEANING = {
    400: "the body is no JSON that can be read",
    401: "the bearer token is missing or wrong",
    404: "nothing has this name or id",
    409: "there is no result yet",
    413: "the body is too large",
    422: "a field has a value that it cannot have",
    429: "the queue is full; Retry-After says in how many seconds to try again",
}

EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"enum": ["thought", "done", "failed", "cancelled", "lost", "stopped"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
STREAM: Answers = {
    200: {
        "description": "server-sent events: 'thought' with a thought of the graph as JSON, and at last the end",
        "content": {"text/event-stream": {"schema": EVENT}},
    }
}
FIGURES: Answers = {200: {"description": "figures", "content": {"text/plain": {"schema": {"type": "string"}}}}}
LINKED: Answers = {
    202: {
        "description": "the claim waits for its turn",
        "headers": {"Location": {"schema": {"type": "string"}, "description": "address of the claim"}},
        "links": {
            name: {"operationId": name, "parameters": {"claim_id": "$response.body#/id"}}
            for name in ("progress", "thoughts", "report", "delete")
        },
    }
}
