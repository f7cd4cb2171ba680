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


async def embed(claims: Sequence[Claim], stores: Path, profile: str) -> int:
    """Write the vectors of all passages that the first stage keeps for each claim; return how many.

    Raises:
        SubmissionError: the stores are no folder, there is no such profile, or its encoder cannot be loaded.
    """
    if not stores.is_dir():
        raise SubmissionError(f"{stores}: expected a folder with a store for each claim, such as 0.json")
    try:
        settings = load(profile, {})
        encoder = SentenceEncoder.of(settings.retrieval)
    except (SettingsError, EncoderUnavailable) as error:
        raise SubmissionError(str(error)) from error
    collection, count = StoreCollection(stores, settings), 0
    await collection.open(claims)
    try:
        for claim in progress_bar(claims, desc="embedding", unit="claim"):
            ranked = await collection.rank(claim)
            if passages := ranked.store.passages:
                count += prepare(store_file(stores, claim), passages, encoder, settings.retrieval.encoder)
            for failure in ranked.failures:
                log.warning("claim %d: %s", claim.id, failure.message)
    finally:
        collection.close()
    return count
