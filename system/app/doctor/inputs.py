"""The data: claims, their stores, and WordNet, which the 2024 score needs."""

from collections.abc import Iterator
from pathlib import Path

from system.app.doctor.findings import Finding, bad, good, note
from system.claims import ClaimsError, read_claims
from system.runner.ranking_pool import store_file


def examine_inputs(claims_file: Path, store: Path, wordnet: object) -> Iterator[Finding]:
    """Look at the files of a run.

    Args:
        wordnet: where WordNet lies, or None.
    """
    try:
        claims = read_claims(claims_file)
    except (ClaimsError, OSError) as error:
        yield bad("claims", str(error), "give the file with --claims")
    else:
        yield good("claims", f"{len(claims)} in {claims_file}")
        absent = [claim.id for claim in claims if not store_file(store, claim).is_file()]
        yield _stores(store, len(claims), absent)
    yield (
        good("WordNet", str(wordnet))
        if wordnet
        else note(
            "WordNet", "none, so that the 2024 score cannot be computed", "apt install wordnet-base wordnet-sense-index"
        )
    )


def _stores(store: Path, claims: int, absent: list[int]) -> Finding:
    if not absent:
        return good("stores", f"one for every claim in {store}")
    ids = ", ".join(map(str, absent[:5])) + (", …" if absent[5:] else "")
    found = f"{len(absent)} of {claims} claims have none in {store} (claims {ids}) and would get Not Enough Evidence"
    remedy = "download the stores again, or give their folder with --knowledge-store"
    return bad("stores", found, remedy) if len(absent) == claims else note("stores", found, remedy)
