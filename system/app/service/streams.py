"""Places for those who follow claims and texts: their connections last, so they count apart from all other requests."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

FOLLOWS = "factgraph.follows"
"""Key of a request's scope, there once its answer is a stream of events."""

PER_JOB = 8  # streams of one client, by its address, that follow the same claim
ALL = 512  # streams of everybody


class TooManyStreams(Exception):
    """No further stream is opened now; the message says which there are too many of."""


class Streams:
    """The streams that are open."""

    def __init__(self) -> None:
        self._open: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def place(self, client: str, job_id: str) -> Iterator[None]:
        """Hold a place.

        Raises:
            TooManyStreams: there is none.
        """
        one = (client, job_id)
        if self._open[one] >= PER_JOB:
            raise TooManyStreams(f"you follow this claim {self._open[one]} times already; close one of these streams")
        if self._open.total() >= ALL:
            raise TooManyStreams(f"{self._open.total()} streams are open, as many as there may be; try again later")
        self._open[one] += 1
        try:
            yield
        finally:
            self._open[one] -= 1
            self._open += Counter()  # forgets what is at 0


class Stream(EventSourceResponse):
    """Events that take a place while they are sent; one that gets none is an error as of any other response."""

    def __init__(
        self, events: AsyncIterator[ServerSentEvent], streams: Streams, request: Request, job_id: str, **options: object
    ) -> None:
        super().__init__(events, **options)  # type: ignore[arg-type]
        self._place = streams.place(request.client.host if request.client else "", job_id)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events.

        Raises:
            TooManyStreams: see ``Streams.place``.
        """
        with self._place:
            scope[FOLLOWS] = True
            await super().__call__(scope, receive, send)
