"""Bundle a training for the engine: averaged, in 8 bits, calibrated, with its card."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import load_file
from sentence_transformers import CrossEncoder

from system.verifier.openvino import OpenVinoVerifier
from training import TrainingError
from training.verifier.card import write_card
from training.verifier.export import export, fit, write_config
from training.verifier.pairs import Pair

LONGEST = 256


def bundle(output: Path, folder: Path, held_out: Sequence[Pair], average: int = 1) -> None:
    """Write the verifier of a training to a folder, and its card with figures on held-out pairs.

    Half of the held-out groups fit the calibration, the figures are of the other half.

    Args:
        average: checkpoints whose weights are averaged, the last ones.

    Raises:
        TrainingError: the training has no checkpoint yet, or too few pairs were held out.
    """
    checkpoints = checkpoints_of(output)[-average:]
    if not checkpoints:
        raise TrainingError(f"{output}: no checkpoint; run 'python -m training verifier --output {output}' first")
    fitting, measured = ([pair for pair in held_out if _half(pair) == half] for half in (True, False))
    if not fitting or not measured:
        raise TrainingError(f"{len(held_out)} held-out pairs are too few to calibrate on; give larger --sets")
    model = averaged(checkpoints)
    export(model, folder, LONGEST)
    raw = OpenVinoVerifier(folder).probabilities([(pair.evidence, pair.statement) for pair in fitting])
    scale, bias = fit(np.log(np.maximum(raw, 1e-7)), fitting)
    write_config(folder, LONGEST, scale, bias)
    probabilities = OpenVinoVerifier(folder).probabilities([(pair.evidence, pair.statement) for pair in measured])
    history = json.loads((checkpoints[-1] / "trainer_state.json").read_text(encoding="utf-8"))["log_history"]
    write_card(folder, output, measured, probabilities, history, len(checkpoints))


def checkpoints_of(output: Path) -> list[Path]:
    """The whole checkpoints of a training, the oldest first."""
    found = [path.parent for path in (output / "checkpoints").glob("checkpoint-*/trainer_state.json")]
    return sorted(found, key=lambda path: int(path.name.split("-")[1]))


def averaged(checkpoints: Sequence[Path]) -> CrossEncoder:
    """The model whose weights are the mean of some checkpoints' (Izmailov et al., 2018)."""
    model: CrossEncoder = CrossEncoder(str(checkpoints[-1]), device="cpu", max_length=LONGEST)
    network: Any = model.model
    states = [load_file(checkpoint / "model.safetensors") for checkpoint in checkpoints]
    mean = {name: sum(state[name] for state in states) / len(states) for name in states[0]}
    network.load_state_dict(mean)
    return model


def _half(pair: Pair) -> bool:
    return sum((pair.group or pair.evidence).encode("utf-8", "replace")) % 2 == 0
