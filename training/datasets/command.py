"""``python -m training data``: the adapters' data sets, of AVeriTeC's training split, the cheap ones first.

Finished work is kept: data sets are written whole, and judgements, debates and corrections one by one in journals.
"""

import argparse
import asyncio
import hashlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import orjson
from tqdm import tqdm

from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from system.app.commands.common import settings_of
from system.app.options import parse_settings
from system.averitec.gold import GoldClaim, read_gold, write_gold_store
from system.files.atomic import write_atomically
from system.files.journal import RecordJournal, identity_of
from system.graph.records import Record
from system.hardware.weights import located
from system.models.base import Model
from system.models.chat import ChatTokenizer
from system.models.loading import load_model
from system.models.prompting import prompt_files
from system.settings import SEED, Settings
from training import TrainingError
from training.datasets.evidence import BI_ENCODER, Source, bi_encoder, cross_encoder
from training.datasets.gold import question_generation, verdict_prediction
from training.datasets.leakage import HeldOut, read_held_out
from training.datasets.moderator import (
    Correction,
    Debate,
    correct,
    debate_settings,
    hold_debates,
    moderator_data,
    syndec,
)
from training.datasets.question_answering import Judgement, judge_entailment, question_answering
from training.datasets.samples import LEAKED_CLAIM, DataSet, Making, Renderer, sha256_of, write_data_set
from training.finetuning.command import DATA

SETS = ("question_generation", "verdict_prediction", "question_answering", "moderator")
CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L6-v2"
LOCAL = ("vllm",)  # backends whose model is a folder or a name on the hub, with its tokenizer
BALANCED = 0.3  # makes Not Enough Evidence as frequent as Refuted in the train split (docs/training.md)

R = TypeVar("R", bound=Record)


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
        "--knowledge-store",
        type=Path,
        help="folder with <claim id>.json (default: answers stand for their pages, and debates are on gold evidence)",
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


def run(options: argparse.Namespace) -> None:
    """Make the data sets and print a line for each.

    Raises:
        ClaimsError: the claims are not AVeriTeC's annotated ones.
        OSError: a file cannot be written.
        TrainingError: a scorer cannot be loaded, or no debate reached a verdict.
        EncoderUnavailable, ModelUnavailable: the model that judges or debates cannot be loaded.
        JournalError: the folder holds work of another order.
        SettingsError: a setting is wrong.
    """
    asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> None:
    settings = settings_of(parse_settings(options.settings))
    if options.knowledge_store and not options.knowledge_store.is_dir():
        raise TrainingError(f"{options.knowledge_store} not found; expected a folder with <claim id>.json")
    held_out = read_held_out(options.held_out)
    claims, leaked = _claims(options, held_out)
    options.output.mkdir(parents=True, exist_ok=True)
    renderer, lengths = _renderer(options, settings)
    facts = {
        "seed": SEED,
        "source": {"file": options.claims.name, "sha256": sha256_of(options.claims), "claims used": len(claims)},
        "leakage": {"held out": {file.name: sha256_of(file) for file in options.held_out}, LEAKED_CLAIM: leaked},
        "lengths": lengths,
        "settings": settings.model_dump(mode="json", include={"model", "debate", "engine", "retrieval"}),
    }
    making = Making(options.output, renderer, held_out, facts)
    async for data in _Order(options, claims, settings).data_sets():
        print(_line(write_data_set(data, making)), flush=True)


def _claims(options: argparse.Namespace, held_out: HeldOut) -> tuple[list[GoldClaim], int]:
    """Return the claims that may be used, and how many repeat a held-out one."""
    last = sys.maxsize if options.limit is None else options.start + options.limit
    gold = [one for one in read_gold(options.claims) if one.claim.text.strip()]  # the official split has a blank one
    wanted = [one for one in gold if options.start <= one.claim.id < last]
    progress = tqdm(wanted, unit="claim", desc="leakage", leave=False, disable=None)
    claims = [one for one in progress if not held_out.near_copy(one.claim.text)]
    if not claims:
        raise TrainingError(f"{options.claims}: no claims left of {len(wanted)}; check --start, --limit and --held-out")
    return claims, len(wanted) - len(claims)


def _renderer(options: argparse.Namespace, settings: Settings) -> tuple[Renderer, str]:
    """Return the renderer of prompts, and what the card says about their lengths."""
    name = options.tokenizer or (settings.model.model if settings.model.backend in LOCAL else "")
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


