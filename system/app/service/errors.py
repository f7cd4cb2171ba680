"""Errors as clients read them: a status and one sentence, never a traceback or a path."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from system.app.service.jobs import QueueFull, UnknownJob
from system.graph.records import ClaimsError, explain, roots

STATUS: dict[type[Exception], int] = {
    ClaimsError: 422,  # what only its constructor finds, such as a claim of emphasis marks
    UnknownJob: 404,
    QueueFull: 429,
}


def answer_errors(app: FastAPI) -> None:
    """Have the application answer every error with ``{"detail": "…"}``."""
    for kind in STATUS:
        app.add_exception_handler(kind, _named)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _fault)


async def _named(_: Request, error: Exception) -> JSONResponse:
    headers = {"Retry-After": str(error.seconds)} if isinstance(error, QueueFull) else {}
    return JSONResponse({"detail": str(error)}, STATUS[type(error)], headers)


async def _invalid(_: Request, error: Any) -> JSONResponse:
    faults = [{**fault, "loc": fault["loc"][1:]} for fault in roots(error.errors())]
    detail = "; ".join(explain(fault, "the request", quoting=False) for fault in faults)
    return JSONResponse({"detail": detail.encode("utf-8", "replace").decode()}, 422)  # a name may be half a surrogate


async def _fault(_: Request, __: Exception) -> JSONResponse:
    """Answer for a defect; the server logs its traceback."""
    return JSONResponse({"detail": "the service failed on this request; its log has the details"}, 500)
