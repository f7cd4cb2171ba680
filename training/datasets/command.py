"""``python -m training data``: the adapters' data sets, of AVeriTeC's training split."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from system.app.commands.common import settings_of
from system.app.options import parse_settings
from system.averitec.gold import GoldClaim, read_gold
from system.hardware.weights import located
from system.models.chat import ChatTokenizer
from system.settings import SEED, Settings
from training import TrainingError
from training.datasets.evidence import BI_ENCODER
from training.datasets.leakage import HeldOut, read_held_out
from training.datasets.production import SETS, DataOrder, produce
from training.datasets.samples import LEAKED_CLAIM, Making, Renderer, sha256_of
from training.finetuning.command import DATA

CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L6-v2"
LOCAL = ("vllm",)  # backends whose model is a folder or a name on the hub, with its tokenizer
BALANCED = 0.3  # makes Not Enough Evidence as frequent as Refuted in the train split (docs/training.md)


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
        "--scorer",
        help=f"finds an answer's passage: a cross-encoder on the CPU, a folder or a name; or {BI_ENCODER!r}, "
        f"the encoder of retrieval (default: {CROSS_ENCODER} with a store, otherwise {BI_ENCODER!r})",
    )
    parser.add_argument(
        "--threshold", type=_share, default=0.5, help="minimum score of a passage, in [0, 1] (default: %(default)s)"
    )
    parser.add_argument(
        "--partial",
        type=_share,
        default=BALANCED,
        help="share of the verdict samples on partial evidence, which are Not Enough Evidence, that is kept; the paper "
        "keeps all, 1 (default: %(default)s)",
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
        ClaimsError: the claims are not AVeriTeC's annotated ones.
        OSError: a file cannot be written.
        TrainingError, EncoderUnavailable, JournalError, ModelUnavailable: see ``produce``.
        SettingsError: a setting is wrong.
    """
    asyncio.run(_run(args))


async def _run(args: argparse.Namespace) -> None:
    settings = settings_of(parse_settings(args.settings))
    store: Path | None = args.knowledge_store
    if store and not store.is_dir():
        raise TrainingError(f"{store} not found; expected a folder with <claim id>.json")
    held_out = read_held_out(args.held_out)
    claims, leaked = _claims(args, held_out)
    args.output.mkdir(parents=True, exist_ok=True)
    renderer, lengths = _renderer(args, settings)
    facts = {
        "seed": SEED,
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
        store=store,
        scorer=args.scorer or (CROSS_ENCODER if store else BI_ENCODER),
        threshold=args.threshold,
        partial=args.partial,
        overwrite=args.overwrite,
        making=Making(args.output, renderer, held_out, facts),
    )
    async for card in produce(order):
        print(_line(card), flush=True)


def _claims(args: argparse.Namespace, held_out: HeldOut) -> tuple[list[GoldClaim], int]:
    """Return the claims that may be used, and how many repeat a held-out one."""
    last = sys.maxsize if args.limit is None else args.start + args.limit
    gold = [one for one in read_gold(args.claims) if one.claim.text.strip()]  # the official split has a blank one
    wanted = [one for one in gold if args.start <= one.claim.id < last]
    progress = tqdm(wanted, unit="claim", desc="leakage", leave=False, disable=None)
    claims = [one for one in progress if not held_out.near_copy(one.claim.text)]
    if not claims:
        raise TrainingError(f"{args.claims}: no claims left of {len(wanted)}; check --start, --limit and --held-out")
    return claims, len(wanted) - len(claims)


def _renderer(args: argparse.Namespace, settings: Settings) -> tuple[Renderer, str]:
    """Return the renderer of prompts, and what the card says about their lengths."""
    name = args.tokenizer or (settings.model.model if settings.model.backend in LOCAL else "")
    if not name:
        print("no tokenizer: lengths are not checked, and only the usual control tokens are broken; give --tokenizer")
        return Renderer(), "not checked: no tokenizer"
    context = settings.engine.context
    chat = ChatTokenizer(located(name), context)
    return Renderer(chat), f"prompt and reply in {context} tokens of {Path(name).name}"


def _line(card: dict[str, Any]) -> str:
    """Return one line about a data set: ``moderator: 12 samples of 12 claims; dropped 3 (sample repeated 3)``."""
    dropped: dict[str, int] = card["dropped"]
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.items())
    tail = f"; dropped {sum(dropped.values()):,} ({reasons})" if dropped else ""
    fallback = [f"; {name}: {note}" for name, note in card.items() if str(note).startswith("fallback")]
    return f"{card['data set']}: {card['samples']:,} samples of {card['claims']:,} claims{tail}{''.join(fallback)}"
