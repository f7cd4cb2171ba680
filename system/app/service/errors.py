"""Errors as clients read them: a status and one sentence, never a traceback, a path, or what the client sent."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from system.app.service.guards import TOO_LARGE
from system.app.service.jobs import QueueFull, UnknownJob
from system.app.service.schema import DAY
from system.app.service.worker import UnknownStore
from system.graph.records import ClaimsError, explain, roots


class NoResult(Exception):
    """The result that a request asks for does not exist yet."""


class TooManyStreams(Exception):
    """No further stream of events is opened now."""


STATUS: dict[type[Exception], int] = {
    ClaimsError: 422,  # what only its constructor finds, such as a claim of emphasis marks
    UnknownJob: 404,
    UnknownStore: 404,
    NoResult: 409,
    QueueFull: 429,
    TooManyStreams: 429,
}
DETAILS = {  # in place of the framework's
    400: "the request: expected valid JSON in UTF-8, not nested deeply, with numbers of at most 4,300 digits",
    404: "there is no such address; /docs lists all",
    413: TOO_LARGE,
}


def answer_errors(app: FastAPI) -> None:
    """Have the application answer every error with a ``Problem``."""
    for kind in STATUS:
        app.add_exception_handler(kind, _named)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _fault)


def sentence(fault: Mapping[str, Any], whole: str = "the request") -> str:
    """Return the field of a fault that pydantic found, and what was expected there.

    >>> sentence({"loc": ("documents", 0, "text"), "type": "missing", "msg": "Field required"})
    'documents.0.text: expected a value, got none'
    >>> sentence({"loc": ("date",), "type": "string_pattern_mismatch", "msg": "String should match pattern '…'"})
    'date: expected the day it was made, as 25-8-2020 or 2020-08-25'
    """
    place = ".".join(map(str, fault["loc"]))
    match fault["type"]:
        case "json_invalid":
            return f"{whole}: expected valid JSON"
        case "extra_forbidden":
            return f"{place}: unknown field; /docs lists the fields"
        case "string_pattern_mismatch" | "value_error" if place == "date":
            return f"date: expected {DAY}"
        case "string_pattern_mismatch":
            return f"{place}: expected {'Base64' if place.endswith('file') else 'some text'}"
        case "string_too_short" if place.endswith("file"):
            return f"{place}: expected a file with text, got an empty one"
    return explain(fault, whole, quoting=False)


async def _named(_: Request, error: Exception) -> JSONResponse:
    headers = {"Retry-After": str(error.seconds)} if isinstance(error, QueueFull) else {}
    return JSONResponse({"detail": str(error)}, STATUS[type(error)], headers)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [{**fault, "loc": fault["loc"][1:]} for fault in roots(error.errors())]
    detail = "; ".join(map(sentence, faults))
    return JSONResponse({"detail": detail.encode("utf-8", "replace").decode()}, 422)  # a name may be half a surrogate


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:  # the framework names the methods of one route of the address only
        paths = request.app.openapi()["paths"].items()
        known = [each for path, each in paths if compile_path(path)[0].match(request.url.path)]
        headers["Allow"] = ", ".join(method.upper() for each in known for method in each) or headers["Allow"]
    return JSONResponse({"detail": DETAILS.get(error.status_code, error.detail)}, error.status_code, headers)


async def _fault(_: Request, __: Exception) -> JSONResponse:
    """Answer for a defect; the server logs its traceback."""
    return JSONResponse({"detail": "the service failed on this request; its log has the details"}, 500)
