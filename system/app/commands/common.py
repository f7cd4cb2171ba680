"""Parts that several commands share: the inputs, the settings, the engine, the exit statuses.

Paths are looked at before this module loads anything large, so a wrong one is named within a second.
"""

import sys
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from knowledge_store.pages.documents import DocumentsError, find_documents, read_documents, warm_up
from knowledge_store.pages.page import Flaws
from knowledge_store.pages.store import write_store
from system.app import options
from system.app.options import ClaimsFile, Documents, Fetch, Store
from system.averitec.claims import ClaimsError, read_claims
from system.graph.records import Claim
from system.hardware.machine import choose_profile
from system.settings import Settings, load

if TYPE_CHECKING:
    from system.api import FactChecker

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE_CLAIMS = ROOT / "system" / "examples" / "claims.json"
EXAMPLE_STORE = ROOT / "knowledge_store" / "examples"
NOTHING = "no evidence: give --documents, or --search with an archive or a SearXNG address"
EXIT_REFUTED = 1
EXIT_FAILED_CLAIMS = 3
EXIT_INTERRUPTED = 130


@Parameter(name="*")
@dataclass(frozen=True)
class RunOptions:
    """The options of a run: its claims, what to check them against, and where the results go."""

    claims: ClaimsFile = None
    knowledge_store: Store = None
    documents: Documents = ()  # type: ignore[assignment]  # nothing may change the default
    fetch: Fetch = False
    output: Annotated[Path, Parameter(help="output folder (default: output)")] = Path("output")
    start: Annotated[int, Parameter(help="first claim, counted from 0 (default: 0)")] = 0
    limit: Annotated[int | None, Parameter(help="number of claims (default: all)")] = None
    resume: Annotated[bool, Parameter(help="resume the run in --output")] = False
    overwrite: Annotated[bool, Parameter(help="replace the run in --output")] = False
    trace: Annotated[bool, Parameter(help="write every prompt and reply to trace.jsonl")] = False
    ray: Annotated[
        list[str] | None,
        Parameter(
            consume_multiple=(0, 1),
            help="spread the claims over a Ray cluster, one engine per GPU or per share of CPUs: HOST:PORT of its "
            "head, auto for the cluster that this machine belongs to, or no value for this machine alone",
        ),
    ] = None


def inputs_of(inputs: RunOptions, settings: Settings) -> tuple[Path, list[Claim], Path]:
    """The file of claims, the claims wanted of it, and their knowledge store.

    Raises:
        ClaimsError: they cannot be read, or do not belong together.
        DocumentsError: there are no documents to read.
        SearchError: there is no such archive, or it cannot be read.
    """
    search, gold = settings.retrieval.search, settings.debate.evidence == "gold"
    claims_file = inputs.claims or EXAMPLE_CLAIMS
    claims = read_claims(claims_file, inputs.start, inputs.limit)  # a wrong file is named first
    one_source(inputs.documents, inputs.knowledge_store)
    evidence = inputs.knowledge_store or inputs.documents
    if not (gold or search) and bool(inputs.claims) != bool(evidence):
        raise ClaimsError(
            "--claims and evidence must be given together: give --claims with --knowledge-store or --documents, "
            "or none of them to use the bundled examples"
        )
    store = inputs.knowledge_store or EXAMPLE_STORE
    if search and not evidence:  # what is found is all there is
        from knowledge_store.searchers.searched import open_searcher

        open_searcher(search)
        store = Path(settings.retrieval.search_folder)
        store.mkdir(parents=True, exist_ok=True)
    if inputs.documents:
        store = store_of_documents(inputs.documents, inputs.output / "documents", fetch=inputs.fetch)
    if gold:
        from system.averitec.gold import write_gold_store

        store = write_gold_store(claims_file, claims, inputs.output / "gold")
    _check_store(store, claims, given=bool(inputs.knowledge_store), search=bool(search))
    return claims_file, claims, store


def one_source(documents: Sequence[str], store: Path | None) -> None:
    """Refuse documents beside a store with a ``ClaimsError``."""
    if documents and store:
        raise ClaimsError("--documents and --knowledge-store cannot be combined; give one of them")


def _check_store(store: Path, claims: Sequence[Claim], *, given: bool, search: bool) -> None:
    from knowledge_store.searchers.archive import Archive, is_archive

    if not store.exists():
        raise ClaimsError(f"{store} not found; expected a folder with <claim id>.json, or one file for all claims")
    if given and not search and store.is_dir() and not any((store / f"{one.id}.json").exists() for one in claims):
        raise ClaimsError(f"{store}: no {claims[0].id}.json, nor a store of another claim; did you mean --documents?")
    if is_archive(store):
        Archive.open(store)
    elif store.is_file() and not _is_store(store):
        raise ClaimsError(f"{store}: expected an archive or a store of JSON Lines; did you mean --documents?")


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


def find_sources(
    documents: Sequence[str], given: Mapping[str, Any] | None, *, fetch: bool, store: bool = False
) -> None:
    """Look whether there is evidence, before anything large is imported.

    Args:
        given: see ``options.SettingOptions``.
        store: whether there is evidence besides.

    Raises:
        DocumentsError: a document does not exist, or there is no evidence.
        SearchError: there is no such archive.
    """
    search, profile = (str((given or {}).get(name, "")) for name in ("search", "profile"))
    if not search and profile.endswith(".toml"):
        search = load(profile, {}).retrieval.search
    if not (documents or search or store):
        raise DocumentsError(NOTHING)
    find_documents(documents, fetch=fetch)
    if search:
        from knowledge_store.searchers.searched import open_searcher

        open_searcher(search)


def settings_of(
    given: Mapping[str, Any] | None, *, documents: bool = False, brief: bool = False, quiet: bool = False
) -> Settings:
    """The settings that the options ask for; without a profile among them, says which was chosen and why.

    Args:
        given: see ``options.SettingOptions``.
        documents: whether claims are checked as those on documents are.
        brief: whether many statements are checked, each briefly.
        quiet: say nothing.
    """
    chosen, named = options.given(given), (given or {}).get("profile")
    profile, why = (named, "") if named else choose_profile(chosen)
    asked = load(profile, {**options.BRIEF, **chosen} if brief else chosen)
    settings = asked.for_documents() if documents else asked
    if quiet:
        return settings
    from system.strategies.base import unused  # only now: it imports the strategy

    names = ("backend", "model", "adapters", "address", "options", "calibration")
    idle = [options.flag(name) for name in names if name in chosen]
    if idle and settings.strategy != asked.strategy:
        reads = f"documents and texts are read by the verifier (strategy {settings.strategy})"
        use = f"--document-strategy {asked.strategy} uses {'it' if len(idle) == 1 else 'them'}"
        print(f"{', '.join(idle)}: no effect here, {reads}; {use}", file=sys.stderr)
    if others := unused(settings.strategy, chosen):
        flags = (options.flag(f"no_{name}" if chosen[name] is False else name) for name in others)
        print(f"{', '.join(flags)}: no effect with strategy {settings.strategy}", file=sys.stderr)
    if why:
        print(f"profile {profile}: {why}", file=sys.stderr)
    return settings


def load_checker(settings: Settings) -> "FactChecker":
    """Return a checker, and start the processes that read documents: its first claim need not wait for them."""
    warm_up()
    from system.api import FactChecker
    from system.check import load_engine

    return FactChecker(engine=load_engine(settings))
