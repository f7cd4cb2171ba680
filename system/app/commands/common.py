"""Parts that several commands share: the inputs, the settings, the engine, the exit statuses."""

import argparse
import sys
import time
from codecs import BOM_UTF8
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path

from knowledge_store.pages.documents import read_documents
from knowledge_store.pages.page import Flaws
from knowledge_store.pages.store import write_store
from knowledge_store.searchers.archive import Archive, is_archive
from knowledge_store.searchers.searched import open_searcher
from system.app import options
from system.app.options import add_documents as add_documents
from system.app.options import add_inputs as add_inputs
from system.averitec.claims import ClaimsError, read_claims
from system.averitec.gold import write_gold_store
from system.check import Engine, load_engine
from system.collection import store_file
from system.graph.records import Claim, ClaimResult
from system.hardware.machine import choose_profile
from system.settings import Settings, load
from system.strategies.base import unused

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE_CLAIMS = ROOT / "system" / "examples" / "claims.json"
EXAMPLE_STORE = ROOT / "knowledge_store" / "examples"
EXIT_REFUTED = 1
EXIT_FAILED_CLAIMS = 3
EXIT_INTERRUPTED = 130


def inputs_of(args: argparse.Namespace, settings: Settings) -> tuple[Path, list[Claim], Path]:
    """The file of claims, the claims wanted of it, and their knowledge store.

    Raises:
        ClaimsError: they cannot be read, or do not belong together.
        DocumentsError: there are no documents to read.
        SearchError: there is no such archive, or it cannot be read.
    """
    search = settings.retrieval.search
    claims_file = args.claims or EXAMPLE_CLAIMS
    claims = read_claims(claims_file, args.start, args.limit)  # a wrong file is the first thing to be told
    if args.documents and args.knowledge_store:
        raise ClaimsError("--documents and --knowledge-store cannot be combined; give one of them")
    evidence = args.knowledge_store or args.documents
    if settings.debate.evidence != "gold" and not search and bool(args.claims) != bool(evidence):
        raise ClaimsError(
            "--claims and evidence must be given together: give --claims with --knowledge-store or --documents, "
            "or none of them to use the bundled examples"
        )
    store = args.knowledge_store or EXAMPLE_STORE
    if search and not evidence:  # what is found is all there is
        open_searcher(search)
        store = Path(settings.retrieval.search_folder)
        try:
            store.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ClaimsError(
                f"retrieval.search_folder {store}: expected a folder that can be written, got: {error.strerror}"
            ) from error
    if args.documents:
        store = store_of_documents(args.documents, args.output / "documents", fetch=args.fetch)
    if settings.debate.evidence == "gold":
        store = write_gold_store(claims_file, claims, args.output / "gold")
    if not store.exists():
        raise ClaimsError(f"{store} not found; expected a folder with <claim id>.json, or one file for all claims")
    if (
        args.knowledge_store
        and not search
        and store.is_dir()
        and not any(store_file(store, one).exists() for one in claims)
    ):
        raise ClaimsError(f"{store}: no {claims[0].id}.json, nor a store of another claim; did you mean --documents?")
    if is_archive(store):
        Archive.open(store)
    elif store.is_file() and not _is_store(store):
        raise ClaimsError(f"{store}: expected an archive or a store of JSON Lines; did you mean --documents?")
    return claims_file, claims, store


def _is_store(file: Path) -> bool:
    """Whether a file can be a store: one of its first lines is a JSON object; broken ones may stand before it."""
    with file.open("rb") as lines:
        return any(line.lstrip(BOM_UTF8 + b" \t").startswith(b"{") for line in lines.read(1 << 20).splitlines())


def store_of_documents(sources: Sequence[str], folder: Path, *, fetch: bool) -> Path:
    """Write documents as one knowledge store for all claims.

    Its name tells its content, so that a run can be resumed with the same documents and with no others.
    """
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / "documents.json"
    write_store(read_documents(sources, Flaws(), fetch=fetch), fresh)
    store = folder / f"{sha256(fresh.read_bytes()).hexdigest()[:16]}.json"
    if store.exists():
        fresh.unlink()
    else:
        fresh.rename(store)
    return store


def settings_of(args: argparse.Namespace, *, reading: bool = False) -> Settings:
    """The settings that the options ask for; says which profile was chosen and why where they name none.

    Args:
        reading: whether many statements are checked, each briefly and as those on documents are.
    """
    given = options.given_settings(args)
    profile, why = (args.profile, "") if args.profile else choose_profile(given)
    settings = load(profile, {**options.BRIEF, **given} if reading else given)
    if reading or getattr(args, "documents", None):
        asked, settings = settings.strategy, settings.for_documents()
        idle = [f"--{name}" for name in ("backend", "model", "adapters", "address") if name in given]
        if settings.strategy != asked and idle:
            reads = f"documents and texts are read by the verifier (strategy {settings.strategy})"
            use = f"--document-strategy {asked} uses {'it' if len(idle) == 1 else 'them'}"
            print(f"{', '.join(idle)}: no effect here, {reads}; {use}", file=sys.stderr)
    if idle := unused(settings.strategy, given):
        flags = (options.flag(f"no_{name}" if given[name] is False else name) for name in idle)
        print(f"{', '.join(flags)}: no effect with strategy {settings.strategy}", file=sys.stderr)
    if why:
        print(f"profile {profile}: {why}", file=sys.stderr)
    return settings


def load_timed(settings: Settings, trace: Path | None = None) -> tuple[Engine, float]:
    """The engine, and the seconds that loading it took, which no claim's clock contains."""
    began = time.perf_counter()
    return load_engine(settings, trace), time.perf_counter() - began


@asynccontextmanager
async def closing(engine: Engine) -> AsyncIterator[Engine]:
    """The engine; what its model holds is freed at the end, whatever happens."""
    try:
        yield engine
    finally:
        await engine.model.close()


def stands_for_failure(result: ClaimResult) -> bool:
    """Whether the row stands for a failure instead of an answer."""
    return any(failure.unanswered for failure in result.failures)
