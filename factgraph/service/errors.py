"""What goes wrong, as clients read it: a status and one sentence, never a traceback, a path, or what they sent."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from factgraph.service.jobs import QueueFull, UnknownJob
from factgraph.service.stores import UnknownStore


class NoResult(Exception):
    """A result was asked for that is not there yet."""


STATUS: dict[type[Exception], int] = {UnknownJob: 404, UnknownStore: 404, NoResult: 409, QueueFull: 429}


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
    faults = (f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
    detail = "; ".join(faults).encode("utf-8", "replace").decode()  # a field's name may be half a surrogate pair
    return JSONResponse({"detail": detail}, 422)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = _methods(request) or headers["Allow"]
    return JSONResponse({"detail": error.detail}, error.status_code, headers)


def _methods(request: Request) -> str:
    """The methods that an address has (RFC 9110, 15.5.6); the framework alone names those of one of its operations."""
    paths = request.app.openapi()["paths"].items()
    found = (operations for path, operations in paths if compile_path(path)[0].match(request.url.path))
    return ", ".join(method.upper() for operations in found for method in operations)


async def _fault(_: Request, __: Exception) -> JSONResponse:
    """A defect of ours; the server logs its traceback."""
    return JSONResponse({"detail": "the service failed at this request; its log has the particulars"}, 500)
