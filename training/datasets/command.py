"""``python -m training data``: the adapters' data sets, of AVeriTeC's training split, the cheap ones first.

Finished work is kept: data sets are written whole, and judgements, debates and corrections one by one in journals.
"""

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from cyclopts import Parameter
from cyclopts.validators import Number
from tqdm import tqdm

from knowledge_store.dense.encoder import Encoder, SentenceEncoder
from system.app.commands.common import settings_of
from system.app.options import HiddenSettings
from system.averitec.claims import read_claims
from system.averitec.gold import GoldClaim, read_gold, write_gold_store
from system.files.journal import RecordJournal, identity_of
from system.graph.records import Record
from system.hardware.weights import fetch
from system.models.base import Model
from system.models.loading import load_model
from system.models.prompting import ChatTokenizer, prompt_files
from system.settings import SEED, Settings
from training import TrainingError
from training.datasets.evidence import BI_ENCODER, Source, bi_encoder, cross_encoder
from training.datasets.gold import question_generation, verdict_prediction
from training.datasets.leakage import HeldOut
from training.datasets.moderator import Debate, correct, debate_settings, hold_debates, moderator_data
from training.datasets.question_answering import question_answering
from training.datasets.samples import LEAKED_CLAIM, DataSet, Making, Written, replies, sha256_of, write_data_set
from training.finetuning.command import DATA

SetName = Literal["question_generation", "verdict_prediction", "question_answering", "moderator"]
CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L6-v2"
LOCAL = ("vllm",)  # backends whose model is a folder or a name on the hub, with its tokenizer
PARTIAL = 0.1  # with which a small model judges more often than it abstains (docs/training.md)

R = TypeVar("R", bound=Record)
Share = Annotated[float, Parameter(validator=Number(gte=0, lte=1))]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Options:
    """What the data sets are made of.

    Attributes:
        claims: AVeriTeC's train.json, with its annotations.
        held_out: dev and test claims, which no sample may repeat.
        output: folder of the data sets.
        sets: data sets to make.
        knowledge_store: folder with <claim id>.json (default: answers stand for their pages, and debates are on gold
            evidence).
        scorer: finds an answer's passage: a cross-encoder on the CPU, a folder or a name; or bi-encoder, the encoder of
            retrieval (default: cross-encoder/ms-marco-MiniLM-L6-v2 with a store, otherwise bi-encoder).
        threshold: minimum score of a passage, in [0, 1].
        partial: share of the verdict samples on partial evidence, which are Not Enough Evidence, that is kept; the
            paper keeps all, 1.
        tokenizer: model to train, whose tokenizer measures prompts and replies (default: the profile's).
        limit: number of claims (default: all).
        overwrite: redo debates and judgements from the start.
    """

    claims: Path
    held_out: list[Path]
    output: Path = DATA
    sets: Annotated[tuple[SetName, ...], Parameter(show_default="all")] = get_args(SetName)
    knowledge_store: Path | None = None
    scorer: str | None = None
    threshold: Share = 0.5
    partial: Share = PARTIAL
    tokenizer: str | None = None
    limit: int | None = None
    overwrite: bool = False


async def data(*, options: Options, settings: HiddenSettings = None) -> None:
    """Make the data sets and print a line for each."""
    chosen = settings_of(settings)
    store = options.knowledge_store
    if store and not store.is_dir():
        raise TrainingError(f"{store} not found; expected a folder with <claim id>.json")
    held_out = HeldOut(claim.text for file in options.held_out for claim in read_claims(file))
    claims, leaked = _claims(options, held_out)
    options.output.mkdir(parents=True, exist_ok=True)
    tokenizer = options.tokenizer or (chosen.model.model if chosen.model.backend in LOCAL else "")
    chat = ChatTokenizer(fetch(tokenizer), chosen.engine.context) if tokenizer else None
    lengths = f"prompt and reply in {chosen.engine.context} tokens of {Path(tokenizer).name}"
    if not chat:
        lengths = "not checked: no tokenizer"
        print("no tokenizer: lengths are not checked, and only the usual control tokens are broken; give --tokenizer")
    facts = {
        "seed": SEED,
        "source": {"file": options.claims.name, "sha256": sha256_of(options.claims), "claims used": len(claims)},
        "leakage": {"held out": {file.name: sha256_of(file) for file in options.held_out}, LEAKED_CLAIM: leaked},
        "lengths": lengths,
        "settings": chosen.model_dump(mode="json", include={"model", "debate", "engine", "retrieval"}),
    }
    making = Making(options.output, chat, held_out, facts)

    def write(data: DataSet) -> None:
        print(_line(write_data_set(data, making)), flush=True)

    if "question_generation" in options.sets:
        write(question_generation(claims))
    if "verdict_prediction" in options.sets:
        write(verdict_prediction(claims, options.partial))
    debated = "moderator" in options.sets
    if not (debated or "question_answering" in options.sets):
        return
    encoder = SentenceEncoder.of(chosen.retrieval)
    work = _Work(options, claims, debate_settings(chosen, gold=not store))
    # Without a store no answer is judged. The moderator's adapter, which is still to be trained, is left out.
    model = load_model(work.settings, encoder) if store or debated else None
    try:
        if "question_answering" in options.sets:
            write(await work.question_answering(encoder, model))
        if debated and model:
            for data in await work.moderator(encoder, model):
                write(data)
    finally:
        if model:
            await model.close()


