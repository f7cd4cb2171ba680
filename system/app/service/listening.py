"""The service behind a port that is bound already: load the engine, then answer until told to stop."""

import logging
import socket
import sqlite3
from pathlib import Path

from knowledge_store.pages import reading
from knowledge_store.ranking import warm_up
from system.app.commands import common
from system.app.commands.serve import ServeOptions
from system.app.options import SettingOptions
from system.app.service.access import AccessError
from system.app.service.answering import answer
from system.app.service.app import Capacity, create_app
from system.app.service.job_archive import JobArchive
from system.app.service.worker import Stores, Worker

log = logging.getLogger(__name__)

REMEDIES = {
    sqlite3.SQLITE_BUSY: "stop the other service, or ",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; move it away, or ",
    sqlite3.SQLITE_NOTADB: "the file is damaged or of another kind; move it away, or ",
}


def listen(args: ServeOptions, given: SettingOptions | None, token: str, bound: socket.socket) -> None:
    """Load the engine and serve until SIGINT or SIGTERM.

    Raises:
        AccessError: the file of jobs cannot be used.
    """
    archive = open_archive(args.jobs)
    engine, seconds = common.load_timed(common.settings_of(given))
    log.info("engine loaded in %.1f s; compiling the ranking", seconds)
    warm_up(engine.settings.retrieval)
    reading.warm_up()
    limits = Capacity(queue=args.queue, kept=args.kept, body=int(args.body * 2**20))
    app = create_app(Worker(engine), Stores(args.stores), limits, token, archive)
    answer(app, args, bound, "/", token)


def open_archive(file: Path) -> JobArchive:
    """The archive of jobs.

    Raises:
        AccessError: the file is none of ours, is damaged, or another service has it.
    """
    try:
        return JobArchive(file)
    except (OSError, sqlite3.Error) as error:
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the bits above say where
        raise AccessError(
            f"--jobs {file}: expected a SQLite file of this service alone, got: {error}; "
            f"{REMEDIES.get(kind, '')}give another --jobs"
        ) from error
