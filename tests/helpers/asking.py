"""Requests to a model server, through a backend that is closed afterwards."""

import asyncio
from collections.abc import Mapping

from system.models.base import Request, Result
from system.models.server import ServerModel
from system.settings import EngineSettings
from system.tasks.base import Adapter


def ask_server(
    settings: EngineSettings, *requests: Request, model: str = "model", adapters: Mapping[Adapter, str] | None = None
) -> list[Result]:
    async def run() -> list[Result]:
        backend = ServerModel(model, adapters or {}, settings)
        try:
            return await backend.generate(requests)
        finally:
            await backend.close()

    return asyncio.run(run())