def _claims(options: Options, held_out: HeldOut) -> tuple[list[GoldClaim], int]:
    """Return the claims that may be used, and how many repeat a held-out one."""
    gold = read_gold(options.claims)[: options.limit]
    wanted = [one for one in gold if one.claim.text.strip()]  # the official split has a blank one
    progress = tqdm(wanted, unit="claim", desc="leakage", leave=False, disable=None)
    claims = [one for one in progress if not held_out.near_copy(one.claim.text)]
    if not claims:
        raise TrainingError(f"{options.claims}: no claims left of {len(wanted)}; check --limit and --held-out")
    return claims, len(wanted) - len(claims)


def _line(card: dict[str, Any]) -> str:
    """Return one line about a data set: ``moderator: 12 samples of 12 claims; dropped 3 (sample repeated 3)``."""
    dropped: dict[str, int] = card["dropped"]
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in dropped.items())
    tail = f"; dropped {sum(dropped.values()):,} ({reasons})" if dropped else ""
    fallback = [f"; {name}: {note}" for name, note in card.items() if str(note).startswith("fallback")]
    return f"{card['data set']}: {card['samples']:,} samples of {card['claims']:,} claims{tail}{''.join(fallback)}"


@dataclass(frozen=True)
class _Work:
    """What a model does for the data sets."""

    options: Options  #: of the command line
    claims: list[GoldClaim]  #: those of ``options.claims`` that are used
    settings: Settings  #: of debates, see ``debate_settings``

    async def question_answering(self, encoder: Encoder, model: Model | None) -> DataSet:
        """Find passages, and with a store have the model judge the answers."""
        store = self.options.knowledge_store
        scorer = self.options.scorer or (CROSS_ENCODER if store else BI_ENCODER)
        scores = bi_encoder(encoder) if scorer == BI_ENCODER else cross_encoder(scorer)
        source = Source(store, self.settings.retrieval, scorer, scores, self.options.threshold)
        if store is None or model is None:
            return await question_answering(self.claims, source)
        judged_with = {"knowledge store": str(store.resolve()), "scorer": scorer}
        with self._journal("entailment", Written, judged_with) as journal:
            judge = partial(replies, model, journal, what="entailment")
            data = await question_answering(self.claims, source, judge)
        return replace(data, notes={**data.notes, "entailment judged by": self._model_name})

    async def moderator(self, encoder: Encoder, model: Model) -> list[DataSet]:
        """Hold debates, and have the model correct wrong verdicts."""
        claims = [annotated.claim for annotated in self.claims]
        labels = {annotated.claim.id: annotated.label for annotated in self.claims}
        debate, store, kept = self.settings.debate, self.options.knowledge_store, "gold"
        if debate.evidence == "gold" or not store:
            store = write_gold_store(self.options.claims, claims, self.options.output / "gold")
        else:
            kept = str(store.resolve())
        with self._journal("debates", Debate, {"stores of debates": kept}) as held:
            debates = await hold_debates(model, encoder, self.settings, claims, store, held)
        if not debates:
            raise TrainingError("no debate reached a verdict; the warnings above say why")
        with self._journal("corrections", Written, {}) as corrected:
            corrections = await correct(model, debates, labels, corrected)
        about: dict[str, Any] = {"held by": self._model_name, "strategy": self.settings.strategy}
        about |= {"evidence": debate.evidence, "rounds at most": debate.rounds}
        return moderator_data(self.claims, debates, corrections, {"debates": about, "corrections by": self._model_name})

    @property
    def _model_name(self) -> str:
        return f"{self.settings.model.backend} {self.settings.model.model}".strip()

    def _journal(self, name: str, kind: type[R], more: dict[str, str]) -> RecordJournal[R]:
        """Open the journal of one kind of work, to resume it unless the options say otherwise.

        Its identity leaves out which claims are wanted, so that a few can be tried before all.
        """
        folder = self.options.output / "journals"
        folder.mkdir(parents=True, exist_ok=True)
        parts: dict[str, bool | set[str]] = {"engine": {"context"}}
        parts |= dict.fromkeys(("strategy", "graph", "debate", "model", "retrieval"), True)
        settings = self.settings.model_dump(mode="json", include=parts)
        prompts = hashlib.sha256(b"".join(path.read_bytes() for path in prompt_files())).hexdigest()
        inputs = [("claims", f"sha256 {sha256_of(self.options.claims)[:16]}"), ("prompts", prompts[:16]), *more.items()]
        return RecordJournal(folder / f"{name}.jsonl", identity_of(settings, inputs), not self.options.overwrite, kind)
