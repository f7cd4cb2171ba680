"""How long do the debates of a trained moderator last, and which rank does its adapter need? On a small model.

A noisy oracle (``oracle.py``) debates annotated claims of the training split and moderates them too; the reasons of its
verdicts are the annotators'. From these debates SmolLM2-135M learns to moderate (Debate-SFT), once for each rank, and
once from last rulings alone. Each moderator then rules on the oracle's debates about held-out claims:

    python -m scripts.moderator_ranks --claims train.json --held-out dev.json --output output/moderator

Run again, a stopped command resumes.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scripts.oracle import OracleModel, Rates
from scripts.simulate_debate import HashedWords
from system.gold import GoldClaim, read_gold, write_gold_store
from system.journal import RecordJournal
from system.models.base import Model, RoutedModel
from system.models.chat import ChatTokenizer
from system.models.transformers import TransformersModel
from system.records import Label
from system.settings import EngineSettings, load
from system.tasks.base import Adapter
from system.tasks.debate import RulingReply
from system.weights import SMOLLM2
from training.datasets.moderator import Debate, debate_settings, hold_debates, moderator_data
from training.datasets.samples import DataSet, Making, TokenRenderer, read_held_out, write_data_set
from training.finetuning.checkpoints import last_checkpoint
from training.finetuning.recipes import RECIPES, Recipe
from training.finetuning.training import Job, train

RATES = Rates(overlook=0.85, flip=0.05, drift=0.1)  # so that two debates of five need a second round
CONTEXT = 2304
SHORT = {"chunk_size": 200, "chunk_overlap": 0, "exhibits": 6, "max_concurrent_claims": 8}  # fits a small model
LAST_ALONE = "last_rulings"
MODERATORS = ((16, 32, "moderator"), (16, 32, LAST_ALONE), (128, 256, "moderator"), (32, 256, "moderator"))
"""Rank, alpha and data set of each: the three adapters' settings, and the paper's alpha at two ranks."""


def main() -> None:
    """Hold the debates, train the moderators, let them rule, and print a table."""
    args = _parser().parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    gold, dev = read_gold(args.claims), read_gold(args.held_out)
    learnt, held_out = shortest(gold, args.train), shortest(dev, args.test)
    debates = _debates(OracleModel(gold, RATES), learnt, args.claims, args.output / "train")
    _write_data(learnt, [_reasoned(debate, gold) for debate in debates], args.held_out, args.output)
    theirs = _debates(OracleModel(dev, RATES), held_out, args.held_out, args.output / "held_out_oracle")
    print("| rulings of | MB | debates | end in round 1 | 2 | 3 | right | held-out loss |\n|" + "---|" * 8)
    _print("the oracle", "", *_row(theirs, held_out), "")
    for rank, alpha, data in MODERATORS:
        folder = args.output / f"{data}_{rank}"
        train(
            Job("moderator", _recipe(data, rank, alpha), str(SMOLLM2.folder), args.output, folder, None, None, seed=1)
        )
        model = TransformersModel(
            str(SMOLLM2.folder), {Adapter.MODERATOR: str(folder)}, EngineSettings(context=CONTEXT)
        )
        team = RoutedModel([OracleModel(dev, RATES), model], lambda task: task.adapter is Adapter.MODERATOR)
        ruled = _debates(team, held_out, args.held_out, args.output / f"held_out_{folder.name}")
        asyncio.run(team.close())  # the next one needs the memory
        size = (folder / "adapter_model.safetensors").stat().st_size / 1e6
        _print(f"rank {rank}, alpha {alpha}, {data}", f"{size:.1f}", *_row(ruled, held_out), f"{_loss(folder):.3f}")


def _print(*row: str) -> None:
    print(f"| {' | '.join(row)} |", flush=True)


def shortest(gold: Sequence[GoldClaim], number: int, answers: int = 4) -> list[GoldClaim]:
    """The claims with the least to read, of those with so many answers; of fewer, one round cites them all."""
    several = [one for one in gold if len(one.answers) >= answers and one.justification]
    return sorted(several, key=lambda one: sum(len(answer.text) for answer in one.answers))[:number]


def _debates(model: Model, claims: Sequence[GoldClaim], file: Path, folder: Path) -> list[Debate]:
    """Debates on gold evidence, moderated by a model; those that the journal holds are not held again."""
    debated = [one.claim for one in claims]
    store = write_gold_store(file, debated, folder / "store")
    settings = debate_settings(load("server", SHORT))
    with RecordJournal(folder / "debates.jsonl", {"claims": len(claims)}, True, Debate) as journal:
        return asyncio.run(hold_debates(model, HashedWords(), settings, debated, store, journal))


def _reasoned(debate: Debate, gold: Sequence[GoldClaim]) -> Debate:
    """The debate with the annotators' reasons for its verdict."""
    field = "reason" if isinstance(debate.reply, RulingReply) else "justification"
    reply = debate.reply.model_copy(update={field: gold[debate.claim.id].justification})
    return debate.model_copy(update={"reply": reply})


def _write_data(gold: Sequence[GoldClaim], debates: Sequence[Debate], held_out: Path, folder: Path) -> None:
    """The set of Debate-SFT, and the same without the rulings that go on."""
    reasons = {one.claim.id: one.justification for one in gold}
    whole = moderator_data(gold, debates, reasons, {})[0]
    last = [sample for sample in whole.samples if sample.kind != "goes on"]
    chat = ChatTokenizer(str(SMOLLM2.folder), CONTEXT)
    making = Making(folder, TokenRenderer(chat), read_held_out([held_out]), {})
    for data in (whole, DataSet(LAST_ALONE, last, whole.drops, whole.notes)):
        card = write_data_set(data, making)
        print(f"{data.name}: {card['samples']} samples, {card['kinds']}, dropped {card['dropped']}")


def _recipe(data: str, rank: int, alpha: int) -> Recipe:
    """The last eight of the 30 blocks, which two cores train in minutes."""
    return replace(
        RECIPES["moderator"],
        data=(data,),
        rank=rank,
        alpha=alpha,
        first_layer=22,
        learning_rate=5e-4,
        context=CONTEXT,
        micro_batch=4,
        batch=4,
        epochs=1.0,
        evaluations=3,
    )


def _row(debates: Sequence[Debate], gold: Sequence[GoldClaim]) -> tuple[str, ...]:
    """How many debates, the shares that ended in each round, and the share of right verdicts."""
    labels = {one.claim.id: one.label for one in gold}
    rounds = Counter(max(argument.round for argument in debate.transcript) for debate in debates)
    right = sum(Label(debate.label) is labels[debate.claim.id] for debate in debates)
    shares = (count / max(1, len(debates)) for count in (*(rounds[number] for number in (1, 2, 3)), right))
    return (str(len(debates)), *(f"{share:.2f}" for share in shares))


def _loss(folder: Path) -> float:
    """The best held-out loss of a training, in nats a token."""
    checkpoint = last_checkpoint(folder)
    assert checkpoint  # a training that has ended has one
    return float(json.loads((checkpoint / "trainer_state.json").read_bytes())["best_metric"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=Path, required=True, help="AVeriTeC's train.json")
    parser.add_argument("--held-out", type=Path, required=True, help="AVeriTeC's dev.json")
    parser.add_argument("--output", type=Path, required=True, help="folder of debates, data and adapters")
    parser.add_argument("--train", type=int, default=100, help="claims to learn from (default: 100)")
    parser.add_argument("--test", type=int, default=40, help="held-out claims (default: 40)")
    return parser


if __name__ == "__main__":
    main()
