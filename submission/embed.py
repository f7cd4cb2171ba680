"""Compute the vectors of the passages that a run would embed, before its clock starts."""

import logging
from collections.abc import Sequence
from pathlib import Path

from knowledge_store.dense.encoder import EncoderUnavailable, SentenceEncoder
from knowledge_store.dense.prepared import prepare
from knowledge_store.progress import progress_bar
from submission.files import SubmissionError
from system.collection import StoreCollection, store_file
from system.graph.records import Claim
from system.settings import SettingsError, load

log = logging.getLogger(__name__)


async def embed(claims: Sequence[Claim], stores: Path, profile: str) -> None:
    """Write the vectors of all passages that the first stage keeps for each claim; raises a ``SubmissionError``."""
    if not stores.is_dir():
        raise SubmissionError(f"{stores}: expected a folder with a store for each claim, such as 0.json")
    try:
        settings = load(profile, {})
        encoder = SentenceEncoder.of(settings.retrieval)
    except (SettingsError, EncoderUnavailable) as error:
        raise SubmissionError(str(error)) from error
    collection = StoreCollection(stores, settings)
    await collection.open(claims)
    for claim in progress_bar(claims, desc="embedding", unit="claim"):
        ranked = await collection.rank(claim)
        prepare(store_file(stores, claim), ranked.store.passages, encoder, settings.retrieval.encoder)
        for failure in ranked.failures:
            log.warning("claim %d: %s", claim.id, failure.message)
    collection.close()
