"""Errors as clients read them: a status and one sentence, never a traceback, a path, or what they sent."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from system.app.service.guards import TOO_LARGE
from system.app.service.jobs import QueueFull, UnknownJob
from system.app.service.schema import Submission
from system.app.service.streams import TooManyStreams
from system.app.service.worker import UnknownStore
from system.graph.records import explain, roots


class NoResult(Exception):
    """A result was asked for that is not there yet."""


STATUS: dict[type[Exception], int] = {
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


async def _named(_: Request, error: Exception) -> JSONResponse:
    headers = {"Retry-After": str(error.seconds)} if isinstance(error, QueueFull) else {}
    return JSONResponse({"detail": str(error)}, STATUS[type(error)], headers)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    """Where the fault is and what was expected; what was sent is not repeated."""
    assert isinstance(error, RequestValidationError)
    detail = "; ".join(map(_sentence, roots(error.errors())))
    return JSONResponse({"detail": detail.encode("utf-8", "replace").decode()}, 422)  # a name may be half a surrogate


def _sentence(fault: Mapping[str, Any]) -> str:
    """The field, and what was expected there.

    >>> _sentence({"loc": ("body", "documents", 0, "text"), "type": "missing", "msg": "Field required"})
    'documents.0.text: expected a value, got none'
    >>> _sentence({"loc": ("body", "budget"), "type": "greater_than", "msg": "Input should be greater than 0"})
    'budget: expected a number greater than 0'
    """
    place = ".".join(map(str, fault["loc"][1:]))
    match fault["type"]:
        case "json_invalid":
            return "the request: expected valid JSON"
        case "extra_forbidden":
            return f"{place}: unknown field; /docs lists the fields"
        case "string_pattern_mismatch" if place in Submission.model_fields:
            return f"{place}: expected {Submission.model_fields[place].description}"
        case "string_too_short" if place.endswith("file"):
            return f"{place}: expected a file with text, got an empty one"
    return explain({**fault, "loc": fault["loc"][1:]}, "the request", quoting=False)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = _methods(request) or headers["Allow"]
    detail = DETAILS.get(error.status_code, error.detail)
    return JSONResponse({"detail": detail}, error.status_code, headers)


def _methods(request: Request) -> str:
    """The methods that an address has (RFC 9110, 15.5.6); the framework alone names those of one of its operations."""
    paths = request.app.openapi()["paths"].items()
    found = (operations for path, operations in paths if compile_path(path)[0].match(request.url.path))
    return ", ".join(method.upper() for operations in found for method in operations)


async def _fault(_: Request, __: Exception) -> JSONResponse:
    """A bug; the server logs its traceback."""
    return JSONResponse({"detail": "the service failed on this request; its log has the details"}, 500)
