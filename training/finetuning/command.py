"""``python -m training train``: fine-tune an adapter of the engine on a data set of ``python -m training data``."""

from dataclasses import asdict, dataclass, replace
from math import gcd
from pathlib import Path

from cyclopts import Parameter
from cyclopts.types import PositiveFloat, PositiveInt

from training import TrainingError
from training.finetuning.recipes import RECIPES, Recipe, Task

MODELS = Path("models")
BASE = MODELS / "base"
DATA = MODELS / "data"


@Parameter(name="*")
@dataclass(frozen=True)
class Changes:
    """Settings that replace the recipe's.

    Attributes:
        epochs: passes over the examples (default: the recipe's, as for all that follow).
        learning_rate: peak learning rate.
        batch: examples per update.
        micro_batch: examples per forward pass.
        context: maximum length of an example, in tokens.
        patience: evaluations without a better held-out loss before training stops.
    """

    epochs: PositiveFloat | None = None
    learning_rate: PositiveFloat | None = None
    batch: PositiveInt | None = None
    micro_batch: PositiveInt | None = None
    context: PositiveInt | None = None
    patience: PositiveInt | None = None


def train(
    *,
    task: Task,
    base: str = str(BASE),
    data: Path = DATA,
    output: Path | None = None,
    from_adapter: Path | None = None,
    seed: int = 1,
    changes: Changes | None = None,
) -> None:
    """Train an adapter.

    Args:
        task: adapter to train.
        base: base model, a folder or a name; 'dequantize' makes one.
        data: folder of the data sets.
        output: folder of the adapter (default: models/ and the task it is served for).
        from_adapter: adapter to continue from (default: a new one; for a second stage, the first stage's).
        seed: random seed for the held-out claims, the order and the dropout.
    """
    from training.finetuning import training  # imports large libraries

    given = {name: value for name, value in asdict(changes or Changes()).items() if value is not None}
    recipe = replace(RECIPES[task], **given)
    recipe = replace(recipe, micro_batch=gcd(recipe.batch, recipe.micro_batch))
    start = _start(from_adapter, recipe)
    training.train(training.Job(task, recipe, base, data, output or MODELS / recipe.folder, start, seed))


def _start(given: Path | None, recipe: Recipe) -> Path | None:
    """Return the adapter to continue from; None for a new one."""
    start = given or (MODELS / recipe.start if recipe.start else None)
    if start and not (start / "adapter_config.json").exists():
        first = "" if given else f"train {recipe.start} first, or "
        raise TrainingError(f"{start}: no adapter to continue from; {first}give the folder of one with --from-adapter")
    return start