@dataclass(frozen=True)
class _Order:
    """The data sets to make.

    Attributes:
        options: of the command line.
        claims: those of ``options.claims`` that are used.
        settings: of the model that judges, debates and corrects, and of retrieval.
    """

    options: argparse.Namespace
    claims: list[GoldClaim]
    settings: Settings

    async def data_sets(self) -> AsyncIterator[DataSet]:
        """Make the data sets in turn."""
        sets = self.options.sets
        if "question_generation" in sets:
            yield question_generation(self.claims)
        if "verdict_prediction" in sets:
            yield verdict_prediction(self.claims, self.options.partial)
        if not {"question_answering", "moderator"} & set(sets):
            return
        encoder = SentenceEncoder.of(self.settings.retrieval)
        async with self._model(encoder) as model:
            if "question_answering" in sets:
                yield await self._question_answering(encoder, model)
            if "moderator" in sets and model:
                for data in await self._moderator(encoder, model):
                    yield data

    @asynccontextmanager
    async def _model(self, encoder: Encoder) -> AsyncIterator[Model | None]:
        """Load the model that judges passages of a store and debates; None if there is neither.

        The moderator's adapter, which is still to be trained, is left out.
        """
        if not self.options.knowledge_store and "moderator" not in self.options.sets:
            yield None
            return
        model = load_model(self._debate_settings, encoder)
        try:
            yield model
        finally:
            await model.close()

    @property
    def _debate_settings(self) -> Settings:
        return debate_settings(self.settings, gold=not self.options.knowledge_store)

    async def _question_answering(self, encoder: Encoder, model: Model | None) -> DataSet:
        store = self.options.knowledge_store
        scorer = self.options.scorer or (CROSS_ENCODER if store else BI_ENCODER)
        scores = bi_encoder(encoder) if scorer == BI_ENCODER else cross_encoder(scorer)
        source = Source(store, self.settings.retrieval, scorer, scores, self.options.threshold)
        if store is None or model is None:
            return await question_answering(self.claims, source)
        judged_with = {"knowledge store": str(store.resolve()), "scorer": scorer}
        with self._journal("entailment", Judgement, judged_with) as journal:
            data = await question_answering(self.claims, source, partial(judge_entailment, model, journal))
        return replace(data, notes={**data.notes, "entailment judged by": self._model_name})

    async def _moderator(self, encoder: Encoder, model: Model) -> list[DataSet]:
        settings, folder = self._debate_settings, self.options.output
        claims = [annotated.claim for annotated in self.claims]
        labels = {annotated.claim.id: annotated.label for annotated in self.claims}
        of_gold = settings.debate.evidence == "gold"
        store = (
            write_gold_store(self.options.claims, claims, folder / "gold") if of_gold else self.options.knowledge_store
        )
        with self._journal(
            "debates", Debate, {"stores of debates": "gold" if of_gold else str(store.resolve())}
        ) as held:
            debates = await hold_debates(model, encoder, settings, claims, store, held)
        if not debates:
            raise TrainingError("no debate reached a verdict; the warnings above say why")
        wrong = [debate for debate in debates if debate.label is not labels[debate.claim.id]]
        with self._journal("corrections", Correction, {}) as corrected:
            corrections = await correct(model, wrong, labels, corrected)
        lines = (orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in syndec(debates, labels, corrections))
        write_atomically(folder / "debates.jsonl", b"".join(lines))
        about = {
            "held by": self._model_name,
            "strategy": settings.strategy,
            "evidence": settings.debate.evidence,
            "rounds at most": settings.debate.rounds,
        }
        return moderator_data(self.claims, debates, corrections, {"debates": about, "corrections by": self._model_name})

    @property
    def _model_name(self) -> str:
        return f"{self.settings.model.backend} {self.settings.model.model}".strip()

    def _journal(self, name: str, kind: type[R], more: dict[str, str]) -> RecordJournal[R]:
        """Open the journal of one kind of work, to resume it unless the options say otherwise.

        Its identity leaves out which claims are wanted, so that a few can be tried before all.
        """
        folder: Path = self.options.output / "journals"
        folder.mkdir(parents=True, exist_ok=True)
        parts: dict[str, bool | set[str]] = {"engine": {"context"}}
        parts |= dict.fromkeys(("strategy", "graph", "debate", "model", "retrieval"), True)
        settings = self._debate_settings.model_dump(mode="json", include=parts)
        prompts = hashlib.sha256(b"".join(path.read_bytes() for path in prompt_files())).hexdigest()
        inputs = [("claims", f"sha256 {sha256_of(self.options.claims)[:16]}"), ("prompts", prompts[:16]), *more.items()]
        return RecordJournal(folder / f"{name}.jsonl", identity_of(settings, inputs), not self.options.overwrite, kind)
