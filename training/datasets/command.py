"""``python -m training data``: the adapters' data sets, of AVeriTeC's training split."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from knowledge_store.dense.encoder import EncoderUnavailable
from system.app.commands.common import settings_of
from system.app.options import parse_settings
from system.averitec.gold import GoldClaim, read_gold
from system.files.journal import JournalError
from system.models.chat import ChatTokenizer
from system.models.loading import located
from system.settings import Settings, SettingsError
from training import TrainingError
from training.datasets.evidence import BI_ENCODER
from training.datasets.production import SETS, DataOrder, produce
from training.datasets.samples import (
    LEAKED_CLAIM,
    HeldOut,
    Making,
    PlainRenderer,
    Renderer,
    TokenRenderer,
    read_held_out,
    sha256_of,
)
from training.finetuning.command import DATA

CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L6-v2"
LOCAL = ("transformers", "vllm")  # backends whose model is a folder or a name on the hub, with its tokenizer


def add_command(commands: Any) -> None:
    """Add ``data`` to the training commands."""
    parser = commands.add_parser(
        "data",
        help="make the data sets of the adapters",
        description="Make the data sets of the adapters from annotated claims, each with a card that says what was "
        "dropped and why. A model, chosen as for a run, judges answers and holds debates. Finished work is kept: "
        "the same command resumes it.",
    )
    parser.add_argument("--claims", type=Path, required=True, help="AVeriTeC's train.json, with its annotations")
    parser.add_argument(
        "--held-out", type=Path, nargs="+", required=True, help="dev and test claims, which no sample may repeat"
    )
    parser.add_argument("--output", type=Path, default=DATA, help="folder of the data sets (default: %(default)s)")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, help="data sets to make (default: all)")
    parser.add_argument(
        "--knowledge-store", type=Path, help="folder with <claim id>.json (default: answers stand for their pages)"
    )
    parser.add_argument(
        "--entailment",
        type=Path,
        metavar="DIR",
        help="folder with sets of evidence, claim and label (default: the set 'entailment' is left out)",
    )
    parser.add_argument(
        "--scorer",
        default=CROSS_ENCODER,
        help=f"cross-encoder that finds an answer's passage, a folder or a name; or {BI_ENCODER!r}, the encoder of "
        "retrieval (default: %(default)s)",
    )
    parser.add_argument(
        "--threshold", type=_share, default=0.5, help="minimum score of a passage, in [0, 1] (default: %(default)s)"
    )
    parser.add_argument(
        "--tokenizer", help="model to train, whose tokenizer measures prompts and replies (default: the profile's)"
    )
    parser.add_argument("--start", type=int, default=0, metavar="N", help="id of the first claim (default: 0)")
    parser.add_argument("--limit", type=int, metavar="N", help="number of claims (default: all)")
    parser.add_argument("--overwrite", action="store_true", help="redo debates and judgements from the start")
    parser.set_defaults(run=run, settings=[])


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, got {text}")
    return value


def run(args: argparse.Namespace) -> None:
    """Make the data sets and print a line for each.

    Raises:
        TrainingError: see ``produce``; every message says what is kept.
        ClaimsError: the claims are not AVeriTeC's annotated ones.
    """
    try:
        asyncio.run(_run(args))
    except (EncoderUnavailable, JournalError, SettingsError) as error:
        raise TrainingError(str(error)) from error
    except OSError as error:
        raise TrainingError(
            f"{error.filename or args.output}: {error.strerror}; fix it and run the same command again: "
            "finished data sets, debates and judgements are kept"
        ) from error
    except KeyboardInterrupt:
        raise TrainingError("stopped; run the same command to resume") from None


async def _run(args: argparse.Namespace) -> None:
    settings = settings_of(parse_settings(args.settings))
    held_out = read_held_out(args.held_out)
    claims, leaked = _claims(args, held_out)
    args.output.mkdir(parents=True, exist_ok=True)
    renderer, lengths = _renderer(args, settings)
    facts = {
        "seed": settings.model.seed,
        "source": {"file": args.claims.name, "sha256": sha256_of(args.claims), "claims used": len(claims)},
        "leakage": {"held out": {file.name: sha256_of(file) for file in args.held_out}, LEAKED_CLAIM: leaked},
        "lengths": lengths,
        "settings": settings.model_dump(mode="json", include={"model", "debate", "engine", "retrieval"}),
    }
    order = DataOrder(
        claims_file=args.claims,
        claims=claims,
        sets=args.sets,
        settings=settings,
        store=_store(args),
        scorer=args.scorer,
        threshold=args.threshold,
        entailment=args.entailment,
        overwrite=args.overwrite,
        making=Making(args.output, renderer, held_out, facts),
    )
    async for card in produce(order):
        print(_line(card), flush=True)


def _claims(args: argparse.Namespace, held_out: HeldOut) -> tuple[list[GoldClaim], int]:
    """The claims that may be used, and how many repeat a held-out one."""
    last = sys.maxsize if args.limit is None else args.start + args.limit
    gold = [one for one in read_gold(args.claims) if one.claim.text.strip()]  # the official split has a blank one
    wanted = [one for one in gold if args.start <= one.claim.id < last]
    progress = tqdm(wanted, unit="claim", desc="leakage", leave=False, disable=None)
    claims = [one for one in progress if not held_out.near_copy(one.claim.text)]
    if not claims:
        raise TrainingError(f"{args.claims}: no claims left of {len(wanted)}; check --start, --limit and --held-out")
    return claims, len(wanted) - len(claims)


def _store(args: argparse.Namespace) -> Path | None:
    store: Path | None = args.knowledge_store
    if store and not store.is_dir():
        raise TrainingError(f"{store} not found; expected a folder with <claim id>.json")
    return store


def _renderer(args: argparse.Namespace, settings: Settings) -> tuple[Renderer, str]:
    """Return the renderer of prompts, and the card's words on their lengths."""
    name = args.tokenizer or (settings.model.model if settings.model.backend in LOCAL else "")
    if not name:
        print("no tokenizer: lengths are not checked, and only the usual control tokens are broken; give --tokenizer")
        return PlainRenderer(), "not checked: no tokenizer"
    context = settings.engine.context
    return TokenRenderer(
        ChatTokenizer(located(name), context)
    ), f"prompt and reply in {context} tokens of {Path(name).name}"


def _line(card: dict[str, Any]) -> str:
    """One line about a data set: ``moderator: 12 samples of 12 claims; dropped 3 (sample repeated 3)``."""
    dropped: dict[str, int] = card["dropped"]
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.items())
    tail = f"; dropped {sum(dropped.values()):,} ({reasons})" if dropped else ""
    fallback = [f"; {name}: {note}" for name, note in card.items() if str(note).startswith("fallback")]
    return f"{card['data set']}: {card['samples']:,} samples of {card['claims']:,} claims{tail}{''.join(fallback)}"
