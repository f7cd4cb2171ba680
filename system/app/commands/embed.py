"""``factgraph embed``: compute the vectors of passages ahead of a run."""

import asyncio
from pathlib import Path

from system.app.commands import common
from system.app.options import SettingOptions
from system.averitec.claims import ClaimsError, read_claims


def embed(*, claims: Path, knowledge_store: Path, settings: SettingOptions | None = None) -> int:
    """Embed the passages that BM25 keeps for each claim, and write the vectors beside its store: a run reads them."""
    chosen, wanted = common.settings_of(settings, quiet=True), read_claims(claims)
    if not knowledge_store.is_dir():
        raise ClaimsError(f"{knowledge_store}: expected a folder with a store for each claim, such as 0.json")
    from knowledge_store.dense.encoder import SentenceEncoder  # only now: it takes a second
    from system.collection import StoreCollection

    encoder = SentenceEncoder.of(chosen.retrieval)
    asyncio.run(StoreCollection(knowledge_store, chosen).embed(wanted, encoder))
    return 0
