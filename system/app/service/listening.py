"""``factgraph serve`` once its port is bound: load the engine, then answer until told to stop."""

import logging
import socket

from knowledge_store.pages import reading
from knowledge_store.ranking import warm_up
from system.app.commands import common
from system.app.options import SettingOptions
from system.app.service.access import ServeOptions
from system.app.service.answering import answer
from system.app.service.app import Capacity, create_app
from system.app.service.worker import Stores, Worker

log = logging.getLogger(__name__)


def listen(args: ServeOptions, given: SettingOptions | None, token: str, bound: socket.socket) -> None:
    """Load the engine and serve until SIGINT or SIGTERM."""
    engine, seconds = common.load_timed(common.settings_of(given))
    log.info("engine loaded in %.1f s; compiling the ranking", seconds)
    warm_up()
    reading.warm_up()
    limits = Capacity(queue=args.queue, kept=args.kept, body=int(args.body * 2**20))
    app = create_app(Worker(engine), Stores(args.stores), limits, token)
    answer(app, args, bound, "/", token)
